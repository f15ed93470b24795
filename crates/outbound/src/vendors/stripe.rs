//! Stripe: PaymentMethods of cards and Australian direct debits (contract D11).

use super::api::VendorApi;
use super::instruction;
use super::outcome::unreadable;
use super::request::Request;
use cutover_app::port::{VendorBankAccount, VendorCard, VendorError, VendorInstruction};
use serde::Deserialize;

/// API version of the shapes read here, independent of the version of the vendor's account.
const VERSION: (&str, &str) = ("Stripe-Version", "2024-06-20");

/// Kind of all other payment methods.
const OTHER: &str = "OTHER";

#[derive(Deserialize)]
pub(super) struct PaymentMethod {
    id: String,
    r#type: String,
    card: Option<Card>,
    au_becs_debit: Option<AuBecsDebit>,
    billing_details: Option<BillingDetails>,
}

#[derive(Deserialize)]
struct Card {
    brand: String,
    funding: String,
    last4: String,
    exp_month: u8,
    exp_year: u16,
}

#[derive(Deserialize)]
struct AuBecsDebit {
    bsb_number: Option<String>,
    last4: Option<String>,
}

#[derive(Deserialize)]
struct BillingDetails {
    name: Option<String>,
}

pub(super) async fn look_up(
    api: &VendorApi,
    reference: &str,
) -> Result<Option<VendorInstruction>, VendorError> {
    let found = api.get(&request(reference)).await?;
    found.map(|method| read(method, reference)).transpose()
}

fn request(reference: &str) -> Request<'_> {
    Request { collection: "v1/payment_methods", name: reference, version: Some(VERSION) }
}

fn read(method: PaymentMethod, reference: &str) -> Result<VendorInstruction, VendorError> {
    if method.id != reference {
        return Err(unreadable());
    }
    let holder = method.billing_details.and_then(|b| b.name);
    instruction::checked(match method.r#type.as_str() {
        "card" => instruction::card("CARD", Some(method.card.ok_or_else(unreadable)?.into())),
        "au_becs_debit" => {
            let debit = method.au_becs_debit.ok_or_else(unreadable)?;
            instruction::bank_account("DIRECT_DEBIT", Some(debit.held_by(holder)))
        }
        _ => instruction::card(OTHER, None),
    })
}

/// Stripe's networks and card types equal ours in lower case.
impl From<Card> for VendorCard {
    fn from(shown: Card) -> Self {
        let mut card = Self {
            last_digits: Some(shown.last4),
            expiry_month: Some(shown.exp_month),
            expiry_year: Some(shown.exp_year),
            ..Self::default()
        };
        card.set_network(&shown.brand.to_ascii_uppercase());
        card.set_type(&shown.funding.to_ascii_uppercase());
        card
    }
}

impl AuBecsDebit {
    fn held_by(self, account_holder: Option<String>) -> VendorBankAccount {
        VendorBankAccount { account_holder, account_number_last_digits: self.last4, bsb: self.bsb_number }
    }
}
