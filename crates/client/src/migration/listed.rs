use crate::error::Error;
use crate::service::{Backoff, Fault, Service};
use cutover_core::{Code, State};
use reqwest::StatusCode;
use serde::Deserialize;
use std::time::Duration;

/// An account in the filtered list (contract D12).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedAccount {
    pub(super) external_account_number: String,
    pub(super) service_identifier: Option<String>,
    pub(super) latest_error: Option<ListedError>,
    /// The items of the error, if it has any.
    #[serde(skip)]
    pub(super) items: Vec<ListedItem>,
}

/// An item of the error of an account (contract D13).
#[derive(Debug, Clone, Deserialize)]
pub(super) struct ListedItem {
    #[serde(deserialize_with = "crate::service::read_attr")]
    pub(super) attr: Option<String>,
    #[serde(deserialize_with = "crate::service::read_code")]
    pub(super) code: String,
    pub(super) detail: String,
}

#[derive(Deserialize)]
struct ListedIssues {
    errors: Vec<ListedItem>,
}

/// The error of an account that has items.
const HAS_ITEMS: Code = Code::ImportProcessFailedValidation;

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
    let (path, query) =
        (["v2", "data-import", "accounts", supplier], format!("status={status}&page_size={PAGE}"));
    let each = async |mut account: ListedAccount| {
        if account.latest_error.as_ref().is_some_and(|error| error.code == HAS_ITEMS.as_str()) {
            account.items = items(service, supplier, &account.external_account_number).await?;
        }
        each(account)
    };
    service.pages(&path, query, PATIENCE, || true, each).await.map(drop)
}

/// Fetches the items of the error of an account. There are none if the service is of an earlier version.
async fn items(service: &Service, supplier: &str, number: &str) -> Result<Vec<ListedItem>, Error> {
    let url = service.url(&["v2", "data-import", "accounts", supplier, number, "issues"], "");
    let reply = Backoff::new(PATIENCE).run(async || service.get(&url).await).await?;
    if reply.status == StatusCode::NOT_FOUND {
        return Ok(Vec::new());
    }
    let foreign = |_| Fault::permanent("the issues of an account have an unknown format");
    let issues: ListedIssues = serde_json::from_value(reply.ok()?).map_err(foreign)?;
    Ok(issues.errors)
}
