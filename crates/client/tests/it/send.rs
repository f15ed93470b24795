//! `send`, with the faults that `upload` has to bear as well.

use crate::harness::{NOW, RunResult, Sandbox};
use crate::stub::{Behavior, Stub};
use crate::upload::figures;
use serde_json::{Value, json};
use std::path::Path;

const SEND: [&str; 3] = ["send", "--now", NOW];

pub(crate) fn send(sandbox: &Sandbox, stub: &Stub, arguments: &[&str]) -> RunResult {
    sandbox.run_with(stub, &[&SEND[..], &["--json", "--patience", "120"], arguments].concat())
}

/// A valid request of the fixtures, in one line.
pub(crate) fn fixture(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    serde_json::from_slice(&std::fs::read(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

fn note(number: &str, body: &str) -> String {
    let notes = json!([{"body": body}]);
    json!({"import_supplier": "ACME", "external_account_number": number, "notes": notes}).to_string()
}

/// A sandbox with this many requests for notes in `a.ndjson`.
fn notes(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..count).map(|n| note(&format!("N-{n:04}"), "Hello")).collect();
    sandbox.write("a.ndjson", lines.join("\n"));
    sandbox
}

fn journal(sandbox: &Sandbox) -> Vec<Value> {
    let text = sandbox.read("a.ndjson.cutover-journal");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The lines after the first one in order: answers arrive when they do.
fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].sort_unstable();
    lines.join("\n")
}

#[test]
fn each_kind_goes_to_its_endpoint_as_it_is() {
    for (what, name, path) in [
        ("businesses", "businesses/valid/cold_storage", "business/"),
        ("notes", "notes/valid/calls", "notes/create/"),
        ("transactions", "transactions/valid/november", "transactions/create/"),
        ("historical-statements", "statements/valid/year", "historical-statements/create/"),
        ("payment-instructions", "payment_instructions/valid/card", "payment-instruction/create/"),
        (
            "payment-instructions",
            "business_payment_instructions/valid/two_accounts",
            "business-payment-instruction/create/",
        ),
    ] {
        let (sandbox, stub, body) = (Sandbox::new(), Stub::start(), fixture(name));
        sandbox.write("a.json", format!("[{body:#}]"));
        let ran = send(&sandbox, &stub, &[what, "a.json"]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{name}: {}", ran.out);
        assert_eq!(figures(&ran, ["requests", "accepted", "faulty", "not_sent"]), [1, 1, 0, 0]);
        assert_eq!(stub.state().sent, [(path.to_owned(), body)]);
        // Another run has nothing to do.
        let again = send(&sandbox, &stub, &[what, "a.json"]);
        assert_eq!((again.code, again.summary()["in_earlier_runs"]["accepted"].as_u64()), (Some(0), Some(1)));
        assert_eq!(stub.state().sent.len(), 1);
    }
}

#[test]
fn outcomes_are_shown_to_people() {
    let (sandbox, stub) = (notes(2), Stub::start());
    let more = [
        note("N-0000", "Hello"),
        note("N-0000", "Another"),
        note("STAGED", "x"),
        note("NONE", "x"),
        json!({"import_supplier": "ACME", "external_account_number": "F-1", "notes": [{}]}).to_string(),
        "{".to_owned(),
    ];
    sandbox.write("b.ndjson", more.join("\n"));
    let missing = |code: &str| (404, json!({"detail": "There is no imported account.", "code": code}));
    stub.state().sent_answers = [
        ("STAGED".to_owned(), missing("account_not_found")),
        ("NONE".to_owned(), missing("import_process_does_not_exist")),
    ]
    .into();
    let arguments = ["notes", "a.ndjson", "b.ndjson", "--report", "r.csv", "--report", "r.html"];
    let ran = sandbox.run_with(&stub, &[&SEND[..], &["--connections", "1"], &arguments].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("send_people", ran.text());
    insta::assert_snapshot!("send_report", sorted(&sandbox.read("r.csv")));
    assert!(sandbox.read("r.html").contains("<h1>Sending of notes</h1>"));
    let journal = sandbox.read("a.ndjson.cutover-journal").replace(&stub.url(), "URL");
    insta::assert_snapshot!("send_journal", sorted(&journal));
    // The accounts are imported since: the same command sends what was refused.
    stub.state().sent_answers.clear();
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson", "b.ndjson"]);
    assert_eq!(figures(&ran, ["accepted", "refused", "refused_again", "faulty"]), [5, 0, 2, 2]);
}

#[test]
fn findings_name_the_line_and_the_path() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut found = Vec::new();
    for (what, folder) in [
        ("businesses", "businesses"),
        ("notes", "notes"),
        ("transactions", "transactions"),
        ("historical-statements", "statements"),
        ("payment-instructions", "payment_instructions"),
        ("payment-instructions", "business_payment_instructions"),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../fixtures/{folder}/faulty"));
        let mut names: Vec<String> = std::fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        names.sort();
        let lines = names.iter().map(|name| fixture(&format!("{folder}/faulty/{name}")).to_string());
        sandbox.write("a.ndjson", lines.collect::<Vec<_>>().join("\n"));
        let ran = send(&sandbox, &stub, &[what, "a.ndjson", "--report", "r.json"]);
        assert_eq!(ran.code, Some(1), "{}", ran.err);
        let rows = sandbox.rows("r.json");
        let of = |row: &Value| {
            let name = &names[row["line"].as_u64().unwrap() as usize - 1];
            let text = |member: &str| row[member].as_str().unwrap_or("-").to_owned();
            format!("{folder} {name}: {} {} {}", text("level"), text("attr"), text("code"))
        };
        found.extend(rows.iter().map(of));
        std::fs::remove_file(sandbox.path("a.ndjson.cutover-journal")).unwrap();
    }
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn a_lost_answer_and_an_overload_lose_and_double_nothing() {
    let (sandbox, stub) = (notes(40), Stub::start());
    stub.script([
        Behavior::Answer(429, Some(0)),
        Behavior::Cut(0),
        Behavior::Answer(503, None),
        Behavior::Page(502),
        Behavior::Normal,
        Behavior::Cut(0),
    ]);
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    // Those whose answers were lost had been added; both may have been the same one.
    let [accepted, already_there, not_sent] = figures(&ran, ["accepted", "already_there", "not_sent"]);
    assert!((1..=2).contains(&already_there), "{already_there}");
    assert_eq!((accepted, not_sent), (40 - already_there, 0));
    assert_eq!(ran.summary()["items"], json!({"added": accepted, "already_there": already_there}));
    let state = stub.state();
    let numbers = state.sent.iter().map(|(_, body)| body["external_account_number"].to_string());
    assert_eq!(numbers.collect::<std::collections::BTreeSet<_>>().len(), 40);
}

fn many_notes(count: usize, body: &str) -> String {
    let notes = vec![json!({"body": body}); count];
    json!({"import_supplier": "ACME", "external_account_number": "N-1", "notes": notes}).to_string()
}

#[test]
fn an_answer_that_repeats_a_large_request_is_read() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.ndjson", many_notes(1_000, &"x".repeat(7_000)));
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
    assert_eq!((ran.code, ran.summary()["items"]["added"].as_u64()), (Some(0), Some(1_000)), "{}", ran.err);
}

#[test]
fn a_vendor_that_fails_is_asked_again_and_not_recorded_as_a_refusal() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.json", fixture("payment_instructions/valid/card").to_string());
    stub.state().failures.insert("ELEC-1001".to_owned(), 4);
    let ran = send(&sandbox, &stub, &["payment-instructions", "a.json"]);
    assert_eq!((ran.code, figures(&ran, ["failed", "accepted"])), (Some(2), [1, 0]));
    let ran = send(&sandbox, &stub, &["payment-instructions", "a.json"]);
    assert_eq!((ran.code, figures(&ran, ["failed", "accepted"])), (Some(0), [0, 1]));
}

/// The operator may allow up to 10,000.
#[test]
fn the_service_judges_the_number_of_notes() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.ndjson", [many_notes(10_000, "x"), many_notes(10_001, "x")].join("\n"));
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [1, 1]), "{}", ran.out);
}

