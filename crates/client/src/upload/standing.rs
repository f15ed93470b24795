//! Asks what became of the accounts that the service accepted in earlier runs. Those that failed can be sent again; one
//! that was cancelled is left alone.

use crate::error::Error;
use crate::interrupt::StopFlag;
use crate::journal::{Index, key};
use crate::service::{Target, block_on};
use cutover_core::State;
use serde::Deserialize;
use std::collections::HashMap;
use std::time::Duration;

/// Page size: the maximum of the service.
const PAGE: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(60);

/// Accounts of the journal that the service accepted and will not import, or not try, as it is. An account takes 20 to 40
/// bytes.
#[derive(Debug, Default)]
pub(super) struct Ended(HashMap<u64, State>);

/// An account in the list of the service.
#[derive(Deserialize)]
struct ListedAccount {
    external_account_number: String,
}

/// The states that are asked for: those in which nothing more happens, and the account is not imported.
const OF_IMPORTS: &[State] =
    &[State::Errored, State::Cancelled, State::DryRunErrored, State::DryRunSucceeded];
/// The same of dry runs.
const OF_DRY_RUNS: &[State] = &[State::DryRunErrored, State::Cancelled];

impl Ended {
    /// Asks the service about the accounts of each supplier. It lists only those that have ended, page by page.
    ///
    /// # Errors
    /// [`Error`] if it does not answer.
    pub(super) fn read(
        target: &Target,
        stop: &StopFlag,
        suppliers: impl IntoIterator<Item = String>,
        index: &Index,
        dry_run: bool,
    ) -> Result<Self, Error> {
        let mut ended = Self::default();
        let states = if dry_run { OF_DRY_RUNS } else { OF_IMPORTS };
        for supplier in suppliers {
            let service = target.service()?;
            block_on(async {
                for state in states {
                    let path = ["v2", "data-import", "accounts", supplier.as_str()];
                    let query = format!("status={state}&page_size={PAGE}");
                    let each = async |account: ListedAccount| {
                        let key = key(Some(&supplier), Some(&account.external_account_number), 0);
                        if index.is_stored(key) {
                            ended.0.insert(key, *state);
                        }
                        Ok(())
                    };
                    if !service.pages(&path, query, PATIENCE, || !stop.is_set(), each).await? {
                        break;
                    }
                }
                Ok::<(), Error>(())
            })??;
        }
        Ok(ended)
    }

    /// The state in which an account has ended; `None` if it is imported, waits, or is unknown.
    pub(super) fn get(&self, key: u64) -> Option<State> {
        self.0.get(&key).copied()
    }
}
