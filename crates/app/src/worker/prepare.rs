use super::claim::Claimed;
use crate::App;
use crate::account::{FactsToRead, Known, profile, stored};
use crate::codec::decode_again;
use crate::documents::{FoundDocuments, missing};
use crate::port::{DocumentsUnavailable, NewAccount, StoreError, StoredIssues, Supplier};
use chrono::DateTime;
use cutover_core::{Now, ServiceAccountNumber};
use cutover_model::certificate::{account_content, account_paths};
use cutover_model::{Account, AccountRequest, ContentHash, Decoded, IntoOwned, PathHashes, PathKey, Totals};
use cutover_process::Failure;
use cutover_rules::{Facts, Report, check_account, documents_of_account};

/// The hashes of a claimed payload.
pub(super) struct Hashes {
    /// That of its content.
    pub(super) content: ContentHash,
    /// Those of its values, if a run of its supplier is probably open.
    pub(super) paths: Option<PathHashes>,
}

/// A claimed payload as it was read.
pub(super) struct Read<'p> {
    /// Size of the decompressed payload.
    bytes: usize,
    hashes: Hashes,
    decoded: Decoded<AccountRequest<'p>>,
}

/// Result of checking a claimed payload.
pub(super) enum Prepared {
    /// The account can be written; there may be warnings to store.
    Account {
        account: Box<NewAccount>,
        issues: StoredIssues,
        /// Size of the decompressed payload.
        bytes: usize,
        hashes: Hashes,
    },
    /// The payload, of which these are the hashes, violates a rule as it is configured now.
    Rejected(StoredIssues, Hashes),
}

/// A failure of a dependency. The attempt will be repeated.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Documents(#[from] DocumentsUnavailable),
}

impl Fault {
    /// Classifies the fault: an outage passes by itself, a defect may not.
    pub(super) fn failure(&self) -> Failure {
        match self {
            Self::Documents(_) => Failure::Outage,
            Self::Store(error) if error.is_passing() => Failure::Outage,
            Self::Store(_) => Failure::Defect,
        }
    }
}

/// Decodes the decompressed payload of a process. With a key its values are hashed by path.
pub(super) fn read<'p>(
    claimed: &Claimed,
    payload: &'p [u8],
    key: Option<&PathKey>,
) -> Result<Read<'p>, Fault> {
    // First, because the hashes take memory that they return.
    let content = account_content(payload).map_err(|_| corrupt(claimed, "is not JSON"))?;
    let paths = key.and_then(|key| account_paths(payload, key, claimed.process.id()).ok());
    let decoded = decode_again(payload, claimed.supplier.settings.time_zone);
    let decoded = decoded.map_err(|_| corrupt(claimed, "is not JSON"))?;
    Ok(Read { bytes: payload.len(), hashes: Hashes { content, paths }, decoded })
}

fn corrupt(claimed: &Claimed, what: &str) -> StoreError {
    StoreError::Corrupt(format!("the payload of process {} {what}", claimed.process.id()))
}

impl Read<'_> {
    /// The facts to look up for an account of a supplier, if there are any.
    pub(super) fn sought(&self, supplier: &Supplier) -> Option<FactsToRead> {
        let draft = self.decoded.draft.as_ref()?;
        Some(FactsToRead::for_all(draft, supplier, &profile(Some(supplier))))
            .filter(|sought| !sought.is_nothing())
    }
}

impl App {
    /// Checks a claimed payload again: facts and rules may have changed since it was accepted.
    pub(super) fn prepare_import(
        &self,
        claimed: &Claimed,
        read: Read<'_>,
        known: &Known,
        number: ServiceAccountNumber,
    ) -> Result<Prepared, Fault> {
        let Read { bytes, hashes, decoded } = read;
        let supplier = &claimed.supplier;
        let zone = supplier.settings.time_zone;
        let report = self.check_again(supplier, &decoded, known, Now::new(self.clock.now(), zone))?;
        let issues = StoredIssues { errors: stored(&report.errors), warnings: stored(&report.warnings) };
        if !report.errors.is_empty() {
            return Ok(Prepared::Rejected(issues, hashes));
        }
        let valid = decoded.draft.and_then(|request| request.into_valid());
        let (account, _) = valid.ok_or_else(|| corrupt(claimed, "has no valid form"))?;
        let customer_emails = supplier.settings.send_customer_emails && !suppresses_emails(&account);
        let totals = Totals::of(&account, zone);
        let account = NewAccount {
            number,
            process_id: claimed.process.id(),
            supplier_id: supplier.id,
            organisation_id: supplier.organisation_id,
            customer_emails,
            zone,
            // Set when it is written.
            imported_at: DateTime::UNIX_EPOCH,
            totals,
            account: account.into_owned().completed(zone),
        };
        Ok(Prepared::Account { account: Box::new(account), issues, bytes, hashes })
    }

    fn check_again(
        &self,
        supplier: &Supplier,
        decoded: &Decoded<AccountRequest<'_>>,
        known: &Known,
        now: Now,
    ) -> Result<Report, Fault> {
        let documents = || decoded.draft.as_ref().map(documents_of_account).unwrap_or_default();
        // A worker runs on a thread of its own, so it may block. A lookup ends well before the lease.
        let found = match missing(Some(supplier), None, documents) {
            Some(wanted) => Some(pollster::block_on(self.look_up(&wanted))?),
            None => None,
        };
        Ok(report_again(supplier, decoded, known, found.as_ref(), now))
    }
}

/// Applies the rules to an accepted payload of a supplier.
pub(crate) fn report_again(
    supplier: &Supplier,
    decoded: &Decoded<AccountRequest<'_>>,
    known: &Known,
    found: Option<&FoundDocuments>,
    now: Now,
) -> Report {
    let facts = known.add_to(Facts {
        supplier_known: Some(true),
        documents: found.map(FoundDocuments::states),
        ..Facts::at(now)
    });
    check_account(decoded, facts, &profile(Some(supplier)))
}

/// Returns true if an event of the account suppresses mails about the migration (contract D1).
fn suppresses_emails(account: &Account<'_>) -> bool {
    let mut events = account.events.iter().flatten();
    events.any(|event| event.event_type.trimmed() == "SUPPRESS_MIGRATION_COMMS")
}
