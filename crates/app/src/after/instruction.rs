use super::AddRefused;
use super::request::{check_at_once, request, target, valid};
use crate::App;
use crate::auth::Caller;
use crate::port::{
    InstructionKey, StoreError, Tx, Vendor, VendorError, VerifiedInstruction, read, write_anew,
};
use cutover_core::{AttrPath, Code, Issue};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::{
    BusinessPaymentInstructionStored, IntoOwned, PaymentInstructionStored, Text,
    decode_business_payment_instruction, decode_payment_instruction, draft,
};
use cutover_rules::service::{PST_04, PST_11, PST_14};
use cutover_rules::{check_business_payment_instruction, check_payment_instruction};
use std::collections::HashSet;

request!(PaymentInstructionRequest: decode_payment_instruction, check_payment_instruction, import_supplier);
request!(
    BusinessPaymentInstructionRequest:
    decode_business_payment_instruction, check_business_payment_instruction, import_supplier_code
);

/// What a request for a payment instruction comes to (decisions D8). The vendor is asked between two
/// transactions, and awaited: [`App::begin_payment_instruction`] or its like, [`App::ask_vendor`],
/// [`App::store_instruction`].
#[derive(Debug)]
pub enum InstructionStep {
    /// It is stored already; the vendor need not be asked.
    Stored(InstructionStored),
    /// Its vendor is to be asked.
    Ask(Box<PendingInstruction>),
}

/// The answer, once an instruction is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstructionStored {
    /// For an account (contract 4.2).
    Account(PaymentInstructionStored),
    /// For a business (contract 4.4).
    Business(BusinessPaymentInstructionStored),
}

/// An instruction that its vendor has yet to confirm.
#[derive(Debug, Clone)]
pub struct PendingInstruction {
    vendor: Vendor,
    key: InstructionKey,
    owner: Owner,
    answer: InstructionStored,
}

/// Whose instruction it is, by keys of the store.
#[derive(Debug, Clone)]
enum Owner {
    Account(i64),
    Business { id: i64, accounts: Vec<i64> },
}

/// Why an instruction was not confirmed (rules PST-11).
#[derive(Debug, thiserror::Error)]
pub enum VendorRefused {
    /// The vendor does not have it so: not to be sent again unchanged.
    #[error("the vendor did not confirm the instruction")]
    Faults(Vec<Issue>),
    /// The vendor cannot be reached now; the cause is for the log.
    #[error("the vendor is not available: {0}")]
    Unavailable(String),
}

impl App {
    /// Checks a payment instruction for an imported account, as far as that goes without its vendor
    /// (contract 4.2).
    ///
    /// # Errors
    /// [`AddRefused`] with the faults of the request; a missing account is one of them.
    pub fn begin_payment_instruction(
        &self,
        caller: &Caller,
        body: &[u8],
    ) -> Result<InstructionStep, AddRefused> {
        let checked = check_at_once::<draft::PaymentInstructionRequest<'_>>(self, caller, body)?;
        let (request, supplier, _) = checked.accepted()?;
        let request = valid(request.into_valid())?.into_owned();
        let supplier_id = valid(supplier)?.id;
        let key = key(&request.vendor, request.kind, &request.reference);
        read(&*self.store, |tx| {
            let vendor = tx.vendor(&key.vendor)?;
            let account = match request.external_account_number.as_sent().parse() {
                Ok(number) => target(tx, supplier_id, &number)?.ok(),
                Err(_) => None,
            };
            let no_account = no_account(AttrPath::root());
            let (vendor, account) = match (vendor, account) {
                (Some(vendor), Some(account)) => (vendor, account),
                (vendor, account) => {
                    let faults = account.is_none().then_some(no_account).into_iter();
                    return Ok(Err(faults.chain(vendor.is_none().then(unknown_vendor)).collect()));
                }
            };
            let answer = InstructionStored::Account(PaymentInstructionStored {
                service_account_number: account.number.to_string(),
                reference: key.reference.clone(),
            });
            if tx.account_has_instruction(account.id, &key)? {
                return Ok(Ok(InstructionStep::Stored(answer)));
            }
            let owner = Owner::Account(account.id);
            Ok(Ok(InstructionStep::Ask(Box::new(PendingInstruction {
                vendor,
                key: key.clone(),
                owner,
                answer,
            }))))
        })?
        .map_err(AddRefused::faults)
    }

