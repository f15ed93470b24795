//! The refusals in the description, each with its real status, headers and body.

use super::examples;
use crate::refusal::{Refusal, SentInstruction, TransactionFailure};
use actix_web::body::MessageBody;
use cutover_core::{AttrPath, Code, Issue, Level, RuleId, ServiceAccountNumber};
use cutover_model::describe::{AnswerSpec, Json, Schemas};
use cutover_model::{
    AlreadyThere, Detail, InstructionRefusal, PROCESS_ERROR, TransactionRefusal, ValidationError,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// Adds the refusals of a request's head, which every operation has: actix refuses such a request before any
/// endpoint.
pub(crate) fn with_head(mut refusals: Vec<Refusal>) -> Vec<Refusal> {
    refusals.extend([Refusal::BadRequest, Refusal::HeadTooLarge]);
    if !refusals.iter().any(|refusal| matches!(refusal, Refusal::Timeout)) {
        refusals.push(Refusal::Timeout);
    }
    refusals
}

/// Refusals of every request with a token.
pub(crate) fn with_token() -> Vec<Refusal> {
    vec![
        Refusal::Query(vec![("validateonly".into(), Code::UnknownParameter)]),
        Refusal::NotAuthenticated,
        Refusal::AuthenticationFailed,
        Refusal::PermissionDenied,
        Refusal::Throttled(Duration::from_secs(1)),
        Refusal::Unexpected(String::new()),
        Refusal::Unavailable(String::new()),
        Refusal::KeyMissing(String::new()),
    ]
}

/// Refusals of every request with a token and a JSON body.
pub(crate) fn with_body() -> Vec<Refusal> {
    let mut refusals = of_body();
    refusals.extend(with_token());
    refusals
}

/// Refusals of every request with a JSON body.
pub(crate) fn of_body() -> Vec<Refusal> {
    vec![
        Refusal::NotJson("a value is expected at line 1 column 1".into()),
        Refusal::Timeout,
        Refusal::TooLarge,
        Refusal::UnsupportedMediaType("The body must be application/json."),
    ]
}

/// Refusals of a request with a supplier, and possibly an account, in its path.
pub(crate) fn of_path() -> Vec<Refusal> {
    also(with_token, [Refusal::NotFound])
}

/// Refusals of validate.
pub(crate) fn of_validate() -> Vec<Refusal> {
    also(with_body, [Refusal::AccountFaults(vec![phone()])])
}

/// Refusals of create.
pub(crate) fn of_create() -> Vec<Refusal> {
    let number = ServiceAccountNumber::from_random(7);
    also(
        with_body,
        [
            Refusal::ImportFaults,
            Refusal::SupplierNotOngoing,
            Refusal::AlreadyImported(number),
            Refusal::InProgress,
        ],
    )
}

/// Refusals of cancel.
pub(crate) fn of_cancel() -> Vec<Refusal> {
    also(of_path, [Refusal::NotPending])
}

/// Refusals of a bulk request as a whole; those of a line are in its result.
pub(crate) fn of_bulk() -> Vec<Refusal> {
    let media = Refusal::UnsupportedMediaType("The body must be application/x-ndjson.");
    let no_gzip = Refusal::NotJson("The body is not gzip.".into());
    also(with_token, [media, Refusal::Parameters(vec!["validate_only"]), no_gzip])
}

/// Refusals of notes.
pub(crate) fn of_notes() -> Vec<Refusal> {
    of_addition(issue("NOT-01", path("notes", 0), Code::NoteBodyOrDocumentPathNotFound))
}

/// Refusals of historical statements.
pub(crate) fn of_statements() -> Vec<Refusal> {
    of_addition(issue("STM-02", path("statements", 1).name("statement_id"), Code::DuplicateStatementIds))
}

/// Refusals of transactions.
pub(crate) fn of_transactions() -> Vec<Refusal> {
    let attr = || path("transactions", 0).name("transaction_date");
    let fault = issue("PST-06", attr(), Code::TransactionOutsideOpenStatementPeriod);
    let failure = TransactionFailure {
        transaction_data: examples::TRANSACTION.into(),
        error_detail: fault.detail.to_string(),
        errors: vec![fault],
    };
    let mut refusals = of_addition(issue("STR-13", AttrPath::root().name("transactions"), Code::TooFewItems));
    refusals.extend([Refusal::Transaction(failure), Refusal::Parameters(vec!["check_previously_added"])]);
    refusals
}

/// Refusals of additions to an account.
fn of_addition(fault: Issue) -> Vec<Refusal> {
    let no_account = [Code::AccountNotFound, Code::ImportProcessDoesNotExist].map(Refusal::NoAccount);
    let mut refusals = also(with_body, [Refusal::Faults(vec![fault])]);
    refusals.extend(no_account);
    refusals
}

/// Refusals of businesses.
pub(crate) fn of_business() -> Vec<Refusal> {
    let attr = AttrPath::root().name("external_business_identifier");
    also(with_body, [Refusal::Faults(vec![issue("PST-13", attr, Code::BusinessAlreadyExists)])])
}

/// Refusals of a replacement of a business.
pub(crate) fn of_replacement() -> Vec<Refusal> {
    let attr = AttrPath::root().name("business").name("business_contracts");
    let in_use = Refusal::Faults(vec![issue("PST-16", attr, Code::ContractInUse)]);
    also(with_body, [Refusal::NotFound, in_use, Refusal::Parameters(vec!["external_business_identifier"])])
}

/// Refusals of a manifest.
pub(crate) fn of_manifest() -> Vec<Refusal> {
    also(of_path, [Refusal::NoManifest])
}

/// Refusals of the latest certificate.
pub(crate) fn of_latest_certificate() -> Vec<Refusal> {
    also(of_path, [Refusal::NoCertificate])
}

/// Refusals of the leaves of a certificate.
pub(crate) fn of_leaves() -> Vec<Refusal> {
    also(of_path, [Refusal::LeavesRemoved])
}

/// Refusals of the declaration of a manifest.
pub(crate) fn of_declaration() -> Vec<Refusal> {
    let fault = issue("STR-01", AttrPath::root().name("documents"), Code::Required);
    also(with_body, [Refusal::NotFound, Refusal::Faults(vec![fault])])
}

/// Refusals of the start of a run.
pub(crate) fn of_run_start() -> Vec<Refusal> {
    let fault = issue("STR-01", AttrPath::root().name("name"), Code::Required);
    also(with_body, [Refusal::NotFound, Refusal::Faults(vec![fault]), Refusal::RunOpen, Refusal::RunExists])
}

/// Refusals of a search for accounts by an operator.
pub(crate) fn of_account_search() -> Vec<Refusal> {
    let fault = issue("STR-01", AttrPath::root().name("text"), Code::Required);
    also(with_body, [Refusal::NotFound, Refusal::Faults(vec![fault])])
}

/// Refusals of the end of a run.
pub(crate) fn of_run_end() -> Vec<Refusal> {
    also(of_path, [Refusal::RunEnded])
}

/// Refusals of a part of account numbers.
pub(crate) fn of_numbers() -> Vec<Refusal> {
    let fault = issue("STR-01", AttrPath::root().name("part"), Code::Required);
    also(with_body, [Refusal::NotFound, Refusal::NoManifest, Refusal::Faults(vec![fault])])
}

/// Refusals of a list of accounts that differ from the declared numbers.
pub(crate) fn of_number_list() -> Vec<Refusal> {
    also(of_list, [Refusal::NoManifest])
}

/// Refusals of a document.
pub(crate) fn of_document() -> Vec<Refusal> {
    let attr = AttrPath::root().name("path");
    also(
        of_path,
        [
            Refusal::Faults(vec![issue("DOC-01", attr, Code::InvalidDocumentPath)]),
            Refusal::DigestMismatch,
            Refusal::TooLarge,
            Refusal::UnsupportedMediaType("The body must be application/octet-stream, without a coding."),
            Refusal::DocumentExists,
            Refusal::DocumentsRefused(None),
        ],
    )
}

/// Refusals of a list without a supplier.
pub(crate) fn of_businesses() -> Vec<Refusal> {
    also(with_token, [Refusal::Parameters(vec!["page_size"])])
}

/// Refusals of payment instructions, which have no 503 (contract 4.2, 4.4).
pub(crate) fn of_instruction() -> Vec<Refusal> {
    let attr = AttrPath::root().name("reference");
    let fault = Refusal::Faults(vec![issue("PST-11", attr, Code::PaymentInstructionNotFound)]);
    let mut refusals = also(with_body, [fault, Refusal::VendorUnavailable(String::new())]);
    refusals.retain(|refusal| !matches!(refusal, Refusal::Unavailable(_) | Refusal::KeyMissing(_)));
    let sent = SentInstruction::read(
        br#"{"import_supplier": "ACME_ENERGY", "external_account_number": "ELEC-1001", "reference": "pm_1QELEC1001"}"#,
    );
    refusals.into_iter().map(|refusal| refusal.of_instruction(sent.clone())).collect()
}

/// Refusals of lists.
pub(crate) fn of_list() -> Vec<Refusal> {
    also(of_path, [Refusal::Parameters(vec!["page_size"])])
}

/// Refusals of a hold by the supplier itself.
pub(crate) fn of_hold() -> Vec<Refusal> {
    also(of_path, [Refusal::Parameters(vec!["because"])])
}

/// Refusals of a release by the supplier itself.
pub(crate) fn of_release() -> Vec<Refusal> {
    also(of_hold, [Refusal::HoldChanged])
}

/// Refusals of a search.
pub(crate) fn of_search() -> Vec<Refusal> {
    also(of_path, [Refusal::Parameters(vec!["modified_after"])])
}

/// Refusals of the feed.
pub(crate) fn of_feed() -> Vec<Refusal> {
    also(with_token, [Refusal::EventsExpired, Refusal::Parameters(vec!["after"])])
}

/// Refusals of the imported accounts of a supplier.
pub(crate) fn of_imported() -> Vec<Refusal> {
    also(of_path, [Refusal::EventsExpired, Refusal::Parameters(vec!["after"])])
}

/// Refusals of token requests.
pub(crate) fn of_sign_in() -> Vec<Refusal> {
    also(
        of_body,
        [
            Refusal::Invalid("Send one operation as a JSON object; batches are not taken."),
            Refusal::Throttled(Duration::from_secs(1)),
            Refusal::Unexpected(String::new()),
            Refusal::Unavailable(String::new()),
            Refusal::KeyMissing(String::new()),
        ],
    )
}

fn also<const N: usize>(first: fn() -> Vec<Refusal>, more: [Refusal; N]) -> Vec<Refusal> {
    first().into_iter().chain(more).collect()
}

fn phone() -> Issue {
    issue("CUS-01", path("customers", 0).name("landline"), Code::InvalidPhoneNumber)
}

fn path(list: &'static str, index: u32) -> AttrPath {
    AttrPath::root().name(list).index(index)
}

fn issue(rule: &'static str, attr: AttrPath, code: Code) -> Issue {
    Issue { attr, code, rule: RuleId(rule), level: Level::Error, detail: code.detail().into() }
}

/// Describes the responses of these refusals, by status.
pub(crate) fn responses(refusals: Vec<Refusal>, schemas: &mut Schemas) -> BTreeMap<u16, Json> {
    let mut by_status: BTreeMap<u16, Vec<Refusal>> = BTreeMap::new();
    for refusal in refusals {
        by_status.entry(refusal.status().as_u16()).or_default().push(refusal);
    }
    by_status.into_iter().map(|(status, refusals)| (status, response(&refusals, schemas))).collect()
}

fn response(refusals: &[Refusal], schemas: &mut Schemas) -> Json {
    let (mut bodies, mut examples, mut means) = (Vec::new(), Json::object(), Vec::new());
    let mut headers = super::headers(&[]);
    for refusal in refusals {
        let body = body_of(refusal);
        if !bodies.iter().any(|known: &&AnswerSpec| known.ident == body.ident) {
            bodies.push(body);
        }
        let response = refusal.respond();
        for name in ["Retry-After", "WWW-Authenticate"] {
            if response.headers().contains_key(name) {
                headers = headers.with(name, super::header(name));
            }
        }
        let code = refusal.code();
        means.push(format!("`{code}`: {}", code.detail()));
        let body = response.into_body().try_into_bytes().unwrap_or_default();
        examples = examples
            .with(&name_of(refusal), Json::object().with("value", Json::parse(&body).unwrap_or(Json::Null)));
    }
    // Generated clients take the first form whose required members are there: `Detail` fits most others.
    bodies
        .sort_by_key(|body| std::cmp::Reverse(body.members.iter().filter(|member| !member.optional).count()));
    let bodies: Vec<Json> = bodies.into_iter().map(|body| schemas.answer(body)).collect();
    let schema = match <[Json; 1]>::try_from(bodies) {
        Ok([one]) => one,
        Err(several) => Json::object().with("anyOf", several),
    };
    means.dedup();
    let content = Json::object().with("schema", schema).with("examples", examples);
    Json::object()
        .with("description", means.join(" "))
        .with("headers", headers)
        .with("content", Json::object().with(super::JSON, content))
}

/// Returns a unique name: two refusals may have the same code and different bodies.
fn name_of(refusal: &Refusal) -> String {
    let code = refusal.code().as_str();
    match refusal {
        Refusal::Transaction(_) => "transaction_import_error".into(),
        Refusal::Parameters(_) => format!("{code}_of_query"),
        Refusal::Query(_) => Code::UnknownParameter.as_str().into(),
        _ => code.into(),
    }
}

/// Returns the declaration of the body; see [`Refusal::respond`].
fn body_of(refusal: &Refusal) -> &'static AnswerSpec {
    match refusal {
        Refusal::AccountFaults(_)
        | Refusal::Faults(_)
        | Refusal::Invalid(_)
        | Refusal::Parameters(_)
        | Refusal::Query(_) => &ValidationError::SPEC,
        Refusal::Transaction(_) => &TransactionRefusal::SPEC,
        Refusal::Instruction(_) => &InstructionRefusal::SPEC,
        Refusal::ImportFaults | Refusal::SupplierNotOngoing => &PROCESS_ERROR,
        Refusal::AlreadyImported(_) | Refusal::InProgress | Refusal::NotPending => &AlreadyThere::SPEC,
        _ => &Detail::SPEC,
    }
}
