use crate::programs;
use crate::programs::not_run;
use crate::url::{self, parse};
use crate::user::{User, run};
use crate::watchdog::Watchdog;
use cutover_testkit_machine::{ReservedPort, wait_for};
use percent_encoding::percent_decode_str;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Shell functions for [`Watchdog::start`]. Their arguments are the program, its settings and its log. It
/// stores nothing, so it can be killed.
const FUNCTIONS: &str = r#"
start() { "$1" "$2" </dev/null >>"$3" 2>&1 & server=$!; }
stop() { kill -s KILL "$server"; wait "$server"; }
"#;

const PROGRAM: &str = "pgbouncer";

/// The first version that supports prepared statements and would keep them.
const PREPARED_STATEMENTS: (u32, u32) = (1, 21);

/// PgBouncer with transaction pooling: four connections for each database, up to 300 clients. It accepts
/// everybody as the user of the URL that it was started with.
#[derive(Debug)]
pub struct PgBouncer {
    port: ReservedPort,
    // Dropped before the folder, which stops the program.
    _watchdog: Watchdog,
    _folder: TempDir,
}

impl PgBouncer {
    /// Returns true if the program is installed.
    pub fn is_installed() -> bool {
        programs::find(PROGRAM).is_some()
    }

    /// Starts it for all databases of the server of a URL. Prints `NOT RUN` and returns `None` if the program
    /// is not installed; the test then passes.
    ///
    /// # Errors
    /// If the URL has no host, or the files cannot be written.
    ///
    /// # Panics
    /// If it does not listen.
    pub fn start(server: &str) -> io::Result<Option<Self>> {
        let Some(program) = programs::find(PROGRAM) else {
            not_run("no pgbouncer");
            return Ok(None);
        };
        let user = User::find()?;
        let folder = user.folder()?;
        let (settings, log) = (folder.path().join("pgbouncer.ini"), folder.path().join("log"));
        let port = ReservedPort::new()?;
        std::fs::write(&settings, ini(server, port.address(), version(&program)?)?)?;
        user.give(&settings)?;
        let watchdog = Watchdog::start(user, folder.path(), FUNCTIONS, &[program, settings, log.clone()])?;
        wait_for("pgbouncer listens", || match TcpStream::connect(port.address()) {
            Ok(_) => Ok(()),
            Err(_) => Err(std::fs::read_to_string(&log).unwrap_or_default()),
        });
        Ok(Some(Self { port, _watchdog: watchdog, _folder: folder }))
    }

    /// Returns the address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Returns the URL of a database of its server that leads through it.
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn url_through(&self, url: &str) -> io::Result<String> {
        url::at(url, self.address())
    }
}

fn ini(server: &str, address: SocketAddr, version: (u32, u32)) -> io::Result<String> {
    let server = parse(server)?;
    let host = server.host_str().ok_or_else(|| io::Error::other("the URL of the database has no host"))?;
    let secret =
        server.password().map(|password| format!(" password={}", quoted(password))).unwrap_or_default();
    let to = format!(
        "host={host} port={} user={}{secret}",
        server.port().unwrap_or(5432),
        quoted(server.username())
    );
    let prepared = if version >= PREPARED_STATEMENTS { "max_prepared_statements = 0\n" } else { "" };
    Ok(format!(
        "[databases]\n* = {to}\n[pgbouncer]\nlisten_addr = {}\nlisten_port = {}\nunix_socket_dir =\n\
         auth_type = any\npool_mode = transaction\ndefault_pool_size = 4\nmax_client_conn = 300\n{prepared}",
        address.ip(),
        address.port(),
    ))
}

fn quoted(part: &str) -> String {
    format!("'{}'", percent_decode_str(part).decode_utf8_lossy().replace('\'', "''"))
}

fn version(program: &Path) -> io::Result<(u32, u32)> {
    let answer = run(Command::new(program).arg("--version"))?;
    let unknown = || io::Error::other(format!("the version of pgbouncer is unknown: {answer}"));
    parse_version(&answer).ok_or_else(unknown)
}

/// Parses the first line of the output, for example `PgBouncer 1.18.0`.
fn parse_version(answer: &str) -> Option<(u32, u32)> {
    let mut parts = answer.split_whitespace().nth(1)?.split('.').map_while(|part| part.parse().ok());
    parts.next().zip(parts.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_suit_the_version() {
        let answer = "PgBouncer 1.21.0\nlibevent 2.1.12-stable\n";
        let ini = |version| ini("postgres://me:it%27s@db/x", ([127, 0, 0, 1], 6432).into(), version).unwrap();
        assert!(ini(parse_version(answer).unwrap()).contains("\nmax_prepared_statements = 0\n"));
        let old = ini(parse_version("PgBouncer 1.18.0").unwrap());
        assert!(!old.contains("max_prepared"));
        assert!(old.contains("\n* = host=db port=5432 user='me' password='it''s'\n"), "{old}");
    }
}
