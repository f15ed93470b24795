use super::super::prepare::Prepared;
use super::answer::Meaning;
use crate::service::{Fault, Reply, Service, WHOLE};
use reqwest::header::CONTENT_TYPE;

/// Maximum size of an answer to one account.
pub(super) const MOST: usize = 1024 * 1024;

/// Sends one account in its own request.
///
/// # Errors
/// [`Fault`] if the account was not answered.
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
        // These concern the base URL rather than the account.
        403..=407 => Err(Fault::lasting(format!("the service answers {status} to an account"))),
        _ => Ok(Meaning::of(status, &reply.body, validates)),
    }
}
