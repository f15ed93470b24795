use super::AddTransactions;
use super::balance::{after, change, of_payload};
use super::period::OpenPeriod;
use super::placement::{Placement, pinned_note, place};
use crate::account::stored_of;
use crate::additions::AddRefused;
use crate::additions::request::{Target, out_of_range, target_to_change};
use crate::port::{
    ChargedPeriod, LedgerHead, NewNote, NewTransaction, StoreError, StoredIssue, StoredTransaction, Tx,
};
use cutover_core::{AttrPath, Code, ExternalAccountNumber, FeedEventType, Issue, IssueSource, Level, Now};
use cutover_model::choices::TransactionType;
use cutover_model::service::rows_of_transaction;
use cutover_model::{
    ContentHash, Decimal, RowCounts, Text, Totals, Transaction, TransactionResult, TransactionStatus,
};
use cutover_rules::service::{PST_06, PST_07, PST_19};

/// All that the transaction of the store needs, owned: it runs on the writer's thread.
pub(super) struct Addition {
    pub(super) supplier_id: i64,
    pub(super) number: ExternalAccountNumber,
    pub(super) transactions: Vec<Transaction<'static>>,
    /// The hash of each, as it was sent.
    pub(super) contents: Vec<ContentHash>,
    pub(super) warnings: Vec<StoredIssue>,
    /// The level of charges of a period that was charged already (rule PST-19).
    pub(super) charged_twice: Level,
    pub(super) query: AddTransactions,
    pub(super) now: Now,
}

/// Decision about one transaction of the request.
enum Decision {
    Known(StoredTransaction),
    Add(Placement),
}

impl Addition {
    pub(super) fn commit(&self, tx: &mut dyn Tx) -> Result<Vec<TransactionResult>, AddRefused> {
        let account = target_to_change(tx, self.supplier_id, &self.number)?.map_err(AddRefused::NotFound)?;
        let missing = || StoreError::Corrupt(format!("account {} has no ledger", account.id));
        let ledger = tx.first_ledger(account.id)?.ok_or_else(missing)?;
        let period = self.open_period(tx, account.id, &ledger)?;
        let decisions = self.decide(tx, account.id, &period)?;
        let (charged_errors, charged_warnings) = match self.charged_twice {
            Level::Off => (Vec::new(), Vec::new()),
            level => self
                .charged_twice(tx, account.id, &decisions)?
                .into_iter()
                .partition(|_| level == Level::Error),
        };
        let mut faults = self.faults(&decisions);
        faults.extend(charged_errors);
        if !faults.is_empty() {
            return Err(AddRefused::faults(faults));
        }
        let warnings =
            [&self.warnings[..], &stored_of(&charged_warnings, IssueSource::Transactions)].concat();
        account.add_warnings(tx, &warnings)?;
        Ok(self.store(tx, &account, &ledger, decisions)?)
    }

    fn open_period(
        &self,
        tx: &mut dyn Tx,
        account_id: i64,
        ledger: &LedgerHead,
    ) -> Result<OpenPeriod, StoreError> {
        let closing = ledger.last_statement_closing_date;
        let start = if closing.is_none() { tx.earliest_supply_start(account_id)? } else { None };
        Ok(OpenPeriod::new(closing, start, self.now.today()))
    }

