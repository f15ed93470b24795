use crate::App;
use crate::port::{
    ErasureMark, HeldMeterPoint, MeterPointQuestion, NewAccount, Rows, StoreError, Supplier, read_committed,
};
use chrono::NaiveDate;
use cutover_core::{ExternalAccountNumber, Level, SupplierCode};
use cutover_model::AccountRequest;
use cutover_rules::{
    Facts, MeterPointHolder, MeterPointKey, Profile, contract_to_look_up, level_of_erased,
    looks_up_similar_numbers, meter_points_to_look_up, vendors_to_look_up,
};
use std::collections::{BTreeSet, HashMap};

/// The facts about an account payload that have to be looked up in the store.
pub(crate) struct FactsToRead {
    contract: Option<String>,
    meter_points: Vec<MeterPointKey>,
    number: Option<ExternalAccountNumber>,
    vendors: BTreeSet<String>,
    /// If set, whether an earlier number of the supplier looks like this one.
    similar: bool,
    /// If set, whether the account was erased.
    erased: bool,
}

/// The facts that the store returned.
#[derive(Debug, Default)]
pub(crate) struct Known {
    contract: Option<bool>,
    meter_points: Option<MeterPoints>,
    unknown_vendors: BTreeSet<String>,
    similar_number: Option<String>,
    pub(super) erased: Option<bool>,
}

/// The meter points of an account, and the other accounts that have them.
#[derive(Debug)]
struct MeterPoints {
    organisation_id: i64,
    supplier_id: i64,
    number: ExternalAccountNumber,
    sought: Vec<MeterPointKey>,
    held: Vec<Option<HeldMeterPoint>>,
    /// The same as rules read it.
    taken: HashMap<MeterPointKey, MeterPointHolder>,
}

/// The meter points of accounts that a batch imports: what the store says once it is written.
#[derive(Debug, Default)]
pub(crate) struct Imports(HashMap<(i64, String), Vec<HeldMeterPoint>>);

impl FactsToRead {
    /// Facts for errors, looked up before a payload is accepted. Facts for warnings are looked up at the
    /// import, whose check replaces the issues of this one.
    pub(crate) fn for_errors(request: &AccountRequest<'_>) -> Self {
        let contract = contract_to_look_up(request).map(str::to_owned);
        Self {
            contract,
            meter_points: Vec::new(),
            number: None,
            vendors: BTreeSet::new(),
            similar: false,
            erased: false,
        }
    }

    /// Facts for the errors and warnings of a supplier with this profile.
    pub(crate) fn for_all(request: &AccountRequest<'_>, supplier: &Supplier, profile: &Profile) -> Self {
        let account = request.account.usable();
        let number = account.and_then(|account| account.external_account_number.usable());
        Self {
            meter_points: meter_points_to_look_up(request, profile),
            number: number.and_then(|number| number.as_sent().parse().ok()),
            vendors: vendors_to_look_up(request, profile),
            similar: looks_up_similar_numbers(profile),
            erased: supplier.mark_key.is_some() && level_of_erased(profile) != Level::Off,
            ..Self::for_errors(request)
        }
    }

    /// Returns true if nothing but the supplier has to be looked up.
    pub(crate) fn is_nothing(&self) -> bool {
        self.contract.is_none()
            && self.meter_points.is_empty()
            && self.vendors.is_empty()
            && self.similar_to().is_none()
            && !self.erased
    }

    /// The number to which others are compared, if any are.
    fn similar_to(&self) -> Option<&ExternalAccountNumber> {
        self.number.as_ref().filter(|_| self.similar)
    }

    /// Looks the facts up.
    pub(crate) fn read(
        &self,
        tx: &mut dyn Rows,
        organisation_id: i64,
        supplier_id: Option<i64>,
    ) -> Result<Known, StoreError> {
        let contract = match &self.contract {
            Some(identifier) => Some(tx.contract_exists(organisation_id, identifier)?),
            None => None,
        };
        let mut known = Known {
            contract,
            meter_points: self.unread(organisation_id, supplier_id),
            unknown_vendors: unknown_vendors(tx, organisation_id, &self.vendors)?,
            similar_number: None,
            erased: None,
        };
        look_up_meter_points(tx, std::slice::from_mut(&mut known))?;
        Ok(known)
    }

    /// The meter points before they are looked up, if there are any.
    fn unread(&self, organisation_id: i64, supplier_id: Option<i64>) -> Option<MeterPoints> {
        let (number, supplier_id) = self.number.clone().zip(supplier_id)?;
        let sought = Some(self.meter_points.clone()).filter(|sought| !sought.is_empty())?;
        let (held, taken) = (Vec::new(), HashMap::new());
        Some(MeterPoints { organisation_id, supplier_id, number, sought, held, taken })
    }
}

