use crate::journal::Outcome;
use crate::service::{self, Fault};
use cutover_core::{Code, NON_FIELD_ERRORS};
use serde::Serialize;
use serde_json::Value;

/// Maximum size of an answer to one account.
pub(super) const MAX_ANSWER: usize = 1024 * 1024;

/// Answer of the service to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upload) struct Answer {
    pub(in crate::upload) status: u16,
    pub(in crate::upload) outcome: Outcome,
    /// Reasons why it was refused; they hold no values of an account.
    pub(in crate::upload) findings: Vec<Finding>,
    /// What became of the notes or transactions of a request.
    pub(in crate::upload) items: Items,
}

/// Numbers of notes or transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(in crate::upload) struct Items {
    /// Those that the service has added.
    pub(in crate::upload) added: u64,
    /// Those that it had already.
    pub(in crate::upload) already_there: u64,
}

/// A reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::upload) struct Finding {
    pub(in crate::upload) attr: String,
    pub(in crate::upload) code: String,
    pub(in crate::upload) detail: String,
}

/// Interpretation of the answer to one account.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineOutcome {
    /// The answer is final.
    Final(Answer),
    /// A retry may be answered otherwise; if not, this answer counts.
    Retry(Answer),
    /// Neither this account nor those after it are answered.
    Fault(Fault),
    /// The same, because the token has expired.
    TokenExpired,
}

impl LineOutcome {
    /// Interprets a status and body of create or validate (contract 4.1, 7). A response that the service
    /// never gives comes from a gateway and counts as no answer.
    pub(super) fn of(status: u16, body: &Value, validates: bool) -> Self {
        let well = if validates { 200 } else { 201 };
        match status {
            _ if status == well && body.is_object() => Self::Final(Answer::bare(status, Outcome::Accepted)),
            400 | 413 => refused(status, body),
            401 => Self::TokenExpired,
            408 | 429 | 502..=504 | 520..=530 => {
                Self::Fault(Fault::transient(format!("the service answers {status}")))
            }
            500..=599 => Self::Retry(Answer::failed()),
            _ => foreign(status),
        }
    }
}

pub(super) fn foreign(status: u16) -> LineOutcome {
    let why = format!("the service answers {status}, and not as Cutover does");
    LineOutcome::Fault(Fault::permanent(why))
}

const NOT_ONGOING: &str =
    "the import supplier takes no accounts now; run the same command again when it is ongoing";

/// Interprets a refusal (contract 7).
pub(super) fn refused(status: u16, body: &Value) -> LineOutcome {
    if code(body) == Code::ImportSupplierMigrationNotOngoing.as_str() {
        return LineOutcome::Fault(Fault::permanent(NOT_ONGOING));
    }
    let whole = &body[NON_FIELD_ERRORS];
    if code(whole) == Code::AccountImportProcessAlreadyImported.as_str() {
        return LineOutcome::Final(Answer::bare(status, Outcome::AlreadyThere));
    }
    let whole = if whole.is_object() { whole } else { body };
    let items = body["errors"].as_array().filter(|items| !items.is_empty());
    let items = items.map_or(std::slice::from_ref(whole), Vec::as_slice);
    if items.iter().any(|item| code(item).is_empty()) {
        return foreign(status);
    }
    let findings = items.iter().take(MAX_FINDINGS).map(finding).collect();
    if code(whole) == Code::AccountImportProcessInProgress.as_str() {
        return LineOutcome::Retry(Answer { findings, ..Answer::bare(status, Outcome::InProgress) });
    }
    LineOutcome::Final(Answer { findings, ..Answer::bare(status, Outcome::Refused) })
}

/// Maximum number of findings that the service returns, plus one that says that there are more.
pub(in crate::upload) const MAX_FINDINGS: usize = 1_001;

impl Answer {
    pub(super) fn bare(status: u16, outcome: Outcome) -> Self {
        Self { status, outcome, findings: Vec::new(), items: Items::default() }
    }

    /// Answer for an account or another request at which the service failed each time.
    pub(super) fn failed() -> Self {
        let finding = Finding {
            attr: NON_FIELD_ERRORS.to_owned(),
            code: Code::Error.as_str().to_owned(),
            detail: "The service failed each time that this was sent.".to_owned(),
        };
        Self { findings: vec![finding], ..Self::bare(500, Outcome::Failed) }
    }