    /// Decides on each transaction. Ids are unique in a request (rule LED-11), so no decision depends on
    /// earlier ones.
    fn decide(
        &self,
        tx: &mut dyn Tx,
        account_id: i64,
        period: &OpenPeriod,
    ) -> Result<Vec<Decision>, StoreError> {
        let AddTransactions { check_previously_added, force_add_to_current_statement } = self.query;
        let decide = |transaction: &Transaction<'static>| {
            if check_previously_added
                && let Some(stored) = tx.find_transaction(account_id, transaction.transaction_id.trimmed())?
            {
                return Ok(Decision::Known(stored));
            }
            Ok(Decision::Add(place(transaction, period, force_add_to_current_statement)))
        };
        self.transactions.iter().map(decide).collect()
    }

    fn faults(&self, decisions: &[Decision]) -> Vec<Issue> {
        let at = |index: u32, name| AttrPath::root().name("transactions").index(index).name(name);
        let fault = |(index, (decision, sent)): (u32, (&Decision, &Transaction<'_>))| match decision {
            Decision::Known(stored) if !is_same(stored, sent) => {
                Some(PST_07.issue(at(index, "transaction_id"), Code::TransactionIdReusedWithDifferentContent))
            }
            Decision::Add(Placement::Outside) => {
                Some(PST_06.issue(at(index, "transaction_date"), Code::TransactionOutsideOpenStatementPeriod))
            }
            Decision::Known(_) | Decision::Add(_) => None,
        };
        (0..).zip(decisions.iter().zip(&self.transactions)).filter_map(fault).collect()
    }

    /// Returns an issue for each line item of a new charge whose period another transaction of the account has charged.
    fn charged_twice(
        &self,
        tx: &mut dyn Tx,
        account_id: i64,
        decisions: &[Decision],
    ) -> Result<Vec<Issue>, StoreError> {
        let mut issues = Vec::new();
        for (index, decision) in (0..).zip(decisions) {
            let Decision::Add(Placement::AsSent(new) | Placement::Moved(new)) = decision else { continue };
            let Transaction { transaction_id, kind, amount, product_code, line_items, .. } = &new.transaction;
            let items = line_items.as_deref().unwrap_or_default();
            let days = items
                .iter()
                .map(|item| item.start_date)
                .min()
                .zip(items.iter().map(|item| item.end_date).max());
            let (Some(product), Some(days)) = (product_code, days) else { continue };
            // Negative charges take others back.
            if *kind != TransactionType::SupplyCharge || amount.value().is_sign_negative() {
                continue;
            }
            let charged = tx.charged_periods(account_id, product.as_sent(), days)?;
            for (place, item) in (0..).zip(items) {
                let band = item.rate_band.as_ref().map(Text::trimmed);
                let is_charged = |period: &ChargedPeriod| {
                    period.transaction_id != transaction_id.trimmed()
                        && period.rate_band.as_deref().map(cutover_core::trimmed) == band
                        && period.start_date <= item.end_date
                        && period.end_date >= item.start_date
                };
                if charged.iter().any(is_charged) {
                    let at =
                        AttrPath::root().name("transactions").index(index).name("line_items").index(place);
                    let code = Code::LineItemsOverlapAlreadyChargedPeriod;
                    issues.push(PST_19.issue_at(self.charged_twice, at.name("start_date"), code));
                }
            }
        }
        Ok(issues)
    }

    /// Writes the new transactions, the new balance, and a note if transactions were moved.
    fn store(
        &self,
        tx: &mut dyn Tx,
        account: &Target,
        ledger: &LedgerHead,
        decisions: Vec<Decision>,
    ) -> Result<Vec<TransactionResult>, StoreError> {
        let account_id = account.id;
        let (mut results, mut amounts, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        let (mut contents, mut rows) = (Vec::new(), RowCounts::default());
        let adds = decisions.iter().any(|decision| matches!(decision, Decision::Add(_)));
        let before = if adds {
            Some(of_payload(ledger, || tx.current_amounts(account_id, ledger.position))?)
        } else {
            None
        };
        for (decision, content) in decisions.into_iter().zip(&self.contents) {
            let (status, position, transaction) = match decision {
                Decision::Known(stored) => (TransactionStatus::Exists, stored.position, stored.transaction),
                Decision::Add(Placement::AsSent(new) | Placement::Moved(new)) => {
                    let position = tx.add_transaction(account_id, ledger.position, &new)?;
                    amounts.push((new.transaction.kind, new.transaction.amount.value()));
                    moved.extend(moved_from(&new));
                    contents.push(*content);
                    let own = rows_of_transaction(&new.transaction);
                    rows = rows.checked_add(own).ok_or_else(out_of_range)?;
                    (TransactionStatus::Added, position, new.transaction)
                }
                // Unreachable: the request was refused.
                Decision::Add(Placement::Outside) => continue,
            };
            let added_transaction_id = number(account_id, position);
            results.push(TransactionResult { status, transaction, added_transaction_id });
        }
        if let Some(before) = before {
            let count = amounts.len();
            account.note_added(tx, FeedEventType::TransactionsAdded, count, self.now.instant)?;
            let after = after(before, amounts)?;
            tx.set_balance(account_id, ledger.position, &Decimal::from(after))?;
            let ledger_balance = change(ledger, after)?;
            let added = Totals { ledger_balance, transactions: count as u64, rows, ..Totals::default() };
            account.count(tx, &contents, &added)?;
        }
        if let Some(note) = pinned_note(&moved) {
            tx.add_note(account_id, &NewNote { note, created_at: self.now.instant, unpin_at: None })?;
        }
        Ok(results)
    }
}

/// Bits of a transaction's number that are its place in the account.
const PLACE: u32 = 20;

/// Returns the number of a transaction, which JSON holds exactly: its account, and its place there from 1. `None` beyond a
/// million places.
fn number(account_id: i64, position: i64) -> Option<i64> {
    let place = position.checked_add(1).filter(|place| *place < 1 << PLACE)?;
    Some(account_id.checked_mul(1 << PLACE)? + place)
}

fn moved_from(new: &NewTransaction) -> Option<(String, chrono::NaiveDate)> {
    Some((new.transaction.transaction_id.trimmed().to_owned(), new.sent_date?))
}

/// Returns true if both transactions were sent with the same date, amount and type (contract D8).
fn is_same(stored: &StoredTransaction, sent: &Transaction<'_>) -> bool {
    let was = &stored.transaction;
    stored.sent_date.unwrap_or(was.transaction_date) == sent.transaction_date
        && was.amount.value() == sent.amount.value()
        && was.kind == sent.kind
}
