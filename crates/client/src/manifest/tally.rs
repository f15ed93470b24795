use super::view::{Manifest, Problem, Summary};
use crate::error::Error;
use crate::journal::account_hash;
use crate::validate::Checked;
use cutover_model::Totals;
use cutover_model::rust_decimal::Decimal;
use std::collections::{BTreeMap, HashSet};

/// Maximum number of problems that are named.
const NAMED: usize = 10;

/// The totals of the accounts so far, by supplier. An account that occurs again does not count: upload sends it once.
#[derive(Debug)]
pub(super) struct Tally {
    /// The supplier whose accounts count; `None` for all.
    only: Option<String>,
    suppliers: BTreeMap<Box<str>, Sum>,
    seen: HashSet<[u8; 16]>,
    accounts: u64,
    repeated: u64,
    of_others: u64,
    unreadable: u64,
    uncounted: u64,
    problems: Vec<Problem>,
}

/// Sums of one supplier; the balance is `None` once it cannot be represented.
#[derive(Debug, Clone, Copy)]
struct Sum {
    accounts: u64,
    balance: Option<Decimal>,
    readings: u64,
    transactions: u64,
    documents: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { accounts: 0, balance: Some(Decimal::ZERO), readings: 0, transactions: 0, documents: 0 }
    }
}

impl Sum {
    fn add(&mut self, totals: &Totals) {
        self.accounts += 1;
        self.readings += totals.readings;
        self.transactions += totals.transactions;
        self.documents += totals.documents;
        self.balance = self.balance.and_then(|balance| {
            let all = Totals { ledger_balance: balance, ..Totals::default() };
            Some(all.checked_add(*totals)?.ledger_balance)
        });
    }
}

impl Tally {
    pub(super) fn new(only: Option<String>) -> Self {
        Self {
            only,
            suppliers: BTreeMap::new(),
            seen: HashSet::new(),
            accounts: 0,
            repeated: 0,
            of_others: 0,
            unreadable: 0,
            uncounted: 0,
            problems: Vec::new(),
        }
    }

    /// Number of accounts read.
    pub(super) fn accounts(&self) -> u64 {
        self.accounts
    }

    /// Counts an account. Without supplier, number or totals it cannot be counted.
    pub(super) fn account(&mut self, checked: &Checked, totals: Option<Totals>, file: &str, line: u32) {
        self.accounts += 1;
        if let Some((only, supplier)) = self.only.as_deref().zip(checked.supplier())
            && only != supplier
        {
            self.of_others += 1;
            return;
        }
        let (Some(supplier), Some(number), Some(totals)) = (checked.supplier(), checked.number(), totals)
        else {
            return self.uncounted(checked, file, line);
        };
        let mut key = [0; 16];
        key.copy_from_slice(&account_hash(supplier, number).as_bytes()[..16]);
        if !self.seen.insert(key) {
            self.repeated += 1;
            return;
        }
        if !self.suppliers.contains_key(supplier) {
            self.suppliers.insert(supplier.into(), Sum::default());
        }
        if let Some(sum) = self.suppliers.get_mut(supplier) {
            sum.add(&totals);
        }
    }

    fn uncounted(&mut self, checked: &Checked, file: &str, line: u32) {
        self.uncounted += 1;
        if self.problems.len() < NAMED {
            let finding = checked.findings.first();
            self.problems.push(Problem {
                file: file.to_owned(),
                line,
                external_account_number: checked.number().map(str::to_owned),
                code: finding.map_or("invalid", |finding| finding.code).to_owned(),
            });
        }
    }

    /// Counts an input that could not be read to its end.
    pub(super) fn unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Returns the manifests.
    ///
    /// # Errors
    /// [`Error`] if a sum of balances cannot be represented exactly.
    pub(super) fn summary(mut self, is_interrupted: bool) -> Result<Summary, Error> {
        if let Some(only) = self.only.take() {
            self.suppliers.entry(only.into()).or_default();
        }
        let manifest = |(supplier, sum): (Box<str>, Sum)| {
            let none = || Error::refused(format!("the balances of {supplier} cannot be added up exactly"));
            let totals = Totals {
                accounts: sum.accounts,
                ledger_balance: sum.balance.ok_or_else(none)?,
                readings: sum.readings,
                transactions: sum.transactions,
                documents: sum.documents,
            };
            Ok(Manifest { import_supplier: supplier.into(), totals })
        };
        Ok(Summary {
            manifests: self.suppliers.into_iter().map(manifest).collect::<Result<_, Error>>()?,
            declared: false,
            repeated: self.repeated,
            of_others: self.of_others,
            uncounted: self.uncounted,
            unreadable: self.unreadable,
            is_interrupted,
            problems: self.problems,
        })
    }
}