#[test]
fn requests_about_one_account_keep_their_order() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let lines: Vec<String> = (0..60).map(|n| note(&format!("N-{}", n % 2), &format!("{n:02}"))).collect();
    sandbox.write("a.ndjson", lines.join("\n"));
    stub.script([Behavior::Answer(503, None), Behavior::Normal, Behavior::Cut(0)]);
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson", "--connections", "8"]);
    assert_eq!(ran.code, Some(0), "{}", ran.out);
    let state = stub.state();
    for number in ["N-0", "N-1"] {
        let of = state.sent.iter().filter(|(_, body)| body["external_account_number"] == number);
        let mut bodies: Vec<_> = of.map(|(_, body)| body["notes"][0]["body"].to_string()).collect();
        bodies.dedup();
        assert!(bodies.is_sorted() && bodies.len() == 30, "{bodies:?}");
    }
}

/// Otherwise the next run would send the failed one after those that had come after it.
#[test]
fn requests_behind_a_failed_one_of_the_account_wait_for_the_next_run() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let lines = [note("N-0", "0"), note("N-0", "1"), note("N-1", "2"), note("N-0", "3")];
    sandbox.write("a.ndjson", lines.join("\n"));
    stub.state().failures.insert("N-0".to_owned(), 3);
    let sent = || {
        let state = stub.state();
        let bodies = state.sent.iter().map(|(_, body)| body["notes"][0]["body"].as_str().unwrap());
        bodies.collect::<String>()
    };
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson", "--connections", "4"]);
    assert_eq!(
        (ran.code, figures(&ran, ["failed", "accepted", "not_sent"])),
        (Some(2), [1, 1, 2]),
        "{}",
        ran.out
    );
    assert_eq!(sent(), "2");
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson", "--connections", "4"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(0), [4, 0]));
    assert_eq!(sent(), "2013");
}

