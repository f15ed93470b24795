use super::super::prepare::Prepared;
use super::answer::LineOutcome;
use crate::service::{Fault, REQUEST_TIMEOUT, Reply, Service};
use reqwest::header::CONTENT_TYPE;

/// Maximum size of an answer to one account.
pub(super) const MAX_ANSWER: usize = 1024 * 1024;

/// Sends one account in its own request.
///
/// # Errors
/// [`Fault`] if the account was not answered.
pub(super) async fn send(
    service: &Service,
    account: &Prepared,
    validates: bool,
) -> Result<LineOutcome, Fault> {
    let path = ["v2", "data-import", "accounts", "validate"];
    let url = service.url(if validates { &path } else { &path[..3] }, "");
    let body = account.body.clone().unwrap_or_default();
    let response = service
        .send(|http| {
            let request = http.post(url.clone()).header(CONTENT_TYPE, "application/json");
            request.timeout(REQUEST_TIMEOUT).body(body.clone())
        })
        .await?;
    let reply = Reply::read_up_to(MAX_ANSWER, response).await?;
    let status = reply.status.as_u16();
    match status {
        // These concern the base URL rather than the account.
        403..=407 => Err(Fault::permanent(format!("the service answers {status} to an account"))),
        _ => Ok(LineOutcome::of(status, &reply.body, validates)),
    }
}
