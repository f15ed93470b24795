use super::{
    InstructionStep, InstructionStored, Owner, PendingInstruction, imported, key, no_account, unknown,
};
use crate::App;
use crate::additions::AddRefused;
use crate::additions::request::{Target, check_at_once, contents, valid};
use crate::auth::Caller;
use crate::port::{InstructionKey, StoreError, Supplier, Tx, Vendor, read};
use cutover_core::{AttrPath, IssueSource};
use cutover_model::certificate::Addition;
use cutover_model::{PaymentInstructionStored, Text, draft};

impl App {
    /// Checks a payment instruction for an imported account, without asking its vendor (contract 4.2).
    ///
    /// # Errors
    /// [`AddRefused`] with the errors of the request, which may be a missing account.
    pub fn begin_payment_instruction(
        &self,
        caller: &Caller,
        body: &[u8],
    ) -> Result<InstructionStep, AddRefused> {
        let checked = check_at_once::<draft::PaymentInstructionRequest<'_>>(self, caller, body)?;
        let warnings = checked.warnings(IssueSource::PaymentInstruction);
        let (request, supplier, _) = checked.accepted()?;
        let request = valid(request.into_valid())?;
        let supplier = valid(supplier)?;
        let key = key(&request.vendor, request.kind, &request.reference);
        let number = &request.external_account_number;
        let found = read(&*self.store, |tx| find(tx, &supplier, number, &key))?;
        let answer = |account: &Target| {
            InstructionStored::Account(PaymentInstructionStored {
                service_account_number: account.number.to_string(),
                reference: key.reference.clone(),
            })
        };
        match found {
            // Even if its vendor was removed since.
            Lookup { account: Some(account), is_stored: true, .. } => {
                Ok(InstructionStep::Stored(answer(&account)))
            }
            Lookup { vendor: Some(vendor), account: Some(account), .. } => {
                let answer = answer(&account);
                let content = contents(Addition::PaymentInstruction, body)?.pop();
                let missing = || StoreError::Failed("the request has no content".into());
                let owner = Owner::Account { account, content: content.ok_or_else(missing)? };
                Ok(InstructionStep::Ask(Box::new(PendingInstruction {
                    vendor,
                    key,
                    owner,
                    warnings,
                    answer,
                })))
            }
            Lookup { vendor, account, .. } => {
                let no_account = account.is_none().then(|| no_account(AttrPath::root()));
                Err(AddRefused::faults(no_account.into_iter().chain(unknown(&vendor)).collect()))
            }
        }
    }
}

/// The rows that a request refers to.
struct Lookup {
    vendor: Option<Vendor>,
    account: Option<Target>,
    is_stored: bool,
}

fn find(
    tx: &mut dyn Tx,
    supplier: &Supplier,
    number: &Text<'_>,
    key: &InstructionKey,
) -> Result<Lookup, StoreError> {
    let vendor = tx.vendor(supplier.organisation_id, &key.vendor)?;
    let account = imported(tx, supplier.id, number)?;
    let is_stored = match &account {
        Some(account) => tx.account_has_instruction(account.id, key)?,
        None => false,
    };
    Ok(Lookup { vendor, account, is_stored })
}
