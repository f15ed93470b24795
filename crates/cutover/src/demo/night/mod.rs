//! A migration night of a second supplier: two rehearsals and their difference, a wave that stops at its error rate, the
//! release, the certificate, and a wave that is undone.

mod proof;
mod waves;

use super::accounts::Generated;
use super::client::{text, wait};
use super::installation::ORGANISATION;
use super::story::DOCUMENT;
use super::supplier::{Supplier, counts, is_done};
use crate::error::Error;
use cutover_app::operator::{
    AccountGroup, Checks, Difference, Readiness, Release, RunReport, Services, SupplierChange,
};
use cutover_model::Timestamp;
use serde_json::{Map, Value, json};

/// Number of accounts of the night's supplier. They are sent in one request.
const ACCOUNTS: usize = 48;
const FIRST: &str = "Rehearsal 1";
const SECOND: &str = "Rehearsal 2";
/// Accounts whose statements are lost before the first rehearsal, by their index.
const LOST: [usize; 4] = [4, 11, 22, 36];
/// Those whose statements are lost again before the second one.
const LOST_AGAIN: [usize; 1] = [36];
/// The account that the supplier corrects.
const CORRECTED: usize = 11;

/// Runs chapters 12 to 17. Returns results for the outcome.
pub(super) fn tell(day: &Supplier<'_>) -> Result<Value, Error> {
    let code = format!("{}-NIGHT", day.code);
    let mut night = Supplier::new(day.installation, day.client.clone(), day.out, &code, 1);
    day.out.chapter("12. The night of a migration: a rehearsal, before anything is imported");
    for _ in 0..ACCOUNTS {
        let mut account = night.accounts.valid();
        name_statement(&mut account, "");
        night.batch.push(account);
    }
    night.write_documents()?;
    night.add_to_organisation()?;
    day.out.line(&format!("  It has {ACCOUNTS} accounts, each with a statement in storage."));
    let rehearsals = night.rehearsals()?;
    let waves = night.waves()?;
    let certificate = night.proof()?;
    let undo = night.undo()?;
    Ok(
        json!({"supplier": code, "rehearsals": rehearsals, "waves": waves, "certificate": certificate, "undo": undo}),
    )
}

