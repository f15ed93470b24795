use super::{ACCOUNTS, joined};
use crate::demo::client::text;
use crate::demo::supplier::{Supplier, is_done};
use crate::error::Error;
use cutover_app::operator::{CheckLevel, JobOwner, Readiness, SupplierChange, UndoRequest, UndoScope};
use cutover_app::port::{JobState, Waves};
use cutover_model::{ControlTotals, Totals, decode_account};
use serde_json::{Value, json};

/// The first two waves have as many accounts each.
pub(super) const WAVE: usize = 16;
/// More than 10 % of the last 20 accounts: the third failure holds the supplier.
const HOLD_ON_ERRORS: &str = "10/20";
/// Accounts whose statements are lost before the first wave, by their index. They are in it, and more than are allowed.
const LOST: [usize; 5] = [1, 3, 5, 7, 9];
/// So few at a time, that the wave stops before its end.
const CONCURRENT: u32 = 4;
/// The wave that is undone.
const UNDONE: u32 = 2;

impl Supplier<'_> {
    /// Imports in waves. The first one stops at its error rate and is repeated after the correction; then come the others.
    pub(super) fn waves(&self) -> Result<Value, Error> {
        self.out.chapter("14. The import, in waves: the first stops at its error rate");
        self.out
            .line("  The supplier writes the last statement again, and declares what its accounts come to.");
        self.write_documents()?;
        self.declare()?;
        // Held before the waves are set, so that the release begins the first one.
        self.hold()?;
        self.set_waves()?;
        self.send(self.batch.iter())?;
        self.lose_documents(&LOST)?;
        let lost = self.print_readiness()?;
        self.release_by_force("to see what happens")?;
        let stopped = self.wait_until("a hold because of errors", is_held)?;
        self.print_hold(&stopped);
        let counts = self.print_counts(&stopped);
        self.out.chapter("15. Corrected, checked, released");
        let before = self.print_readiness()?;
        self.correct()?;
        let after = self.print_readiness()?;
        self.release()?;
        let repeated = self.wait_until("the end of the first wave, repeated", is_held)?;
        self.print_hold(&repeated);
        self.release()?;
        let second = self.wait_until("the end of the second wave", is_held)?;
        self.print_hold(&second);
        self.release()?;
        let all = self.wait_until("the last account", is_done)?;
        let last = self.print_counts(&all);
        Ok(json!({
            "holds": [stopped["hold"], repeated["hold"], second["hold"]],
            "stopped": counts,
            "stops_lost": lost.stopping(),
            "stops_before": before.stopping(),
            "stops_after": after.stopping(),
            "counts": last,
        }))
    }

    fn set_waves(&self) -> Result<(), Error> {
        let revision = self.app().as_command().show_supplier(&self.code)?.revision;
        let waves: Waves = format!("{WAVE},{WAVE},rest").parse().map_err(Error::refused)?;
        let options = format!(
            "--dry-run false --revision {revision} \\\n      \
             --waves {waves} --hold-on-errors {HOLD_ON_ERRORS} --max-concurrent-imports {CONCURRENT}"
        );
        let change = SupplierChange {
            revision: Some(revision),
            dry_run: Some(false),
            max_concurrent_imports: Some(Some(CONCURRENT)),
            waves: Some(waves),
            hold_on_errors: Some(Some(HOLD_ON_ERRORS.parse().map_err(Error::refused)?)),
            ..SupplierChange::default()
        };
        self.set(&options, change)
    }

    /// Declares what the accounts come to, computed from them as `cutover-client manifest` does.
    fn declare(&self) -> Result<(), Error> {
        let zone = self.installation.zone;
        let totals = self.batch.iter().try_fold(Totals::default(), |sum, account| {
            let body = account.payload.to_string();
            let draft = decode_account(body.as_bytes(), zone).ok()?.draft?;
            let (account, _) = draft.into_valid()?;
            sum.checked_add(Totals::of(&account, zone))
        });
        let totals = totals.ok_or_else(|| Error::refused("the accounts of the night cannot be counted"))?;
        let declared = ControlTotals::from(totals);
        let body = serde_json::to_value(&declared).unwrap_or_default();
        self.client.put(&self.path("manifest"), &body)?.expect(200)?;
        self.out.row("PUT …/manifest/", &format!("200  {}", in_words(&declared)));
        Ok(())
    }

    fn print_hold(&self, progress: &Value) {
        let hold = &progress["hold"];
        let window = match hold["window"].as_u64() {
            Some(window) => format!(" of the last {window}"),
            None => String::new(),
        };
        let (by, wave) = (text(hold, "by"), &hold["wave"]);
        let (ended, failed) = (&hold["ended"], &hold["failed"]);
        self.out.row("held", &format!("by {by} in wave {wave}: {ended} ended and {failed} failed{window}"));
    }

    /// Prints the checks that are not ok.
    fn print_readiness(&self) -> Result<Readiness, Error> {
        self.out.command(&format!("supplier readiness {}", self.code));
        let readiness = self.readiness()?;
        for check in readiness.checks.iter().filter(|check| check.level != CheckLevel::Ok) {
            let level = if check.level == CheckLevel::Stop { "STOP" } else { "warn" };
            self.out.line(&format!("  {level}  {:<12}{}", check.name.as_str(), check.detail));
        }
        let verdict = if readiness.is_ready() { "Ready." } else { "Not ready: a release is refused." };
        self.out.line(&format!("  {verdict}"));
        Ok(readiness)
    }

    /// Writes the lost statements again, and sends the accounts again that have failed.
    fn correct(&self) -> Result<(), Error> {
        self.write_documents()?;
        let mut again = Vec::new();
        for account in LOST.iter().filter_map(|&n| self.batch.get(n)) {
            if self.status(&account.number)? == "ERRORED" {
                again.push(account);
            }
        }
        self.out.line(
            "  The clean-up is off and the statements are back; the accounts that failed are sent again:",
        );
        self.out.line(&format!("    {}", joined(again.iter().copied())));
        self.send(again.into_iter())
    }

    /// Undoes a wave: its accounts are gone, and can be sent again.
    pub(super) fn undo(&self) -> Result<Value, Error> {
        let (app, out) = (self.app(), self.out);
        out.chapter("17. One wave is undone");
        let request = UndoRequest { supplier: self.code.clone(), which: UndoScope::Wave(UNDONE) };
        let command = format!("supplier undo {} --wave {UNDONE}", self.code);
        out.command(&command);
        let undoable = app.as_command().undoable(&request)?;
        let (undo, kept) = (undoable.undo.count, undoable.kept_count());
        out.row("would be undone", &format!("{undo} accounts, {kept} are kept; nothing is changed yet"));
        let because = "its tariffs were wrong";
        out.command(&format!("{command} --yes --because '{because}'"));
        let begun = app.as_command().begin_undo(&request, because, JobOwner::Caller)?;
        let ended = app.as_command().run_job(&begun.name, Some(begun.claim), |_| ())?;
        if ended.state != JobState::Done || ended.failed > 0 {
            return Err(Error::refused(format!("the undo of wave {UNDONE} of {WAVE} accounts did not end")));
        }
        out.row("undone", &format!("{} accounts, {} were kept", ended.changed, ended.skipped));
        let progress = self.progress()?;
        let counts = self.print_counts(&progress);
        let number = undoable.undo.examples.first().map(String::as_str).unwrap_or_default();
        let example = self.account(number)?;
        let status = text(&example, "status");
        out.row(number, &format!("{status}: its account is gone, and it can be sent again"));
        Ok(json!({"wave": UNDONE, "undone": ended.changed, "kept": ended.skipped, "counts": counts,
            "totals": progress["totals"], "example": example}))
    }
}

/// True if the supplier is held and no account is being imported any more.
fn is_held(progress: &Value) -> bool {
    !progress["hold"].is_null() && progress["counts"]["IN_PROGRESS"] == 0
}

/// Totals in a sentence.
pub(super) fn in_words(totals: &ControlTotals) -> String {
    let ControlTotals { accounts, ledger_balance, readings, transactions, documents, .. } = totals;
    format!(
        "{accounts} accounts, balance {ledger_balance}, {readings} readings, {transactions} transactions, {documents} documents"
    )
}

// The first wave may come to its end before it is held, and is repeated.
const _: () = assert!(3 * WAVE - LOST.len() < ACCOUNTS && LOST[LOST.len() - 1] < WAVE);
