use crate::journal::Outcome;
use crate::service::Fault;
use cutover_core::{Code, NON_FIELD_ERRORS};
use serde_json::Value;

/// What the service says to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upload) struct Answer {
    pub(in crate::upload) status: u16,
    pub(in crate::upload) outcome: Outcome,
    /// Why it is not taken; texts of the service hold no value of an account.
    pub(in crate::upload) findings: Vec<Finding>,
}

/// One reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upload) struct Finding {
    pub(in crate::upload) attr: String,
    pub(in crate::upload) code: String,
    pub(in crate::upload) detail: String,
}

/// What an answer to one account means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is answered.
    Said(Answer),
    /// The service failed at it.
    Stumbled,
    /// It is not answered, and neither is what comes after it.
    Fault(Fault),
    /// The same for the token is good no more.
    Stale,
}

impl Meaning {
    /// Of a status and the body that create or validate answers (contract 4.1, 7).
    pub(super) fn of(status: u16, body: &Value) -> Self {
        match status {
            200 | 201 => Self::Said(Answer { status, outcome: Outcome::Accepted, findings: Vec::new() }),
            401 => Self::Stale,
            408 | 429 | 502..=504 => Self::Fault(Fault::passing(format!("the service answers {status}"))),
            500.. => Self::Stumbled,
            _ if code(body) == Code::ImportSupplierMigrationNotOngoing.as_str() => {
                Self::Fault(Fault::lasting(NOT_ONGOING))
            }
            _ => Self::Said(refused(status, body)),
        }
    }
}

const NOT_ONGOING: &str = "the import supplier takes no accounts now; run the same again when it is ongoing";

fn refused(status: u16, body: &Value) -> Answer {
    let whole = &body[NON_FIELD_ERRORS];
    let codes = [Code::AccountImportProcessAlreadyImported, Code::AccountImportProcessInProgress];
    if codes.iter().any(|known| code(whole) == known.as_str()) {
        return Answer { status, outcome: Outcome::AlreadyThere, findings: Vec::new() };
    }
    let items = body["errors"].as_array().map(|items| items.iter().map(finding).collect());
    let whole = if whole.is_object() { whole } else { body };
    Answer { status, outcome: Outcome::Refused, findings: items.unwrap_or_else(|| vec![finding(whole)]) }
}

impl Answer {
    /// The service failed at it for good.
    pub(super) fn failed() -> Self {
        let finding = Finding {
            attr: NON_FIELD_ERRORS.to_owned(),
            code: Code::Error.as_str().to_owned(),
            detail: "The service failed at this account again and again.".to_owned(),
        };
        Self { status: 500, outcome: Outcome::Failed, findings: vec![finding] }
    }

    /// Whether only validate would say why (contract 7.2).
    pub(super) fn is_short(&self) -> bool {
        let short = Code::ImportProcessFailedValidation.as_str();
        self.outcome == Outcome::Refused && self.findings.iter().any(|finding| finding.code == short)
    }
}

fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}

fn finding(item: &Value) -> Finding {
    let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let or = |text: String, other: &str| if text.is_empty() { other.to_owned() } else { text };
    Finding {
        attr: or(text("attr"), NON_FIELD_ERRORS),
        code: or(text("code"), "invalid"),
        detail: text("detail"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(status: u16, body: &Value) -> Answer {
        match Meaning::of(status, body) {
            Meaning::Said(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_the_service_has_is_there() {
        assert_eq!(said(201, &json!({})).outcome, Outcome::Accepted);
        for code in ["account_import_process_already_imported", "account_import_process_in_progress"] {
            let body = json!({"non_field_errors": {"detail": "x", "code": code}, "account_id": "A-1"});
            assert_eq!(said(400, &body).outcome, Outcome::AlreadyThere);
        }
    }

    #[test]
    fn refusals_say_why() {
        let short =
            said(400, &json!({"code": "import_process_failed_validation", "detail": "d", "domain": "x"}));
        assert!(short.outcome == Outcome::Refused && short.is_short());
        let items = json!([{"detail": "d", "code": "invalid", "attr": "a.0"}, {"detail": "e", "code": "blank", "attr": "b"}]);
        let long = said(400, &json!({"code": "account_failed_validation", "detail": "d", "errors": items}));
        let found: Vec<_> = long.findings.iter().map(|f| (f.attr.as_str(), f.code.as_str())).collect();
        assert_eq!((found, long.is_short()), (vec![("a.0", "invalid"), ("b", "blank")], false));
        let large = said(413, &json!({"detail": "d", "code": "payload_too_large"}));
        assert_eq!((large.findings[0].attr.as_str(), large.status), ("non_field_errors", 413));
    }

    #[test]
    fn what_is_no_answer_to_the_account_is_told_apart() {
        assert_eq!(Meaning::of(401, &json!({})), Meaning::Stale);
        assert_eq!(Meaning::of(500, &json!({})), Meaning::Stumbled);
        assert!(matches!(Meaning::of(503, &json!({})), Meaning::Fault(Fault::Passing { .. })));
        let body = json!({"code": "import_supplier_migration_not_ongoing"});
        assert!(matches!(Meaning::of(400, &body), Meaning::Fault(Fault::Lasting(_))));
    }
}
