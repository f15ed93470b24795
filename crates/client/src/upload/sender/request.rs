//! What the answers to other requests than accounts mean (contract 4.2, 4.4).

use super::answer::{Answer, Items, LineOutcome, code, foreign, refused};
use crate::journal::Outcome;
use crate::request::Kind;
use crate::service::{self, Fault};
use cutover_core::Code;
use serde_json::Value;

/// Interprets a status and body. A response that the service never gives counts as no answer.
pub(super) fn outcome(kind: Kind, status: u16, body: &Value) -> LineOutcome {
    match status {
        // The contract lists 201 for statements and speaks of 200.
        200 if kind == Kind::HistoricalStatements => added(kind, status, body),
        201 => added(kind, status, body),
        404 if has_no_account(body) => refused(status, body),
        400 if kind == Kind::Transactions && body["status"] == FAILED && body["errors"].is_null() => {
            LineOutcome::Final(failed_transaction(status, body))
        }
        400 | 413 => refused(status, body),
        401 => LineOutcome::TokenExpired,
        408 | 429 | 502..=504 | 520..=530 => {
            LineOutcome::Fault(Fault::transient(format!("the service answers {status}")))
        }
        // Of payment instructions also: the vendor does not answer.
        500..=599 => LineOutcome::Retry(Answer::failed()),
        _ => foreign(status),
    }
}

const FAILED: &str = "TRANSACTION_IMPORT_ERROR";

/// True if a 404 is about the account: it is not imported, or not known at all. Any other one is about the address.
fn has_no_account(body: &Value) -> bool {
    [Code::AccountNotFound, Code::ImportProcessDoesNotExist].iter().any(|no| code(body) == no.as_str())
}

/// The first failing transaction as the contract has it, without the keys of other refusals.
fn failed_transaction(status: u16, body: &Value) -> Answer {
    let detail = service::detail(body["error_detail"].as_str().unwrap_or_default());
    let finding = super::Finding { attr: "transactions".into(), code: Code::Invalid.as_str().into(), detail };
    Answer { findings: vec![finding], ..Answer::bare(status, Outcome::Refused) }
}

/// Reads an answer to what was added, or had been added before.
fn added(kind: Kind, status: u16, body: &Value) -> LineOutcome {
    let items = match kind {
        Kind::Notes => body.as_array().map(|notes| statuses(notes)),
        Kind::Transactions => body["results"].as_array().map(|results| statuses(results)),
        _ => body.is_object().then(Items::default),
    };
    let Some(items) = items else { return foreign(status) };
    let outcome = match items {
        Items { added: 0, already_there: 1.. } => Outcome::AlreadyThere,
        _ => Outcome::Accepted,
    };
    LineOutcome::Final(Answer { items, ..Answer::bare(status, outcome) })
}

fn statuses(items: &[Value]) -> Items {
    let is_there =
        |item: &&Value| item["status"].as_str().is_some_and(|text| text.ends_with("_ALREADY_EXISTS"));
    let already_there = items.iter().filter(is_there).count() as u64;
    Items { added: items.len() as u64 - already_there, already_there }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(kind: Kind, status: u16, body: &Value) -> Answer {
        match outcome(kind, status, body) {
            LineOutcome::Final(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_added_before_is_told_apart() {
        let note =
            |status: &str| json!({"created_at": "2026-11-21T00:00:00Z", "body": "x", "status": status});
        let (new, old) = (note("NOTE_CREATION_SUCCESS"), note("NOTE_ALREADY_EXISTS"));
        for (body, outcome, added, already_there) in [
            (json!([new.clone(), old.clone()]), Outcome::Accepted, 1, 1),
            (json!([old.clone(), old]), Outcome::AlreadyThere, 0, 2),
            (json!([new]), Outcome::Accepted, 1, 0),
        ] {
            let answer = answer(Kind::Notes, 201, &body);
            assert_eq!((answer.outcome, answer.items), (outcome, Items { added, already_there }));
        }
        let result = json!({"status": "TRANSACTION_ALREADY_EXISTS", "transaction_data": {}});
        let answer = answer(Kind::Transactions, 201, &json!({"results": [result]}));
        assert_eq!(answer.outcome, Outcome::AlreadyThere);
    }

    #[test]
    fn other_requests_are_accepted_with_an_object() {
        let stored = json!({"service_business_id": 7, "external_business_identifier": "B-1"});
        assert_eq!(answer(Kind::Business, 201, &stored).outcome, Outcome::Accepted);
        for status in [200, 201] {
            let answer = answer(Kind::HistoricalStatements, status, &json!({"statements": []}));
            assert_eq!((answer.outcome, answer.status), (Outcome::Accepted, status));
        }
    }

    #[test]
    fn refusals_have_their_reasons() {
        for code in ["account_not_found", "import_process_does_not_exist"] {
            let refused = answer(Kind::Notes, 404, &json!({"detail": "x", "code": code}));
            assert_eq!((refused.outcome, refused.findings[0].code.as_str()), (Outcome::Refused, code));
        }
        let data = json!({"amount": "1.00", "display_note": "secret"});
        let failed = json!({"status": "TRANSACTION_IMPORT_ERROR", "error_detail": "It is outside.", "transaction_data": data});
        let refused = answer(Kind::Transactions, 400, &failed);
        assert_eq!(
            (refused.findings[0].attr.as_str(), refused.findings[0].detail.as_str()),
            ("transactions", "It is outside.")
        );
        let mut long = failed;
        long["code"] = "validation_error".into();
        long["errors"] = json!([{"attr": "transactions.3.transaction_id", "detail": "x",
            "code": "transaction_id_reused_with_different_content"}]);
        assert_eq!(answer(Kind::Transactions, 400, &long).findings[0].attr, "transactions.3.transaction_id");
    }

    #[test]
    fn what_is_not_about_the_request_is_told_apart() {
        let of = |kind, status, body| outcome(kind, status, &body);
        assert_eq!(of(Kind::Notes, 401, json!({})), LineOutcome::TokenExpired);
        let vendor = json!({"detail": "x", "code": "payment_vendor_unavailable"});
        assert_eq!(of(Kind::PaymentInstruction, 500, vendor), LineOutcome::Retry(Answer::failed()));
        for status in [429, 503] {
            let meaning = of(Kind::Business, status, json!({}));
            assert!(matches!(meaning, LineOutcome::Fault(Fault::Transient { .. })), "{meaning:?}");
        }
        for (kind, status, body) in [
            (Kind::Notes, 404, json!({"detail": "x", "code": "not_found"})),
            (Kind::Notes, 200, json!([])),
            (Kind::Notes, 201, json!({})),
            (Kind::Transactions, 201, json!([])),
            (Kind::Business, 201, json!("ok")),
            (Kind::Business, 409, json!({"code": "x"})),
            (Kind::PaymentInstruction, 400, json!({"message": "Bad Request"})),
        ] {
            let meaning = of(kind, status, body);
            assert!(
                matches!(meaning, LineOutcome::Fault(Fault::Permanent(_))),
                "{kind:?} {status}: {meaning:?}"
            );
        }
    }
}
