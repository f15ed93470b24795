use crate::programs;
use crate::url::parse;
use crate::user;
use percent_encoding::percent_decode_str;
use std::io;
use std::process::Command;

/// What `psql` prints for a statement in the database at a URL: a line a row, columns parted by `|`.
///
/// # Errors
/// If there is no `psql`, or it fails: with what it says.
pub fn sql(url: &str, statement: &str) -> io::Result<String> {
    user::run(psql(url)?.args(["-A", "-t", "-c", statement]))
}

/// `psql`, to be told what to run in the database at a URL: it reads no settings, says little, and ends at the
/// first error.
///
/// # Errors
/// If there is no `psql`, or the URL is none.
pub fn psql(url: &str) -> io::Result<Command> {
    let mut command = client("psql", url)?;
    command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1"]);
    Ok(command)
}

/// A program of clients, such as `pg_dump`, for the database at a URL.
///
/// # Errors
/// If there is no such program, or the URL is none.
pub fn client(name: &str, url: &str) -> io::Result<Command> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, format!("there is no {name}, which tests need"));
    let mut command = Command::new(programs::find_client(name).ok_or_else(missing)?);
    command.env("PGCONNECT_TIMEOUT", "10").env("LC_ALL", "C");
    let mut url = parse(url)?;
    // The list of processes shows arguments to everybody.
    if let Some(password) = url.password() {
        command.env("PGPASSWORD", percent_decode_str(password).decode_utf8_lossy().as_ref());
        url.set_password(None).map_err(|()| io::Error::other("a URL without a host has no password"))?;
    }
    command.args(["-d", url.as_str()]);
    Ok(command)
}