impl Supplier<'_> {
    fn add_to_organisation(&self) -> Result<(), Error> {
        let (code, zone) = (&self.code, self.installation.zone);
        let change = SupplierChange {
            time_zone: Some(zone),
            verify_documents: Some(true),
            dry_run: Some(true),
            ..SupplierChange::default()
        };
        self.app().as_command().add_supplier(code, ORGANISATION, change)?;
        self.out.command(&format!("supplier add {code} --organisation '{ORGANISATION}' \\"));
        self.out.line(&format!("      --time-zone {zone} --verify-documents true --dry-run true"));
        Ok(())
    }

    /// Writes the statements of all accounts.
    fn write_documents(&self) -> Result<(), Error> {
        self.batch.iter().try_for_each(|account| self.write(statement_path(account), DOCUMENT))
    }

    /// Removes the statements of some accounts, after they were accepted and before they are imported.
    fn lose_documents(&self, accounts: &[usize]) -> Result<(), Error> {
        let of = accounts.iter().filter_map(|&n| self.batch.get(n));
        let mut paths = of.clone().map(statement_path);
        paths.try_for_each(|path| self.installation.remove_document(&self.code, path))?;
        self.out.line("  Before the import a clean-up of the supplier's removes statements from storage:");
        self.out.line(&format!("    {}", joined(of)));
        Ok(())
    }

    /// Sends accounts in one request.
    fn send<'a>(&self, accounts: impl Iterator<Item = &'a Generated>) -> Result<(), Error> {
        let lines: String = accounts.map(|account| format!("{}\n", account.payload)).collect();
        let replies = self.client.bulk("", lines)?;
        let sent = replies.len();
        replies.into_iter().try_for_each(|(_, reply)| reply.expect(201).map(drop))?;
        self.out.row("POST …/accounts/bulk/", &format!("201 for each of {sent}"));
        Ok(())
    }

    /// Holds the supplier: its accounts wait until they are released.
    fn hold(&self) -> Result<(), Error> {
        let because = "until all accounts are there";
        self.out.command(&format!("supplier hold {} --because '{because}'", self.code));
        self.app().as_command().hold_supplier(&self.code, Some(because.to_owned()))?;
        Ok(())
    }

    /// Releases the supplier, which is refused if a check speaks against it.
    fn release(&self) -> Result<(), Error> {
        self.release_with("", Release::default())
    }

    /// Releases although a check speaks against it.
    fn release_by_force(&self, because: &str) -> Result<(), Error> {
        let release = Release { because: Some(because.to_owned()), is_forced: true, ..Release::default() };
        self.release_with(&format!(" --force --because '{because}'"), release)
    }

    /// Releases the hold that `supplier show` prints.
    fn release_with(&self, options: &str, release: Release) -> Result<(), Error> {
        let hold = self.app().as_command().show_hold(&self.code)?;
        let release = Release { held_since: Release::of(hold.as_ref()).held_since, ..release };
        let zone = self.installation.zone;
        let since = release.held_since.map(|at| format!(" --held-since {}", Timestamp(zone.local(at))));
        self.out.command(&format!("supplier release {}{}{options}", self.code, since.unwrap_or_default()));
        self.app().as_command().release_supplier(&self.code, &release, &self.services()?)?;
        Ok(())
    }

    fn readiness(&self) -> Result<Readiness, Error> {
        Ok(self.app().as_command().readiness(&self.code, &self.services()?, Checks::All)?)
    }

    /// Asks the services that the checks before a release are about.
    fn services(&self) -> Result<Services, Error> {
        let wanted = self.app().as_command().services_to_probe(&self.code, Checks::All)?;
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        Ok(runtime.block_on(self.app().probe_services(&wanted)))
    }

    /// Waits until the supplier's progress is as wanted; returns it.
    fn wait_until(&self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Result<Value, Error> {
        wait(what, || self.progress(), is_wanted)
    }

    /// Prints the statuses that accounts have, and returns their numbers.
    fn print_counts(&self, progress: &Value) -> Value {
        let counts = counts(progress);
        for (state, count) in counts.as_object().into_iter().flatten() {
            self.out.row(state, &format!("{:>4}", count.to_string()));
        }
        counts
    }

    /// Runs two rehearsals, the second one corrected, and compares them.
    fn rehearsals(&mut self) -> Result<Value, Error> {
        let first = self.rehearse(FIRST, &LOST)?;
        self.out.chapter("13. The second rehearsal, corrected, and what has changed");
        if let Some(account) = self.batch.get_mut(CORRECTED) {
            name_statement(account, "-corrected");
        }
        self.write_documents()?;
        self.out.line("  The supplier writes the statements again, one of them under another name:");
        if let Some(account) = self.batch.get(CORRECTED) {
            self.out.line(&format!("    {} names {}", account.number, statement_path(account)));
        }
        let second = self.rehearse(SECOND, &LOST_AGAIN)?;
        let [first, second] = [first, second].map(|report| -> Value {
            report.counts.iter().map(|(state, count)| (state.as_str().to_owned(), json!(count))).collect()
        });
        Ok(json!({"first": first, "second": second, "difference": self.compare()?}))
    }

    /// Sends all accounts as dry runs, in a run of this name. The statements of some are lost between.
    fn rehearse(&self, name: &str, lost: &[usize]) -> Result<RunReport, Error> {
        let (code, out) = (&self.code, self.out);
        out.command(&format!("run start {code} '{name}'"));
        self.app().as_command().start_run(code, name)?;
        self.hold()?;
        self.send(self.batch.iter())?;
        self.lose_documents(lost)?;
        self.release()?;
        self.wait_until("the end of the rehearsal", is_done)?;
        out.command(&format!("run end {code}"));
        let report = self.app().as_command().end_run(code)?;
        for (state, count) in report.counts.iter().filter(|(_, count)| *count > 0) {
            out.row(state.as_str(), &format!("{count:>4}"));
        }
        for of in &report.top_errors {
            let attr = of.cause.attr.as_deref().unwrap_or("no path");
            out.row("  error", &format!("{:>4}  {} at {attr}", of.accounts, of.cause.code));
        }
        Ok(report)
    }

    /// Compares both rehearsals.
    fn compare(&self) -> Result<Value, Error> {
        let (code, out) = (&self.code, self.out);
        out.command(&format!("run diff {code} '{FIRST}' '{SECOND}'"));
        let diff = self.app().as_command().diff_runs(code, FIRST, SECOND)?;
        let mut found = Map::new();
        for (difference, AccountGroup { count, examples }) in diff.groups {
            let meaning = match difference {
                Difference::New => "not in the first",
                Difference::Gone => "not in the second",
                Difference::Changed => "sent with other content",
                Difference::Fixed => "failed in the first only",
                Difference::Broken => "failed in the second only",
            };
            let named = if count == 0 { String::new() } else { format!(": {}", examples.join(", ")) };
            out.row(difference.as_str(), &format!("{count:>4}  {meaning}{named}"));
            found.insert(difference.to_string(), json!(examples));
        }
        for of in diff.codes {
            out.row("  error", &format!("{:>4}  {}, {} before", of.b, of.cause.code, of.a));
            found.insert(of.cause.code, json!([of.a, of.b]));
        }
        Ok(Value::Object(found))
    }
}

fn statement_path(account: &Generated) -> &str {
    text(&account.payload["statements"][0], "statement_path")
}

/// Gives an account a statement of its own.
fn name_statement(account: &mut Generated, suffix: &str) {
    let path = format!("statements/{}{suffix}.pdf", account.number);
    account.payload["statements"][0]["statement_path"] = json!(path);
}

/// The numbers of accounts in a sentence.
fn joined<'a>(accounts: impl Iterator<Item = &'a Generated>) -> String {
    accounts.map(|account| account.number.as_str()).collect::<Vec<_>>().join(", ")
}
