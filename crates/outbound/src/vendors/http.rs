//! Adapter of the service's own vendor protocol (contract D11).

use super::api::VendorApi;
use super::instruction;
use super::outcome::unreadable;
use super::request::Request;
use cutover_app::port::{InstructionDetails, VendorBankAccount, VendorCard, VendorError, VendorInstruction};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Instruction {
    reference: String,
    r#type: String,
    card: Option<Card>,
    bank_account: Option<VendorBankAccount>,
}

#[derive(Deserialize)]
struct Card {
    card_payment_network: Option<String>,
    card_type: Option<String>,
    last_digits: Option<String>,
    expiry_month: Option<u8>,
    expiry_year: Option<u16>,
}

pub(super) async fn look_up(
    api: &VendorApi,
    reference: &str,
) -> Result<Option<VendorInstruction>, VendorError> {
    let found = api.get(&request(reference)).await?;
    found.map(|instruction| read(instruction, reference)).transpose()
}

fn request(reference: &str) -> Request<'_> {
    Request { collection: "payment-instructions", name: reference, version: None }
}

fn read(found: Instruction, reference: &str) -> Result<VendorInstruction, VendorError> {
    if found.reference != reference {
        return Err(unreadable());
    }
    let details = InstructionDetails { card: found.card.map(Into::into), bank_account: found.bank_account };
    instruction::checked(VendorInstruction { kind: found.r#type, details })
}

impl From<Card> for VendorCard {
    fn from(shown: Card) -> Self {
        let mut card = Self {
            last_digits: shown.last_digits,
            expiry_month: shown.expiry_month,
            expiry_year: shown.expiry_year,
            ..Self::default()
        };
        card.set_network(&shown.card_payment_network.unwrap_or_default());
        card.set_type(&shown.card_type.unwrap_or_default());
        card
    }
}
