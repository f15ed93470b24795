use crate::error::Error;
use crate::service::{Fault, Patience, Service};
use cutover_core::State;
use serde::Deserialize;
use std::time::Duration;

/// An account as the filtered list shows it (contract D12).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Listed {
    pub(super) external_account_number: String,
    pub(super) service_identifier: Option<String>,
    pub(super) latest_error: Option<Told>,
}

/// Why it ended in an error.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Told {
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(super) code: String,
    pub(super) detail: String,
}

/// So many accounts come at once; the service gives no more.
const PAGE: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// Calls `each` for every account of a supplier that has a status, a page at a time.
///
/// # Errors
/// [`Error`] of `each`, or if the service cannot be asked.
pub(super) async fn accounts(
    service: &Service,
    supplier: &str,
    status: State,
    mut each: impl FnMut(Listed) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut query = Some(format!("status={status}&page_size={PAGE}"));
    while let Some(asked) = query {
        let url = service.url(&["v2", "data-import", "accounts", supplier], &asked);
        let mut reply = Patience::new(PATIENCE).with(async || service.get(&url).await).await?;
        query = reply.next.take();
        let foreign = |_| Fault::lasting("the service lists accounts in another way");
        let page: Vec<Listed> = serde_json::from_value(reply.ok()?).map_err(foreign)?;
        page.into_iter().try_for_each(&mut each)?;
    }
    Ok(())
}
