use crate::error::Error;
use crate::service::{Backoff, Fault, Service};
use cutover_core::State;
use serde::Deserialize;
use std::time::Duration;

/// An account in the filtered list (contract D12).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedAccount {
    pub(super) external_account_number: String,
    pub(super) service_identifier: Option<String>,
    pub(super) latest_error: Option<ListedError>,
}

/// Error of an account.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedError {
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(super) code: String,
    pub(super) detail: String,
}

/// Page size: the maximum of the service.
const PAGE: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// Calls `each` with every account of a supplier that has this status, one page at a time.
///
/// # Errors
/// The error of `each`, or [`Error`] if the service does not answer.
pub(super) async fn accounts(
    service: &Service,
    supplier: &str,
    status: State,
    mut each: impl FnMut(ListedAccount) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut query = Some(format!("status={status}&page_size={PAGE}"));
    while let Some(asked) = query {
        let url = service.url(&["v2", "data-import", "accounts", supplier], &asked);
        let mut reply = Backoff::new(PATIENCE).run(async || service.get(&url).await).await?;
        query = reply.next.take();
        let foreign = |_| Fault::permanent("the list of accounts has an unknown format");
        let page: Vec<ListedAccount> = serde_json::from_value(reply.ok()?).map_err(foreign)?;
        page.into_iter().try_for_each(&mut each)?;
    }
    Ok(())
}
