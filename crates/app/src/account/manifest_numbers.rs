//! The account numbers that a supplier declares with its manifest, and the accounts that are missing or too many (contract
//! D17).

use super::manifest::{ManifestRefused, code_of};
use super::profile;
use crate::App;
use crate::auth::Caller;
use crate::port::{Rows, StoreError, Supplier, read, write, write_with_retry};
use cutover_core::{AttrPath, Code, ExternalAccountNumber, Issue, Level, Now, RuleId, string_enum};
use cutover_model::{ManifestNumbersShown, decode_manifest_numbers};
use cutover_process::State;
use cutover_rules::{Facts, check_manifest_numbers};
use std::collections::HashSet;

/// Account numbers that are compared at once.
const PAGE: u32 = 1_000;
/// Pages that are searched for examples.
const SEARCHED: usize = 20;
/// Numbers of a list that is not in force any more that are removed in a transaction.
const REMOVED: u32 = 10_000;

string_enum! {
    "a difference from the declared account numbers";
    /// A difference of an account from the account numbers that its supplier has declared.
    pub enum NumberDifference {
        /// It is declared and was not sent, or only rehearsed, or cancelled.
        Missing = "missing",
        /// It was sent and is not declared.
        Unexpected = "unexpected",
    }
}

/// A page of account numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumbersPage {
    /// The account numbers, in their order.
    pub numbers: Vec<String>,
    /// The number after which the next page begins; `None` if the list ends here.
    pub next: Option<String>,
}

/// A part of the numbers, as it was decoded.
struct Part {
    part: u32,
    is_last: bool,
    numbers: Vec<ExternalAccountNumber>,
}

impl App {
    /// Stores a part of the account numbers that a supplier declares. The last part puts them in force. A part that is sent
    /// again is taken once.
    ///
    /// # Errors
    /// [`ManifestRefused`]; nothing is changed then.
    pub fn declare_numbers(
        &self,
        caller: &Caller,
        supplier: &str,
        body: &[u8],
    ) -> Result<ManifestNumbersShown, ManifestRefused> {
        let code = code_of(supplier)?;
        let organisation = caller.organisation_id;
        let found = read(&*self.store, |tx| tx.supplier_of(organisation, &code))?;
        let supplier = found.ok_or(ManifestRefused::NotFound)?;
        let Part { part, is_last, numbers } = self.part_of(&supplier, body)?;
        let id = supplier.id;
        let lists = write_with_retry(&*self.store, move |tx| {
            let supplier = tx.supplier_of(organisation, &code)?.ok_or(ManifestRefused::NotFound)?;
            tx.manifest(supplier.id)?.ok_or(ManifestRefused::NotDeclared)?;
            let before = tx.number_lists(supplier.id)?.unwrap_or_default();
            let is_repeated = part > 1 && before.part == part;
            if !is_repeated && !tx.add_numbers(supplier.id, part, is_last, &numbers)? {
                let detail = format!("Part {} is the next one.", before.part + 1);
                return Err(ManifestRefused::Faults(vec![fault(AttrPath::root().name("part"), detail)]));
            }
            Ok(tx.number_lists(supplier.id)?.unwrap_or_default())
        })?;
        self.remove_old_numbers(id)?;
        Ok(ManifestNumbersShown {
            account_numbers: lists.loading.or(lists.declared).unwrap_or_default(),
            is_complete: lists.loading.is_none(),
        })
    }

    /// Removes the numbers of lists that are not in force any more, a batch at a time.
    pub(crate) fn remove_old_numbers(&self, supplier_id: i64) -> Result<(), StoreError> {
        while write(&*self.store, move |tx| tx.remove_numbers(supplier_id, REMOVED))? > 0 {}
        Ok(())
    }