#[test]
fn nothing_of_an_account_is_sent_after_a_fault_that_ends_the_run() {
    // The next request would begin at the same time as the run ends, so that one try may not show it.
    for _ in 0..8 {
        let (sandbox, stub) = (Sandbox::new(), Stub::start());
        sandbox.write("a.ndjson", [note("N-0", "0"), note("N-0", "1")].join("\n"));
        stub.script([Behavior::Answer(409, None)]);
        let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
        assert_eq!((ran.code, stub.state().sent.len()), (Some(2), 0), "{}", ran.out);
    }
}

#[test]
fn a_business_that_comes_twice_is_sent_once() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut other = fixture("businesses/valid/without_contracts");
    let first = other.to_string();
    other["business"]["company_name"] = "Another".into();
    sandbox.write("a.ndjson", format!("{first}\n{first}\n{other}"));
    let ran = send(&sandbox, &stub, &["businesses", "a.ndjson", "--report", "r.json"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "repeated", "differing"])), (Some(1), [1, 2, 1]));
    assert_eq!(stub.state().sent[0].1, other);
    assert_eq!(sandbox.rows("r.json")[1]["code"], "differs_in_input");
}

/// The service may have lost what it had accepted, so it is sent again.
#[test]
fn another_history_of_the_service_sends_all_again() {
    let (sandbox, stub) = (notes(5), Stub::start());
    stub.state().history = Some("h1".to_owned());
    assert_eq!(send(&sandbox, &stub, &["notes", "a.ndjson"]).code, Some(0));
    let mut state = stub.state();
    (state.history, state.sent) = (Some("h2".to_owned()), Vec::new());
    drop(state);
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "sent_again"])), (Some(0), [5, 5]));
    assert!(ran.err.contains("was restored or restarted"), "{}", ran.err);
    let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
    assert_eq!((ran.err.as_str(), figures(&ran, ["sent_again"])), ("", [0]));
    assert_eq!(stub.state().sent.len(), 5);
}

