//! The test environment: data folder, commands, server, client, payment vendor. Servers are stopped on drop.

mod cgroup;
mod client;
mod database;
mod failover_client;
mod fleet;
mod points;
mod server;
mod small_disk;
mod v1;
mod vendor;
mod withholding;

pub(crate) use cgroup::Cgroup;
pub(crate) use client::{Answer, Client};
pub(crate) use failover_client::{FailoverClient, LostRequest};
pub(crate) use fleet::{Fleet, Node};
pub(crate) use server::{NO_ADDRESS, Server};
pub(crate) use v1::*;
pub(crate) use vendor::{Action, ReceivedRequest, Vendor, answer};
pub(crate) use withholding::Withholding;

pub(crate) use cutover_testkit_machine::{STALLED, wait_for, wait_for_count, wait_until};

use cutover_testkit_postgres::{TemplateCopy, TestDatabase, server};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

pub(crate) const ACCOUNTS: &str = "/v2/data-import/accounts/";
pub(crate) const VALIDATE: &str = "/v2/data-import/accounts/validate/";
pub(crate) const GRAPHQL: &str = "/v1/graphql/";
/// Lets requests wait longer for a connection to the database than a client should: on a slow machine many threads
/// share it. Options of a test go first.
pub(crate) const POOL_TIMEOUT: (&str, &str) = ("CUTOVER_DATABASE_POOL_TIMEOUT", "60s");

/// Tells the threads of a scope to stop once it is dropped, also if the test panics: the scope waits for them.
pub(crate) struct StopOnDrop<'a>(pub(crate) &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The items of a JSON array.
pub(crate) fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

/// The current date in UTC by the clock of the server under test.
#[expect(clippy::disallowed_methods, reason = "the server under test has the system's clock")]
pub(crate) fn today() -> String {
    chrono::Utc::now().date_naive().to_string()
}

/// A data folder, with a database in it or on PostgreSQL.
pub(crate) struct Installation {
    folder: TempDir,
    database: Option<TemplateCopy>,
    /// Environment variables of its commands and servers.
    variables: Vec<(String, String)>,
    /// A prefix of its command lines.
    command_prefix: Vec<String>,
}

impl Installation {
    /// Creates an installation with an empty database of the kind that this run tests.
    pub(crate) fn new() -> Self {
        Self::with(database::of_run())
    }

    /// Creates an installation on SQLite, whatever this run tests.
    pub(crate) fn on_sqlite() -> Self {
        Self::with(None)
    }

    /// Creates an installation on PostgreSQL, whatever this run tests; `None` without a server.
    pub(crate) fn on_postgres() -> Option<Self> {
        Some(Self::with(Some(database::on_server(server()?))))
    }

    /// Creates an installation on an existing database.
    pub(crate) fn with_database_url(url: &str) -> Self {
        let mut installation = Self::with(None);
        installation.set_variable("CUTOVER_DATABASE_URL", url);
        installation
    }

    fn with(database: Option<TemplateCopy>) -> Self {
        let url = |it: &TemplateCopy| it.running_url().unwrap();
        let variables = database.iter().map(|it| ("CUTOVER_DATABASE_URL".to_owned(), url(it)));
        Self {
            folder: TempDir::new().unwrap(),
            variables: variables.collect(),
            database,
            command_prefix: Vec::new(),
        }
    }

    /// Creates an installation with the organisation `Acme`, the supplier `ACME` and a key of it.
    pub(crate) fn with_supplier() -> (Self, String) {
        if let Some((database, key)) = database::of_run_with_supplier() {
            return (Self::with(Some(database)), key);
        }
        let installation = Self::on_sqlite();
        let key = database::write_sqlite_with_supplier(installation.path());
        (installation, key)
    }

