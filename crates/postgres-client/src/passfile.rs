//! The password file of libpq: <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use super::config::Host;
use std::path::Path;
use zeroize::Zeroizing;

/// Returns the password of the first line that fits, if there is one. The file is read for each connection, so that a new
/// password needs no restart.
///
/// # Errors
/// Why the file cannot be read.
pub(super) fn password(
    file: &Path,
    host: &Host,
    database: &str,
    user: &str,
) -> Result<Option<Zeroizing<String>>, String> {
    let text = std::fs::read_to_string(file).map(Zeroizing::new);
    let text =
        text.map_err(|error| format!("the password file {} cannot be read: {error}", file.display()))?;
    Ok(text.lines().find_map(|line| of_line(line, host, database, user)))
}

/// The password of a line `host:port:database:user:password` that fits; `*` fits everything.
fn of_line(line: &str, host: &Host, database: &str, user: &str) -> Option<Zeroizing<String>> {
    let mut rest = line.strip_suffix('\r').unwrap_or(line);
    if rest.starts_with('#') {
        return None;
    }
    let port = host.port.to_string();
    // The name of this machine stands for its sockets as well.
    let names: &[&str] = if host.is_socket() { &[&host.name, "localhost"] } else { &[&host.name] };
    for wanted in [names, &[&port], &[database], &[user]] {
        let (field, after) = field(rest)?;
        if *field != "*" && !wanted.contains(&field.as_str()) {
            return None;
        }
        rest = after;
    }
    Some(unescaped(rest))
}

/// Splits off the first field, without its escapes.
fn field(text: &str) -> Option<(Zeroizing<String>, &str)> {
    let mut is_escaped = false;
    let end = text.find(|c| {
        let ends = c == ':' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some((unescaped(&text[..end]), &text[end + 1..]))
}

/// Removes the backslash before a colon or another backslash.
fn unescaped(text: &str) -> Zeroizing<String> {
    let mut plain = Zeroizing::new(String::with_capacity(text.len()));
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, port: u16) -> Host {
        Host { name: name.to_owned(), address: None, port }
    }

    fn found(text: &str, host: &Host) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        std::fs::write(&file, text).unwrap();
        password(&file, host, "cutover", "u").unwrap().map(|password| password.to_string())
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let text = "# db:5432:cutover:u:comment\nother:*:*:*:wrong\ndb:5433:*:*:wrong\ndb:5432:*:u:first\n*:*:*:*:last\n";
        assert_eq!(found(text, &host("db", 5432)).as_deref(), Some("first"));
        assert_eq!(found(text, &host("standby", 5432)).as_deref(), Some("last"));
        assert_eq!(
            found("db:5432:cutover:v:wrong\ndb:5432:reports:u:wrong\nshort:1\n", &host("db", 5432)),
            None
        );
    }

    #[test]
    fn colons_and_backslashes_are_escaped() {
        let text = "\\:\\:1:5432:cutover:u:p\\:a\\\\ss:word\r\n";
        assert_eq!(found(text, &host("::1", 5432)).as_deref(), Some("p:a\\ss:word"));
    }

    #[test]
    fn a_socket_is_this_machine() {
        assert_eq!(found("localhost:*:*:*:p", &host("/run/postgresql", 5432)).as_deref(), Some("p"));
        assert_eq!(found("localhost:*:*:*:p", &host("db", 5432)), None);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let error = password(Path::new("/nowhere/pgpass"), &host("db", 1), "d", "u").unwrap_err();
        assert!(error.starts_with("the password file /nowhere/pgpass cannot be read: "), "{error}");
    }
}
