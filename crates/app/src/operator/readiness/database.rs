//! Faults of the database that an inspection finds.

use super::facts::Installation;
use super::{CheckName, Finding, size};
use crate::App;
use crate::port::{DatabaseFault, Inspection, StoreError};
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::{Mutex, PoisonError};

/// Time for which a result is kept for pages and requests, which many may ask for.
const KEPT: TimeDelta = TimeDelta::seconds(60);

/// The last inspection of the database, with its time.
#[derive(Debug, Default)]
pub(crate) struct Inspected(Mutex<Option<(DateTime<Utc>, Inspection)>>);

impl App {
    /// Inspects the database, unless an inspection of the last minute suffices.
    pub(super) fn inspected(&self, is_now: bool) -> Result<Inspection, StoreError> {
        let now = self.clock.now();
        // One at a time: whoever comes meanwhile takes the result.
        let mut last = self.inspected.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = last.as_ref().filter(|(at, _)| !is_now && now - *at < KEPT) {
            return Ok(kept.clone());
        }
        let inspection = self.store.inspect()?;
        *last = Some((now, inspection.clone()));
        Ok(inspection)
    }
}

/// Returns the check that stops for a fault, what it says, and what to do.
fn of(fault: &DatabaseFault) -> (CheckName, String, &'static str) {
    use CheckName::{Database, Durability, Replica};
    match fault {
        DatabaseFault::Damaged(found) => (
            Database,
            format!("The file of the database is damaged: {found}."),
            "Restore it from a backup; `cutover doctor` names all that was found.",
        ),
        DatabaseFault::Outdated(version) => (
            Database,
            format!("The database server is PostgreSQL {version}, which is not supported."),
            "Upgrade it; `cutover doctor` names the oldest version that is.",
        ),
        DatabaseFault::ReadOnly => (
            Database,
            "The database server takes no writes.".to_owned(),
            "Name the primary, and check that default_transaction_read_only is off.",
        ),
        DatabaseFault::MissingRights { role, rights } => (
            Database,
            format!("The role {role} lacks rights: {}.", rights.join(", ")),
            "Run `cutover migrate --running-role NAME` as the owner of the tables.",
        ),
        DatabaseFault::SharedSessions => (
            Database,
            "A proxy shares the sessions of the database, also those that must not be shared.".to_owned(),
            "Name PostgreSQL itself in database-direct-url.",
        ),
        DatabaseFault::TwoDatabases => (
            Database,
            "database-url and database-direct-url lead to different databases.".to_owned(),
            "Name the same one in both.",
        ),
        DatabaseFault::LosesCommits(setting) => (
            Durability,
            format!("{setting} is off: a crash of the database server may lose what was accepted."),
            "Set it on at the database server, or leave it out of the options of its URL.",
        ),
        DatabaseFault::NoStandby => (
            Replica,
            "The server that is read from as a standby follows no other.".to_owned(),
            "Name a standby of the database in database-replica-url, or leave it out.",
        ),
    }
}

/// Returns the finding of the first fault that a check stops for.
pub(super) fn first(inspection: &Inspection, name: CheckName) -> Option<Finding> {
    let (_, detail, action) = inspection.faults.iter().map(of).find(|(check, ..)| *check == name)?;
    Some(Finding::stop(detail, action))
}

fn unknown(error: &StoreError) -> Finding {
    Finding::warn(format!("The database could not be inspected: {error}."), "See `cutover doctor`.")
}

pub(super) fn database(installation: &Installation) -> Finding {
    let inspection = match &installation.inspection {
        Ok(inspection) => inspection,
        Err(error) => return unknown(error),
    };
    match (first(inspection, CheckName::Database), inspection.unread) {
        (Some(fault), _) => fault,
        (None, Some(bytes)) => Finding::ok(format!(
            "The file of the database has {}, too many to be checked here; `cutover doctor` does it.",
            size(bytes)
        )),
        (None, None) => Finding::ok("The database is intact, and this process has the rights that it needs."),
    }
}

pub(super) fn durability(installation: &Installation) -> Finding {
    match &installation.inspection {
        Ok(inspection) => first(inspection, CheckName::Durability)
            .unwrap_or_else(|| Finding::ok("What is accepted is on the disk.")),
        Err(error) => unknown(error),
    }
}
