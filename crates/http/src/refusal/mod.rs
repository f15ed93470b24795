//! The reasons why a request is refused, and their only mapping to status codes, headers and bodies (contract
//! 4.2, 7, D3 and D4, rules 9).

mod from;

use crate::answer::{json, written_json};
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use actix_web::{HttpResponse, HttpResponseBuilder};
use cutover_core::{Code, Issue, NON_FIELD_ERRORS, ServiceAccountNumber};
use cutover_model::{
    AlreadyThere, Detail, ErrorItem, InstructionRefusal, ProcessError, TransactionRefusal, ValidationError,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Value of `Retry-After` with a 503, in seconds.
const RETRY_SOON: u64 = 2;

/// What a client is told while the database stores nothing.
pub(crate) const UNWRITABLE: &str = "Nothing can be stored now, which signing in needs as well: the disk of the database is full \
     or fails, or the database is read-only. Try again later.";

/// The reason why a request is refused.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// No such route, supplier or process.
    NotFound,
    /// The supplier has declared no manifest.
    NoManifest,
    /// A run of the supplier is open (contract D23).
    RunOpen,
    /// The supplier has a run of this name (contract D23).
    RunExists,
    /// The run has ended (contract D23).
    RunEnded,
    /// The supplier's hold is another than the one that was shown (contract D16).
    HoldChanged,
    /// Another document is under the path (contract D10).
    DocumentExists,
    /// The body has another digest than was announced (contract D10).
    DigestMismatch,
    /// Documents are not taken (contract D10); the cause, if it is the storage's, is for the log.
    DocumentsRefused(Option<String>),
    /// No certificate of the supplier was issued (contract D17).
    NoCertificate,
    /// The leaves of the certificate were removed (contract D17).
    LeavesRemoved,
    /// The route has only these other methods.
    MethodNotAllowed(String),
    /// No token was sent.
    NotAuthenticated,
    /// The token is not valid.
    AuthenticationFailed,
    /// The role of the key does not permit this (contract D19).
    PermissionDenied,
    /// Events after the position have expired (contract D19).
    EventsExpired,
    /// The body took too long.
    Timeout,
    /// The body is over the limit.
    TooLarge,
    /// Not an HTTP request, or an ambiguous one.
    BadRequest,
    /// Request line and headers are over the limit.
    HeadTooLarge,
    /// The headers announce another type of body than the stated one.
    UnsupportedMediaType(&'static str),
    /// The body is not JSON; states the fault and its position.
    NotJson(String),
    /// The request as a whole is invalid.
    Invalid(&'static str),
    /// The invalid parameters of the query (contract D4).
    Parameters(Vec<&'static str>),
    /// Parameters of the query that the endpoint does not have, or that are given twice, with the code of each
    /// (contract D13).
    Query(Vec<(String, Code)>),
    /// The faults of a request of version 1 (contract D4).
    Faults(Vec<Issue>),
    /// A payment instruction was refused, or could not be stored (contract D8).
    Instruction(Box<InstructionFailure>),
    /// There is no imported account to add to, with the reason (contract D8).
    NoAccount(Code),
    /// A transaction is refused (contract 4.2).
    Transaction(TransactionFailure),
    /// The faults of an account in a validate request (contract 7.1).
    AccountFaults(Vec<Issue>),
    /// An account in a create request has faults (contract 7.2).
    ImportFaults,
    /// The supplier is Paused or Complete (contract D4).
    SupplierNotOngoing,
    /// The account exists (contract 7.3).
    AlreadyImported(ServiceAccountNumber),
    /// The account is being imported (contract D5).
    InProgress,
    /// The account is not pending (contract D13).
    NotPending,
    /// Too many requests; the time after which to come again.
    Throttled(Duration),
    /// A payment vendor is unreachable; the cause is for the log (contract 4.2).
    VendorUnavailable(String),
    /// A part of the service is down or full; the cause is for the log.
    Unavailable(String),
    /// The database stores nothing now; the cause is for the log.
    Unwritable(String),
    /// A value is sealed with an encryption key that this process lacks; the cause is for the log.
    KeyMissing(String),
    /// An internal fault; the cause is for the log.
    Unexpected(String),
}

/// The first refused transaction, and all faults of its request.
pub(crate) struct TransactionFailure {
    /// The transaction as JSON.
    pub(crate) transaction_data: String,
    /// The reason.
    pub(crate) error_detail: String,
    /// The faults.
    pub(crate) errors: Vec<Issue>,
}

/// Shows the position of the fault, never the transaction.
impl fmt::Debug for TransactionFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TransactionFailure").field("errors", &self.errors).finish_non_exhaustive()
    }
}

/// Why a payment instruction is not stored, and what was sent.
#[derive(Debug)]
pub(crate) struct InstructionFailure {
    /// The reason.
    pub(crate) refusal: Refusal,
    /// The request.
    pub(crate) sent: SentInstruction,
}

/// The texts that name a payment instruction in its request.
#[derive(Clone, Default)]
pub(crate) struct SentInstruction(BTreeMap<&'static str, String>);

/// The members that it is named by.
const NAMES_OF_INSTRUCTION: [&str; 5] = [
    "external_account_number",
    "external_business_identifier",
    "import_supplier",
    "import_supplier_code",
    "reference",
];

impl SentInstruction {
    /// Reads it from a body; what is no text is left out.
    pub(crate) fn read(body: &[u8]) -> Self {
        let mut members: serde_json::Map<String, serde_json::Value> =
            serde_json::from_slice(body).unwrap_or_default();
        let text = |name| match members.remove(name) {
            Some(serde_json::Value::String(text)) => Some((name, text)),
            _ => None,
        };
        Self(NAMES_OF_INSTRUCTION.into_iter().filter_map(text).collect())
    }

    fn text(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
}

/// Shows the names only.
impl fmt::Debug for SentInstruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Refusal {
    /// Adds what was sent to the refusal of a payment instruction, unless another form is the contract's.
    pub(crate) fn of_instruction(self, sent: SentInstruction) -> Self {
        match self {
            Self::Faults(_) | Self::VendorUnavailable(_) | Self::Unexpected(_) => {
                Self::Instruction(Box::new(InstructionFailure { refusal: self, sent }))
            }
            refusal => refusal,
        }
    }

    /// Returns the refusal of a head that actix refuses with this status.
    pub(crate) fn of_head(status: StatusCode) -> Self {
        match status {
            StatusCode::REQUEST_TIMEOUT => Self::Timeout,
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => Self::HeadTooLarge,
            status if status.is_client_error() => Self::BadRequest,
            status => Self::Unexpected(format!("actix answers {}", status.as_u16())),
        }
    }

    /// Returns the stable code (rules 9).
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::NotFound => Code::NotFound,
            Self::NoManifest => Code::ManifestNotDeclared,
            Self::RunOpen => Code::RunAlreadyOpen,
            Self::RunExists => Code::RunAlreadyExists,
            Self::RunEnded => Code::RunNotOpen,
            Self::HoldChanged => Code::HoldChanged,
            Self::DocumentExists => Code::DocumentAlreadyExists,
            Self::DigestMismatch => Code::ContentDigestMismatch,
            Self::DocumentsRefused(_) => Code::DocumentUploadsRefused,
            Self::NoCertificate => Code::CertificateNotIssued,
            Self::LeavesRemoved => Code::CertificateLeavesRemoved,
            Self::MethodNotAllowed(_) => Code::MethodNotAllowed,
            Self::NotAuthenticated => Code::NotAuthenticated,
            Self::AuthenticationFailed => Code::AuthenticationFailed,
            Self::PermissionDenied => Code::PermissionDenied,
            Self::EventsExpired => Code::EventsExpired,
            Self::Timeout => Code::RequestTimeout,
            Self::TooLarge => Code::PayloadTooLarge,
            Self::UnsupportedMediaType(_) => Code::UnsupportedMediaType,
            Self::BadRequest => Code::BadRequest,
            Self::HeadTooLarge => Code::HeadTooLarge,
            Self::NotJson(_) => Code::ParseError,
            Self::Invalid(_) | Self::Parameters(_) | Self::Query(_) => Code::ValidationError,
            Self::Faults(_) | Self::Transaction(_) => Code::ValidationError,
            Self::Instruction(failure) => failure.refusal.code(),
            Self::NoAccount(code) => *code,
            Self::AccountFaults(_) => Code::AccountFailedValidation,
            Self::ImportFaults => Code::ImportProcessFailedValidation,
            Self::SupplierNotOngoing => Code::ImportSupplierMigrationNotOngoing,
            Self::AlreadyImported(_) => Code::AccountImportProcessAlreadyImported,
            Self::InProgress => Code::AccountImportProcessInProgress,
            Self::NotPending => Code::AccountImportProcessNotPending,
            Self::Throttled(_) => Code::Throttled,
            Self::VendorUnavailable(_) => Code::PaymentVendorUnavailable,
            Self::Unavailable(_) | Self::Unwritable(_) => Code::ServiceUnavailable,
            Self::KeyMissing(_) => Code::EncryptionKeyMissing,
            Self::Unexpected(_) => Code::Error,
        }
    }

    /// Returns the status code.
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::NotFound | Self::NoManifest | Self::NoCertificate | Self::NoAccount(_) => {
                StatusCode::NOT_FOUND
            }
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotAuthenticated | Self::AuthenticationFailed => StatusCode::UNAUTHORIZED,
            Self::PermissionDenied | Self::DocumentsRefused(_) => StatusCode::FORBIDDEN,
            Self::DocumentExists => StatusCode::CONFLICT,
            Self::EventsExpired | Self::LeavesRemoved => StatusCode::GONE,
            Self::Timeout => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::HeadTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            Self::BadRequest | Self::NotJson(_) | Self::Invalid(_) | Self::DigestMismatch => {
                StatusCode::BAD_REQUEST
            }
            Self::AccountFaults(_) | Self::RunOpen | Self::RunExists | Self::RunEnded | Self::HoldChanged => {
                StatusCode::BAD_REQUEST
            }
            Self::Parameters(_) | Self::Query(_) | Self::Faults(_) | Self::Transaction(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Instruction(failure) => failure.refusal.status(),
            Self::ImportFaults | Self::SupplierNotOngoing => StatusCode::BAD_REQUEST,
            Self::AlreadyImported(_) | Self::InProgress | Self::NotPending => StatusCode::BAD_REQUEST,
            Self::Throttled(_) => StatusCode::TOO_MANY_REQUESTS,
            Self::Unavailable(_) | Self::Unwritable(_) | Self::KeyMissing(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::VendorUnavailable(_) | Self::Unexpected(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the cause for the log.
    pub(crate) fn cause(&self) -> Option<&str> {
        match self {
            Self::Unavailable(cause)
            | Self::Unwritable(cause)
            | Self::VendorUnavailable(cause)
            | Self::KeyMissing(cause)
            | Self::Unexpected(cause) => Some(cause),
            Self::DocumentsRefused(cause) => cause.as_deref(),
            Self::Instruction(failure) => failure.refusal.cause(),
            _ => None,
        }
    }

    /// Converts a 503 to a 500, for endpoints whose contract has no 503: the request is to be sent again
    /// unchanged (contract 4.2, 4.4, D3).
    pub(crate) fn without_503(self) -> Self {
        match self {
            Self::Unavailable(cause) | Self::Unwritable(cause) | Self::KeyMissing(cause) => {
                Self::Unexpected(cause)
            }
            refusal => refusal,
        }
    }

    /// Returns the response with another body than the usual one.
    pub(crate) fn respond_with(&self, body: &impl Serialize) -> HttpResponse {
        json(&mut self.head(), body)
    }

    /// Returns the response.
    pub(crate) fn respond(&self) -> HttpResponse {
        match self {
            Self::AccountFaults(issues) | Self::Faults(issues) => self.with_errors(items(issues)),
            Self::Invalid(detail) => self.with_errors(vec![invalid(detail, NON_FIELD_ERRORS)]),
            Self::Parameters(names) => {
                let faulty = |name: &&str| invalid(Code::Invalid.detail(), name);
                self.with_errors(names.iter().map(faulty).collect())
            }
            Self::Query(faults) => {
                let item = |(name, code): &(String, Code)| item(code.detail(), *code, name);
                self.with_errors(faults.iter().map(item).collect())
            }
            Self::Transaction(failure) => written_json(&mut self.head(), self.failed(failure).to_json()),
            Self::Instruction(failure) => self.respond_with(&instruction(failure)),
            Self::ImportFaults => self.with_domain("import_process"),
            Self::SupplierNotOngoing => self.with_domain("import_supplier"),
            Self::AlreadyImported(number) => self.already_there(Some(number.to_string())),
            Self::InProgress | Self::NotPending => self.already_there(None),
            _ => self.respond_with(&self.detail()),
        }
    }

    /// Returns the response without its body.
    pub(crate) fn head(&self) -> HttpResponseBuilder {
        let mut response = HttpResponse::build(self.status());
        if let Some((name, value)) = self.header() {
            response.insert_header((name, value));
        }
        response
    }

    fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::MethodNotAllowed(allowed) => {
                HeaderValue::from_str(allowed).ok().map(|allowed| (ALLOW, allowed))
            }
            Self::NotAuthenticated | Self::AuthenticationFailed => {
                Some((WWW_AUTHENTICATE, HeaderValue::from_static("Token")))
            }
            Self::Throttled(wait) => Some((RETRY_AFTER, whole_seconds(*wait).into())),
            Self::Unavailable(_) | Self::Unwritable(_) | Self::KeyMissing(_) => {
                Some((RETRY_AFTER, RETRY_SOON.into()))
            }
            _ => None,
        }
    }

    /// Returns the description for people.
    pub(crate) fn detail(&self) -> Detail {
        let detail = match self {
            Self::Unwritable(_) => UNWRITABLE,
            Self::NotJson(detail) => detail.as_str(),
            Self::UnsupportedMediaType(detail) => detail,
            _ => self.code().detail(),
        };
        Detail { detail: detail.to_owned(), code: self.code().as_str() }
    }

    fn with_errors(&self, errors: Vec<ErrorItem>) -> HttpResponse {
        let code = self.code();
        self.respond_with(&ValidationError { detail: code.detail(), code: code.as_str(), errors })
    }

    fn failed(&self, failure: &TransactionFailure) -> TransactionRefusal {
        TransactionRefusal {
            error_detail: failure.error_detail.clone(),
            transaction_data: failure.transaction_data.clone(),
            detail: self.code().detail(),
            code: self.code().as_str(),
            errors: items(&failure.errors),
        }
    }

    fn with_domain(&self, domain: &'static str) -> HttpResponse {
        let Detail { detail, .. } = self.detail();
        self.respond_with(&ProcessError { code: self.code().into(), detail: detail.into(), domain })
    }

    fn already_there(&self, account_id: Option<String>) -> HttpResponse {
        self.respond_with(&AlreadyThere { non_field_errors: self.detail(), account_id })
    }
}

fn instruction(failure: &InstructionFailure) -> InstructionRefusal {
    let InstructionFailure { refusal, sent } = failure;
    let errors = match refusal {
        Refusal::Faults(issues) => items(issues),
        _ => Vec::new(),
    };
    let Detail { detail, code } = refusal.detail();
    InstructionRefusal {
        error_detail: errors.first().map_or_else(|| detail.clone(), |first| first.detail.clone()),
        external_account_number: sent.text("external_account_number"),
        external_business_identifier: sent.text("external_business_identifier"),
        import_supplier: sent.text("import_supplier"),
        import_supplier_code: sent.text("import_supplier_code"),
        reference: sent.text("reference"),
        detail,
        code,
        errors,
    }
}

fn items(issues: &[Issue]) -> Vec<ErrorItem> {
    let item = |issue: &Issue| ErrorItem {
        detail: issue.detail.to_string(),
        code: issue.code.as_str(),
        attr: issue.attr.to_string(),
    };
    issues.iter().map(item).collect()
}

fn invalid(detail: &str, attr: &str) -> ErrorItem {
    item(detail, Code::Invalid, attr)
}

fn item(detail: &str, code: Code, attr: &str) -> ErrorItem {
    ErrorItem { detail: detail.to_owned(), code: code.as_str(), attr: attr.to_owned() }
}

/// Rounds up, so that a client which waits this long is let in; at least 1, since the wait may be over by
/// now.
fn whole_seconds(wait: Duration) -> u64 {
    (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1)
}

/// Logs the cause of a failure that is not the client's fault, of a request or of one line.
pub(crate) fn log_cause(refusal: &Refusal, request_id: &str, route: &str) {
    match (refusal, refusal.cause()) {
        (
            Refusal::Unavailable(_)
            | Refusal::Unwritable(_)
            | Refusal::VendorUnavailable(_)
            | Refusal::DocumentsRefused(_)
            | Refusal::KeyMissing(_),
            Some(cause),
        ) => {
            tracing::warn!(request_id, route, cause, "a request could not be served now");
        }
        (_, Some(cause)) => tracing::error!(request_id, route, cause, "a request failed"),
        (_, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::body::MessageBody;
    use cutover_core::{AttrPath, Level, RuleId};

    fn issue() -> Issue {
        Issue {
            attr: AttrPath::root().name("customers").index(0).name("landline"),
            code: Code::InvalidPhoneNumber,
            rule: RuleId("PER-01"),
            level: Level::Error,
            detail: "This is not a phone number.".into(),
        }
    }

    fn failure() -> TransactionFailure {
        let transaction_data = "{\"amount\": []}".to_owned();
        TransactionFailure { transaction_data, error_detail: "It fails.".into(), errors: vec![issue()] }
    }

    fn shown(refusal: Refusal) -> String {
        let header = refusal.header().map(|(name, value)| format!(" {name}={}", value.to_str().unwrap()));
        let response = refusal.respond();
        let (status, header) = (response.status().as_u16(), header.unwrap_or_default());
        let body = response.into_body().try_into_bytes().unwrap();
        format!("{status}{header} {}", std::str::from_utf8(&body).unwrap())
    }

    #[test]
    fn throttled_requests_have_retry_after() {
        let told =
            [0, 1, 999_999_999, 1_000_000_000, 1_000_000_001].map(Duration::from_nanos).map(whole_seconds);
        assert_eq!(told, [1, 1, 1, 1, 2]);
    }

    #[test]
    fn every_refusal_has_its_status_headers_and_body() {
        let number = || ServiceAccountNumber::from_random(7);
        let secret = || "inside".to_owned();
        let sent = || {
            SentInstruction::read(
                br#"{"reference": "R", "import_supplier": 7, "external_account_number": "A"}"#,
            )
        };
        let all = [
            Refusal::NotFound,
            Refusal::NoManifest,
            Refusal::RunOpen,
            Refusal::RunExists,
            Refusal::RunEnded,
            Refusal::HoldChanged,
            Refusal::DocumentExists,
            Refusal::DigestMismatch,
            Refusal::DocumentsRefused(Some(secret())),
            Refusal::NoCertificate,
            Refusal::LeavesRemoved,
            Refusal::MethodNotAllowed("GET, HEAD".into()),
            Refusal::NotAuthenticated,
            Refusal::AuthenticationFailed,
            Refusal::Timeout,
            Refusal::TooLarge,
            Refusal::BadRequest,
            Refusal::HeadTooLarge,
            Refusal::UnsupportedMediaType("The body must be application/json."),
            Refusal::NotJson("a value is expected at line 1 column 1".into()),
            Refusal::Invalid("Send one."),
            Refusal::Parameters(vec!["cursor", "page_size"]),
            Refusal::Query(vec![
                ("validateonly".into(), Code::UnknownParameter),
                ("cursor".into(), Code::Invalid),
            ]),
            Refusal::Faults(vec![issue()]),
            Refusal::NoAccount(Code::AccountNotFound),
            Refusal::Transaction(failure()),
            Refusal::Faults(vec![issue()]).of_instruction(sent()),
            Refusal::VendorUnavailable(secret()).of_instruction(sent()),
            Refusal::NoAccount(Code::AccountNotFound).of_instruction(sent()),
            Refusal::AccountFaults(vec![issue()]),
            Refusal::ImportFaults,
            Refusal::SupplierNotOngoing,
            Refusal::AlreadyImported(number()),
            Refusal::InProgress,
            Refusal::NotPending,
            Refusal::Throttled(Duration::from_millis(1_200)),
            Refusal::VendorUnavailable(secret()),
            Refusal::Unavailable(secret()),
            Refusal::Unavailable(secret()).without_503(),
            Refusal::Unwritable(secret()),
            Refusal::Unwritable(secret()).without_503(),
            Refusal::KeyMissing(secret()),
            Refusal::KeyMissing(secret()).without_503(),
            Refusal::Unexpected(secret()),
        ];
        insta::assert_snapshot!(all.map(shown).join("\n"));
    }
}
