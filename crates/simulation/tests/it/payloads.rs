//! Request bodies.

use crate::specs::{AccountRef, CreateSpec, FOREIGN, InstructionSpec, Payload, When};
use chrono::{DateTime, Duration, Utc};
use cutover_model::{Account, IntoOwned, decode_account};

/// Accounts with every kind of meter point, from the fixtures.
const FIXTURES: [&str; 7] = [
    include_str!("../../../../fixtures/accounts/valid/unmetered_gas.json"),
    include_str!("../../../../fixtures/accounts/valid/unmetered_electricity.json"),
    include_str!("../../../../fixtures/accounts/valid/embedded_gas.json"),
    include_str!("../../../../fixtures/accounts/valid/embedded_water.json"),
    include_str!("../../../../fixtures/accounts/valid/embedded_electricity.json"),
    include_str!("../../../../fixtures/accounts/valid/gas.json"),
    include_str!("../../../../fixtures/accounts/valid/electricity.json"),
];

/// Small accounts: without a ledger; with repeated notes, a ledger and an instruction; with a ledger without
/// a balance; with documents; with a contract.
const SMALL: [&str; 5] = [
    "",
    r#","notes":[{"body":"N-0"},{"body":"N-1","created_at":"2026-01-01T00:00:00Z"},{"body":"N-0"}],
       "ledgers":[{"last_statement_closing_date":"2026-09-30","last_statement_balance":"10.00",
         "ledger_balance":"11.00","current_statement_transactions":[
         {"transaction_id":"T-0","transaction_date":"2026-10-05","amount":"1.00","type":"CREDIT"}]}],
       "payment_instructions":[{"vendor":"pay","type":"CARD","reference":"R-0","valid_from":"2026-01-01"}]"#,
    r#","ledgers":[{"last_statement_closing_date":"2026-09-30","last_statement_balance":"-5.00",
         "current_statement_transactions":[
         {"transaction_id":"T-1","transaction_date":"2026-10-05","amount":"2.00","type":"CHARGE"}]}]"#,
    r#","notes":[{"body":"N-2","document_paths":[{"document_path":"a.pdf"}]}]"#,
    r#","business":{"business_contract_identifier":"C-0"}"#,
];

/// Number of small shapes, and of all shapes; those after the small ones are large.
pub(crate) const SMALL_SHAPES: u8 = SMALL.len() as u8;
pub(crate) const SHAPES: u8 = SMALL_SHAPES + FIXTURES.len() as u8;
/// Shape that names a document.
pub(crate) const WITH_DOCUMENT: u8 = 3;
/// Shape that names the contract `C-0` of the first business.
pub(crate) const WITH_CONTRACT: u8 = 4;
/// Content of a business without this contract.
pub(crate) const OTHER_CONTRACT: u8 = 2;
/// Number of versions of each shape.
pub(crate) const VERSIONS: u8 = 3;
/// Document that payloads name.
pub(crate) const DOCUMENT: &str = "a.pdf";

/// An account payload.
pub(crate) fn account_json(account: AccountRef, Payload { shape, version }: Payload) -> String {
    let (code, number) = (account.code(), account.external());
    let shape = usize::from(shape);
    if let Some(members) = SMALL.get(shape) {
        return format!(
            r#"{{"import_supplier":"{code}","external_account_number":"{number}","unknown_occupier":true,"billing_name":"V-{version}"{members}}}"#
        );
    }
    let json = FIXTURES[shape - SMALL.len()].replace("ACME_ENERGY", &code);
    let json = with_text(json, "external_account_number", &number);
    with_text(json, "billing_name", &format!("V-{version}"))
}

/// Replaces the text of the first member with this name.
fn with_text(json: String, member: &str, text: &str) -> String {
    let begin = format!("\"{member}\": \"");
    let at = json.find(&begin).unwrap() + begin.len();
    let end = at + json[at..].find('"').unwrap();
    format!("{}{text}{}", &json[..at], &json[end..])
}

/// Body of a create at a time.
pub(crate) fn create_body(spec: &CreateSpec, now: DateTime<Utc>) -> String {
    let account = account_json(spec.account, spec.payload);
    let at = |time: DateTime<Utc>| format!("\"{}\"", time.to_rfc3339());
    let (start, end) = match spec.when {
        When::Now if !spec.dry_run => return account,
        When::Now => ("null".to_owned(), "null".to_owned()),
        When::Later => (at(now + Duration::hours(1)), at(now + Duration::hours(3))),
        When::Soon => ("null".to_owned(), at(now + Duration::minutes(5))),
    };
    format!(
        r#"{{"task_params":{{"is_dry_run":{},"schedule_window_start":{start},"schedule_window_end":{end}}},"payload":{account}}}"#,
        spec.dry_run
    )
}

/// A body that is always refused.
pub(crate) fn faulty_body(account: AccountRef, kind: u8) -> String {
    let whole = account_json(account, Payload { shape: 1, version: 0 });
    match kind {
        0 => whole[..whole.len() / 2].to_owned(),
        1 => whole.replace("\"unknown_occupier\":true", "\"unknown_occupier\":7"),
        // The balance is not the sum.
        2 => whole.replace("\"11.00\"", "\"12.00\""),
        _ => whole.replace("external_account_number", "number"),
    }
}

/// Content of a payload as an import stores it.
pub(crate) fn account(account: AccountRef, payload: Payload) -> Account<'static> {
    sent_account(account, payload).completed(crate::specs::zone(account.supplier))
}

/// Content of a payload as it is sent.
pub(crate) fn sent_account(account: AccountRef, payload: Payload) -> Account<'static> {
    let json = account_json(account, payload);
    let decoded = decode_account(json.as_bytes(), crate::specs::zone(account.supplier)).unwrap();
    let (valid, _) = decoded.draft.unwrap().into_valid().unwrap();
    valid.into_owned()
}

/// A business with one of three contents; the last one has another contract.
pub(crate) fn business_body(business: u8, content: u8) -> String {
    let contract = if content == OTHER_CONTRACT { 'D' } else { 'C' };
    format!(
        r#"{{"import_supplier_code":"S-0","external_business_identifier":"B-{business}","business":{{"business_type":"PTY_LTD","company_name":"B {content}","business_contracts":[{{"valid_from_date":"2023-01-01","signed_at_date":"2022-12-01","identifier":"{contract}-{business}"}}]}}}}"#
    )
}

/// A request for an instruction of a business.
pub(crate) fn business_instruction_body(
    business: u8,
    spec: InstructionSpec,
    account: Option<AccountRef>,
) -> String {
    let (reference, kind) = (spec.reference(), spec.kind());
    let accounts =
        account.map(|account| format!(r#"{{"external_account_number":"{}"}}"#, account.external()));
    let accounts = accounts.unwrap_or_default();
    format!(
        r#"{{"import_supplier_code":"S-0","external_business_identifier":"B-{business}","vendor":"pay","reference":"{reference}","type":"{kind}","accounts":[{accounts}]}}"#
    )
}

/// A request of version 1 about an account.
pub(crate) fn request(account: AccountRef, members: &str) -> String {
    let (code, number) = (account.code(), account.external());
    format!(r#"{{"import_supplier":"{code}","external_account_number":"{number}",{members}}}"#)
}

/// A request of version 1 with an array.
pub(crate) fn list_request(account: AccountRef, member: &str, items: &[String]) -> String {
    request(account, &format!("\"{member}\":[{}]", items.join(",")))
}

/// True if the account belongs to the organisation of the foreign supplier.
pub(crate) fn is_foreign(account: AccountRef) -> bool {
    account.supplier == FOREIGN
}
