//! A migration night of a second supplier: two rehearsals and their difference, a wave that stops at its error rate, the
//! release, the certificate, and a wave that is undone.

mod proof;
mod rehearsals;
mod undo;
mod waves;

use super::accounts::{Generated, Generator};
use super::installation::ORGANISATION;
use super::printer::Printer;
use super::story::{DOCUMENT, Story};
use super::wait::wait;
use crate::error::Error;
use cutover_app::App;
use cutover_app::operator::{Readiness, Release, Services, SupplierChange};
use serde_json::{Value, json};

/// Number of accounts of the night's supplier. They are sent in one request.
const ACCOUNTS: usize = 48;

/// The night's supplier and its accounts.
struct Night<'s> {
    story: &'s Story<'s>,
    supplier: String,
    accounts: Vec<Generated>,
}

/// Runs chapters 12 to 17. Returns results for the outcome.
pub(super) fn tell(story: &Story<'_>) -> Result<Value, Error> {
    let supplier = format!("{}-NIGHT", story.installation.supplier);
    story.out.chapter("12. The night of a migration: a rehearsal, before anything is imported");
    let mut night = Night::of(story, supplier)?;
    night.add_supplier()?;
    story.out.line(&format!("  It has {ACCOUNTS} accounts, each with a statement in storage."));
    let rehearsals = night.rehearsals()?;
    let waves = night.waves()?;
    let certificate = night.proof()?;
    let undo = night.undo()?;
    Ok(json!({
        "supplier": night.supplier,
        "rehearsals": rehearsals,
        "waves": waves,
        "certificate": certificate,
        "undo": undo,
    }))
}

impl<'s> Night<'s> {
    /// Makes the accounts, each with a statement of its own.
    fn of(story: &'s Story<'s>, supplier: String) -> Result<Self, Error> {
        let mut generator = Generator::new(1, &supplier);
        let accounts = (0..ACCOUNTS).map(|_| {
            let mut account = generator.valid();
            let path = format!("statements/{}.pdf", account.number);
            account.payload["statements"][0]["statement_path"] = json!(path);
            account
        });
        let night = Self { story, accounts: accounts.collect(), supplier };
        night.write_documents()?;
        Ok(night)
    }

    fn add_supplier(&self) -> Result<(), Error> {
        let (code, zone) = (&self.supplier, self.story.installation.zone);
        let change = SupplierChange {
            time_zone: Some(zone),
            verify_documents: Some(true),
            dry_run: Some(true),
            ..SupplierChange::default()
        };
        self.app().add_supplier(code, ORGANISATION, change)?;
        self.out().command(&format!("cutover supplier add {code} --organisation '{ORGANISATION}' \\"));
        self.out().line(&format!("      --time-zone {zone} --verify-documents true --dry-run true"));
        Ok(())
    }

    fn app(&self) -> &App {
        &self.story.installation.app
    }

    fn out(&self) -> Printer {
        self.story.out
    }

    fn path(&self, of: &str) -> String {
        format!("/v2/data-import/import-suppliers/{}/{of}/", self.supplier)
    }

    /// The progress of the supplier.
    fn progress(&self) -> Result<Value, Error> {
        Ok(self.story.client.get(&self.path("progress"))?.expect(200)?.body)
    }

    /// Writes the statements of all accounts.
    fn write_documents(&self) -> Result<(), Error> {
        self.accounts.iter().try_for_each(|account| {
            self.story.installation.write_document(&self.supplier, statement_path(account), DOCUMENT)
        })
    }

    /// Removes the statements of some accounts, after they were accepted and before they are imported.
    fn lose_documents(&self, accounts: &[usize]) -> Result<(), Error> {
        let of = accounts.iter().filter_map(|&n| self.accounts.get(n));
        of.clone().try_for_each(|account| {
            self.story.installation.remove_document(&self.supplier, statement_path(account))
        })?;
        self.out().line("  Before the import a clean-up of the supplier's removes statements from storage:");
        self.out().line(&format!("    {}", joined(of)));
        Ok(())
    }

    /// Sends accounts in one request.
    fn send<'a>(&self, accounts: impl Iterator<Item = &'a Generated>) -> Result<(), Error> {
        let lines: String = accounts.map(|account| format!("{}\n", account.payload)).collect();
        let mut sent = 0;
        for (_, reply) in self.story.client.bulk("", &lines)? {
            reply.expect(201)?;
            sent += 1;
        }
        self.out().row("POST …/accounts/bulk/", &format!("201 for each of {sent}"));
        Ok(())
    }

    /// Holds the supplier: its accounts wait until they are released.
    fn hold(&self) -> Result<(), Error> {
        let because = "until all accounts are there";
        self.out().command(&format!("cutover supplier hold {} --because '{because}'", self.supplier));
        self.app().hold_supplier(&self.supplier, Some(because.to_owned()))?;
        Ok(())
    }

    /// Releases the supplier, which is refused if a check speaks against it.
    fn release(&self) -> Result<(), Error> {
        self.out().command(&format!("cutover supplier release {}", self.supplier));
        self.app().release_supplier(&self.supplier, &Release::default(), &self.services()?)?;
        Ok(())
    }

    fn readiness(&self) -> Result<Readiness, Error> {
        Ok(self.app().readiness(&self.supplier, &self.services()?)?)
    }

    /// Asks the services that the checks before a release are about.
    fn services(&self) -> Result<Services, Error> {
        let wanted = self.app().services_to_probe(&self.supplier)?;
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        Ok(runtime.block_on(self.app().probe_services(&wanted)))
    }

    /// Waits until the supplier's progress is as wanted; returns it.
    fn wait(&self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Result<Value, Error> {
        wait(what, || self.progress(), is_wanted)
    }

    /// Prints the statuses that accounts have, and returns their numbers.
    fn print_counts(&self, progress: &Value) -> Value {
        let mut counts = progress["counts"].clone();
        if let Some(counts) = counts.as_object_mut() {
            counts.retain(|_, count| count != 0);
            for (state, count) in counts {
                self.out().row(state, &format!("{:>4}", count.to_string()));
            }
        }
        counts
    }
}

fn statement_path(account: &Generated) -> &str {
    account.payload["statements"][0]["statement_path"].as_str().unwrap_or_default()
}

/// The numbers of accounts in a sentence.
fn joined<'a>(accounts: impl Iterator<Item = &'a Generated>) -> String {
    accounts.map(|account| account.number.as_str()).collect::<Vec<_>>().join(", ")
}

/// True if no account waits or is being imported.
fn is_done(progress: &Value) -> bool {
    ["PENDING", "IN_PROGRESS"].iter().all(|state| progress["counts"][state] == 0)
}

/// True if the supplier is held and no account is being imported any more.
fn is_held(progress: &Value) -> bool {
    !progress["hold"].is_null() && progress["counts"]["IN_PROGRESS"] == 0
}
