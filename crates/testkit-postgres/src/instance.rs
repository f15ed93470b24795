use crate::programs::Programs;
use crate::user::{User, run};
use crate::watchdog::Watchdog;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The superuser of every cluster.
pub(crate) const USER: &str = "cutover_test";

/// For [`Watchdog::start`]; the arguments are `pg_ctl`, the data folder and the log.
const FUNCTIONS: &str = r#"
start() { "$1" -D "$2" -l "$3" -w -t 60 -s start </dev/null >/dev/null; }
stop() { "$2" -D "$3" -m "$1" -w -t 60 -s stop </dev/null >/dev/null; }
"#;

/// How often another port is tried when a free one was taken meanwhile.
const PORTS: usize = 5;

/// A server of PostgreSQL, primary or standby, with the folder it lives in.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) programs: Programs,
    pub(crate) user: User,
    pub(crate) port: u16,
    /// The certificate of the authority that vouches for it, if it has TLS.
    pub(crate) authority: Option<PathBuf>,
    // Dropped before the folder: it stops the server.
    watchdog: Option<Watchdog>,
    folder: TempDir,
}

/// How to stop it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    /// Transactions are rolled back, everything is written.
    Fast,
    /// As after a crash.
    Immediate,
}

impl Instance {
    /// One that has no data yet.
    pub(crate) fn new(programs: Programs) -> io::Result<Self> {
        let user = User::find()?;
        let folder = user.folder()?;
        Ok(Self { programs, user, port: 0, authority: None, watchdog: None, folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// The URL of a database of it, there or not.
    pub(crate) fn url(&self, database: &str) -> String {
        let tls = self.authority.as_deref().map(Path::display);
        let tls = tls.map(|path| format!("?sslmode=verify-full&sslrootcert={path}")).unwrap_or_default();
        format!("postgres://{USER}@{}/{database}{tls}", self.address())
    }

    /// One of the programs, to be run as the server is.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.user.command(self.programs.path(program), self.folder())
    }

    /// Runs `initdb`: `127.0.0.1` is trusted, the encoding is UTF-8, texts are ordered by their bytes.
    pub(crate) fn initialise(&self) -> io::Result<()> {
        let mut command = self.command("initdb");
        command.args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"]);
        run(command.arg(self.data())).map(drop)
    }

    /// Adds settings; the last of a name counts.
    pub(crate) fn configure(&self, lines: &[String]) -> io::Result<()> {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.data().join("postgresql.conf"))?;
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))
    }

    /// Starts it for the first time, on a free port.
    pub(crate) fn start_somewhere(&mut self) -> io::Result<()> {
        let mut outcome = Ok(());
        for _ in 0..PORTS {
            self.port = free_port()?;
            self.configure(&[format!("port = {}", self.port)])?;
            outcome = self.start();
            if outcome.is_ok() || !self.log().contains("could not bind") {
                break;
            }
        }
        outcome
    }

    /// Starts it where it was.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        let args = [self.programs.path("pg_ctl"), self.data(), self.log_file()];
        let started = Watchdog::start(self.user, self.folder(), FUNCTIONS, &args);
        self.watchdog = Some(started.map_err(|e| io::Error::other(format!("{e}: {}", self.log())))?);
        Ok(())
    }

    /// Stops it, if it runs, and keeps what it has stored.
    pub(crate) fn stop(&mut self, how: Stop) -> io::Result<()> {
        let how = match how {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        self.watchdog.take().map_or(Ok(()), |watchdog| watchdog.stop(how))
    }

    fn log_file(&self) -> PathBuf {
        self.folder().join("log")
    }

    /// What it has logged, or nothing.
    fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

/// A port of loopback that is free now, below those that systems choose for connections: nobody but another test
/// takes it while its server is down.
pub(crate) fn free_port() -> io::Result<u16> {
    let ports = (0..100).map(|_| 20_000 + u16::try_from(random() % 10_000).unwrap_or_default());
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().ok_or_else(|| io::ErrorKind::AddrInUse.into())
}

/// Differs from call to call and process to process.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
