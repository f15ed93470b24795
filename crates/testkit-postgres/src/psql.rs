use crate::programs;
use crate::url::parse;
use crate::user;
use percent_encoding::percent_decode_str;
use std::io;
use std::process::Command;

/// Runs a statement with `psql` in the database at a URL. Returns a line for each row, with `|` between
/// columns.
///
/// # Errors
/// If there is no `psql`, or it fails, with its output.
pub fn sql(url: &str, statement: &str) -> io::Result<String> {
    user::run(psql(url)?.args(["-A", "-t", "-c", statement]))
}

/// Returns the command `psql` for the database at a URL. It reads no settings, prints little, and ends at the
/// first error.
///
/// # Errors
/// If there is no `psql`, or the URL is invalid.
pub fn psql(url: &str) -> io::Result<Command> {
    let mut command = client("psql", url)?;
    command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1"]);
    Ok(command)
}

/// Returns the command of a client program like `pg_dump` for the database at a URL.
///
/// # Errors
/// If there is no such program, or the URL is invalid.
pub fn client(name: &str, url: &str) -> io::Result<Command> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("there is no {name}, which tests need"));
    let mut command = Command::new(programs::find_client(name).ok_or_else(missing)?);
    command.env("PGCONNECT_TIMEOUT", "600").env("LC_ALL", "C");
    let mut url = parse(url)?;
    // Everybody can see the arguments of processes.
    if let Some(password) = url.password() {
        command.env("PGPASSWORD", percent_decode_str(password).decode_utf8_lossy().as_ref());
        url.set_password(None).map_err(|()| io::Error::other("a URL without a host has no password"))?;
    }
    command.args(["-d", url.as_str()]);
    Ok(command)
}
