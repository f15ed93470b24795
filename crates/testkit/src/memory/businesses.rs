use super::{State, next_id};
use cutover_app::port::{
    BusinessRecord, Businesses, ErasedRows, NewBusiness, SearchTerm, StoreError, StoredBusiness,
};
use cutover_model::BusinessRequest;
use cutover_process::State as Status;
use std::collections::BTreeSet;

/// A business with trimmed identities.
#[derive(Debug, Clone)]
pub(super) struct Business {
    organisation_id: i64,
    pub(super) supplier_id: i64,
    external_identifier: String,
    contracts: Vec<String>,
    request: BusinessRequest<'static>,
    pub(super) terms: Vec<SearchTerm>,
    pub(super) stored: StoredBusiness,
}

/// Returns the request as it reads back.
fn kept(request: &BusinessRequest<'static>) -> BusinessRequest<'static> {
    let mut request = request.clone();
    request.import_supplier_code.trim();
    request.external_business_identifier.trim();
    request.business.details.get_or_insert_default();
    for contract in request.business.business_contracts.get_or_insert_default() {
        contract.identifier.trim();
        contract.versions.get_or_insert_default();
    }
    request
}

impl State {
    /// Returns the trimmed contracts of a business, unless another business than `except` has one of them.
    fn contracts_for(&mut self, new: &NewBusiness, except: Option<i64>) -> Result<Vec<String>, StoreError> {
        let mut contracts: Vec<String> = Vec::new();
        for contract in new.request.business.business_contracts.iter().flatten() {
            let identifier = contract.identifier.trimmed().to_owned();
            let others =
                self.businesses_in(new.organisation_id).filter(|other| Some(other.stored.id) != except);
            let mut taken = others.flat_map(|other| &other.contracts);
            if contracts.contains(&identifier) || taken.any(|other| *other == identifier) {
                return Err(StoreError::Conflict("the contract is taken".into()));
            }
            contracts.push(identifier);
        }
        Ok(contracts)
    }

    fn businesses_in(&self, organisation_id: i64) -> impl Iterator<Item = &Business> {
        self.businesses.iter().filter(move |business| business.organisation_id == organisation_id)
    }
}

impl Businesses for State {
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError> {
        let mut all = self.businesses_in(organisation_id);
        let found = all.find(|business| business.external_identifier == external_identifier);
        Ok(found.map(|business| business.stored.clone()))
    }

    fn business_record(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<BusinessRecord>, StoreError> {
        let mut all = self.businesses_in(organisation_id);
        let found = all.find(|business| business.external_identifier == external_identifier);
        let record = |business: &Business| {
            let number = business.stored.number;
            BusinessRecord { number, request: kept(&business.request) }
        };
        Ok(found.map(record))
    }

    fn businesses_after(
        &mut self,
        organisation_id: i64,
        after: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let mut found: Vec<_> =
            self.businesses_in(organisation_id).filter(|business| business.stored.number > after).collect();
        found.sort_by_key(|business| business.stored.number);
        Ok(found.into_iter().take(limit as usize).map(|found| found.external_identifier.clone()).collect())
    }

    fn insert_business(&mut self, new: &NewBusiness) -> Result<StoredBusiness, StoreError> {
        let external_identifier = new.request.external_business_identifier.trimmed().to_owned();
        if self.business(new.organisation_id, &external_identifier)?.is_some() {
            return Err(StoreError::Conflict("the business is taken".into()));
        }
        let contracts = self.contracts_for(new, None)?;
        let number = self.business_numbers.entry(new.organisation_id).or_default();
        *number += 1;
        let number = *number;
        let id = next_id(self.businesses.len() + self.erased_businesses);
        let stored = StoredBusiness { id, number, fingerprint: new.fingerprint };
        self.businesses.push(Business {
            organisation_id: new.organisation_id,
            supplier_id: new.supplier_id,
            external_identifier,
            contracts,
            request: new.request.clone(),
            terms: new.terms.clone(),
            stored: stored.clone(),
        });
        Ok(stored)
    }

    fn replace_business(&mut self, business_id: i64, new: &NewBusiness) -> Result<(), StoreError> {
        let contracts = self.contracts_for(new, Some(business_id))?;
        if let Some(business) = self.businesses.iter_mut().find(|known| known.stored.id == business_id) {
            business.contracts = contracts;
            business.supplier_id = new.supplier_id;
            business.request = new.request.clone();
            business.terms = new.terms.clone();
            business.stored.fingerprint = new.fingerprint;
        }
        Ok(())
    }

    fn businesses_of(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        let own = self.businesses.iter().filter(|business| business.supplier_id == supplier_id);
        Ok(own.map(|business| business.stored.id).take(limit as usize).collect())
    }

    fn pass_business(&mut self, business_id: i64, supplier_id: i64) -> Result<(), StoreError> {
        let supplier = self.suppliers.iter().find(|supplier| supplier.id == supplier_id);
        let supplier = supplier.ok_or_else(|| StoreError::Conflict("there is no such supplier".into()))?;
        if let Some(business) = self.businesses.iter_mut().find(|known| known.stored.id == business_id) {
            business.supplier_id = supplier_id;
            business.request.import_supplier_code = supplier.code.to_string().into();
        }
        Ok(())
    }

    fn erase_business(&mut self, business_id: i64) -> Result<Vec<ErasedRows>, StoreError> {
        let before = self.businesses.len();
        self.businesses.retain(|business| business.stored.id != business_id);
        self.business_instructions.retain(|known| !known.is_of(business_id));
        let erased = before - self.businesses.len();
        self.erased_businesses += erased;
        Ok(if erased > 0 { vec![("businesses", erased as u64)] } else { Vec::new() })
    }

    fn contracts_of(&mut self, business_id: i64) -> Result<Vec<String>, StoreError> {
        let found = self.businesses.iter().find(|business| business.stored.id == business_id);
        Ok(found.map(|business| business.contracts.clone()).unwrap_or_default())
    }

    /// No lock needed: transactions run one after another.
    fn lock_business(&mut self, _: i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        let mut contracts = self.businesses_in(organisation_id).flat_map(|business| &business.contracts);
        Ok(contracts.any(|contract| contract == identifier))
    }

    fn contracts_among(
        &mut self,
        organisation_id: i64,
        identifiers: &[&str],
    ) -> Result<BTreeSet<String>, StoreError> {
        let contracts = self.businesses_in(organisation_id).flat_map(|business| &business.contracts);
        Ok(contracts.filter(|contract| identifiers.contains(&contract.as_str())).cloned().collect())
    }

    fn lock_contract(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        self.contract_exists(organisation_id, identifier)
    }

    fn is_contract_in_use(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        Ok(self.supplier_using(organisation_id, identifier)?.is_some())
    }

    fn supplier_using(&mut self, organisation_id: i64, identifier: &str) -> Result<Option<i64>, StoreError> {
        let names = |id: i64| {
            self.contracts_named
                .get(&id)
                .is_some_and(|named| *named == (organisation_id, identifier.to_owned()))
        };
        let waits_or_is_imported =
            |status: Status| matches!(status, Status::Pending | Status::InProgress | Status::Processed);
        let mut all = self.processes.iter();
        let found = all.find(|row| names(row.process.id()) && waits_or_is_imported(row.process.state()));
        Ok(found.map(|row| row.supplier_id))
    }

    fn supplier_paying(&mut self, business_id: i64) -> Result<Option<i64>, StoreError> {
        let account = self.business_instructions.iter().find_map(|known| known.account_of(business_id));
        let row = account.and_then(|id| self.processes.iter().find(|row| row.process.id() == id));
        Ok(row.map(|row| row.supplier_id))
    }

    fn absent_contracts(
        &mut self,
        organisation_id: i64,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let waits = |id: i64| {
            let row = self.processes.iter().find(|row| row.process.id() == id);
            row.is_some_and(|row| {
                row.supplier_id == supplier_id
                    && matches!(row.process.state(), Status::Pending | Status::InProgress)
            })
        };
        let named = self.contracts_named.iter().filter(|(id, (of, _))| *of == organisation_id && waits(**id));
        let named: BTreeSet<String> = named.map(|(_, (_, contract))| contract.clone()).collect();
        let mut absent = Vec::new();
        for contract in named {
            if !self.contract_exists(organisation_id, &contract)? {
                absent.push(contract);
            }
        }
        absent.truncate(limit as usize);
        Ok(absent)
    }

    fn set_contract_of(&mut self, process_id: i64, contract: Option<(i64, &str)>) -> Result<(), StoreError> {
        match contract {
            Some((organisation, contract)) => {
                self.contracts_named.insert(process_id, (organisation, contract.to_owned()))
            }
            None => self.contracts_named.remove(&process_id),
        };
        Ok(())
    }
}
