use super::AddRefused;
use super::request::{check_at_once, request, valid};
use crate::App;
use crate::auth::Caller;
use crate::codec;
use crate::port::{NewBusiness, NewFeedEvent, StoreError, Tx, write_with_retry};
use cutover_core::{AttrPath, Code, FeedEventType, Issue};
use cutover_model::{BusinessCreated, BusinessRequest, EventData, IntoOwned, decode_business, draft};
use cutover_rules::check_business;
use cutover_rules::service::{PST_09, PST_13};
use std::collections::HashSet;

request!(BusinessRequest: decode_business, check_business, import_supplier_code);

impl App {
    /// Creates a business with all its contracts (contract 4.4, D9). A repeated request returns the same
    /// number.
    ///
    /// # Errors
    /// [`AddRefused`]; nothing is stored then.
    pub fn create_business(&self, caller: &Caller, body: &[u8]) -> Result<BusinessCreated, AddRefused> {
        let checked = check_at_once::<draft::BusinessRequest<'_>>(self, caller, body)?;
        let (request, supplier, now) = checked.accepted()?;
        let mut request = valid(request.into_valid())?.into_owned();
        trim_identities(&mut request);
        let new = NewBusiness {
            organisation_id: caller.organisation_id,
            supplier_id: valid(supplier)?.id,
            fingerprint: codec::content(&request),
            created_at: now.instant,
            request,
        };
        let external = new.request.external_business_identifier.trimmed().to_owned();
        let number = write_with_retry(&*self.store, move |tx| create(tx, &new))?;
        Ok(BusinessCreated { service_business_id: number, external_business_identifier: external })
    }
}

/// Trims the identifiers, which are stored and compared trimmed.
fn trim_identities(request: &mut BusinessRequest<'static>) {
    request.import_supplier_code.trim();
    request.external_business_identifier.trim();
    let contracts = request.business.business_contracts.iter_mut().flatten();
    contracts.for_each(|contract| contract.identifier.trim());
}

fn create(tx: &mut dyn Tx, new: &NewBusiness) -> Result<i64, AddRefused> {
    let identifier = new.request.external_business_identifier.trimmed();
    match tx.business(new.organisation_id, identifier)? {
        Some(stored) if stored.fingerprint == new.fingerprint => return Ok(stored.id),
        Some(_) => {
            let attr = AttrPath::root().name("external_business_identifier");
            return Err(AddRefused::faults(vec![PST_13.issue(attr, Code::BusinessAlreadyExists)]));
        }
        None => {}
    }
    let taken = taken_contracts(tx, new)?;
    if !taken.is_empty() {
        return Err(AddRefused::faults(taken));
    }
    let number = tx.insert_business(new)?;
    tx.publish(&NewFeedEvent {
        supplier_id: new.supplier_id,
        event_type: FeedEventType::BusinessCreated,
        occurred_at: new.created_at,
        external_account_number: None,
        service_account_number: None,
        data: Some(EventData::business(identifier, number)),
    })?;
    Ok(number)
}

/// Returns issues for contracts whose identifiers are taken by another business of the organisation, or by an
/// earlier contract of the request where rule BUS-02 is no error.
fn taken_contracts(tx: &mut dyn Tx, new: &NewBusiness) -> Result<Vec<Issue>, StoreError> {
    let (mut faults, mut seen) = (Vec::new(), HashSet::new());
    for (index, contract) in (0..).zip(new.request.business.business_contracts.iter().flatten()) {
        let identifier = contract.identifier.trimmed();
        if !seen.insert(identifier) || tx.contract_exists(new.organisation_id, identifier)? {
            let contracts = AttrPath::root().name("business").name("business_contracts");
            let attr = contracts.index(index).name("identifier");
            faults.push(PST_09.issue(attr, Code::ContractWithIdentifierExists));
        }
    }
    Ok(faults)
}
