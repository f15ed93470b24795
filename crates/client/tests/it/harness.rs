//! Runs the program in temporary folders with accounts made from the fixtures.

use crate::stub::{KEY, Stub};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// Time as of which the fixtures are checked.
pub(crate) const NOW: &str = "2026-11-21T02:00:00Z";

/// Temporary folder in which the program runs.
pub(crate) struct Sandbox(tempfile::TempDir);

/// Exit code and output of a run.
pub(crate) struct RunResult {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and creates its folders.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Rows of a JSON report.
    pub(crate) fn rows(&self, name: &str) -> Vec<Value> {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Command that runs the program with these arguments in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cutover-client"));
        command.args(arguments).current_dir(self.0.path());
        // Settings of this machine for the program or its network must not affect the tests.
        let ours = |name: &str| name.starts_with("CUTOVER_") || name.to_uppercase().ends_with("_PROXY");
        std::env::vars().filter(|(name, _)| ours(name)).for_each(|(name, _)| {
            command.env_remove(name);
        });
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> RunResult {
        self.command(arguments).output().unwrap().into()
    }

    /// Command that runs the program with these arguments, a service and its key.
    pub(crate) fn command_for(&self, stub: &Stub, arguments: &[&str]) -> Command {
        let mut command = self.command(arguments);
        command.env("CUTOVER_API_KEY", KEY).env("CUTOVER_BASE_URL", stub.url());
        command
    }

    pub(crate) fn run_with(&self, stub: &Stub, arguments: &[&str]) -> RunResult {
        self.command_for(stub, arguments).output().unwrap().into()
    }

    /// Runs a shell command in the folder.
    #[cfg(unix)]
    pub(crate) fn shell(&self, line: &str) -> RunResult {
        Command::new("sh").args(["-c", line]).current_dir(self.0.path()).output().unwrap().into()
    }

    /// Runs `validate` as of the time of the fixtures.
    pub(crate) fn validate(&self, arguments: &[&str]) -> RunResult {
        self.run(&[&["validate", "--now", NOW], arguments].concat())
    }

    /// Runs `validate` with this standard input.
    pub(crate) fn validate_input(&self, input: &[u8], arguments: &[&str]) -> RunResult {
        let mut child = self.start(&[&["validate", "--now", NOW], arguments].concat());
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// Starts the program with an open standard input.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdin(Stdio::piped()).spawn().unwrap()
    }
}

impl From<Output> for RunResult {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl RunResult {
    /// The summary of `--json`.
    pub(crate) fn summary(&self) -> Value {
        serde_json::from_str(&self.out).unwrap()
    }

    /// The summary for people, without the line about the time.
    pub(crate) fn text(&self) -> String {
        let (time, rest): (Vec<&str>, Vec<&str>) =
            self.out.lines().partition(|line| line.starts_with("Time  "));
        assert_eq!(time.len(), 1, "{}", self.out);
        assert!(
            time[0].contains(" s, ")
                && (time[0].ends_with(" accounts a second")
                    || time[0].ends_with(" requests a second")
                    || time[0].ends_with(" documents a second")),
            "{}",
            time[0]
        );
        rest.join("\n")
    }

    /// Numbers of accounts and of faulty accounts.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let summary = self.summary();
        (summary["accounts"].as_u64().unwrap(), summary["faulty"].as_u64().unwrap())
    }
}

/// A fixture in one line.
pub(crate) fn line(fixture: &str) -> Vec<u8> {
    let value: Value = serde_json::from_slice(&fixture_text(fixture)).unwrap();
    serde_json::to_vec(&value).unwrap()
}

/// A fixture as it is in its file.
pub(crate) fn fixture_text(fixture: &str) -> Vec<u8> {
    std::fs::read(fixtures().join(format!("{fixture}.json"))).unwrap()
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts")
}

/// The names of the fixtures of one kind, without the extension.
pub(crate) fn names(kind: &str) -> Vec<String> {
    let entries = std::fs::read_dir(fixtures().join(kind)).unwrap();
    let name = |entry: std::fs::DirEntry| entry.path().file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

/// Fixtures, one per line.
pub(crate) fn ndjson(fixtures: &[&str]) -> Vec<u8> {
    let mut lines = fixtures.iter().map(|name| line(name)).collect::<Vec<_>>().join(&b'\n');
    lines.push(b'\n');
    lines
}

/// A valid account with this number.
pub(crate) fn account(number: &str) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(&fixture_text("valid/unmetered_gas")).unwrap();
    value["external_account_number"] = number.into();
    // Two accounts with one meter point would be a warning.
    value["supply_addresses"][0]["meter_points"][0]["mpxn"] = format!("UNMG-{}", number.trim()).into();
    serde_json::to_vec(&value).unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}
