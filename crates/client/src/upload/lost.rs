//! Finds accounts that the service had accepted and has no longer: its database was restored from a backup, or a standby
//! that was behind took over. Without a change of the database's history it asks for nothing.

use crate::error::{Error, print_note};
use crate::interrupt::StopFlag;
use crate::journal::{AcceptedOfSupplier, Journal};
use crate::output::grouped;
use crate::request::Selection;
use crate::service::{Service, Target, block_on};
use crate::validate::{Settings, history};
use cutover_core::State;
use serde::Deserialize;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

const PAGE: usize = 10_000;
const PATIENCE: Duration = Duration::from_secs(60);
/// Events after which an account is gone on purpose.
const REMOVALS: &str = "account.erased,account_import_process.undone";

/// Accounts to send again although the service accepted them in an earlier run.
#[derive(Debug, Default)]
pub(super) struct LostAccounts {
    /// Keys of accounts that the service does not have.
    missing: HashSet<u64>,
    /// Keys of accounts that it may have with earlier content.
    replaced: HashSet<u64>,
    /// Number of accounts that were removed there on purpose, and are not to be sent again.
    removed: usize,
    /// Suppliers of the accounts to send again.
    pub(super) suppliers: BTreeSet<String>,
}

/// Why an account is to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lost {
    Missing,
    Replaced,
}

impl LostAccounts {
    /// Looks up an account by its key.
    pub(super) fn get(&self, key: u64) -> Option<Lost> {
        let missing = self.missing.contains(&key).then_some(Lost::Missing);
        missing.or_else(|| self.replaced.contains(&key).then_some(Lost::Replaced))
    }

    /// Number of accounts that the service does not have.
    pub(super) fn missing(&self) -> u64 {
        self.missing.len() as u64
    }

    /// Number of accounts to send again.
    pub(super) fn len(&self) -> u64 {
        self.missing() + self.replaced.len() as u64
    }

    fn extend(&mut self, other: Self) {
        self.missing.extend(other.missing);
        self.replaced.extend(other.replaced);
        self.removed += other.removed;
        self.suppliers.extend(other.suppliers);
    }
}

/// Compares a journal with the accounts that a service has, if the history of its database has changed.
pub(super) struct HistoryCheck<'t> {
    target: &'t Target,
    stop: StopFlag,
    /// What the journal is about, if not accounts: the service does not list it.
    requests: Option<Selection>,
    lost: Arc<LostAccounts>,
}

/// An account in the list of the service.
#[derive(Deserialize)]
struct ListedAccount {
    external_account_number: String,
    status: String,
}

/// An event of an account that was removed.
#[derive(Deserialize)]
struct Removal {
    external_account_number: Option<String>,
}

impl<'t> HistoryCheck<'t> {
    pub(super) fn new(target: &'t Target, stop: StopFlag, requests: Option<Selection>) -> Self {
        Self { target, stop, requests, lost: Arc::default() }
    }

    /// The accounts that [`Self::begin`] found.
    pub(super) fn lost(&self) -> &Arc<LostAccounts> {
        &self.lost
    }

    /// Finds the accounts of earlier runs that are lost, and says how many there are.
    ///
    /// # Errors
    /// [`Error`] if the journal is about another installation or cannot be read, or the service does not answer.
    pub(super) fn begin(&mut self, settings: &Settings, journal: &mut Journal) -> Result<(), Error> {
        if self.is_of_storage() {
            return Ok(());
        }
        let mut lost = LostAccounts::default();
        for (supplier, known) in journal.histories() {
            let history = settings.history(&supplier)?;
            journal.bind(settings.installation())?;
            if history == known {
                continue;
            }
            let Some(of_supplier) = self.compare(journal, &supplier)? else { break };
            match history {
                Some(history) if of_supplier.len() == 0 => journal.add_history(&supplier, &history)?,
                _ => {}
            }
            lost.extend(of_supplier);
        }
        if self.requests.is_some() {
            lost.print_requests()
        } else {
            lost.print()
        }
        self.lost = lost.into();
        Ok(())
    }

