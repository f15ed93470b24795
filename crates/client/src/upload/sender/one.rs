use super::super::prepare::Prepared;
use super::answer::Meaning;
use crate::service::{Fault, Reply, Service, WHOLE};
use reqwest::header::CONTENT_TYPE;

/// An answer to one account has no more bytes.
pub(super) const MOST: usize = 1024 * 1024;

/// Sends one account in a request of its own.
///
/// # Errors
/// [`Fault`] if nothing is said about it.
pub(super) async fn send(service: &Service, account: &Prepared, validates: bool) -> Result<Meaning, Fault> {
    let path = ["v2", "data-import", "accounts", "validate"];
    let url = service.url(if validates { &path } else { &path[..3] }, "");
    let body = account.body.clone().unwrap_or_default();
    let response = service
        .ask(|http| {
            let request = http.post(url.clone()).header(CONTENT_TYPE, "application/json");
            request.timeout(WHOLE).body(body.clone())
        })
        .await?;
    let reply = Reply::read_up_to(MOST, response).await?;
    let status = reply.status.as_u16();
    match status {
        // Neither is said of accounts, but of whoever is at the base URL.
        403..=407 => Err(Fault::lasting(format!("the service answers {status} to an account"))),
        _ => Ok(Meaning::of(status, &reply.body, validates)),
    }
}