    /// Releases the imports of `ACME`; by force on PostgreSQL, because the server of the tests brings nothing to its disk, which
    /// readiness stops a release for.
    pub(crate) fn release(&self, options: &[&str]) -> Value {
        let forced: &[&str] = if self.database.is_some() { &["--force", "--because", "a test"] } else { &[] };
        self.run_json(&self.releasing(&[options, forced].concat()))
    }

    /// Returns the command that releases the hold that `ACME` has now.
    pub(crate) fn releasing(&self, options: &[&str]) -> Vec<String> {
        let hold = &self.run_json(&["supplier", "show", "ACME"])["hold"];
        let last = hold["also"].as_array().and_then(|also| also.last()).unwrap_or(hold);
        let since = last["since"].as_str().map(|since| ["--held-since".to_owned(), since.to_owned()]);
        let command = ["supplier", "release", "ACME"].iter().chain(options).map(|&word| word.to_owned());
        command.chain(since.into_iter().flatten()).collect()
    }

    /// Changes the settings that `ACME` has now.
    pub(crate) fn set(&self, options: &[&str]) -> Value {
        let revision = self.run_json(&["supplier", "show", "ACME"])["revision"].to_string();
        self.run_json(&[&["supplier", "set", "ACME", "--revision", &revision], options].concat())
    }

    /// Adds the organisation `Acme` and the supplier `ACME`; returns a key.
    pub(crate) fn add_supplier(&self) -> String {
        self.run_json(&["organisation", "add", "Acme"]);
        self.run_json(&["supplier", "add", "ACME", "--organisation", "Acme"]);
        self.key("Acme")
    }

    /// Creates an installation with a supplier, a server and a client.
    pub(crate) fn serving() -> (Self, Server, Client) {
        let (installation, key) = Self::with_supplier();
        let server = installation.serve();
        let client = server.client(&key);
        (installation, server, client)
    }

    /// Creates the same with imported accounts.
    pub(crate) fn with_accounts(accounts: &[Value]) -> (Self, Server, Client) {
        let (installation, server, client) = Self::serving();
        client.import(accounts);
        (installation, server, client)
    }

    /// Adds a payment vendor, with more options if given.
    pub(crate) fn add_vendor(&self, name: &str, kind: &str, base_url: &str, options: &[&str]) -> Value {
        let add = ["vendor", "add", name, "--kind", kind, "--base-url", base_url];
        self.run_json(&[&add[..], options].concat())
    }

