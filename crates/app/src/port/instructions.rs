use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::choices::{CardPaymentNetwork, CardType, PaymentInstructionType};
use serde::{Deserialize, Serialize};

/// What names an instruction at a payment vendor.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct InstructionKey {
    /// The vendor's name, trimmed.
    pub vendor: String,
    /// The kind of payment.
    pub kind: PaymentInstructionType,
    /// The reference at the vendor, trimmed.
    pub reference: String,
}

/// A card as a vendor shows it: never its whole number.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorCard {
    /// The network, if it is one of ours (contract D8).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card_payment_network: Option<String>,
    /// Credit, debit or prepaid, if the vendor says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card_type: Option<String>,
    /// The last digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub last_digits: Option<String>,
    /// 1 to 12.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expiry_month: Option<u8>,
    /// Four digits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expiry_year: Option<u16>,
}

impl VendorCard {
    /// Keeps the network if it is one of ours, by its word (`VISA`).
    pub fn set_network(&mut self, word: &str) {
        self.card_payment_network = word.parse::<CardPaymentNetwork>().ok().map(|n| n.as_str().to_owned());
    }

    /// Keeps the type if it is one of ours, by its word (`CREDIT`).
    pub fn set_type(&mut self, word: &str) {
        self.card_type = word.parse::<CardType>().ok().map(|t| t.as_str().to_owned());
    }
}

/// A bank account as a vendor shows it.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorBankAccount {
    /// Its holder.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account_holder: Option<String>,
    /// The last digits of its number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account_number_last_digits: Option<String>,
    /// Bank, state and branch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bsb: Option<String>,
}

/// What a vendor says of an instruction besides its type.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionDetails {
    /// The card.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card: Option<VendorCard>,
    /// The bank account.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bank_account: Option<VendorBankAccount>,
}

masked! { InstructionKey VendorCard VendorBankAccount InstructionDetails }

/// An instruction that its vendor has confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedInstruction {
    /// What names it.
    pub key: InstructionKey,
    /// What the vendor says of it.
    pub details: InstructionDetails,
    /// When the vendor said so.
    pub verified_at: DateTime<Utc>,
}

/// Payment instructions that were added to accounts and businesses (contract D8, D9).
pub trait Instructions {
    /// Whether an account has an instruction, of its payload or added since.
    fn account_has_instruction(&mut self, account_id: i64, key: &InstructionKey) -> Result<bool, StoreError>;

    /// Adds an instruction to an account.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if it was added before.
    fn add_account_instruction(
        &mut self,
        account_id: i64,
        instruction: &VerifiedInstruction,
    ) -> Result<(), StoreError>;

    /// The accounts that a business's instruction applies to, by key; `None` if it has no such one.
    fn business_instruction(
        &mut self,
        business_id: i64,
        key: &InstructionKey,
    ) -> Result<Option<Vec<i64>>, StoreError>;

    /// Adds an instruction to a business, for some of the accounts; if the business has it, adds the
    /// accounts that it does not apply to yet.
    fn add_business_instruction(
        &mut self,
        business_id: i64,
        instruction: &VerifiedInstruction,
        accounts: &[i64],
    ) -> Result<(), StoreError>;
}
