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
    let missing =
        || io::Error::new(io::ErrorKind::NotFound, "there is no psql, which makes databases for tests");
    let mut command = Command::new(programs::find_client("psql").ok_or_else(missing)?);
    command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1"]);
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
