use super::{State, next_id};
use cutover_app::port::{Businesses, NewBusiness, StoreError, StoredBusiness};

/// A business with trimmed identities.
#[derive(Debug, Clone)]
pub(super) struct Business {
    organisation_id: i64,
    external_identifier: String,
    contracts: Vec<String>,
    stored: StoredBusiness,
}

impl State {
    fn businesses_of(&self, organisation_id: i64) -> impl Iterator<Item = &Business> {
        self.businesses.iter().filter(move |business| business.organisation_id == organisation_id)
    }
}

impl Businesses for State {
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError> {
        let mut all = self.businesses_of(organisation_id);
        let found = all.find(|business| business.external_identifier == external_identifier);
        Ok(found.map(|business| business.stored.clone()))
    }

    fn insert_business(&mut self, new: &NewBusiness) -> Result<i64, StoreError> {
        let taken = |what: &str| Err(StoreError::Conflict(format!("the {what} is taken")));
        let external_identifier = new.request.external_business_identifier.trimmed().to_owned();
        if self.business(new.organisation_id, &external_identifier)?.is_some() {
            return taken("business");
        }
        let mut contracts = Vec::new();
        for contract in new.request.business.business_contracts.iter().flatten() {
            let identifier = contract.identifier.trimmed().to_owned();
            if contracts.contains(&identifier) || self.contract_exists(new.organisation_id, &identifier)? {
                return taken("contract");
            }
            contracts.push(identifier);
        }
        let id = next_id(self.businesses.len());
        self.businesses.push(Business {
            organisation_id: new.organisation_id,
            external_identifier,
            contracts,
            stored: StoredBusiness { id, fingerprint: new.fingerprint },
        });
        Ok(id)
    }

    /// No lock needed: transactions run one after another.
    fn lock_business(&mut self, _: i64) -> Result<(), StoreError> {
        Ok(())
    }

    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        let mut contracts = self.businesses_of(organisation_id).flat_map(|business| &business.contracts);
        Ok(contracts.any(|contract| contract == identifier))
    }
}
