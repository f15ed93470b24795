use super::{ACCOUNTS, Night, is_done, is_held, joined};
use crate::error::Error;
use cutover_app::operator::{CheckLevel, Readiness, SupplierChange};
use cutover_app::port::Waves;
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

impl Night<'_> {
    /// Imports in waves. The first one stops at its error rate; the others follow after the correction.
    pub(super) fn waves(&self) -> Result<Value, Error> {
        self.out().chapter("14. The import, in waves: the first stops at its error rate");
        self.out()
            .line("  The supplier writes the last statement again, and declares what its accounts come to.");
        self.write_documents()?;
        self.declare()?;
        // Held before the waves are set, so that the release begins the first one.
        self.hold()?;
        self.set_waves()?;
        self.send(self.accounts.iter())?;
        self.lose_documents(&LOST)?;
        self.release()?;
        let stopped = self.wait("a hold because of errors", is_held)?;
        self.print_hold(&stopped);
        let counts = self.print_counts(&stopped);
        self.out().chapter("15. Corrected, checked, released");
        let before = self.print_readiness()?;
        self.correct()?;
        let after = self.print_readiness()?;
        self.release()?;
        let second = self.wait("the end of the second wave", is_held)?;
        self.print_hold(&second);
        self.release()?;
        let all = self.wait("the last account", is_done)?;
        let last = self.print_counts(&all);
        Ok(json!({
            "holds": [stopped["hold"], second["hold"]],
            "stopped": counts,
            "stops_before": before.stopping(),
            "stops_after": after.stopping(),
            "counts": last,
        }))
    }

    fn set_waves(&self) -> Result<(), Error> {
        let text = format!("{WAVE},{WAVE},rest");
        let waves: Waves = text.parse().map_err(Error::refused)?;
        let change = SupplierChange {
            dry_run: Some(false),
            max_concurrent_imports: Some(Some(CONCURRENT)),
            waves: Some(waves),
            hold_on_errors: Some(Some(HOLD_ON_ERRORS.parse().map_err(Error::refused)?)),
            ..SupplierChange::default()
        };
        self.out().command(&format!("cutover supplier set {} --dry-run false \\", self.supplier));
        self.out().line(&format!(
            "      --waves {text} --hold-on-errors {HOLD_ON_ERRORS} --max-concurrent-imports {CONCURRENT}"
        ));
        self.app().set_supplier(&self.supplier, change)?;
        Ok(())
    }

    /// Declares what the accounts come to, computed from them as `cutover-client manifest` does.
    fn declare(&self) -> Result<(), Error> {
        let zone = self.story.installation.zone;
        let totals = self.accounts.iter().try_fold(Totals::default(), |sum, account| {
            let body = account.payload.to_string();
            let draft = decode_account(body.as_bytes(), zone).ok()?.draft?;
            let (account, _) = draft.into_valid()?;
            sum.checked_add(Totals::of(&account, zone))
        });
        let totals = totals.ok_or_else(|| Error::refused("the accounts of the night cannot be counted"))?;
        let declared = ControlTotals::from(totals);
        let body = serde_json::to_value(&declared).unwrap_or_default();
        self.story.client.put(&self.path("manifest"), &body)?.expect(200)?;
        self.out().row("PUT …/manifest/", &format!("200  {}", in_words(&declared)));
        Ok(())
    }

    fn print_hold(&self, progress: &Value) {
        let hold = &progress["hold"];
        let window = match hold["window"].as_u64() {
            Some(window) => format!(" of the last {window}"),
            None => String::new(),
        };
        let (by, wave) = (hold["by"].as_str().unwrap_or_default(), &hold["wave"]);
        let text =
            format!("by {by} in wave {wave}: {} ended and {} failed{window}", hold["ended"], hold["failed"]);
        self.out().row("held", &text);
    }

    /// Prints the checks that are not ok.
    fn print_readiness(&self) -> Result<Readiness, Error> {
        self.out().command(&format!("cutover supplier readiness {}", self.supplier));
        let readiness = self.readiness()?;
        for check in readiness.checks.iter().filter(|check| check.level != CheckLevel::Ok) {
            let level = if check.level == CheckLevel::Stop { "STOP" } else { "warn" };
            self.out().line(&format!("  {level}  {:<12}{}", check.name.as_str(), check.detail));
        }
        let verdict = if readiness.is_ready() { "Ready." } else { "Not ready: a release is refused." };
        self.out().line(&format!("  {verdict}"));
        Ok(readiness)
    }

    /// Writes the lost statements again, and sends the accounts again that have failed.
    fn correct(&self) -> Result<(), Error> {
        self.write_documents()?;
        let failed = |number: &str| -> Result<bool, Error> {
            let path = format!("/v2/data-import/accounts/{}/{number}/", self.supplier);
            Ok(self.story.client.get(&path)?.expect(200)?.text("status") == "ERRORED")
        };
        let mut again = Vec::new();
        for account in LOST.iter().filter_map(|&n| self.accounts.get(n)) {
            if failed(&account.number)? {
                again.push(account);
            }
        }
        self.out().line(
            "  The clean-up is off and the statements are back; the accounts that failed are sent again:",
        );
        self.out().line(&format!("    {}", joined(again.iter().copied())));
        self.send(again.into_iter())
    }
}

/// Totals in a sentence.
pub(super) fn in_words(totals: &ControlTotals) -> String {
    let ControlTotals { accounts, ledger_balance, readings, transactions, documents } = totals;
    format!(
        "{accounts} accounts, balance {ledger_balance}, {readings} readings, {transactions} transactions, {documents} documents"
    )
}

const _: () = assert!(2 * WAVE < ACCOUNTS && LOST[LOST.len() - 1] < WAVE);
