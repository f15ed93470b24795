//! A shell in a temporary folder that runs one command after another.

use super::ROOT;
use crate::harness::{affects_program, wait_until};
use cutover_testkit_machine::{ReservedPort, receive};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Once;
use std::sync::mpsc::{Receiver, channel};
use tempfile::TempDir;

/// The address of the server in pages.
const SHOWN: [&str; 2] = ["127.0.0.1:8080", "localhost:8080"];
/// Programs that pages may use in addition to ours.
const HELPERS: [&str; 2] = ["curl", "jq"];

pub(super) struct Session {
    folder: TempDir,
    shell: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    port: ReservedPort,
}

impl Session {
    /// Starts a session and runs a script in it. Returns `None` without `curl` or `jq`: the test then passes,
    /// and `cargo xtask test` reports it.
    pub(super) fn begin(before: &str) -> Option<Self> {
        if !are_there(&HELPERS) {
            return None;
        }
        let folder = TempDir::new().unwrap();
        furnish(folder.path());
        let port = ReservedPort::new().unwrap();
        let mut shell = shell(folder.path(), port.address());
        let (input, output) = (shell.stdin.take().unwrap(), shell.stdout.take().unwrap());
        let (answer, answers) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines.map(|line| answer.send(line)).all(|sent| sent.is_ok())
        });
        let mut session = Self { folder, shell, input, answers, port };
        // The channel for exit codes: no command writes to it.
        writeln!(session.input, "exec 9>&1").unwrap();
        let (code, printed) = session.run_as_is(&format!("set -e\n{before}\nset +e"));
        assert_eq!(code, 0, "{before}\n{printed}");
        Some(session)
    }

    /// Runs a command; returns its exit code and its output.
    pub(super) fn run(&mut self, command: &str) -> (i32, String) {
        if !command.starts_with("cutover serve") {
            return self.run_as_is(command);
        }
        let ran = self.run_as_is(&format!("{} > server.log 2>&1 &", command.trim_end_matches(['&', ' '])));
        wait_until("the page's server listens", || TcpStream::connect(self.port.address()).is_ok());
        ran
    }

    fn run_as_is(&mut self, command: &str) -> (i32, String) {
        let address = self.port.address().to_string();
        let command =
            SHOWN.iter().fold(command.to_owned(), |command, shown| command.replace(shown, &address));
        let printed = self.folder.path().join(".printed");
        // Not a subshell, so that variables stay. The exit code has its own channel.
        writeln!(self.input, "{{\n{command}\n}} > .printed 2>&1 < /dev/null\necho $? >&9").unwrap();
        let code = receive(&command, &self.answers);
        let text = String::from_utf8_lossy(&std::fs::read(printed).unwrap_or_default()).into_owned();
        (code.parse().unwrap(), text)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Including its servers.
        let group = format!("-{}", self.shell.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.shell.wait();
    }
}

/// True if this machine has these programs.
pub(super) fn are_there(programs: &[&str]) -> bool {
    programs.iter().all(|program| Command::new(program).arg("--version").output().is_ok())
}

fn shell(folder: &Path, address: SocketAddr) -> Child {
    let mut command = Command::new("sh");
    std::env::vars_os().filter(|(name, _)| affects_program(name)).for_each(|(name, _)| {
        command.env_remove(name);
    });
    command.env("PATH", path()).env("CUTOVER_LISTEN", address.to_string());
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
    command.spawn().unwrap()
}

/// The search path, with the programs under test first.
fn path() -> String {
    let usual = std::env::var("PATH").unwrap();
    format!("{}:{usual}", programs().to_str().unwrap())
}

/// The folder of the programs under test. `cutover-client` belongs to another package and is built with it.
fn programs() -> PathBuf {
    static BUILT: Once = Once::new();
    let folder = Path::new(env!("CARGO_BIN_EXE_cutover")).parent().unwrap();
    BUILT.call_once(|| {
        if !folder.join("cutover-client").exists() {
            let cargo = std::env::var_os("CARGO").unwrap();
            assert!(Command::new(cargo).args(["build", "-p", "cutover-client"]).status().unwrap().success());
        }
    });
    folder.to_owned()
}

/// The files in the folder of every session.
fn furnish(folder: &Path) {
    for name in ["fixtures", "examples"] {
        std::os::unix::fs::symlink(Path::new(ROOT).join(name), folder.join(name)).unwrap();
    }
    let fixtures = folder.join("fixtures");
    let exports = folder.join("exports");
    std::fs::create_dir(&exports).unwrap();
    for (to, from) in [("1", "valid/electricity"), ("2", "faulty/PIN-01-same-type-twice")] {
        let account = std::fs::read(fixtures.join(format!("accounts/{from}.json"))).unwrap();
        let line: serde_json::Value = serde_json::from_slice(&account).unwrap();
        std::fs::write(exports.join(format!("{to}.ndjson")), format!("{line}\n")).unwrap();
    }
}