    /// True if only validate would list the reasons (contract 7.2).
    pub(super) fn is_short(&self) -> bool {
        let short = Code::ImportProcessFailedValidation.as_str();
        self.outcome == Outcome::Refused && self.findings.iter().any(|finding| finding.code == short)
    }
}

pub(super) fn code(body: &Value) -> &str {
    body["code"].as_str().unwrap_or_default()
}

fn finding(item: &Value) -> Finding {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let attr = match text("attr") {
        "" => NON_FIELD_ERRORS.to_owned(),
        attr => service::attr(attr),
    };
    Finding { attr, code: service::code(code(item)).to_owned(), detail: service::detail(text("detail")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn final_answer(status: u16, body: &Value) -> Answer {
        match LineOutcome::of(status, body, false) {
            LineOutcome::Final(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn imported_accounts_count_as_already_there() {
        assert_eq!(final_answer(201, &json!({})).outcome, Outcome::Accepted);
        let body = json!({"non_field_errors": {"detail": "x", "code": "account_import_process_already_imported"}, "account_id": "A-1"});
        assert_eq!(final_answer(400, &body).outcome, Outcome::AlreadyThere);
    }

    #[test]
    fn an_import_in_progress_is_retried() {
        let body = json!({"non_field_errors": {"detail": "x", "code": "account_import_process_in_progress"}});
        let LineOutcome::Retry(answer) = LineOutcome::of(400, &body, false) else { panic!("it is final") };
        assert_eq!(answer.outcome, Outcome::InProgress);
    }

    #[test]
    fn refusals_have_their_reasons() {
        let short = final_answer(
            400,
            &json!({"code": "import_process_failed_validation", "detail": "d", "domain": "x"}),
        );
        assert!(short.outcome == Outcome::Refused && short.is_short());
        let items = json!([{"detail": "d", "code": "invalid", "attr": "a.0"}, {"detail": "e", "code": "blank", "attr": "b"}]);
        let long =
            final_answer(400, &json!({"code": "account_failed_validation", "detail": "d", "errors": items}));
        let found: Vec<_> = long.findings.iter().map(|f| (f.attr.as_str(), f.code.as_str())).collect();
        assert_eq!((found, long.is_short()), (vec![("a.0", "invalid"), ("b", "blank")], false));
        let large = final_answer(413, &json!({"detail": "d", "code": "payload_too_large"}));
        assert_eq!((large.findings[0].attr.as_str(), large.status), ("non_field_errors", 413));
    }

    #[test]
    fn texts_are_bounded_and_codes_are_valid() {
        let item = json!({"code": "=HYPERLINK(1)", "attr": "a".repeat(9_999), "detail": "d".repeat(9_999)});
        let body = json!({"code": "account_failed_validation", "errors": vec![item; 2_000]});
        let findings = final_answer(400, &body).findings;
        let Finding { attr, code, detail } = &findings[0];
        assert_eq!((findings.len(), attr.len(), code.as_str(), detail.len()), (1_001, 512, "invalid", 1_024));
    }

    #[test]
    fn answers_that_the_service_never_gives_are_faults() {
        for (status, body) in [
            (200, json!({})),
            (202, json!({})),
            (201, json!("created")),
            (400, json!({"message": "Bad Request"})),
            (400, json!({"errors": [{"detail": "x"}]})),
            (400, json!({"code": 7})),
            (404, json!({"detail": "x", "code": "not_found"})),
            (422, json!({"code": "invalid"})),
            (600, json!({})),
        ] {
            let meaning = LineOutcome::of(status, &body, false);
            assert!(
                matches!(meaning, LineOutcome::Fault(Fault::Permanent(_))),
                "{status} {body}: {meaning:?}"
            );
        }
        assert!(matches!(LineOutcome::of(200, &json!({}), true), LineOutcome::Final(_)));
        assert!(matches!(LineOutcome::of(201, &json!({}), true), LineOutcome::Fault(_)));
    }

    #[test]
    fn answers_that_are_not_about_the_account_are_distinguished() {
        let of = |status, body| LineOutcome::of(status, &body, false);
        assert_eq!(of(401, json!({})), LineOutcome::TokenExpired);
        assert_eq!(of(500, json!({})), LineOutcome::Retry(Answer::failed()));
        for status in [503, 522] {
            assert!(matches!(of(status, json!({})), LineOutcome::Fault(Fault::Transient { .. })));
        }
        let body = json!({"code": "import_supplier_migration_not_ongoing"});
        assert!(matches!(of(400, body), LineOutcome::Fault(Fault::Permanent(_))));
    }
}
