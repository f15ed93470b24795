//! GoCardless's mandates and the bank accounts they are on (contract D11).

use super::call::Call;
use super::outcome::{rejected, unreadable};
use super::request::Request;
use super::shown;
use cutover_app::port::{VendorBankAccount, VendorError, VendorInstruction};
use serde::Deserialize;

const VERSION: (&str, &str) = ("GoCardless-Version", "2015-07-06");

/// The states of a mandate that can be, or will soon be, collected on.
const LIVE: [&str; 3] = ["active", "submitted", "pending_submission"];

#[derive(Deserialize)]
struct MandateAnswer {
    mandates: Mandate,
}

#[derive(Deserialize)]
struct Mandate {
    id: String,
    status: String,
    links: Links,
}

#[derive(Deserialize)]
struct Links {
    customer_bank_account: String,
}

#[derive(Deserialize)]
struct BankAccountAnswer {
    customer_bank_accounts: BankAccount,
}

#[derive(Deserialize)]
struct BankAccount {
    id: String,
    account_holder_name: Option<String>,
    account_number_ending: Option<String>,
}

pub(super) async fn look_up(call: &Call, reference: &str) -> Result<Option<VendorInstruction>, VendorError> {
    let Some(answer) = call.get(&mandate_request(reference)).await? else { return Ok(None) };
    let account = read_mandate(answer, reference)?;
    let answer = call.get(&bank_account_request(&account)).await?;
    read_bank_account(answer.ok_or_else(unreadable)?, &account).map(Some)
}

fn mandate_request(reference: &str) -> Request<'_> {
    Request { collection: "mandates", name: reference, version: Some(VERSION) }
}

fn bank_account_request(account: &str) -> Request<'_> {
    Request { collection: "customer_bank_accounts", name: account, version: Some(VERSION) }
}

/// The bank account of a live mandate.
fn read_mandate(answer: MandateAnswer, reference: &str) -> Result<String, VendorError> {
    let mandate = answer.mandates;
    match mandate {
        _ if mandate.id != reference => Err(unreadable()),
        _ if LIVE.contains(&mandate.status.as_str()) => Ok(mandate.links.customer_bank_account),
        _ => Err(rejected("the mandate is not active")),
    }
}

/// GoCardless shows the bank's name, not its code, so there is no BSB.
fn read_bank_account(answer: BankAccountAnswer, account: &str) -> Result<VendorInstruction, VendorError> {
    let found = answer.customer_bank_accounts;
    if found.id != account {
        return Err(unreadable());
    }
    let details = VendorBankAccount {
        account_holder: found.account_holder_name,
        account_number_last_digits: found.account_number_ending,
        bsb: None,
    };
    shown::checked(shown::bank_account("DIRECT_DEBIT", Some(details)))
}
