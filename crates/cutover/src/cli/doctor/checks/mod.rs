mod at_rest;
mod external;
mod files;
mod holds;
mod memory;
mod migrations;
mod nodes;
mod postgres;
mod sqlite;
mod tls;
mod webhooks;

use super::finding::Finding;
use crate::lock::{Lock, LockState};
use crate::settings::{Database, Settings};
use crate::system::SystemClock;
use cutover_app::port::Clock;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

/// Runs all checks.
pub(super) fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![given(settings)];
    findings.extend(match &settings.database {
        Database::Sqlite(file) => sqlite::all(settings, file),
        Database::Postgres(options) => postgres::all(settings, options),
    });
    findings.extend(permissions(settings));
    findings.push(external::documents(settings));
    findings.extend(serving(settings));
    findings.extend(files::open_files(settings));
    findings.push(memory::fits(settings.check_memory(), &settings.memory));
    findings.extend(settings.tls.as_ref().map(|files| tls::certificate(files, SystemClock.now())));
    findings
}

fn given(settings: &Settings) -> Finding {
    let given: Vec<String> =
        settings.given.iter().map(|(name, origin)| format!("{name} from {origin}")).collect();
    Finding::ok(
        "settings",
        if given.is_empty() { "all at their defaults".to_owned() } else { given.join(", ") },
    )
}

/// Checks whether a server runs, and if not, whether its addresses are free.
fn serving(settings: &Settings) -> Vec<Finding> {
    // On PostgreSQL any number of servers can run.
    let address = addresses(settings);
    let Database::Sqlite(file) = &settings.database else { return address };
    let server = match Lock::probe(file) {
        Err(error) => return vec![Finding::fail("server", error, "check the folder of the database")],
        Ok(LockState::HeldBy(holder)) => {
            return vec![Finding::ok("server", format!("{holder} serves this database"))];
        }
        Ok(LockState::Free) => Finding::ok("server", "none runs on this database"),
    };
    std::iter::once(server).chain(address).collect()
}

/// Checks that the addresses that `serve` binds are free.
fn addresses(settings: &Settings) -> Vec<Finding> {
    let values = &settings.values;
    let listen = settings.serves_api().then_some(("listen", values.listen));
    let admin = values.admin_listen.map(|admin| ("admin-listen", admin));
    listen.into_iter().chain(admin).map(|(name, address)| is_free(name, address)).collect()
}

fn is_free(name: &str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok("address", format!("{address} is free")),
        Err(error) => {
            let fix = format!("set {name} to another address, unless this server itself runs there");
            Finding::warn("address", format!("{address}: {error}"), fix)
        }
    }
}

/// Checks that no other user of this machine can access files with personal data or secrets.
#[cfg(unix)]
fn permissions(settings: &Settings) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let database = match &settings.database {
        Database::Sqlite(file) => Some(("the database", file)),
        Database::Postgres(_) => None,
    };
    let key = settings.tls.as_ref().map(|files| ("the key of the certificate", &files.key));
    let keys = settings.encryption.file().map(|file| ("the file of the encryption keys", file));
    let files: Vec<(&str, &Path)> =
        database.into_iter().chain(key).map(|(name, file)| (name, file.as_path())).chain(keys).collect();
    let (name, _) = files.first()?;
    let is_open = |(_, file): &&(&str, &Path)| {
        file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
    };
    Some(match files.iter().find(is_open) {
        None => Finding::ok("permissions", format!("only the owner can access {name}")),
        Some((_, file)) => Finding::warn(
            "permissions",
            format!("other users of this machine may read or write {}", file.display()),
            format!("chmod 600 {}", file.display()),
        ),
    })
}

#[cfg(not(unix))]
fn permissions(_: &Settings) -> Option<Finding> {
    Some(Finding::warn(
        "permissions",
        "they are not checked on this system",
        "make sure that no other user can read the database",
    ))
}

#[cfg(test)]
mod tests;