    /// Sets an environment variable of later programs.
    pub(crate) fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.push((name.to_owned(), value.to_owned()));
    }

    /// Runs a statement with `psql` on PostgreSQL.
    pub(crate) fn sql(&self, statement: &str) -> String {
        self.test_database().sql(statement).unwrap()
    }

    /// The database on PostgreSQL.
    pub(crate) fn test_database(&self) -> &TestDatabase {
        self.database.as_ref().unwrap()
    }

    /// The folder of a supplier's documents in the default storage.
    pub(crate) fn documents(&self, supplier: &str) -> PathBuf {
        self.path().join("documents").join(supplier)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Issues a key of an organisation.
    pub(crate) fn key(&self, organisation: &str) -> String {
        text(&self.run_json(&["api-key", "issue", "--organisation", organisation])["api_key"])
    }

    /// Returns a command of this installation, not yet run.
    pub(crate) fn program(&self, args: &[&str]) -> Command {
        let words = self.command_prefix.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_cutover")]);
        let words: Vec<&str> = words.collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        std::env::vars_os().filter(|(name, _)| affects_program(name)).for_each(|(name, _)| {
            command.env_remove(name);
        });
        command.envs(self.variables.iter().cloned());
        command.args(args).arg("--data-dir").arg(self.path()).stdin(Stdio::null());
        command
    }

    /// Runs a command.
    pub(crate) fn run(&self, args: &[impl AsRef<str>]) -> Output {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        self.program(&args).output().unwrap()
    }

    /// Runs a command that must succeed; returns its JSON with sorted members.
    pub(crate) fn run_json(&self, args: &[impl AsRef<str>]) -> Value {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).chain(["--json"]).collect();
        let output = self.run(&args);
        let (stdout, stderr) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args:?}: {stderr}");
        let mut json: Value =
            serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {stdout}"));
        json.sort_all_objects();
        json
    }

    /// The failed checks of the doctor, except for the disks of test servers, which need not survive a crash
    /// of the machine.
    pub(crate) fn failed_checks(&self) -> Vec<String> {
        let output = self.run(&["doctor", "--json"]);
        let diagnosis: Value = serde_json::from_slice(&output.stdout).unwrap();
        let checks = items(&diagnosis["checks"]).iter();
        let failed = checks.filter(|c| c["result"] == "fail" && c["check"] != "durability");
        failed.map(Value::to_string).collect()
    }

    /// Runs a command that must fail with exit code 1 and one line; returns the line.
    pub(crate) fn run_refused(&self, args: &[impl AsRef<str>]) -> String {
        let args: Vec<&str> = args.iter().map(AsRef::as_ref).collect();
        let output = self.run(&args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {stderr}");
        assert_eq!(stderr.trim_end().lines().count(), 1, "{args:?}: {stderr}");
        assert!(output.stdout.is_empty(), "{args:?}");
        stderr.trim_end().to_owned()
    }

    /// Starts a server on a free port.
    pub(crate) fn serve(&self) -> Server {
        self.serve_with(&[])
    }

    /// Starts a server with options.
    pub(crate) fn serve_with(&self, options: &[&str]) -> Server {
        Server::start(self.server(options).spawn().unwrap())
    }

    /// Starts a server whose database is down.
    pub(crate) fn serve_waiting(&self, options: &[&str]) -> Server {
        Server::start_waiting(self.server(options).spawn().unwrap())
    }

    /// Returns true on PostgreSQL.
    pub(crate) fn is_on_postgres(&self) -> bool {
        self.database.is_some()
    }

    fn server(&self, options: &[&str]) -> Command {
        let mut command = self.program(&["serve", "--log-format", "json"]);
        command.args(options).stdout(Stdio::null()).stderr(Stdio::piped());
        command.env(POOL_TIMEOUT.0, POOL_TIMEOUT.1);
        if !options.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        // A worker has no other address.
        if options.contains(&"worker") && !options.contains(&"--admin-listen") {
            command.args(["--admin-listen", "127.0.0.1:0"]);
        }
        command
    }

    /// The URL of the database on PostgreSQL.
    fn server_url(&self) -> Option<&str> {
        self.database.as_ref().map(|it| it.url())
    }

    /// The output of `process show`.
    pub(crate) fn show(&self, number: &str) -> Value {
        self.show_of("ACME", number)
    }

    /// The output of `process show` for another supplier.
    pub(crate) fn show_of(&self, supplier: &str, number: &str) -> Value {
        self.run_json(&["process", "show", supplier, number])
    }

    /// The imported account with later additions.
    pub(crate) fn account(&self, number: &str) -> Value {
        let account = self.show(number)["account"].take();
        assert!(account.is_object(), "{number} is not imported");
        account
    }

    /// The events of the history of a process, oldest first.
    pub(crate) fn history(&self, supplier: &str, number: &str) -> Vec<String> {
        let shown = self.show_of(supplier, number);
        items(&shown["history"]).iter().map(|entry| text(&entry["event"])).collect()
    }

    /// Number of a supplier's processes in a state.
    pub(crate) fn count(&self, supplier: &str, state: &str) -> usize {
        items(&self.run_json(&["process", "list", supplier, "--status", state])).len()
    }
}

/// Returns true for variables that affect the program: its own, and those of cloud libraries, libpq and
/// proxies.
pub(crate) fn affects_program(name: &OsString) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    ["CUTOVER_", "AWS_", "PG"].iter().any(|prefix| name.starts_with(prefix)) || name.ends_with("_PROXY")
}