impl App {
    /// Looks up the facts about several payloads of a supplier in one read.
    pub(crate) fn known_together(
        &self,
        supplier: &Supplier,
        sought: &[Option<FactsToRead>],
    ) -> Result<Vec<Known>, StoreError> {
        if sought.iter().flatten().all(FactsToRead::is_nothing) {
            return Ok(sought.iter().map(|_| Known::default()).collect());
        }
        read_committed(&*self.store, |tx| {
            let mut known = FactsToRead::read_together(sought, tx, supplier.organisation_id, supplier.id)?;
            self.look_up_erased(tx, supplier, sought, &mut known)?;
            Ok(known)
        })
    }

    /// Looks up which of these accounts were erased, together.
    fn look_up_erased(
        &self,
        tx: &mut dyn Rows,
        supplier: &Supplier,
        sought: &[Option<FactsToRead>],
        known: &mut [Known],
    ) -> Result<(), StoreError> {
        if !sought.iter().flatten().any(|of| of.erased) {
            return Ok(());
        }
        let Some(marker) = self.marker(tx, supplier)? else { return Ok(()) };
        let mark = |of: &Option<FactsToRead>| {
            let of = of.as_ref().filter(|of| of.erased)?;
            Some(marker.mark(&supplier.code, of.number.as_ref()?))
        };
        let marks: Vec<Option<ErasureMark>> = sought.iter().map(mark).collect();
        let wanted: Vec<ErasureMark> = marks.iter().flatten().copied().collect();
        let found = tx.erasure_marks_among(supplier.id, &wanted)?;
        for (known, mark) in known.iter_mut().zip(marks) {
            known.erased = mark.map(|mark| found.contains(&mark));
        }
        Ok(())
    }
}

impl FactsToRead {
    fn read_together(
        sought: &[Option<Self>],
        tx: &mut dyn Rows,
        organisation_id: i64,
        supplier_id: i64,
    ) -> Result<Vec<Known>, StoreError> {
        let named: BTreeSet<&str> = sought.iter().flatten().filter_map(|of| of.contract.as_deref()).collect();
        let named: Vec<&str> = named.into_iter().collect();
        let contracts =
            if named.is_empty() { BTreeSet::new() } else { tx.contracts_among(organisation_id, &named)? };
        let named: BTreeSet<String> =
            sought.iter().flatten().flat_map(|of| of.vendors.iter().cloned()).collect();
        let unknown = unknown_vendors(tx, organisation_id, &named)?;
        let known = |of: &Option<Self>| {
            let Some(of) = of else { return Known::default() };
            let contract = of.contract.as_ref().map(|name| contracts.contains(name));
            Known {
                contract,
                meter_points: of.unread(organisation_id, Some(supplier_id)),
                unknown_vendors: of.vendors.intersection(&unknown).cloned().collect(),
                similar_number: None,
                erased: None,
            }
        };
        let mut known: Vec<Known> = sought.iter().map(known).collect();
        look_up_similar_numbers(tx, supplier_id, sought, &mut known)?;
        look_up_meter_points(tx, &mut known)?;
        Ok(known)
    }
}

/// Returns those of some vendors that the organisation has not configured; none if it has configured no vendor at all, and
/// has others collect.
fn unknown_vendors(
    tx: &mut dyn Rows,
    organisation_id: i64,
    named: &BTreeSet<String>,
) -> Result<BTreeSet<String>, StoreError> {
    if named.is_empty() {
        return Ok(BTreeSet::new());
    }
    let configured = tx.vendor_names(organisation_id)?;
    let is_unknown = |name: &&String| !configured.is_empty() && !configured.contains(name);
    Ok(named.iter().filter(is_unknown).cloned().collect())
}

/// Looks up the numbers that look like those of all these accounts together.
fn look_up_similar_numbers(
    tx: &mut dyn Rows,
    supplier_id: i64,
    sought: &[Option<FactsToRead>],
    known: &mut [Known],
) -> Result<(), StoreError> {
    let similar_to = |of: &Option<FactsToRead>| of.as_ref()?.similar_to().cloned();
    let (places, numbers): (Vec<usize>, Vec<_>) =
        sought.iter().enumerate().filter_map(|(place, of)| Some((place, similar_to(of)?))).unzip();
    let similar = tx.similar_numbers(supplier_id, &numbers)?;
    for (place, similar) in places.into_iter().zip(similar) {
        known[place].similar_number = similar;
    }
    Ok(())
}

/// Looks up the meter points of all these accounts together.
fn look_up_meter_points(tx: &mut dyn Rows, known: &mut [Known]) -> Result<(), StoreError> {
    let questions: Vec<_> = known.iter().flat_map(Known::questions).collect();
    let held = if questions.is_empty() { Vec::new() } else { tx.meter_point_holders(&questions)? };
    let mut held = held.into_iter();
    for points in known.iter_mut().filter_map(|known| known.meter_points.as_mut()) {
        points.set(held.by_ref().take(points.sought.len()).collect());
    }
    Ok(())
}

