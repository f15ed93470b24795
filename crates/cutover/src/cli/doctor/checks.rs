mod files;
mod outside;

use super::finding::Finding;
use crate::open::open_store;
use crate::serve::{Lock, Taken, tls_config};
use crate::settings::Settings;
use crate::system::SystemClock;
use chrono::{DateTime, Duration, Utc};
use cutover_app::port::{Clock, Store, StoreError, read, write};
use cutover_store::{MigrationState, SqliteStore};
use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

/// How far ahead of the clock a row may be written: by another machine's clock.
const AHEAD: Duration = Duration::seconds(5);

/// Everything there is to look at.
pub(super) fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![given(settings)];
    match open_store(settings) {
        Err(error) => {
            findings.push(Finding::fail("database", error, "see that its folder exists and is yours"))
        }
        Ok(store) => {
            findings.extend(database(settings, &store));
            findings.extend(outside::vendors(settings, Arc::new(store)));
        }
    }
    findings.push(permissions(settings));
    findings.push(outside::documents(settings));
    findings.extend(serving(settings));
    findings.extend(files::open_files(settings));
    findings.extend(settings.serve.tls.as_ref().map(|files| match tls_config(files) {
        Ok(_) => Finding::ok("TLS", format!("the certificate {} and its key", files.cert.display())),
        Err(error) => Finding::fail("TLS", error, "name PEM files that belong together"),
    }));
    findings
}

fn given(settings: &Settings) -> Finding {
    let given: Vec<String> =
        settings.given.iter().map(|(name, origin)| format!("{name} from {origin}")).collect();
    Finding::ok("settings", if given.is_empty() { "all by default".to_owned() } else { given.join(", ") })
}

fn database(settings: &Settings, store: &SqliteStore) -> Vec<Finding> {
    let path = settings.database.display();
    let writable = match write(store, |_| Ok::<_, StoreError>(())) {
        Ok(()) => Finding::ok("database", format!("{path} can be read and written")),
        Err(error) => Finding::fail("database", error, "see its rights and the space on its disk"),
    };
    let integrity = match SqliteStore::quick_check(&settings.database) {
        Ok(problems) if problems.is_empty() => Finding::ok("integrity", "the file is sound"),
        Ok(problems) => Finding::fail("integrity", problems.join("; "), "restore the file from a backup"),
        Err(error) => Finding::fail("integrity", error, "see whether the disk is sound"),
    };
    vec![writable, migrations(store), integrity, clock(store, SystemClock.now())]
}

fn migrations(store: &SqliteStore) -> Finding {
    let migrations = store.migrations();
    let newer = migrations.iter().any(|m| m.state == MigrationState::Unknown);
    match migrations.last() {
        Some(_) if newer => Finding::warn(
            "migrations",
            "a newer version of this program was here",
            "run that version, or watch what fails",
        ),
        Some(last) => Finding::ok("migrations", format!("all applied, the last is {}", last.version)),
        None => Finding::fail("migrations", "the database has none", "run `cutover migrate`"),
    }
}

/// The clock against the newest thing that an operator made.
fn clock(store: &dyn Store, now: DateTime<Utc>) -> Finding {
    let newest = read(store, |tx| {
        let mut times: Vec<DateTime<Utc>> = tx.organisations()?.iter().map(|o| o.created_at).collect();
        times.extend(tx.api_keys()?.iter().map(|key| key.created_at));
        times.extend(tx.suppliers()?.iter().map(|supplier| supplier.created_at));
        times.extend(tx.signing_keys()?.iter().map(|key| key.created_at));
        Ok(times.into_iter().max())
    });
    match newest {
        Err(error) => Finding::fail("clock", error, "see the database"),
        Ok(Some(newest)) if newest > now + AHEAD => Finding::fail(
            "clock",
            format!("it is {now} here, but the database has rows of {newest}"),
            "set the clock of this machine: leases, windows and tokens hang on it",
        ),
        Ok(_) => Finding::ok("clock", format!("{} UTC", now.format("%Y-%m-%d %H:%M:%S"))),
    }
}

/// Whether a server runs, and whether one could.
fn serving(settings: &Settings) -> Vec<Finding> {
    let listen = settings.serve.listen;
    let server = match Lock::probe(&settings.database) {
        Err(error) => return vec![Finding::fail("server", error, "see the folder of the database")],
        Ok(Taken::By(holder)) => {
            return vec![Finding::ok("server", format!("{holder} serves this database"))];
        }
        Ok(Taken::Free) => Finding::ok("server", "none runs on this database"),
    };
    let address = match TcpListener::bind(listen) {
        Ok(_) => Finding::ok("address", format!("{listen} is free")),
        Err(error) => Finding::warn("address", format!("{listen}: {error}"), "set listen to another address"),
    };
    vec![server, address]
}

/// Whether others on this machine can read what holds personal data and secrets.
#[cfg(unix)]
fn permissions(settings: &Settings) -> Finding {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &&Path, bits: u32| path.metadata().is_ok_and(|m| m.permissions().mode() & bits != 0);
    let mut paths = vec![settings.database.as_path()];
    paths.extend(settings.serve.tls.as_ref().map(|files| files.key.as_path()));
    match paths.into_iter().find(|path| open(path, 0o077)) {
        None => Finding::ok("permissions", "the database is its owner's alone"),
        Some(path) => Finding::warn(
            "permissions",
            format!("others on this machine may read or write {}", path.display()),
            format!("chmod 600 {}", path.display()),
        ),
    }
}

#[cfg(not(unix))]
fn permissions(_: &Settings) -> Finding {
    Finding::warn(
        "permissions",
        "they are not looked at on this system",
        "see that the database is yours alone",
    )
}

#[cfg(test)]
mod tests;