    /// Returns how many accounts of a supplier the service has lost during this run. If there are none and
    /// `is_complete`, notes the history: the service has all that it accepted.
    ///
    /// # Errors
    /// [`Error`] if the journal cannot be read or written, or the service does not answer.
    pub(super) fn end(
        &self,
        settings: &Settings,
        journal: &mut Journal,
        supplier: &str,
        is_complete: bool,
    ) -> Result<u64, Error> {
        if self.is_of_storage() {
            return Ok(0);
        }
        let Some(begun) = settings.history(supplier)? else { return Ok(0) };
        let now = history(self.target, supplier)?;
        let lost = if now.as_ref() == Some(&begun) {
            Some(LostAccounts::default())
        } else {
            self.compare(journal, supplier)?
        };
        let Some(lost) = lost else { return Ok(0) };
        match now {
            Some(now) if is_complete && lost.len() == 0 => journal.add_history(supplier, &now)?,
            _ => {}
        }
        Ok(if self.requests.is_some() { lost.len() } else { lost.missing() })
    }

    /// True for documents, which are not in the database.
    fn is_of_storage(&self) -> bool {
        self.requests == Some(Selection::Documents)
    }

    /// Compares the accounts of a supplier; `None` if the user interrupted it.
    fn compare(&self, journal: &Journal, supplier: &str) -> Result<Option<LostAccounts>, Error> {
        let mut accepted = journal.accepted_of(supplier)?;
        let mut lost = LostAccounts::default();
        if accepted.is_empty() {
            return Ok(Some(lost));
        }
        if self.requests.is_some() {
            // It may have any of them. To send one again adds nothing twice.
            lost.replaced = accepted.into_keys().collect();
            lost.suppliers.insert(supplier.to_owned());
            return Ok(Some(lost));
        }
        let service = self.target.service()?;
        block_on(async {
            let exists = self.take_listed(&service, supplier, &mut accepted, &mut lost).await?;
            if exists && !accepted.is_empty() {
                self.take_removed(&service, supplier, &mut accepted, &mut lost).await?;
            }
            lost.missing = accepted.into_keys().collect();
            if lost.len() > 0 {
                lost.suppliers.insert(supplier.to_owned());
            }
            Ok((!self.stop.is_set()).then_some(lost))
        })?
    }

    /// Takes the accounts out that the service has; false if it does not know the supplier.
    async fn take_listed(
        &self,
        service: &Service,
        supplier: &str,
        accepted: &mut AcceptedOfSupplier,
        lost: &mut LostAccounts,
    ) -> Result<bool, Error> {
        let (path, query) = (["v2", "data-import", "accounts", supplier], format!("page_size={PAGE}"));
        let each = async |account: ListedAccount| {
            let replaced = accepted.take(&account.external_account_number);
            // To send it again would undo that the operator has cancelled it.
            lost.replaced.extend(replaced.filter(|_| account.status != State::Cancelled.as_str()));
            Ok(())
        };
        service.pages(&path, query, PATIENCE, || !self.stop.is_set(), each).await
    }

    /// Takes the accounts out that were erased, or whose import was undone.
    async fn take_removed(
        &self,
        service: &Service,
        supplier: &str,
        accepted: &mut AcceptedOfSupplier,
        lost: &mut LostAccounts,
    ) -> Result<(), Error> {
        let query = format!("import_supplier={supplier}&type={REMOVALS}&page_size={PAGE}");
        let before = accepted.len();
        let each = async |event: Removal| {
            if let Some(number) = event.external_account_number {
                accepted.take(&number);
            }
            Ok(())
        };
        let path = ["v2", "data-import", "events"];
        service.pages(&path, query, PATIENCE, || !self.stop.is_set(), each).await?;
        lost.removed = before - accepted.len();
        Ok(())
    }
}

impl LostAccounts {
    /// Says how many requests are sent again.
    fn print_requests(&self) {
        if self.len() > 0 {
            print_note(&format_args!(
                "the database of the service was restored or restarted: what had been accepted of these inputs is sent again; \
                 what it has is not added twice"
            ));
        }
    }

    /// Says how many accounts are lost.
    fn print(&self) {
        let note = |accounts: usize, [one, many]: [&str; 2]| match accounts {
            0 => {}
            1 => print_note(&format_args!("1 account that had been accepted {one}")),
            _ => print_note(&format_args!(
                "{} accounts that had been accepted {many}",
                grouped(accounts as u64)
            )),
        };
        let missing = [
            "is missing from the service; sending it again",
            "are missing from the service; sending them again",
        ];
        let replaced = [
            "had other content before, which the service may have; sending it again",
            "had other content before, which the service may have; sending them again",
        ];
        let removed = [
            "was erased at the service, or its import was undone; not sending it again",
            "were erased at the service, or their imports were undone; not sending them again",
        ];
        note(self.missing.len(), missing);
        note(self.replaced.len(), replaced);
        note(self.removed, removed);
    }
}
