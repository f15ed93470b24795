use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_core::Zone;
use cutover_model::choices::{CardPaymentNetwork, CardType, PaymentInstructionType};
use cutover_model::{Timestamp, Writer};
use serde::{Deserialize, Serialize};

/// The identity of an instruction at a payment vendor.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct InstructionKey {
    /// The vendor's name, trimmed.
    pub vendor: String,
    /// The kind of payment.
    pub kind: PaymentInstructionType,
    /// The reference at the vendor, trimmed.
    pub reference: String,
}

/// Details of a card from a vendor, never with its whole number.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorCard {
    /// The network, if it is one of contract D8.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub card_payment_network: Option<String>,
    /// Credit, debit or prepaid, if the vendor states it.
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
    /// Sets the network from its name (`VISA`), if it is a known one.
    pub fn set_network(&mut self, word: &str) {
        self.card_payment_network = word.parse::<CardPaymentNetwork>().ok().map(|n| n.as_str().to_owned());
    }

    /// Sets the type from its name (`CREDIT`), if it is a known one.
    pub fn set_type(&mut self, word: &str) {
        self.card_type = word.parse::<CardType>().ok().map(|t| t.as_str().to_owned());
    }
}

/// Details of a bank account from a vendor.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct VendorBankAccount {
    /// The holder of the account.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account_holder: Option<String>,
    /// The last digits of its number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account_number_last_digits: Option<String>,
    /// Bank, state and branch.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bsb: Option<String>,
}

/// Details of an instruction from its vendor, in addition to its type.
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
    /// Its identity.
    pub key: InstructionKey,
    /// Its details from the vendor.
    pub details: InstructionDetails,
    /// Time at which the vendor confirmed it.
    pub verified_at: DateTime<Utc>,
}

impl VerifiedInstruction {
    /// Writes it as a JSON object, with the offset of the zone.
    pub(super) fn write(&self, zone: Zone, writer: &mut Writer) {
        let Self { key, details, verified_at } = self;
        writer.object(|writer| {
            for (name, text) in
                [("vendor", key.vendor.as_str()), ("type", key.kind.as_str()), ("reference", &key.reference)]
            {
                writer.name(name);
                writer.string(text);
            }
            let json = |part: Result<String, serde_json::Error>| part.unwrap_or_else(|_| "null".to_owned());
            if let Some(card) = &details.card {
                writer.name("card");
                writer.raw(&json(serde_json::to_string(card)));
            }
            if let Some(account) = &details.bank_account {
                writer.name("bank_account");
                writer.raw(&json(serde_json::to_string(account)));
            }
            writer.name("verified_at");
            writer.string(&Timestamp(zone.local(*verified_at)).to_string());
        });
    }
}

/// Queries of payment instructions that were added to accounts and businesses (contract D8, D9).
pub trait Instructions {
    /// Returns true if an account has an instruction, from its payload or added since.
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

    /// Returns the keys of the accounts that a business's instruction applies to; `None` if the business has
    /// no such instruction.
    fn business_instruction(
        &mut self,
        business_id: i64,
        key: &InstructionKey,
    ) -> Result<Option<Vec<i64>>, StoreError>;

    /// Adds an instruction to a business for these accounts. If the business has it, adds the accounts that
    /// it does not apply to yet.
    fn add_business_instruction(
        &mut self,
        business_id: i64,
        instruction: &VerifiedInstruction,
        accounts: &[i64],
    ) -> Result<(), StoreError>;
}
