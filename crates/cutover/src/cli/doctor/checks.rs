mod at_rest;
mod files;
mod nodes;
mod outside;
mod postgres;
mod sqlite;

use super::finding::Finding;
use crate::serve::{Lock, Taken, tls_config};
use crate::settings::{Database, Settings};
use cutover_store::{MigrationState, MigrationStatus};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;

/// Everything there is to look at.
pub(super) fn all(settings: &Settings) -> Vec<Finding> {
    let mut findings = vec![given(settings)];
    findings.extend(match &settings.database {
        Database::Sqlite(file) => sqlite::all(settings, file),
        Database::Postgres(options) => postgres::all(settings, options),
    });
    findings.extend(permissions(settings));
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

fn migrations(migrations: &[MigrationStatus]) -> Finding {
    let of_state = |state| move |migration: &&MigrationStatus| migration.state == state;
    let pending: Vec<&str> = migrations
        .iter()
        .filter(of_state(MigrationState::Pending))
        .map(|migration| migration.version.as_str())
        .collect();
    match migrations.last() {
        Some(_) if !pending.is_empty() => Finding::fail(
            "migrations",
            format!("the database lacks {}", pending.join(", ")),
            "run `cutover migrate`",
        ),
        Some(_) if migrations.iter().any(|m| m.state == MigrationState::Unknown) => Finding::warn(
            "migrations",
            "a newer version of this program was here",
            "run that version, or watch what fails",
        ),
        Some(last) => Finding::ok("migrations", format!("all applied, the last is {}", last.version)),
        None => Finding::fail("migrations", "the database has none", "run `cutover migrate`"),
    }
}

/// Whether a server runs, and whether one could.
fn serving(settings: &Settings) -> Vec<Finding> {
    // Any number of servers run on another database, here or elsewhere.
    let address = addresses(settings);
    let Database::Sqlite(file) = &settings.database else { return address };
    let server = match Lock::probe(file) {
        Err(error) => return vec![Finding::fail("server", error, "see the folder of the database")],
        Ok(Taken::By(holder)) => {
            return vec![Finding::ok("server", format!("{holder} serves this database"))];
        }
        Ok(Taken::Free) => Finding::ok("server", "none runs on this database"),
    };
    std::iter::once(server).chain(address).collect()
}

/// Whether the addresses that `serve` would bind are free.
fn addresses(settings: &Settings) -> Vec<Finding> {
    let serve = &settings.serve;
    let listen = serve.serves_api().then_some(("listen", serve.listen));
    let admin = serve.admin_listen.map(|admin| ("admin-listen", admin));
    listen.into_iter().chain(admin).map(|(name, address)| is_free(name, address)).collect()
}

fn is_free(name: &str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::ok("address", format!("{address} is free")),
        Err(error) => {
            let mend = format!("set {name} to another address, unless it is this server that runs there");
            Finding::warn("address", format!("{address}: {error}"), mend)
        }
    }
}

/// Whether others on this machine can read what holds personal data and secrets.
#[cfg(unix)]
fn permissions(settings: &Settings) -> Option<Finding> {
    use std::os::unix::fs::PermissionsExt;
    let database = match &settings.database {
        Database::Sqlite(file) => Some(("the database", file)),
        Database::Postgres(_) => None,
    };
    let key = settings.serve.tls.as_ref().map(|files| ("the key of the certificate", &files.key));
    let keys = settings.encryption.file().map(|file| ("the file of the encryption keys", file));
    let files: Vec<(&str, &Path)> =
        database.into_iter().chain(key).map(|(name, file)| (name, file.as_path())).chain(keys).collect();
    let (name, _) = files.first()?;
    let is_open = |(_, file): &&(&str, &Path)| {
        file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0)
    };
    Some(match files.iter().find(is_open) {
        None => Finding::ok("permissions", format!("{name} is its owner's alone")),
        Some((_, file)) => Finding::warn(
            "permissions",
            format!("others on this machine may read or write {}", file.display()),
            format!("chmod 600 {}", file.display()),
        ),
    })
}

#[cfg(not(unix))]
fn permissions(_: &Settings) -> Option<Finding> {
    Some(Finding::warn(
        "permissions",
        "they are not looked at on this system",
        "see that the database is yours alone",
    ))
}

#[cfg(test)]
mod tests;
