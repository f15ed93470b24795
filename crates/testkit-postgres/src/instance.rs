use crate::memory::memory_folder;
use crate::programs::Programs;
use crate::user::{User, run};
use crate::watchdog::Watchdog;
use cutover_testkit_machine::ReservedPort;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The superuser of every cluster.
pub(crate) const USER: &str = "cutover_test";

/// Shell functions for [`Watchdog::start`]. Their arguments are `pg_ctl`, the data folder and the log.
const FUNCTIONS: &str = r#"
start() { "$1" -D "$2" -l "$3" -w -t 600 -s start </dev/null >/dev/null; }
stop() { "$2" -D "$3" -m "$1" -w -t 600 -s stop </dev/null >/dev/null; }
"#;

/// A PostgreSQL server, primary or standby, with its folder.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) programs: Programs,
    pub(crate) user: User,
    port: ReservedPort,
    /// The certificate of its authority, if it has TLS.
    pub(crate) authority: Option<PathBuf>,
    // Dropped before the folder, which stops the server.
    watchdog: Option<Watchdog>,
    folder: TempDir,
}

/// The way to stop a server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    /// Rolls transactions back and writes everything.
    Fast,
    /// Stops like a crash.
    Immediate,
}

impl Instance {
    /// Creates an instance without data. If these need not survive the machine, they are kept in memory where there is
    /// room for them.
    pub(crate) fn new(programs: Programs, without_fsync: bool) -> io::Result<Self> {
        let user = User::find()?;
        let memory = memory_folder().filter(|_| without_fsync);
        let folder = memory.map_or_else(|| user.folder(), |memory| user.folder_in(memory.to_owned()))?;
        let port = ReservedPort::new()?;
        Ok(Self { programs, user, port, authority: None, watchdog: None, folder })
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Returns the URL of one of its databases, which need not exist.
    pub(crate) fn url(&self, database: &str) -> String {
        let tls = self.authority.as_deref().map(Path::display);
        let tls = tls.map(|path| format!("?sslmode=verify-full&sslrootcert={path}")).unwrap_or_default();
        format!("postgres://{USER}@{}/{database}{tls}", self.address())
    }

    /// Returns the command of a program, to be run as the server's user.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.user.command(self.programs.path(program), self.folder())
    }

    /// Runs `initdb`: `127.0.0.1` is trusted, the encoding is UTF-8, and texts are ordered by their bytes.
    pub(crate) fn initialise(&self) -> io::Result<()> {
        let mut command = self.command("initdb");
        command.args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"]);
        run(command.arg(self.data())).map(drop)
    }

    /// Adds settings. Of repeated settings the last one applies.
    pub(crate) fn configure(&self, lines: &[String]) -> io::Result<()> {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.data().join("postgresql.conf"))?;
        lines.iter().try_for_each(|line| writeln!(file, "{line}"))
    }

    /// Starts it for the first time.
    pub(crate) fn start_first(&mut self) -> io::Result<()> {
        self.configure(&[format!("port = {}", self.port.number())])?;
        self.start()
    }

    /// Starts it on its port.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        let args = [self.programs.path("pg_ctl"), self.data(), self.log_file()];
        let started = Watchdog::start(self.user, self.folder(), FUNCTIONS, &args);
        self.watchdog = Some(started.map_err(|e| io::Error::other(format!("{e}: {}", self.log())))?);
        Ok(())
    }

    /// Stops it if it runs. Its data are kept.
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

    /// Returns its log, empty if there is none.
    fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }
}

/// Returns a number that differs between calls and between processes.
pub(crate) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
