use super::scope::Scoped;
use super::{Audited, Operations, OperatorError, record_action};
use crate::additions::business_json;
use crate::port::{AuditAction, BusinessRecord, Detail, ErasedRows, Organisation, Subject, Traces};

/// Number of businesses that are read together.
const PAGE: u32 = 100;

/// A business in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBusiness {
    /// Its number at this service.
    pub number: i64,
    /// Its external identifier.
    pub identifier: String,
    /// The code of the supplier that sent it.
    pub supplier: String,
    /// The identifiers of its contracts.
    pub contracts: Vec<String>,
}

impl From<BusinessRecord> for ListedBusiness {
    fn from(BusinessRecord { number, request }: BusinessRecord) -> Self {
        let contracts = request.business.business_contracts.unwrap_or_default().into_iter();
        Self {
            number,
            identifier: request.external_business_identifier.trimmed().to_owned(),
            supplier: request.import_supplier_code.trimmed().to_owned(),
            contracts: contracts.map(|contract| contract.identifier.trimmed().to_owned()).collect(),
        }
    }
}

/// An erased business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasedBusiness {
    /// Its number at this service, which is not used again.
    pub number: i64,
    /// Number of removed rows by table.
    pub rows: Vec<ErasedRows>,
    /// Traces of the rows on the disk.
    pub traces: Traces,
}

impl Operations<'_> {
    /// Calls `f` with every business of an organisation, by number. Reads them in pages.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation.
    pub fn each_business(
        &self,
        organisation: &str,
        mut f: impl FnMut(ListedBusiness),
    ) -> Result<(), OperatorError> {
        let mut after = 0;
        loop {
            let page = self.read(|tx| {
                let owner = tx.organisation(organisation)?;
                let mut page = Vec::new();
                for identifier in tx.businesses_after(owner.id, after, PAGE)? {
                    page.extend(tx.business_record(owner.id, &identifier)?);
                }
                Ok(page)
            })?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.number;
            page.into_iter().map(ListedBusiness::from).for_each(&mut f);
        }
    }

    /// Returns a business of an organisation as JSON: its number and the members of the create (contract D13).
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation or business.
    pub fn show_business(&self, organisation: &str, identifier: &str) -> Result<Vec<u8>, OperatorError> {
        let wanted = cutover_core::trimmed(identifier);
        let found = self.read(|tx| {
            let owner = tx.organisation(organisation)?;
            Ok(tx.business_record(owner.id, wanted)?)
        })?;
        let record = found.ok_or_else(|| OperatorError::not_found("business", identifier))?;
        Ok(business_json(&record))
    }

    /// Removes a business that nothing refers to, with everything that is kept of it, and records that in the audit trail
    /// by its number, which is not used again.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such organisation or business, or an account that is imported, or waits to be, refers
    /// to one of its contracts or is paid by one of its instructions; nothing is changed then.
    pub fn erase_business(
        &self,
        organisation: &str,
        identifier: &str,
    ) -> Result<ErasedBusiness, OperatorError> {
        let (organisation, identifier) =
            (organisation.to_owned(), cutover_core::trimmed(identifier).to_owned());
        let (by, clock) = (self.operator.clone(), self.app.clock.clone());
        let (number, rows) = self.write_with_retry(move |tx| {
            let owner = tx.organisation(&organisation)?;
            let (number, rows) = erase(tx, &owner, &identifier)?;
            let subject = Subject::organisation(owner.id);
            let detail = Detail::default().word("business", number);
            let detail = rows.iter().fold(detail, |detail, (table, rows)| detail.count(table, *rows));
            record_action(
                tx.rows(),
                clock.now(),
                by.clone(),
                AuditAction::BusinessErased,
                Audited { subject, detail },
            )?;
            Ok((number, rows))
        })?;
        // The rows are removed even if this fails.
        let traces = self.app.store.scrub().unwrap_or(Traces::UntilCheckpoint);
        Ok(ErasedBusiness { number, rows, traces })
    }
}

fn erase(
    tx: &mut Scoped<'_>,
    owner: &Organisation,
    identifier: &str,
) -> Result<(i64, Vec<ErasedRows>), OperatorError> {
    let missing = || OperatorError::not_found("business", identifier);
    let found = tx.business(owner.id, identifier)?.ok_or_else(missing)?;
    tx.lock_business(found.id)?;
    // It may have been erased while this waited for the lock.
    let found = tx.business(owner.id, identifier)?.ok_or_else(missing)?;
    if tx.supplier_paying(found.id)?.is_some() {
        return Err(OperatorError::Refused("accounts are paid by its payment instructions".into()));
    }
    for contract in tx.contracts_of(found.id)? {
        // Transactions that name the contract from now on wait for the lock, and then do not find it.
        tx.lock_contract(owner.id, &contract)?;
        if tx.is_contract_in_use(owner.id, &contract)? {
            let text = "accounts that are imported, or wait to be, refer to its contracts";
            return Err(OperatorError::Refused(text.into()));
        }
    }
    Ok((found.number, tx.erase_business(found.id)?))
}
