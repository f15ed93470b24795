use super::{
    InstructionStep, InstructionStored, Owner, PendingInstruction, imported, key, no_account, unknown,
};
use crate::App;
use crate::additions::AddRefused;
use crate::additions::request::{Target, check_at_once, valid};
use crate::auth::Caller;
use crate::port::{InstructionKey, StoreError, Supplier, Tx, Vendor, read};
use cutover_core::{AttrPath, Code, Issue};
use cutover_model::{BusinessPaymentInstructionRequest, BusinessPaymentInstructionStored, draft};
use cutover_rules::service::PST_14;
use std::collections::HashSet;

impl App {
    /// Checks a payment instruction for a business and the accounts that it applies to, without asking its
    /// vendor (contract 4.4, D9).
    ///
    /// # Errors
    /// [`AddRefused`] with the errors of the request, which may be a missing business or account.
    pub fn begin_business_payment_instruction(
        &self,
        caller: &Caller,
        body: &[u8],
    ) -> Result<InstructionStep, AddRefused> {
        let checked = check_at_once::<draft::BusinessPaymentInstructionRequest<'_>>(self, caller, body)?;
        let (request, supplier, _) = checked.accepted()?;
        let (request, supplier) = (valid(request.into_valid())?, valid(supplier)?);
        let key = key(&request.vendor, request.kind, &request.reference);
        let found = read(&*self.store, |tx| find(tx, &supplier, &request, &key))?;
        let answer = InstructionStored::Business(BusinessPaymentInstructionStored {
            reference: key.reference.clone(),
            external_business_identifier: request.external_business_identifier.trimmed().to_owned(),
        });
        match found {
            // Even if its vendor was removed since.
            Lookup { is_stored: true, .. } => Ok(InstructionStep::Stored(answer)),
            Lookup { vendor: Some(vendor), business: Some(id), accounts: Some(accounts), .. } => {
                let owner = Owner::Business { id, accounts };
                Ok(InstructionStep::Ask(Box::new(PendingInstruction {
                    vendor,
                    key,
                    owner,
                    warnings: Vec::new(),
                    answer,
                })))
            }
            found => Err(AddRefused::faults(found.faults())),
        }
    }
}

/// The rows that a request refers to.
struct Lookup {
    vendor: Option<Vendor>,
    business: Option<i64>,
    /// The accounts, if all of them are imported.
    accounts: Option<Vec<Target>>,
    /// The indices of accounts that are not imported.
    missing: Vec<u32>,
    is_stored: bool,
}

fn find(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    request: &BusinessPaymentInstructionRequest<'_>,
    key: &InstructionKey,
) -> Result<Lookup, StoreError> {
    let vendor = tx.vendor(supplier.organisation_id, &key.vendor)?;
    let identifier = request.external_business_identifier.trimmed();
    let business = tx.business(supplier.organisation_id, identifier)?.map(|business| business.id);
    let (mut accounts, mut missing) = (Vec::new(), Vec::new());
    for (index, account) in (0..).zip(request.accounts.iter().flatten()) {
        match imported(tx, supplier.id, &account.external_account_number)? {
            Some(account) => accounts.push(account),
            None => missing.push(index),
        }
    }
    let is_stored = match business {
        Some(id) if missing.is_empty() => applies(tx.business_instruction(id, key)?, &accounts),
        Some(_) | None => false,
    };
    let accounts = missing.is_empty().then_some(accounts);
    Ok(Lookup { vendor, business, accounts, missing, is_stored })
}

/// Returns true if a stored instruction applies to all of these accounts.
fn applies(stored: Option<Vec<i64>>, accounts: &[Target]) -> bool {
    let stored: Option<HashSet<i64>> = stored.map(|stored| stored.into_iter().collect());
    stored.is_some_and(|stored| accounts.iter().all(|account| stored.contains(&account.id)))
}

impl Lookup {
    /// Returns the issues for which the vendor is not asked.
    fn faults(&self) -> Vec<Issue> {
        let attr = AttrPath::root().name("external_business_identifier");
        let no_business = self.business.is_none().then(|| PST_14.issue(attr, Code::BusinessNotFound));
        let at = |index: &u32| no_account(AttrPath::root().name("accounts").index(*index));
        self.missing.iter().map(at).chain(no_business).chain(unknown(&self.vendor)).collect()
    }
}
