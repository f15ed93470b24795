//! Checks of the installation.

use super::database::first;
use super::facts::Installation;
use super::{CheckName, Finding, size};
use chrono::TimeDelta;
use std::time::Duration;

/// Lag of a standby that is tolerated.
const LAG: Duration = Duration::from_secs(60);
/// Age of a backup that is tolerated.
const BACKUP_AGE: TimeDelta = TimeDelta::hours(24);

pub(super) fn encryption(installation: &Installation) -> Finding {
    let encryption = match &installation.encryption {
        Ok(encryption) => encryption,
        Err(error) => {
            return Finding::warn(format!("The database does not tell: {error}."), "See `cutover doctor`.");
        }
    };
    let lacking = |key: &&String| installation.nodes.iter().any(|node| !node.encryption_keys.contains(key));
    let of_nodes: Vec<&str> = encryption.used.iter().filter(lacking).map(String::as_str).collect();
    if !encryption.missing.is_empty() {
        return Finding::stop(
            format!(
                "The database is encrypted with keys that are missing: {}.",
                encryption.missing.join(", ")
            ),
            "Add the keys where encryption keys are configured: accounts that need them cannot be imported.",
        );
    }
    if !of_nodes.is_empty() {
        return Finding::stop(
            format!(
                "Server processes lack encryption keys that the database needs: {}.",
                of_nodes.join(", ")
            ),
            "Add the keys there and restart them; `cutover doctor` names the processes.",
        );
    }
    if encryption.has_unknown_values {
        return Finding::stop(
            "A newer version has encrypted values in a way that this one cannot read.",
            "Run the newer version of this program that was here.",
        );
    }
    match (encryption.is_configured, encryption.has_open_values) {
        (false, _) => Finding::warn(
            "No encryption key is configured: payloads and bank details are stored unencrypted.",
            "Create one with `cutover encryption-key generate`, or make sure that the disks are encrypted.",
        ),
        (true, true) => Finding::warn(
            "Values from before the encryption key are stored unencrypted.",
            "Encrypt them with `cutover encryption-key reseal`.",
        ),
        (true, false) => Finding::ok("Every key that the database needs is there."),
    }
}

pub(super) fn disk(installation: &Installation) -> Finding {
    if let Some(error) = &installation.refused_write {
        return Finding::stop(
            format!("The database refused a write within the last minute: {error}."),
            "Make room on the disk of the database, or check it; `cutover doctor` names it.",
        );
    }
    let needed = installation.needed_space;
    let free = match &installation.free_space {
        Ok(Some(free)) => *free,
        Ok(None) => {
            return Finding::ok(format!(
                "The free space of a database server is not known here; what waits takes about {}.",
                size(needed)
            ));
        }
        Err(error) => {
            return Finding::warn(format!("The free space is not known: {error}."), "Look at the disk.");
        }
    };
    let detail =
        format!("{} are free for the database, and what waits takes about {}.", size(free), size(needed));
    let action = "Make room on the disk of the database, or move it to a larger one.";
    if free < needed {
        Finding::stop(detail, action)
    } else if free < needed.saturating_mul(2) {
        Finding::warn(detail, action)
    } else {
        Finding::ok(detail)
    }
}

pub(super) fn replica(installation: &Installation) -> Finding {
    let server = match &installation.server {
        Ok(Some(server)) => server,
        Ok(None) => return Finding::ok("The database is a file, which has no standby."),
        Err(error) => {
            return Finding::warn(format!("The server does not tell: {error}."), "See `cutover doctor`.");
        }
    };
    let inspected = installation.inspection.iter().find_map(|found| first(found, CheckName::Replica));
    if let Some(fault) = inspected {
        return fault;
    }
    match (server.standby_answers, server.replication_lag) {
        (Some(false), _) => Finding::warn(
            "The standby that is read from does not answer.",
            "Check that it runs; until then the primary answers in its place.",
        ),
        (_, Some(lag)) if lag > LAG => Finding::warn(
            format!("A standby is {} s behind.", lag.as_secs()),
            "Check whether it is connected to the database, and what it waits for.",
        ),
        (_, Some(_)) if !server.has_synchronous_standbys => Finding::warn(
            "No standby is synchronous: a failover may lose the last accounts that were accepted.",
            "Name the standbys in synchronous_standby_names; after a failover suppliers run their uploads again.",
        ),
        (_, Some(_)) => Finding::ok("The standbys follow the database."),
        (_, None) if !server.sees_other_roles => {
            Finding::ok("This role sees no standby: it is not a member of pg_read_all_stats.")
        }
        (_, None) => Finding::ok("The database has no standby."),
    }
}

pub(super) fn backup(installation: &Installation) -> Finding {
    if let Ok(Some(server)) = &installation.server {
        return match server.archives_log {
            Some(true) => Finding::ok("The server archives its log."),
            Some(false) => Finding::warn(
                "The server fails to archive its log.",
                "Look at pg_stat_archiver and the log of the server.",
            ),
            None => Finding::warn(
                "The server does not archive its log, and other backups of it are not known here.",
                "Make sure that there is a recent backup: see docs/OPERATIONS.md.",
            ),
        };
    }
    let action = "Make one with `cutover backup FILE`.";
    match installation.last_backup_at {
        None => Finding::warn("There was no backup.", action),
        Some(at) => {
            let shown = installation.zone.local(at).format("%Y-%m-%d %H:%M %:z");
            let detail = format!("The last backup was begun at {shown}.");
            if installation.now - at > BACKUP_AGE {
                Finding::warn(detail, action)
            } else {
                Finding::ok(detail)
            }
        }
    }
}