#[test]
fn a_journal_is_about_one_kind_of_requests() {
    let (sandbox, stub) = (notes(1), Stub::start());
    assert_eq!(send(&sandbox, &stub, &["notes", "a.ndjson"]).code, Some(0));
    assert_eq!(
        (&journal(&sandbox)[0]["requests"], &journal(&sandbox)[1]["request"]),
        (&json!("notes"), &json!("notes"))
    );
    let ran = send(&sandbox, &stub, &["transactions", "a.ndjson"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("is about notes: give another one for transactions with --journal"),
        "{}",
        ran.err
    );
    let ran = sandbox.run_with(&stub, &["upload", "a.ndjson"]);
    assert!(ran.err.contains("is about notes: give another one for accounts"), "{}", ran.err);
    let ran = sandbox.run_with(&stub, &["report", "ACME", "--journal", "a.ndjson.cutover-journal"]);
    assert_eq!(ran.code, Some(2), "{}", ran.out);
}

#[test]
fn what_is_no_answer_of_the_service_ends_the_run() {
    for act in [Behavior::Html, Behavior::Answer(404, None), Behavior::Answer(409, None)] {
        let (sandbox, stub) = (notes(3), Stub::start());
        stub.script(vec![act; 4]);
        let ran = send(&sandbox, &stub, &["notes", "a.ndjson", "--connections", "1"]);
        assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(2), [0]), "{}", ran.err);
        assert!(!sandbox.path("a.ndjson.cutover-journal").exists());
    }
}

#[test]
fn wrong_input_and_usage_exit_with_2() {
    let (sandbox, stub) = (notes(1), Stub::start());
    sandbox.write("a.zip", b"PK\x03\x04");
    for arguments in
        [&["notes"][..], &["letters", "a.ndjson"], &["notes", "gone"], &["notes", "-"], &["notes", "a.zip"]]
    {
        let ran = send(&sandbox, &stub, arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.out);
        assert!(ran.err.starts_with("error: "), "{arguments:?}: {}", ran.err);
    }
    assert_eq!(stub.state().sent.len(), 0);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use cutover_testkit_machine::wait_for;
    use std::process::{Child, Command};

    /// Starts a run that hangs in a request after the earlier answers are recorded.
    fn hanging(sandbox: &Sandbox, stub: &Stub) -> Child {
        stub.state().hang_after = Some(20);
        let arguments = [&SEND[..], &["notes", "a.ndjson", "--json", "--connections", "1"]].concat();
        let child = sandbox.command_for(stub, &arguments).spawn().unwrap();
        let recorded = || {
            let text = std::fs::read_to_string(sandbox.path("a.ndjson.cutover-journal")).unwrap_or_default();
            text.lines().count()
        };
        wait_for("it hangs", || match (stub.state().hangs, recorded()) {
            (true, 20..) => Ok(()),
            progress => Err(progress),
        });
        child
    }

    #[test]
    fn a_run_that_was_killed_or_interrupted_is_resumed() {
        for (signal, code) in [("KILL", None), ("INT", Some(130))] {
            let (sandbox, stub) = (notes(40), Stub::start());
            let child = hanging(&sandbox, &stub);
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
            let ended: RunResult = child.wait_with_output().unwrap().into();
            assert_eq!(ended.code, code, "{}", ended.err);
            let ran = send(&sandbox, &stub, &["notes", "a.ndjson"]);
            assert_eq!((ran.code, figures(&ran, ["accepted", "already_there"])), (Some(0), [40, 0]));
            assert_eq!(ran.summary()["in_earlier_runs"]["accepted"], 19);
            assert_eq!(stub.state().sent.len(), 40);
        }
    }
}
