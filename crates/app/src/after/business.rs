use super::AddRefused;
use super::request::{check_at_once, request, valid};
use crate::App;
use crate::auth::Caller;
use crate::codec;
use crate::port::{NewBusiness, StoreError, Tx, write_anew};
use cutover_core::{AttrPath, Code};
use cutover_model::{BusinessCreated, IntoOwned, decode_business, draft};
use cutover_rules::check_business;
use cutover_rules::service::{PST_09, PST_13};

request!(BusinessRequest: decode_business, check_business, import_supplier_code);

impl App {
    /// Creates a business with all its contracts (contract 4.4, decisions D9). The same again gives the
    /// same number.
    ///
    /// # Errors
    /// [`AddRefused`]; nothing is stored then.
    pub fn create_business(&self, caller: &Caller, body: &[u8]) -> Result<BusinessCreated, AddRefused> {
        let checked = check_at_once::<draft::BusinessRequest<'_>>(self, caller, body)?;
        let (request, supplier, now) = checked.accepted()?;
        let request = valid(request.into_valid())?.into_owned();
        let new = NewBusiness {
            organisation_id: caller.organisation_id,
            supplier_id: valid(supplier)?.id,
            fingerprint: codec::content(&request),
            created_at: now.instant,
            request,
        };
        let external = new.request.external_business_identifier.trimmed().to_owned();
        let number = write_anew(&*self.store, move |tx| create(tx, &new))?;
        Ok(BusinessCreated { service_business_id: number, external_business_identifier: external })
    }
}

fn create(tx: &mut dyn Tx, new: &NewBusiness) -> Result<i64, AddRefused> {
    let identifier = new.request.external_business_identifier.trimmed();
    match tx.business(new.organisation_id, identifier)? {
        Some(stored) if stored.fingerprint == new.fingerprint => return Ok(stored.id),
        Some(_) => {
            let attr = AttrPath::root().name("external_business_identifier");
            return Err(AddRefused::Faults(vec![PST_13.issue(attr, Code::BusinessAlreadyExists)]));
        }
        None => {}
    }
    let taken = taken_contracts(tx, new)?;
    if taken.is_empty() { Ok(tx.insert_business(new)?) } else { Err(AddRefused::Faults(taken)) }
}

/// The contracts whose identifiers belong to another business of the organisation.
fn taken_contracts(tx: &mut dyn Tx, new: &NewBusiness) -> Result<Vec<cutover_core::Issue>, StoreError> {
    let mut faults = Vec::new();
    for (index, contract) in (0..).zip(new.request.business.business_contracts.iter().flatten()) {
        if tx.contract_exists(new.organisation_id, contract.identifier.trimmed())? {
            let contracts = AttrPath::root().name("business").name("business_contracts");
            let attr = contracts.index(index).name("identifier");
            faults.push(PST_09.issue(attr, Code::ContractWithIdentifierExists));
        }
    }
    Ok(faults)
}
