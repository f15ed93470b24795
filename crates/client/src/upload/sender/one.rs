use super::super::prepare::Prepared;
use super::answer::Meaning;
use crate::service::{Fault, Reply, Service};
use reqwest::header::CONTENT_TYPE;

/// Sends one account in a request of its own.
///
/// # Errors
/// [`Fault`] if nothing is said about it.
pub(super) async fn send(service: &Service, account: &Prepared, validates: bool) -> Result<Meaning, Fault> {
    let path = ["v2", "data-import", "accounts", "validate"];
    let url = service.url(if validates { &path } else { &path[..3] }, "");
    let body = account.body.clone().unwrap_or_default();
    let response = service
        .ask(|http| http.post(url.clone()).header(CONTENT_TYPE, "application/json").body(body.clone()))
        .await?;
    let reply = Reply::read(response).await?;
    let status = reply.status.as_u16();
    match status {
        // Neither is said of accounts, but of whoever is at the base URL.
        403..=407 => Err(Fault::lasting(format!("the service answers {status} to an account"))),
        _ => Ok(Meaning::of(status, &reply.body, validates)),
    }
}
