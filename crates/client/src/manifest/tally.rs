use super::view::{Manifest, Problem, Summary};
use crate::assemble::TableCounts;
use crate::error::Error;
use crate::input::Source;
use crate::origin::Origin;
use crate::validate::{Checked, Finding, SupplierZone};
use cutover_core::AttrPath;
use cutover_model::Totals;
use std::collections::BTreeMap;

/// Maximum number of problems that are named.
const NAMED: usize = 10;

/// The input and the line of an account, to name its place in a problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'s> {
    pub(super) source: &'s Source,
    pub(super) line: u32,
}

/// The totals of the accounts so far, by supplier.
#[derive(Debug)]
pub(super) struct Tally {
    /// The supplier whose accounts count; `None` for all.
    only: Option<String>,
    /// `None` once they cannot be represented exactly.
    suppliers: BTreeMap<Box<str>, Option<Totals>>,
    /// The account numbers of each supplier, if they are to be declared.
    numbers: Option<BTreeMap<Box<str>, Vec<Box<str>>>>,
    accounts: u64,
    repeated: u64,
    of_others: u64,
    unreadable: u64,
    uncounted: u64,
    differing: u64,
    problems: Vec<Problem>,
    tables: Option<TableCounts>,
}

impl Tally {
    pub(super) fn new(only: Option<String>, keeps_numbers: bool, tables: Option<TableCounts>) -> Self {
        Self {
            only,
            suppliers: BTreeMap::new(),
            numbers: keeps_numbers.then(BTreeMap::new),
            accounts: 0,
            repeated: 0,
            of_others: 0,
            unreadable: 0,
            uncounted: 0,
            differing: 0,
            problems: Vec::new(),
            tables,
        }
    }

    /// Number of accounts read.
    pub(super) fn accounts(&self) -> u64 {
        self.accounts
    }

    /// Counts an account as read. Returns false if it is of another supplier than the one that is asked for.
    pub(super) fn begin(&mut self, checked: &Checked) -> bool {
        self.accounts += 1;
        let both = self.only.as_deref().zip(checked.supplier());
        let is_of_other = both.is_some_and(|(only, supplier)| only != supplier);
        self.of_others += u64::from(is_of_other);
        !is_of_other
    }

    /// Counts a copy of an account of which another copy counts.
    pub(super) fn repeated(&mut self) {
        self.repeated += 1;
    }

    /// Notes a copy that differs from the one before.
    pub(super) fn differs(&mut self, checked: &Checked, finding: Finding, place: Place<'_>) {
        self.differing += 1;
        self.problem(checked, &finding.attr, finding.code, &finding.detail, place);
    }

    /// Counts an account. Without supplier, number or totals it cannot be counted.
    pub(super) fn account(
        &mut self,
        checked: &Checked,
        totals: Result<Totals, Vec<AttrPath>>,
        place: Place<'_>,
    ) {
        let (supplier, number, totals) = match (checked.supplier(), checked.number(), totals) {
            (Some(supplier), Some(number), Ok(totals)) => (supplier, number, totals),
            (supplier, number, totals) => {
                let missing = |name, is_missing: bool| is_missing.then(|| AttrPath::root().name(name));
                let mut paths = totals.err().unwrap_or_default();
                paths.extend(missing("import_supplier", supplier.is_none()));
                paths.extend(missing("external_account_number", number.is_none()));
                return self.uncounted(checked, &paths, place);
            }
        };
        if !self.suppliers.contains_key(supplier) {
            self.suppliers.insert(supplier.into(), Some(Totals::default()));
        }
        if let Some(sum) = self.suppliers.get_mut(supplier) {
            *sum = sum.and_then(|sum| sum.checked_add(totals));
        }
        if let Some(numbers) = &mut self.numbers {
            numbers.entry(supplier.into()).or_default().push(number.into());
        }
    }

    /// Takes the account numbers of each supplier.
    pub(super) fn take_numbers(&mut self) -> Option<BTreeMap<Box<str>, Vec<Box<str>>>> {
        self.numbers.take()
    }

    /// Names each path because of which an account cannot be counted, with the fault at it.
    fn uncounted(&mut self, checked: &Checked, paths: &[AttrPath], place: Place<'_>) {
        self.uncounted += 1;
        let whole = checked.identity.is_none();
        for path in paths.iter().take(if whole { 1 } else { paths.len() }).map(ToString::to_string) {
            // Of what is no account there is one finding, about all of it.
            let finding = checked.findings.iter().find(|finding| whole || finding.attr == path);
            let (attr, code, detail) =
                finding.map_or((&*path, "invalid", ""), |found| (&*found.attr, found.code, &*found.detail));
            self.problem(checked, attr, code, detail, place);
        }
    }

    fn problem(&mut self, checked: &Checked, attr: &str, code: &str, detail: &str, place: Place<'_>) {
        if self.problems.len() < NAMED {
            let Origin { file, line, .. } = place.source.place(place.line);
            self.problems.push(Problem {
                file,
                line: line.unwrap_or_default(),
                external_account_number: checked.number().map(str::to_owned),
                attr: attr.to_owned(),
                code: code.to_owned(),
                detail: detail.to_owned(),
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
    pub(super) fn summary(
        mut self,
        is_interrupted: bool,
        time_zones: Vec<SupplierZone>,
    ) -> Result<Summary, Error> {
        if let Some(only) = self.only.take() {
            self.suppliers.entry(only.into()).or_insert(Some(Totals::default()));
        }
        let manifest = |(supplier, totals): (Box<str>, Option<Totals>)| {
            let none = || Error::refused(format!("the balances of {supplier} cannot be added up exactly"));
            Ok(Manifest { totals: totals.ok_or_else(none)?, import_supplier: supplier.into() })
        };
        Ok(Summary {
            tables: self.tables,
            manifests: self.suppliers.into_iter().map(manifest).collect::<Result<_, Error>>()?,
            declared: false,
            time_zones,
            repeated: self.repeated,
            of_others: self.of_others,
            uncounted: self.uncounted,
            differing: self.differing,
            unreadable: self.unreadable,
            is_interrupted,
            problems: self.problems,
        })
    }
}
