//! A whole migration with `cutover-client` alone, interrupted at every stage that takes several requests: documents, businesses
//! and everything that is added to accounts.
#![cfg(unix)]

use crate::harness::{
    Action, Installation, Server, Vendor, Withholding, adding, business, business_instruction, instruction,
    wait_until,
};
use crate::migration::{Supplier, program};
use crate::payloads::small;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Number of accounts, and of requests of each kind.
const MANY: usize = 24;
/// Answers after which each run is interrupted: two runs of a stage, the third one ends.
const ANSWERS: [usize; 2] = [9, 7];

/// How a run is interrupted.
#[derive(Clone, Copy)]
enum How {
    CtrlC,
    Kill,
}

/// The files of the supplier; the accounts belong to contracts of the businesses, and the notes name documents.
fn write_files(folder: &Path) {
    let lines = |name: &str, of: &dyn Fn(usize) -> Value| {
        let lines: Vec<String> = (0..MANY).map(|n| of(n).to_string()).collect();
        fs::write(folder.join(name), lines.join("\n")).unwrap();
    };
    fs::create_dir(folder.join("exports")).unwrap();
    for n in 0..MANY {
        crate::documents::put(&folder.join("papers"), &call(n), format!("Call {n}.").as_bytes());
    }
    lines("businesses.ndjson", &|n| business(&format!("B-{n}"), &[&format!("C-{n}")]));
    lines("exports/accounts.ndjson", &|n| {
        let mut account = small(&format!("W-{n}"));
        account["business"] = json!({"business_contract_identifier": format!("C-{n}")});
        account
    });
    let number = |n: usize| format!("W-{n}");
    lines("notes.ndjson", &|n| {
        adding(
            &number(n),
            "notes",
            json!([{"body": format!("Called about {n}."),
        "document_paths": [{"document_path": call(n)}]}]),
        )
    });
    lines("transactions.ndjson", &|n| {
        let transaction = json!({"transaction_id": format!("A-{n}"), "transaction_date": "2026-10-02",
            "amount": "0.10", "type": "CREDIT"});
        adding(&number(n), "transactions", json!([transaction]))
    });
    lines("statements.ndjson", &|n| {
        let statement = json!({"bill_period_from_date": "2025-01-01", "bill_period_to_date": "2025-03-31",
            "statement_id": format!("Q-{n}")});
        adding(&number(n), "statements", json!([statement]))
    });
    lines("instructions.ndjson", &|n| match n % 2 {
        0 => instruction(&number(n), "PAY", "CARD", &format!("R-{n}")),
        _ => business_instruction(&format!("B-{n}"), "PAY", "CARD", &format!("R-{n}")),
    });
}

/// The path of a document that a note names.
fn call(n: usize) -> String {
    format!("calls/{n}.txt")
}

/// The supplier's computer, behind a proxy that withholds answers.
struct Computer<'h> {
    supplier: Supplier<'h>,
    proxy: Withholding,
}

