use crate::error::Error;
use crate::{Args, cpu, load, program};
use cutover_bench::accounts::SUPPLIER;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A data folder with an organisation, a key and the supplier of the accounts.
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

impl Installation {
    /// A new installation, on SQLite unless there is the URL of an empty database.
    pub(crate) fn new(args: &Args, database_url: Option<String>) -> Result<Self, Error> {
        program::require("curl", "curl")?;
        let (program, folder) = (args.program()?, program::folder().join("data"));
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(Error::file("remove", &folder))?;
        }
        let mut installation = Self { folder, program, database_url, api_key: String::new() };
        installation.command(&["migrate"])?;
        installation.command(&["organisation", "add", "Bench"])?;
        installation.command(&["supplier", "add", SUPPLIER, "--organisation", "Bench"])?;
        let issued = installation.command(&["api-key", "issue", "--organisation", "Bench"])?;
        installation.api_key = issued["api_key"].as_str().unwrap_or_default().to_owned();
        Ok(installation)
    }

    /// Runs an operator command and returns its JSON.
    fn command(&self, args: &[&str]) -> Result<Value, Error> {
        let mut command = program::command(&self.program);
        command.args(args).arg("--json");
        self.place(&mut command);
        serde_json::from_str(&program::output(command)?).map_err(Error::of)
    }

    /// The file of its database on SQLite.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("cutover.db")
    }

    /// Starts the server without a limit of requests.
    pub(crate) fn serve(&self, options: &[&str]) -> Result<Server, Error> {
        self.start(program::command(&self.program), options)
    }

    /// Starts the server on the first core.
    pub(crate) fn serve_on_first_core(&self, options: &[&str]) -> Result<Server, Error> {
        self.start(program::on_first_core(&self.program), options)
    }

    fn start(&self, mut command: Command, options: &[&str]) -> Result<Server, Error> {
        command.args(["serve", "--listen", "127.0.0.1:0", "--rate-limit", "0"]).args(options);
        self.place(&mut command);
        Server::start(command, &self.folder)
    }

    /// Sets folder and database, and removes the caller's settings.
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
        let query =
            format!("mutation {{ obtainToken(input: {{apiKey: \"{}\"}}) {{ token }} }}", self.api_key);
        let body = serde_json::json!({"query": query}).to_string();
        let mut command = load::curl(server.address, "/v1/graphql/", None);
        command.args(["--header", "Content-Type: application/json", "--data-binary", &body]);
        let answer: Value = serde_json::from_str(&program::output(command)?).map_err(Error::of)?;
        let token = answer["data"]["obtainToken"]["token"].as_str();
        token.map(str::to_owned).ok_or_else(|| Error::Bench(format!("no token was given: {answer}")))
    }
}

/// Longest time for a server to start.
const COMES_UP: Duration = Duration::from_secs(30);
/// Number of servers started; it names their logs.
static STARTED: AtomicU32 = AtomicU32::new(0);

impl Server {
    /// Starts a server that logs its address, with its log in a folder.
    pub(crate) fn start(mut command: Command, folder: &Path) -> Result<Self, Error> {
        // Logs go to a file: a pipe would wake its reader for each request.
        let log = folder.join(format!("server-{}.log", STARTED.fetch_add(1, Ordering::Relaxed)));
        std::fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        let file = std::fs::File::create(&log).map_err(Error::file("create", &log))?;
        command.stdin(Stdio::null()).stderr(file.try_clone().map_err(Error::of)?).stdout(file);
        let child = command.spawn().map_err(|source| program::start_error(&command, source))?;
        let mut server = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let began = Instant::now();
        while began.elapsed() < COMES_UP && matches!(server.child.try_wait(), Ok(None)) {
            let logged = std::fs::read_to_string(&log).map_err(Error::file("read", &log))?;
            if let Some(address) = logged.lines().find_map(listening) {
                server.address = address;
                return Ok(server);
            }
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Err(Error::Bench(format!("a server did not come up: see {}", log.display())))
    }

    /// CPU seconds of its processes so far.
    pub(crate) fn cpu(&self) -> f64 {
        cpu::of_family(self.child.id())
    }

    /// Current memory in MB.
    pub(crate) fn memory(&self) -> Result<f64, Error> {
        self.megabytes("VmRSS")
    }

    /// Peak memory in MB since the start or since [`Server::forget_peak`].
    pub(crate) fn peak_memory(&self) -> Result<f64, Error> {
        self.megabytes("VmHWM")
    }

    /// The peak becomes the current memory.
    pub(crate) fn forget_peak(&self) -> Result<(), Error> {
        let file = PathBuf::from(format!("/proc/{}/clear_refs", self.child.id()));
        std::fs::write(&file, "5").map_err(Error::file("write", &file))
    }

    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    fn megabytes(&self, what: &str) -> Result<f64, Error> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with(what));
        let kilobytes: Option<f64> = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        kilobytes.map(|kb| kb / 1024.0).ok_or_else(|| Error::Bench(format!("a server has no {what}")))
    }

    /// Number of bytes that it has written to the disk.
    pub(crate) fn written_bytes(&self) -> Result<f64, Error> {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        let bytes = io.lines().find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok());
        bytes.ok_or_else(|| Error::Bench("cannot read the number of bytes that a server wrote".into()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A peer ends its workers if it is asked to. What a server of ours has written is not kept.
        let mut ask = program::command("kill");
        ask.arg(self.child.id().to_string());
        let _ = ask.status();
        let _ = self.child.wait();
    }
}

/// The address in a line of a log.
fn listening(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://127.0.0.1:")?;
    let port = rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()?;
    Some(SocketAddr::from(([127, 0, 0, 1], port)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_read_from_the_logs_of_all_servers() {
        let port = |line| listening(line).map(|address| address.port());
        assert_eq!(port("[2026-11-26] [INFO] Listening at: http://127.0.0.1:41231 (7)"), Some(41_231));
        assert_eq!(
            port("INFO:     Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)"),
            Some(8_000)
        );
        assert_eq!(port(r#"{"message":"listening on http://127.0.0.1:80"}"#), Some(80));
        assert_eq!(port("starting"), None);
    }
}
