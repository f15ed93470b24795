//! Payment instructions of accounts and businesses, confirmed by their vendors (contract 4.2, 4.4,
//! D8, D9).

mod account;
mod business;

use super::request::{Target, request, target};
use crate::App;
use crate::port::{
    InstructionKey, StoreError, StoredIssue, Tx, Vendor, VendorError, VerifiedInstruction, write_with_retry,
};
use cutover_core::{AttrPath, Code, FeedEventType, Issue};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::{
    BusinessPaymentInstructionStored, ContentHash, PaymentInstructionStored, RowCounts, Text, Totals,
    decode_business_payment_instruction, decode_payment_instruction,
};
use cutover_rules::service::{PST_04, PST_11};
use cutover_rules::{check_business_payment_instruction, check_payment_instruction};

request!(PaymentInstructionRequest: decode_payment_instruction, check_payment_instruction, import_supplier);
request!(
    BusinessPaymentInstructionRequest:
    decode_business_payment_instruction, check_business_payment_instruction, import_supplier_code
);

/// Result of checking a request for a payment instruction (contract D8). The vendor is asked between two
/// transactions: call [`App::begin_payment_instruction`] or [`App::begin_business_payment_instruction`], then
/// [`App::ask_vendor`], then [`App::store_instruction`].
#[derive(Debug)]
pub enum InstructionStep {
    /// The instruction is stored already. The vendor need not be asked.
    Stored(InstructionStored),
    /// The vendor has to be asked.
    Ask(Box<PendingInstruction>),
}

/// The answer for a stored instruction.
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
    /// The warnings of the request, of an instruction for an account.
    warnings: Vec<StoredIssue>,
    answer: InstructionStored,
}

/// The owner of an instruction.
#[derive(Debug, Clone)]
enum Owner {
    Account { account: Target, content: ContentHash },
    Business { id: i64, accounts: Vec<Target> },
}

/// Reason why an instruction was not confirmed (rule PST-11).
#[derive(Debug, thiserror::Error)]
pub enum VendorRefused {
    /// The vendor does not have it, or not like this. A retry does not help.
    #[error("the vendor did not confirm the instruction")]
    Faults(Vec<Issue>),
    /// The vendor cannot be reached now. The text is for the log.
    #[error("the vendor is not available: {0}")]
    Unavailable(String),
}

impl App {
    /// Asks the vendor for an instruction, by the outcome table of contract D8.
    ///
    /// # Errors
    /// [`VendorRefused`]; the instruction must not be stored then.
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
        let PendingInstruction { owner, warnings, answer, .. } = pending;
        write_with_retry(&*self.store, move |tx| store(tx, &owner, &warnings, &verified))?;
        Ok(answer)
    }
}

/// Stores an instruction, unless a concurrent request has stored it.
fn store(
    tx: &mut dyn Tx,
    owner: &Owner,
    warnings: &[StoredIssue],
    verified: &VerifiedInstruction,
) -> Result<(), StoreError> {
    match owner {
        Owner::Account { account, content } => {
            lock(tx, account)?;
            account.add_warnings(tx, warnings)?;
            if !tx.account_has_instruction(account.id, &verified.key)? {
                tx.add_account_instruction(account.id, verified)?;
                let rows = RowCounts::of([("payment_instructions", 1)]);
                account.count(tx, &[*content], &Totals { rows, ..Totals::default() })?;
                note(tx, account, verified)?;
            }
        }
        Owner::Business { id, accounts } => {
            tx.lock_business(*id)?;
            let had = tx.business_instruction(*id, &verified.key)?.unwrap_or_default();
            let mut added: Vec<&Target> =
                accounts.iter().filter(|account| !had.contains(&account.id)).collect();
            // In one order, so that two requests do not wait for each other.
            added.sort_unstable_by_key(|account| account.id);
            added.dedup_by_key(|account| account.id);
            added.iter().try_for_each(|account| lock(tx, account))?;
            let ids: Vec<i64> = added.iter().map(|account| account.id).collect();
            tx.add_business_instruction(*id, verified, &ids)?;
            added.iter().try_for_each(|account| note(tx, account, verified))?;
        }
    }
    Ok(())
}

/// Locks an account. If it was erased or undone meanwhile, the request has to be repeated, and is then refused or belongs
/// to the account that was imported since.
fn lock(tx: &mut dyn Tx, account: &Target) -> Result<(), StoreError> {
    match tx.lock_numbered(account.id, &account.number)? {
        true => Ok(()),
        false => Err(StoreError::Unavailable("the account has been removed".into())),
    }
}

fn note(tx: &mut dyn Tx, account: &Target, verified: &VerifiedInstruction) -> Result<(), StoreError> {
    account.note_added(tx, FeedEventType::PaymentInstructionAdded, 1, verified.verified_at)
}

fn key(vendor: &Text<'_>, kind: PaymentInstructionType, reference: &Text<'_>) -> InstructionKey {
    InstructionKey { vendor: vendor.trimmed().to_owned(), kind, reference: reference.trimmed().to_owned() }
}

/// Returns the imported account with this number, as it was sent.
fn imported(tx: &mut dyn Tx, supplier_id: i64, number: &Text<'_>) -> Result<Option<Target>, StoreError> {
    match number.as_sent().parse() {
        Ok(number) => Ok(target(tx, supplier_id, &number)?.ok()),
        Err(_) => Ok(None),
    }
}

fn no_account(of: AttrPath) -> Issue {
    PST_04.issue(of.name("external_account_number"), Code::AccountNotFound)
}

/// Returns an issue if the vendor is not configured.
fn unknown(vendor: &Option<Vendor>) -> Option<Issue> {
    vendor.is_none().then(|| of_vendor("vendor", Code::PaymentVendorUnknown))
}

fn fault(member: &'static str, code: Code) -> VendorRefused {
    VendorRefused::Faults(vec![of_vendor(member, code)])
}

fn of_vendor(member: &'static str, code: Code) -> Issue {
    PST_11.issue(AttrPath::root().name(member), code)
}