/// Locks the meter points that accounts of a batch were checked with, and looks them up again. Returns for each account
/// whether another account has one of them now than when it was checked. `import` adds what its turn imports, to be seen
/// by those after it.
///
/// Transactions that check the same meter point commit one after another from here on.
pub(crate) fn changed_since(
    tx: &mut dyn Rows,
    known: &[&Known],
    mut import: impl FnMut(usize, &mut Imports),
) -> Result<Vec<bool>, StoreError> {
    let questions: Vec<_> = known.iter().flat_map(|known| known.questions()).collect();
    if questions.is_empty() {
        return Ok(vec![false; known.len()]);
    }
    tx.lock_meter_points(&questions)?;
    let (mut held, mut imports) = (tx.meter_point_holders(&questions)?.into_iter(), Imports::default());
    let changed = known.iter().enumerate().map(|(place, known)| {
        let has_changed = known.meter_points.as_ref().is_some_and(|points| {
            let now: Vec<_> = held.by_ref().take(points.sought.len()).collect();
            points.after(&now, &imports) != points.held
        });
        import(place, &mut imports);
        has_changed
    });
    Ok(changed.collect())
}

impl Known {
    /// Adds these facts to others.
    pub(crate) fn add_to<'f>(&'f self, facts: Facts<'f>) -> Facts<'f> {
        let taken_meter_points = self.meter_points.as_ref().map(|points| &points.taken);
        let unknown_vendors = Some(&self.unknown_vendors);
        let similar_number = self.similar_number.as_deref();
        Facts {
            contract_known: self.contract,
            taken_meter_points,
            unknown_vendors,
            similar_number,
            erased: self.erased,
            ..facts
        }
    }

    /// Returns these facts as they are once these accounts are imported.
    pub(crate) fn after(mut self, imports: &Imports) -> Self {
        if let Some(points) = &mut self.meter_points {
            points.set(points.after(&points.held, imports));
        }
        self
    }

    fn questions(&self) -> impl Iterator<Item = MeterPointQuestion<'_>> {
        self.meter_points.iter().flat_map(|points| {
            points.sought.iter().map(|sought| MeterPointQuestion {
                organisation_id: points.organisation_id,
                supplier_id: points.supplier_id,
                number: &points.number,
                sought,
            })
        })
    }
}

impl MeterPoints {
    /// Returns the accounts that have the meter points, of those that the store found and of these.
    fn after(&self, stored: &[Option<HeldMeterPoint>], imports: &Imports) -> Vec<Option<HeldMeterPoint>> {
        let pairs = self.sought.iter().zip(stored);
        let of = |(key, stored): (&_, &Option<_>)| {
            imports.holder(self.organisation_id, key, stored.as_ref()).cloned()
        };
        pairs.map(of).collect()
    }

    fn set(&mut self, held: Vec<Option<HeldMeterPoint>>) {
        let pairs = self.sought.iter().zip(&held);
        self.taken =
            pairs.filter_map(|(key, held)| Some((key.clone(), held.as_ref()?.holder.clone()))).collect();
        self.held = held;
    }
}

impl Imports {
    /// Adds an account of this supplier.
    pub(crate) fn add(&mut self, account: &NewAccount, supplier: &SupplierCode) {
        let holder = || MeterPointHolder {
            supplier: supplier.to_string(),
            number: account.account.external_account_number.trimmed().to_owned(),
        };
        let addresses = account.account.supply_addresses.iter().flatten();
        for point in addresses.flat_map(|entry| &entry.meter_points) {
            let key = (account.organisation_id, point.common.mpxn.trimmed().to_owned());
            let supply_end = point.common.supply_end_date.value().copied();
            let held = HeldMeterPoint { account_id: account.process_id, supply_end, holder: holder() };
            self.0.entry(key).or_default().push(held);
        }
    }

    /// Returns the account that has a meter point: that of the store or one of these, as the store would choose.
    fn holder<'h>(
        &'h self,
        organisation_id: i64,
        sought: &MeterPointKey,
        stored: Option<&'h HeldMeterPoint>,
    ) -> Option<&'h HeldMeterPoint> {
        if self.0.is_empty() {
            return stored;
        }
        let own = self.0.get(&(organisation_id, sought.mpxn.clone())).into_iter().flatten();
        let end = |held: &HeldMeterPoint| held.supply_end.unwrap_or(NaiveDate::MAX);
        let own = own.filter(|held| end(held) > sought.supply_start_date);
        own.chain(stored).max_by_key(|held| (end(held), held.account_id))
    }
}
