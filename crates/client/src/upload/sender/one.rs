use super::super::prepare::{Body, Prepared};
use super::answer::{LineOutcome, MAX_ANSWER};
use super::{document, request};
use crate::service::{Fault, REQUEST_TIMEOUT, Reply, Service};
use reqwest::header::CONTENT_TYPE;

/// Maximum size of an answer to another request. It repeats the request, which has at most 8 MiB, with members of its own for
/// each of 10,000 items.
const MAX_REPEATING_ANSWER: usize = 32 * 1024 * 1024;

/// Sends one account, or another request, in its own request.
///
/// # Errors
/// [`Fault`] if the account was not answered.
pub(super) async fn send(
    service: &Service,
    account: &Prepared,
    validates: bool,
) -> Result<LineOutcome, Fault> {
    let path = account.kind.path();
    let url =
        if validates { service.url(&[path, &["validate"]].concat(), "") } else { service.url(path, "") };
    let body = match &account.body {
        Some(Body::Document(document)) => return document::send(service, account, document).await,
        body => body.as_ref().map(Body::line).unwrap_or_default(),
    };
    let response = service
        .send(|http| {
            let request = http.post(url.clone()).header(CONTENT_TYPE, "application/json");
            request.timeout(REQUEST_TIMEOUT).body(body.clone())
        })
        .await?;
    let max = if account.kind.is_account() { MAX_ANSWER } else { MAX_REPEATING_ANSWER };
    let reply = Reply::read_up_to(max, response).await?;
    let status = reply.status.as_u16();
    let a = if account.kind.is_account() { "an account" } else { "a request" };
    match status {
        // These concern the base URL rather than the account.
        403..=407 if account.kind.is_account() || status != 404 => {
            Err(Fault::permanent(format!("the service answers {status} to {a}")))
        }
        _ if account.kind.is_account() => Ok(LineOutcome::of(status, &reply.body, validates)),
        _ => Ok(request::outcome(account.kind, status, &reply.body)),
    }
}