    /// Checks a payment instruction for a business and the accounts that it applies to, as far as that
    /// goes without its vendor (contract 4.4, decisions D9).
    ///
    /// # Errors
    /// [`AddRefused`] with the faults of the request; a missing business or account is one of them.
    pub fn begin_business_payment_instruction(
        &self,
        caller: &Caller,
        body: &[u8],
    ) -> Result<InstructionStep, AddRefused> {
        let checked = check_at_once::<draft::BusinessPaymentInstructionRequest<'_>>(self, caller, body)?;
        let (request, supplier, _) = checked.accepted()?;
        let request = valid(request.into_valid())?.into_owned();
        let supplier_id = valid(supplier)?.id;
        let key = key(&request.vendor, request.kind, &request.reference);
        let external = request.external_business_identifier.trimmed().to_owned();
        let numbers: Vec<&Text<'_>> =
            request.accounts.iter().flatten().map(|account| &account.external_account_number).collect();
        read(&*self.store, |tx| {
            let vendor = tx.vendor(&key.vendor)?;
            let business = tx.business(caller.organisation_id, &external)?;
            let (accounts, mut faults) = accounts(tx, supplier_id, &numbers)?;
            let (vendor, business) = match (vendor, business) {
                (Some(vendor), Some(business)) if faults.is_empty() => (vendor, business),
                (vendor, business) => {
                    let attr = AttrPath::root().name("external_business_identifier");
                    let no_business = || PST_14.issue(attr, Code::BusinessNotFound);
                    faults.extend(business.is_none().then(no_business));
                    faults.extend(vendor.is_none().then(unknown_vendor));
                    return Ok(Err(faults));
                }
            };
            let answer = InstructionStored::Business(BusinessPaymentInstructionStored {
                reference: key.reference.clone(),
                external_business_identifier: external.clone(),
            });
            let stored = tx.business_instruction(business.id, &key)?;
            let known: Option<HashSet<i64>> = stored.map(|known| known.into_iter().collect());
            if known.is_some_and(|known| accounts.iter().all(|account| known.contains(account))) {
                return Ok(Ok(InstructionStep::Stored(answer)));
            }
            let owner = Owner::Business { id: business.id, accounts };
            Ok(Ok(InstructionStep::Ask(Box::new(PendingInstruction {
                vendor,
                key: key.clone(),
                owner,
                answer,
            }))))
        })?
        .map_err(AddRefused::faults)
    }

    /// Asks the vendor for an instruction, by the outcome table of decisions D8.
    ///
    /// # Errors
    /// [`VendorRefused`]; nothing is to be stored then.
    pub async fn ask_vendor(
        &self,
        pending: &PendingInstruction,
    ) -> Result<VerifiedInstruction, VendorRefused> {
        let PendingInstruction { vendor, key, .. } = pending;
        let found = match self.vendors.look_up(vendor, &key.reference).await {
            Ok(Some(found)) => found,
            Ok(None) => return Err(fault("reference", Code::PaymentInstructionNotFound)),
            Err(VendorError::Rejected(cause)) => {
                tracing::warn!(vendor = vendor.name, cause, "a payment vendor rejected a request");
                return Err(fault("vendor", Code::PaymentVendorRejected));
            }
            Err(VendorError::Unavailable(cause)) => return Err(VendorRefused::Unavailable(cause)),
        };
        if found.kind != key.kind.as_str() {
            return Err(fault("type", Code::PaymentInstructionTypeMismatch));
        }
        let verified_at = self.clock.now();
        Ok(VerifiedInstruction { key: key.clone(), details: found.details, verified_at })
    }

    /// Stores an instruction that its vendor has confirmed.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is stored then.
    pub fn store_instruction(
        &self,
        pending: PendingInstruction,
        verified: VerifiedInstruction,
    ) -> Result<InstructionStored, StoreError> {
        let PendingInstruction { owner, answer, .. } = pending;
        write_anew(&*self.store, move |tx| store(tx, &owner, &verified))?;
        Ok(answer)
    }
}

/// Stores it, unless a request at the same time came first.
fn store(tx: &mut dyn Tx, owner: &Owner, verified: &VerifiedInstruction) -> Result<(), StoreError> {
    match owner {
        Owner::Account(id) if tx.account_has_instruction(*id, &verified.key)? => Ok(()),
        Owner::Account(id) => tx.add_account_instruction(*id, verified),
        Owner::Business { id, accounts } => tx.add_business_instruction(*id, verified, accounts),
    }
}

fn key(vendor: &Text<'_>, kind: PaymentInstructionType, reference: &Text<'_>) -> InstructionKey {
    InstructionKey { vendor: vendor.trimmed().to_owned(), kind, reference: reference.trimmed().to_owned() }
}

/// The keys of imported accounts, and a fault for each number that is none.
fn accounts(
    tx: &mut dyn Tx,
    supplier_id: i64,
    numbers: &[&Text<'_>],
) -> Result<(Vec<i64>, Vec<Issue>), StoreError> {
    let (mut accounts, mut faults) = (Vec::new(), Vec::new());
    for (index, number) in (0..).zip(numbers) {
        let found = match number.as_sent().parse() {
            Ok(number) => target(tx, supplier_id, &number)?.ok(),
            Err(_) => None,
        };
        match found {
            Some(account) => accounts.push(account.id),
            None => faults.push(no_account(AttrPath::root().name("accounts").index(index))),
        }
    }
    Ok((accounts, faults))
}

fn no_account(of: AttrPath) -> Issue {
    PST_04.issue(of.name("external_account_number"), Code::AccountNotFound)
}

fn unknown_vendor() -> Issue {
    of_vendor("vendor", Code::PaymentVendorUnknown)
}

fn fault(member: &'static str, code: Code) -> VendorRefused {
    VendorRefused::Faults(vec![of_vendor(member, code)])
}

fn of_vendor(member: &'static str, code: Code) -> Issue {
    PST_11.issue(AttrPath::root().name(member), code)
}
