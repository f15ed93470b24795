use crate::App;
use crate::port::{MeterPointQuestion, StoreError, Supplier, Tx, read_committed};
use cutover_core::ExternalAccountNumber;
use cutover_model::AccountRequest;
use cutover_rules::{
    Facts, MeterPointHolder, MeterPointKey, Profile, contract_to_look_up, meter_points_to_look_up,
};
use std::collections::{BTreeSet, HashMap};

/// The facts about an account payload that have to be looked up in the store.
pub(crate) struct FactsToRead {
    contract: Option<String>,
    meter_points: Vec<MeterPointKey>,
    number: Option<ExternalAccountNumber>,
}

/// The facts that the store returned.
#[derive(Debug, Default)]
pub(crate) struct Known {
    contract: Option<bool>,
    taken: Option<HashMap<MeterPointKey, MeterPointHolder>>,
}

impl FactsToRead {
    /// Facts for errors, looked up before a payload is accepted. Facts for warnings are looked up at the
    /// import, whose check replaces the issues of this one.
    pub(crate) fn for_errors(request: &AccountRequest<'_>) -> Self {
        let contract = contract_to_look_up(request).map(str::to_owned);
        Self { contract, meter_points: Vec::new(), number: None }
    }

    /// Facts for the errors and warnings of this profile.
    pub(crate) fn for_all(request: &AccountRequest<'_>, profile: &Profile) -> Self {
        let account = request.account.usable();
        let number = account.and_then(|account| account.external_account_number.usable());
        Self {
            meter_points: meter_points_to_look_up(request, profile),
            number: number.and_then(|number| number.as_sent().parse().ok()),
            ..Self::for_errors(request)
        }
    }

    /// Returns true if nothing but the supplier has to be looked up.
    pub(crate) fn is_nothing(&self) -> bool {
        self.contract.is_none() && self.meter_points.is_empty()
    }

    /// Looks the facts up.
    pub(crate) fn read(
        &self,
        tx: &mut dyn Tx,
        organisation_id: i64,
        supplier_id: Option<i64>,
    ) -> Result<Known, StoreError> {
        let contract = match &self.contract {
            Some(identifier) => Some(tx.contract_exists(organisation_id, identifier)?),
            None => None,
        };
        let taken = match (supplier_id, &self.number) {
            (Some(supplier_id), Some(number)) if !self.meter_points.is_empty() => {
                let question = |sought| MeterPointQuestion { organisation_id, supplier_id, number, sought };
                let questions: Vec<_> = self.meter_points.iter().map(question).collect();
                let pairs = self.meter_points.iter().zip(tx.meter_point_holders(&questions)?);
                Some(pairs.filter_map(|(point, holder)| Some((point.clone(), holder?))).collect())
            }
            _ => None,
        };
        Ok(Known { contract, taken })
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
            FactsToRead::read_together(sought, tx, supplier.organisation_id, supplier.id)
        })
    }
}

impl FactsToRead {
    fn read_together(
        sought: &[Option<Self>],
        tx: &mut dyn Tx,
        organisation_id: i64,
        supplier_id: i64,
    ) -> Result<Vec<Known>, StoreError> {
        let named: BTreeSet<&str> = sought.iter().flatten().filter_map(|of| of.contract.as_deref()).collect();
        let named: Vec<&str> = named.into_iter().collect();
        let contracts =
            if named.is_empty() { BTreeSet::new() } else { tx.contracts_among(organisation_id, &named)? };
        let mut questions = Vec::new();
        for of in sought.iter().flatten() {
            let number = of.number.as_ref().into_iter();
            questions.extend(number.flat_map(|number| {
                let ask = move |sought| MeterPointQuestion { organisation_id, supplier_id, number, sought };
                of.meter_points.iter().map(ask)
            }));
        }
        let holders = if questions.is_empty() { Vec::new() } else { tx.meter_point_holders(&questions)? };
        let mut holders = holders.into_iter();
        let known = |of: &Option<Self>| {
            let Some(of) = of else { return Known::default() };
            let contract = of.contract.as_ref().map(|name| contracts.contains(name));
            let is_asked = of.number.is_some() && !of.meter_points.is_empty();
            let taken = is_asked.then(|| {
                let own = of.meter_points.iter().zip(holders.by_ref());
                own.filter_map(|(point, holder)| Some((point.clone(), holder?))).collect()
            });
            Known { contract, taken }
        };
        Ok(sought.iter().map(known).collect())
    }
}

impl Known {
    /// Adds these facts to others.
    pub(crate) fn add_to<'f>(&'f self, facts: Facts<'f>) -> Facts<'f> {
        Facts { contract_known: self.contract, taken_meter_points: self.taken.as_ref(), ..facts }
    }
}