impl<'h> Computer<'h> {
    fn new(installation: &'h Installation, server: &'h Server, key: &'h str) -> Self {
        Self { supplier: Supplier { installation, server, key }, proxy: Withholding::before(server.address) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.supplier.command(arguments);
        command.env("CUTOVER_BASE_URL", format!("http://{}", self.proxy.address));
        command
    }

    /// Runs a command, interrupted twice; returns what the last run printed, and its exit code.
    fn run_interrupted(&self, arguments: &[&str]) -> (Value, Option<i32>) {
        for (answers, how) in ANSWERS.into_iter().zip([How::Kill, How::CtrlC]) {
            self.proxy.pass(answers);
            let one = [arguments, &["--connections", "1"]].concat();
            let mut child = self.command(&one).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            wait_until("an answer is withheld", || self.proxy.is_withheld());
            assert!(child.try_wait().unwrap().is_none(), "it ended without the answer");
            match how {
                How::Kill => child.kill().unwrap(),
                // The second signal ends it at once; two at the same time are one.
                How::CtrlC => wait_until("it ends", || {
                    let pid = child.id().to_string();
                    Command::new("kill").args(["-INT", &pid]).stderr(Stdio::null()).status().unwrap();
                    child.try_wait().unwrap().is_some()
                }),
            }
            let expected = match how {
                How::Kill => None,
                How::CtrlC => Some(130),
            };
            assert_eq!(child.wait().unwrap().code(), expected);
        }
        self.proxy.pass(usize::MAX);
        self.supplier.run(arguments)
    }
}

#[test]
fn everything_is_there_once_however_often_it_was_interrupted() {
    assert!(program().exists());
    let vendor = Vendor::start(|asked| {
        let reference = asked.path.rsplit('/').next().unwrap();
        Action::Json(200, json!({"reference": reference, "type": "CARD"}))
    });
    let (installation, key) = Installation::with_supplier();
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    let server = installation.serve();
    write_files(installation.path());
    let computer = Computer::new(&installation, &server, &key);
    let stage = |arguments: &[&str]| {
        let (summary, code) = computer.run_interrupted(arguments);
        let of = |of: &Value| ["accepted", "already_there"].map(|name| of[name].as_u64().unwrap());
        let stored = of(&summary).iter().chain(&of(&summary["in_earlier_runs"])).sum::<u64>();
        // What the service has is sent again where an interrupted run does not tell that it has.
        assert!(stored >= MANY as u64 && code == Some(0), "{arguments:?}: {summary}");
        assert!(of(&summary["in_earlier_runs"])[0] > 0, "nothing of the earlier runs is known: {summary}");
    };

    stage(&["documents", "upload", "papers", "--supplier", "ACME"]);
    for n in 0..MANY {
        let stored = fs::read(installation.documents("ACME").join(call(n))).unwrap();
        assert_eq!(stored, format!("Call {n}.").as_bytes());
    }
    stage(&["send", "businesses", "businesses.ndjson"]);
    let run = |arguments: &[&str]| computer.supplier.run(arguments);
    // One request takes all of them; `migration` interrupts such a run.
    assert_eq!(run(&["upload", "exports"]).1, Some(0));
    assert_eq!(run(&["watch", "ACME", "--interval", "1"]).1, Some(0));
    // Before anything is added, which the report would name.
    let (report, code) = run(&["report", "ACME", "exports"]);
    assert_eq!((&report["sent"]["accounts"], code), (&json!(MANY), Some(0)), "{report}");
    let kinds = [
        ("notes", "notes"),
        ("transactions", "transactions"),
        ("historical-statements", "statements"),
        ("payment-instructions", "instructions"),
    ];
    for (kind, file) in kinds {
        stage(&["send", kind, &format!("{file}.ndjson")]);
    }

    assert_eq!(run(&["certificate", "ACME", "--out", "evidence", "--issue"]).1, Some(0));
    let keys = installation.run_json(&["certificate-key", "show"]);
    fs::write(installation.path().join("key.json"), keys.to_string()).unwrap();
    let verify = |kinds: &[(&str, &str)]| {
        let mut arguments: Vec<String> = ["verify", "evidence/certificate.json", "exports", "--leaves"]
            .into_iter()
            .chain(["evidence/leaves.ndjson", "--public-key", "key.json"])
            .map(str::to_owned)
            .collect();
        for (_, file) in kinds {
            arguments.extend(["--additions".to_owned(), format!("{file}.ndjson.cutover-journal")]);
        }
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (verified, code) = verify(&kinds);
    assert_eq!((&verified["agrees"], code), (&json!(true), Some(0)), "{verified}");
    // Without one of the journals, what it has is missing.
    let (verified, code) = verify(&kinds[1..]);
    assert_eq!((&verified["agrees"], code), (&json!(false), Some(1)), "{verified}");
    let stored = installation.account("W-0");
    let counts = ["notes", "historical_statements", "verified_payment_instructions"];
    assert_eq!(counts.map(|name| stored[name].as_array().map(Vec::len)), [Some(1); 3], "{stored}");
}
