use crate::error::Error;
use crate::program;
use crate::{Args, load};
use serde_json::Value;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Code of the supplier that the kit's payloads name.
pub(crate) const SUPPLIER: &str = "ACME_ENERGY";

/// A data folder with an organisation, a key and the supplier.
#[derive(Clone)]
pub(crate) struct Installation {
    folder: PathBuf,
    program: PathBuf,
    /// URL of a database outside the folder.
    database_url: Option<String>,
    api_key: String,
}

/// A running server; stopped when it goes out of scope.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

fn bench_error(e: impl std::fmt::Display) -> Error {
    Error::Bench(e.to_string())
}

impl Installation {
    /// A new installation on SQLite.
    pub(crate) fn new(args: &Args, name: &str) -> Result<Self, Error> {
        Self::install(args, name, None)
    }

    /// A new installation on an empty PostgreSQL database.
    pub(crate) fn on(args: &Args, name: &str, database_url: String) -> Result<Self, Error> {
        Self::install(args, name, Some(database_url))
    }

    /// The same installation with another database URL.
    pub(crate) fn at(&self, database_url: String) -> Self {
        Self { database_url: Some(database_url), ..self.clone() }
    }

    fn install(args: &Args, name: &str, database_url: Option<String>) -> Result<Self, Error> {
        let program = args.program()?;
        let folder = program::scratch().join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(bench_error)?;
        }
        let mut installation = Self { folder, program, database_url, api_key: String::new() };
        installation.command(&["migrate"])?;
        installation.command(&["organisation", "add", "Bench"])?;
        installation.command(&["supplier", "add", SUPPLIER, "--organisation", "Bench"])?;
        let issued = installation.command(&["api-key", "issue", "--organisation", "Bench"])?;
        installation.api_key = issued["api_key"].as_str().unwrap_or_default().to_owned();
        Ok(installation)
    }

    /// A key that signs in to the console.
    pub(crate) fn operator_key(&self) -> Result<String, Error> {
        let issued = self.command(&["api-key", "issue", "--organisation", "Bench", "--role", "operator"])?;
        Ok(issued["api_key"].as_str().unwrap_or_default().to_owned())
    }

    /// Runs an operator command and returns its JSON.
    pub(crate) fn command(&self, args: &[&str]) -> Result<Value, Error> {
        let mut command = program::command(&self.program);
        command.args(args).arg("--json");
        self.place(&mut command);
        let shown = args.join(" ");
        let output = command.output().map_err(bench_error)?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(Error::Bench(format!("cutover {shown} failed: {}", reason.trim())));
        }
        serde_json::from_slice(&output.stdout).map_err(bench_error)
    }

    /// The file of its database.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("cutover.db")
    }

    /// Starts the server, on the first core only if `pinned`.
    pub(crate) fn serve(&self, pinned: bool, options: &[&str]) -> Result<Server, Error> {
        let mut command =
            if pinned { crate::yardstick::pinned(&self.program) } else { program::command(&self.program) };
        command.args(["serve", "--listen", "127.0.0.1:0", "--rate-limit", "0"]).args(options);
        // A worker listens at no other address.
        if options.contains(&"worker") {
            command.args(["--admin-listen", "127.0.0.1:0"]);
        }
        self.place(&mut command);
        command.stdout(Stdio::null());
        Server::start(command, &self.folder)
    }

    /// Sets folder and database, and removes the caller's settings: the service refuses unknown ones.
    fn place(&self, command: &mut Command) {
        let settings = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CUTOVER_"));
        for (name, _) in settings {
            command.env_remove(name);
        }
        command.arg("--data-dir").arg(&self.folder);
        if let Some(url) = &self.database_url {
            command.args(["--database-url", url]);
        }
    }

    /// An access token.
    pub(crate) fn token(&self, server: &Server) -> Result<String, Error> {
        server.token(&self.api_key)
    }
}

/// Longest time for a server to start.
const COMES_UP: Duration = Duration::from_secs(30);
/// Number of servers started; it names their logs.
static STARTED: AtomicU32 = AtomicU32::new(0);
/// Placeholder until the address is known.
const NOWHERE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// Parses a server's address from a line of its log; of a worker, the address of health and metrics.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) =
        line.split_once("listening on http://").or(line.split_once("health and metrics on http://"))?;
    rest.split(|c: char| c == '"' || c.is_whitespace()).next()?.parse().ok()
}

impl Server {
    fn start(mut command: Command, folder: &Path) -> Result<Self, Error> {
        // Logs go to a file: a pipe would wake its reader for each request.
        let log = folder.join(format!("server-{}.log", STARTED.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        command.stderr(std::fs::File::create(&log).map_err(bench_error)?);
        let mut server = Self { child: command.spawn().map_err(bench_error)?, address: NOWHERE };
        let began = Instant::now();
        while began.elapsed() < COMES_UP && matches!(server.child.try_wait(), Ok(None)) {
            let logged = std::fs::read_to_string(&log).map_err(bench_error)?;
            if let Some(address) = logged.lines().find_map(listening) {
                server.address = address;
                return Ok(server);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(Error::Bench("the server did not come up".into()))
    }

    /// An access token for a key.
    pub(crate) fn token(&self, api_key: &str) -> Result<String, Error> {
        let query = format!(
            "{{\"query\": \"mutation {{ obtainToken(input: {{apiKey: \\\"{api_key}\\\"}}) {{ token }} }}\"}}"
        );
        let (_, body) = load::post(self.address, "/v1/graphql/", &query)?;
        let answer: Value = serde_json::from_str(&body).map_err(bench_error)?;
        let token = answer["data"]["obtainToken"]["token"].as_str();
        token.map(str::to_owned).ok_or_else(|| Error::Bench(format!("no token was given: {body}")))
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Peak memory in MB.
    pub(crate) fn peak_megabytes(&self) -> Option<u64> {
        Some(self.kilobytes("VmHWM")? / 1024)
    }

    /// Resets the peak and returns the current memory in KB.
    pub(crate) fn forget_peak(&self) -> Option<u64> {
        std::fs::write(format!("/proc/{}/clear_refs", self.pid()), "5").ok()?;
        self.resident_kilobytes()
    }

    /// Current memory in KB.
    pub(crate) fn resident_kilobytes(&self) -> Option<u64> {
        self.kilobytes("VmRSS")
    }

    /// Anonymous memory in KB, without the pages of the program's file.
    pub(crate) fn anonymous_kilobytes(&self) -> Option<u64> {
        self.kilobytes("RssAnon")
    }

    /// Number of bytes it has written to the disk so far.
    pub(crate) fn written_bytes(&self) -> Option<u64> {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.pid())).ok()?;
        io.lines().find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok())
    }

    /// Peak memory in KB since the start or the last reset.
    pub(crate) fn peak_kilobytes(&self) -> Option<u64> {
        self.kilobytes("VmHWM")
    }

    fn kilobytes(&self, what: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).ok()?;
        let line = status.lines().find(|line| line.starts_with(what))?;
        line.split_whitespace().nth(1)?.parse().ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data is not kept, so it need not end gracefully.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
