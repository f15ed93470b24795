use crate::refusal::Refusal;
use actix_web::body::MessageBody;
use actix_web::http::StatusCode;

/// The answer to a line.
pub(super) struct Answered {
    /// Size of the line in bytes.
    pub(super) size: usize,
    /// No further lines are taken: the service is down or full, or the token is no longer valid.
    pub(super) stops: bool,
    line: u64,
    account: Option<String>,
    status: StatusCode,
    /// The body that create or validate would answer with.
    body: Vec<u8>,
}

impl Answered {
    pub(super) fn new(
        line: u64,
        size: usize,
        account: Option<String>,
        validate_only: bool,
        refusal: Option<Refusal>,
    ) -> Self {
        let done = if validate_only { StatusCode::OK } else { StatusCode::CREATED };
        let (status, body) = refusal.as_ref().map_or_else(|| (done, b"{}".to_vec()), answer);
        Self {
            size,
            stops: matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::UNAUTHORIZED),
            line,
            account,
            status,
            body,
        }
    }

    /// Writes it as a line of JSON.
    pub(super) fn write(&self, text: &mut Vec<u8>) {
        let account = serde_json::Value::from(self.account.as_deref());
        let (line, status) = (self.line, self.status.as_u16());
        let head =
            format!("{{\"line\":{line},\"external_account_number\":{account},\"status\":{status},\"body\":");
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(&self.body);
        text.extend_from_slice(b"}\n");
    }
}

fn answer(refusal: &Refusal) -> (StatusCode, Vec<u8>) {
    // Refusals are small and not streamed.
    let body = refusal.respond().into_body().try_into_bytes().map(|body| body.to_vec());
    (refusal.status(), body.unwrap_or_else(|_| b"null".to_vec()))
}