    fn part_of(&self, supplier: &Supplier, body: &[u8]) -> Result<Part, ManifestRefused> {
        let zone = supplier.settings.time_zone;
        let decoded = decode_manifest_numbers(body, zone, self.settings.limits)?;
        let facts = Facts::at(Now::new(self.clock.now(), zone));
        let report = check_manifest_numbers(&decoded, facts, &profile(Some(supplier)));
        let request = decoded.draft.filter(|_| report.errors.is_empty());
        let request = request.and_then(cutover_model::draft::ManifestNumbersRequest::into_valid);
        let request = request.ok_or(ManifestRefused::Faults(report.errors))?;
        let (mut numbers, mut faults) = (Vec::new(), Vec::new());
        for (index, number) in (0..).zip(&request.account_numbers) {
            match number.as_sent().parse() {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    let attr = AttrPath::root().name("account_numbers").index(index);
                    faults.push(fault(attr, "No account has such a number.".to_owned()));
                }
            }
        }
        if !faults.is_empty() {
            return Err(ManifestRefused::Faults(faults));
        }
        let part = u32::try_from(request.part.value()).unwrap_or_default();
        Ok(Part { part, is_last: request.is_last, numbers })
    }

    /// Returns a page of the accounts of a supplier of the caller's organisation that are missing, or too many. It may have
    /// fewer numbers than `limit`, even none, before the last one.
    ///
    /// # Errors
    /// [`ManifestRefused`]; `NotDeclared` without declared account numbers.
    pub fn number_differences(
        &self,
        caller: &Caller,
        supplier: &str,
        difference: NumberDifference,
        after: &str,
        limit: u32,
    ) -> Result<NumbersPage, ManifestRefused> {
        let code = code_of(supplier)?;
        let found = read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            Ok(Some(page(tx, supplier.id, difference, after, limit)?))
        })?;
        found.ok_or(ManifestRefused::NotFound)?.ok_or(ManifestRefused::NotDeclared)
    }
}

fn fault(attr: AttrPath, detail: String) -> Issue {
    Issue { attr, code: Code::Invalid, rule: RuleId("STR-04"), level: Level::Error, detail: detail.into() }
}

/// Returns a page of a difference; `None` if the supplier has declared no account numbers. It reads at most `limit` numbers or
/// accounts, so that it costs the same for any number of them.
pub(crate) fn page(
    tx: &mut dyn Rows,
    supplier_id: i64,
    difference: NumberDifference,
    after: &str,
    limit: u32,
) -> Result<Option<NumbersPage>, StoreError> {
    if tx.number_lists(supplier_id)?.is_none_or(|lists| lists.declared.is_none()) {
        return Ok(None);
    }
    let limit = limit.min(PAGE);
    let (all, others) = match difference {
        NumberDifference::Missing => {
            let declared = tx.declared_numbers(supplier_id, after, limit)?;
            let sent = sent_among(tx, supplier_id, &declared)?;
            (declared, sent)
        }
        NumberDifference::Unexpected => {
            let accounts = tx.accounts_to_certify(supplier_id, after, limit)?;
            let all: Vec<String> = accounts.iter().map(|account| account.number.to_string()).collect();
            let mut others: HashSet<String> = tx.declared_among(supplier_id, &all)?.into_iter().collect();
            let unsent = accounts.into_iter().filter(|account| !is_sent(account.state));
            others.extend(unsent.map(|account| account.number.to_string()));
            (all, others)
        }
    };
    let next = all.last().filter(|_| all.len() >= limit as usize).cloned();
    let numbers = all.into_iter().filter(|number| !others.contains(number)).collect();
    Ok(Some(NumbersPage { numbers, next }))
}

/// Returns the first examples of a difference, among the first 20,000 numbers or accounts.
pub(crate) fn examples(
    tx: &mut dyn Rows,
    supplier_id: i64,
    difference: NumberDifference,
    most: usize,
) -> Result<Vec<String>, StoreError> {
    let (mut found, mut after) = (Vec::new(), String::new());
    for _ in 0..SEARCHED {
        let Some(NumbersPage { numbers, next }) = page(tx, supplier_id, difference, &after, PAGE)? else {
            break;
        };
        found.extend(numbers);
        match next {
            Some(next) if found.len() < most => after = next,
            _ => break,
        }
    }
    found.truncate(most);
    Ok(found)
}

/// Returns true for states of accounts that were sent: see [`Figures::sent`](crate::port::Figures::sent).
fn is_sent(state: State) -> bool {
    !matches!(state, State::Cancelled | State::DryRunSucceeded | State::DryRunErrored)
}

fn sent_among(
    tx: &mut dyn Rows,
    supplier_id: i64,
    numbers: &[String],
) -> Result<HashSet<String>, StoreError> {
    let ids: Vec<i64> = tx.processes_among(supplier_id, numbers)?.into_iter().map(|(_, id, _)| id).collect();
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let stored = tx.processes_by_id(&ids)?.into_iter();
    let sent = stored.filter(|stored| is_sent(stored.process.state()));
    Ok(sent.map(|stored| stored.process.snapshot().external_account_number.to_string()).collect())
}
