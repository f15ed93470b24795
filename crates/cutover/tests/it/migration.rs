//! A supplier's migration with `cutover-client`, from files to matching sums.
#![cfg(unix)]

use crate::harness::{Installation, Server, items, wait_for_count};
use crate::payloads::{fixture, small};
use cutover_app::fault::Point;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const ACCOUNTS: usize = 900;
/// One account in this number is faulty.
const FAULTY: usize = 33;

/// `cutover-client`, which is built before tests of the workspace run.
pub(crate) fn program() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_cutover")).with_file_name("cutover-client");
    assert!(path.exists(), "no {}: run the tests of the workspace, or build it first", path.display());
    path
}

/// A supplier with files of accounts.
pub(crate) struct Supplier<'h> {
    pub(crate) installation: &'h Installation,
    pub(crate) server: &'h Server,
    pub(crate) key: &'h str,
}

impl Supplier<'_> {
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.installation.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.env("CUTOVER_BASE_URL", format!("http://{}", self.server.address));
        command.env("CUTOVER_API_KEY", self.key).env("NO_PROXY", "*");
        command
    }

    /// The JSON and the exit code of a command.
    pub(crate) fn run(&self, arguments: &[&str]) -> (Value, Option<i32>) {
        let output = self.command(&[arguments, &["--json"]].concat()).output().unwrap();
        (json_of(&output), output.status.code())
    }

    /// Uploads the folder `exports`; returns the summary, the exit code and the notes.
    pub(crate) fn upload(&self) -> (Value, Option<i32>, String) {
        let output = self.command(&["upload", "exports", "--json"]).output().unwrap();
        let notes = String::from_utf8_lossy(&output.stderr).into_owned();
        (json_of(&output), output.status.code(), notes)
    }

    /// Number of answers in the journal.
    fn answered(&self) -> usize {
        let journal =
            std::fs::read(self.installation.path().join("exports.cutover-journal")).unwrap_or_default();
        journal.iter().filter(|byte| **byte == b'\n').count().saturating_sub(1)
    }
}

fn json_of(output: &Output) -> Value {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"))
}

/// Writes a file of small accounts into the folder `exports`.
pub(crate) fn export_small(folder: &Path, file: &str, numbers: std::ops::Range<usize>) {
    std::fs::create_dir_all(folder.join("exports")).unwrap();
    let lines: Vec<String> = numbers.map(|n| small(&format!("L-{n:03}")).to_string()).collect();
    std::fs::write(folder.join("exports").join(file), lines.join("\n")).unwrap();
}

/// Writes the accounts into two files, the second compressed; returns the sum of the valid ones in cents.
fn export(folder: &Path) -> usize {
    let (mut files, mut cents) = ([String::new(), String::new()], 0);
    for n in 0..ACCOUNTS {
        let number = format!("M-{n:04}");
        let mut account = small(&number);
        if n == 1 {
            // An account with meters and readings.
            let ledgers = account["ledgers"].take();
            account = fixture("electricity", &number);
            account["ledgers"] = ledgers;
            account.as_object_mut().unwrap().remove("transfer_balance");
        }
        let amount = n * 7_919 % 100_000;
        let text = format!("{}.{:02}", amount / 100, amount % 100);
        account["ledgers"][0]["ledger_balance"] = json!(text);
        account["ledgers"][0]["current_statement_transactions"][0]["amount"] = json!(text);
        cents += if n % FAULTY == 0 { 0 } else { amount };
        if n % FAULTY == 0 {
            account["customers"][0]["mobile"] = json!("nonsense");
        }
        writeln!(files[n % 2], "{account}").unwrap();
    }
    std::fs::create_dir(folder.join("exports")).unwrap();
    std::fs::write(folder.join("exports/a.ndjson"), &files[0]).unwrap();
    let packed = std::fs::File::create(folder.join("exports/b.ndjson.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, files[1].as_bytes()).unwrap();
    packed.finish().unwrap();
    cents
}

#[test]
fn a_killed_migration_resumes_and_its_sums_match() {
    let (installation, key) = Installation::with_supplier();
    // Nothing after this account is answered until the client is killed.
    let (server, held) = installation.serve_held_after(ACCOUNTS / 3, Point::Staged, &[]);
    let cents = export(installation.path());
    let supplier = Supplier { installation: &installation, server: &server, key: &key };
    let faulty = ACCOUNTS.div_ceil(FAULTY);
    let good = ACCOUNTS - faulty;

    let (found, code) = supplier.run(&["validate", "exports"]);
    assert_eq!((&found["valid"], &found["faulty"], code), (&good.into(), &faulty.into(), Some(1)), "{found}");

    let mut upload = supplier.command(&["upload", "exports", "--connections", "1"]).spawn().unwrap();
    wait_for_count("some are answered", faulty + 50, || supplier.answered());
    held.wait();
    upload.kill().unwrap();
    assert!(!upload.wait().unwrap().success());
    held.release();
    let answered = supplier.answered();
    assert!(answered < ACCOUNTS, "it was over before it was killed");

    let (sent, code) = supplier.run(&["upload", "exports"]);
    let there = sent["accepted"].as_u64().unwrap() + sent["already_there"].as_u64().unwrap();
    assert_eq!(
        (there as usize, &sent["refused"], &sent["faulty"]),
        (good, &0.into(), &faulty.into()),
        "{sent}"
    );
    assert_eq!((&sent["not_sent"], code), (&0.into(), Some(1)));
    let before = &sent["in_earlier_runs"];
    let before = before["accepted"].as_u64().unwrap() + before["already_there"].as_u64().unwrap();
    assert!(before > 50, "it starts from the beginning: {sent}");

    let (seen, code) = supplier.run(&["watch", "ACME", "--interval", "1"]);
    assert_eq!((&seen["counts"]["PROCESSED"], code), (&good.into(), Some(0)), "{seen}");

    let (report, code) = supplier.run(&["report", "ACME", "exports", "--report", "accounts.json"]);
    // The sums agree, but faulty accounts are not imported.
    assert_eq!((&report["agrees"], code), (&true.into(), Some(1)), "{report}");
    assert_eq!(report["sent"], report["imported"]);
    assert_eq!(report["sent"]["accounts"], good);
    assert_eq!(report["sent"]["ledger_balance"], format!("{}.{:02}", cents / 100, cents % 100));
    assert!(report["sent"]["readings"].as_u64().unwrap() > 0, "{report}");
    assert_eq!(report["not_imported"]["faulty"], faulty);

    // A row per account, and per fault.
    let rows = std::fs::read(installation.path().join("accounts.json")).unwrap();
    let rows: Value = serde_json::from_slice(&rows).unwrap();
    let of = |code: &str| items(&rows).iter().filter(|row| row["code"] == code).count();
    assert_eq!((of("imported"), of("invalid_phone_number")), (good, faulty));
    assert_eq!(installation.count("ACME", "PROCESSED"), good);
}
