//! GoCardless: mandates and their bank accounts (contract D11).

use super::api::VendorApi;
use super::instruction;
use super::outcome::{rejected, unreadable};
use super::request::Request;
use cutover_app::port::{VendorBankAccount, VendorError, VendorInstruction};
use serde::Deserialize;

const VERSION: (&str, &str) = ("GoCardless-Version", "2015-07-06");

/// States of a mandate that allow collection now or soon.
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

pub(super) async fn look_up(
    api: &VendorApi,
    reference: &str,
) -> Result<Option<VendorInstruction>, VendorError> {
    let Some(answer) = api.get(&mandate_request(reference)).await? else { return Ok(None) };
    let account = read_mandate(answer, reference)?;
    let answer = api.get(&bank_account_request(&account)).await?;
    read_bank_account(answer.ok_or_else(unreadable)?, &account).map(Some)
}

fn mandate_request(reference: &str) -> Request<'_> {
    Request { collection: "mandates", name: reference, version: Some(VERSION) }
}

fn bank_account_request(account: &str) -> Request<'_> {
    Request { collection: "customer_bank_accounts", name: account, version: Some(VERSION) }
}

/// Returns the bank account of a live mandate.
fn read_mandate(answer: MandateAnswer, reference: &str) -> Result<String, VendorError> {
    let mandate = answer.mandates;
    match mandate {
        _ if mandate.id != reference => Err(unreadable()),
        _ if LIVE.contains(&mandate.status.as_str()) => Ok(mandate.links.customer_bank_account),
        _ => Err(rejected("the mandate is not active")),
    }
}

/// GoCardless returns the bank's name, not its code, so there is no BSB.
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
    instruction::checked(instruction::bank_account("DIRECT_DEBIT", Some(details)))
}
