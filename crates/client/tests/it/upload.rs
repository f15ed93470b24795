//! `upload`, with faults of the service, the network and the machine.

use crate::harness::{NOW, RunResult, Sandbox, account, line};
use crate::stub::{Behavior, Stub};
use cutover_testkit_machine::{STALLED, wait_for, wait_for_count};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;

const FAULTY: &str = "faulty/CUS-01-not-a-phone-number";
const UPLOAD: [&str; 3] = ["upload", "--now", NOW];

pub(crate) fn upload(sandbox: &Sandbox, stub: &Stub, arguments: &[&str]) -> RunResult {
    sandbox.run_with(stub, &[&UPLOAD[..], &["--json", "--patience", "120"], arguments].concat())
}

/// A sandbox with this many accounts in `a.ndjson`.
pub(crate) fn sandbox(accounts: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let lines: Vec<Vec<u8>> = (0..accounts).map(|n| account(&format!("N-{n:04}"))).collect();
    sandbox.write("a.ndjson", lines.join(&b'\n'));
    sandbox
}

/// Members of the summary.
pub(crate) fn figures<const N: usize>(ran: &RunResult, names: [&str; N]) -> [u64; N] {
    let summary = ran.summary();
    names.map(|name| summary[name].as_u64().unwrap_or_else(|| panic!("{name}: {summary}")))
}

/// The records of the journal, without its first line.
fn journal(sandbox: &Sandbox) -> Vec<Value> {
    // A run without an answer leaves no journal.
    let text = std::fs::read_to_string(sandbox.path("a.ndjson.cutover-journal")).unwrap_or_default();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn codes(records: &[Value], outcome: &str) -> Vec<String> {
    let of = records.iter().filter(|record| record["outcome"] == outcome);
    of.map(|record| record["external_account_number"].as_str().unwrap_or("–").to_owned()).collect()
}

#[test]
fn every_account_is_created_once() {
    for mode in [&[][..], &["--one-by-one"]] {
        let (sandbox, stub) = (sandbox(700), Stub::start());
        let ran = upload(&sandbox, &stub, &[&["a.ndjson"], mode].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(
            figures(&ran, ["accounts", "accepted", "faulty", "refused", "not_sent"]),
            [700, 700, 0, 0, 0]
        );
        let created = stub.creations();
        assert!(created.len() == 700 && created.iter().all(|(_, count)| *count == 1));
        assert_eq!(journal(&sandbox).len(), 700);
        // Another run has nothing to do.
        let again = upload(&sandbox, &stub, &[&["a.ndjson"], mode].concat());
        assert_eq!(again.code, Some(0));
        assert_eq!(figures(&again, ["accepted", "not_sent"]), [700, 0]);
        assert_eq!(again.summary()["in_earlier_runs"]["accepted"], 700);
        assert_eq!((stub.creations(), journal(&sandbox).len()), (created, 700));
    }
}

#[test]
fn the_account_is_sent_as_it_is_in_the_file() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let text = crate::harness::fixture_text("valid/electricity");
    sandbox.write("a.json", &text);
    assert_eq!(upload(&sandbox, &stub, &["a.json"]).code, Some(0));
    let sent: Value = serde_json::from_slice(&text).unwrap();
    let number = sent["external_account_number"].as_str().unwrap();
    assert_eq!(stub.state().accounts[number], (sent, 1));
}

#[test]
fn outcomes_are_shown_to_people() {
    let (sandbox, stub) = (sandbox(3), Stub::start());
    let more =
        [account("N-0001"), account("R-1"), account("R-2"), account("T-1"), line(FAULTY), b"{".to_vec()];
    sandbox.write("b.ndjson", more.join(&b'\n'));
    let failed = json!({"code": "import_process_failed_validation", "detail": "It failed.", "domain": "import_process"});
    let there =
        json!({"non_field_errors": {"code": "account_import_process_already_imported", "detail": "x"}});
    {
        let mut state = stub.state();
        state.refusals =
            [("R-1", failed.clone()), ("R-2", failed), ("T-1", there)].map(|(n, b)| (n.to_owned(), b)).into();
        let found = json!([{"attr": "supply_addresses.0", "code": "duplicate_meter_point", "detail": "Another account has it."}]);
        state.findings.insert("R-1".to_owned(), found);
    }
    let ran = sandbox.run_with(
        &stub,
        &[&UPLOAD[..], &["a.ndjson", "b.ndjson", "--report", "r.csv", "--report", "r.html"]].concat(),
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("people", ran.text());
    insta::assert_snapshot!("report", sandbox.read("r.csv"));
    assert!(sandbox.read("r.html").contains("<h1>Upload of accounts</h1>"));
    insta::assert_snapshot!("journal", sandbox.read("a.ndjson.cutover-journal").replace(&stub.url(), "URL"));
    // A refused account is sent again, because what the service knows may have changed.
    let ran = upload(&sandbox, &stub, &["a.ndjson", "b.ndjson"]);
    assert_eq!(figures(&ran, ["accepted", "already_there", "refused", "faulty"]), [3, 1, 2, 2]);
    assert_eq!(figures(&ran, ["refused_again", "refused_before"]), [2, 0]);
    stub.state().refusals.clear();
    let ran = upload(&sandbox, &stub, &["a.ndjson", "b.ndjson"]);
    assert_eq!(figures(&ran, ["accepted", "already_there", "refused", "faulty"]), [5, 1, 0, 2]);
}

/// Another account has the meter point until it is undone: the same command sends what was refused for it.
#[test]
fn what_only_the_service_decides_is_tried_again_by_the_same_command() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    let failed = json!({"code": "import_process_failed_validation", "detail": "It failed.", "domain": "import_process"});
    stub.state().refusals.insert("N-0001".to_owned(), failed);
    for again in [0, 1] {
        let ran = upload(&sandbox, &stub, &["a.ndjson"]);
        assert_eq!(
            (ran.code, figures(&ran, ["accepted", "refused", "refused_again"])),
            (Some(1), [1, 1, again])
        );
    }
    stub.state().refusals.clear();
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "refused", "refused_again"])), (Some(0), [2, 0, 1]));
    assert_eq!(stub.creations(), [("N-0000".to_owned(), 1), ("N-0001".to_owned(), 1)]);
}

#[test]
fn an_account_whose_import_has_failed_is_sent_again() {
    let (sandbox, stub) = (sandbox(3), Stub::start());
    assert_eq!(upload(&sandbox, &stub, &["a.ndjson"]).code, Some(0));
    // The third is of another journal.
    stub.state().statuses.extend([("N-0001".to_owned(), "ERRORED"), ("X-1".to_owned(), "ERRORED")]);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "errored_again"])), (Some(0), [3, 1]), "{}", ran.err);
    assert_eq!(stub.creations().iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 2, 1]);
    let before = stub.state().queries.len();
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "errored_again"])), (Some(0), [3, 0]));
    // It asks for each status in which an account has ended, however many accounts there are.
    assert_eq!(stub.state().queries.len() - before, 4);
    // It fails again, and the reason is not gone: the service refuses it now.
    let mut state = stub.state();
    state.statuses.insert("N-0001".to_owned(), "ERRORED");
    state.refusals.insert("N-0001".to_owned(), json!({"code": "account_failed_validation", "detail": "x",
        "errors": [{"attr": "notes.0.document_paths.0", "code": "path_does_not_exist_in_file_store", "detail": "x"}]}));
    drop(state);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "refused", "errored_again"])), (Some(1), [2, 1, 1]));
    assert_eq!(ran.summary()["top_errors"][0]["code"], "path_does_not_exist_in_file_store");
}

/// By the rules of a later day it is faulty: sending it again would be refused.
#[test]
fn an_errored_account_that_the_rules_refuse_now_is_faulty() {
    let (sandbox, stub) = (sandbox(1), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    stub.state().statuses.insert("N-0000".to_owned(), "ERRORED");
    let ran = sandbox.run_with(&stub, &["upload", "a.ndjson", "--json", "--now", "1999-01-01T00:00:00Z"]);
    assert_eq!((ran.code, figures(&ran, ["faulty", "errored_again"])), (Some(1), [1, 0]), "{}", ran.out);
    assert_eq!(stub.creations(), [("N-0000".to_owned(), 1)]);
}

#[test]
fn what_cannot_pass_is_left_alone_and_counted() {
    let (sandbox, stub) = (sandbox(3), Stub::start());
    let large = json!({"detail": "x", "code": "payload_too_large"});
    stub.state().refusals.insert("N-0002".to_owned(), large);
    upload(&sandbox, &stub, &["a.ndjson"]);
    stub.state().statuses.insert("N-0001".to_owned(), "CANCELLED");
    let run = |more: &[&str]| sandbox.run_with(&stub, &[&UPLOAD[..], &["a.ndjson"], more].concat());
    let ran = run(&[]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!("left_alone", ran.text());
    assert_eq!(stub.creations().iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1]);
    let ran = upload(&sandbox, &stub, &["a.ndjson", "--again"]);
    assert_eq!(figures(&ran, ["accepted", "cancelled", "refused_before"]), [2, 0, 1]);
    stub.state().refusals.clear();
    let ran = upload(&sandbox, &stub, &["a.ndjson", "--retry-refused"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "refused_again"])), (Some(0), [3, 1]));
}

/// The rules refuse it here too, unless the run does without: then only another account changes the verdict.
#[test]
fn without_validation_a_faulty_account_is_refused_once() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.ndjson", line(FAULTY));
    let failed =
        json!({"code": "import_process_failed_validation", "detail": "x", "domain": "import_process"});
    stub.state().refusals.insert("F-1001".to_owned(), failed);
    for (refused_again, refused_before) in [(0, 0), (0, 1)] {
        let ran = upload(&sandbox, &stub, &["a.ndjson", "--no-validate"]);
        let expected = [1, refused_again, refused_before];
        assert_eq!(figures(&ran, ["refused", "refused_again", "refused_before"]), expected);
    }
}

#[test]
fn the_last_copy_of_an_account_is_sent_and_a_differing_one_is_an_error() {
    let sandbox = Sandbox::new();
    let changed = |name: &str| {
        let mut account: Value = serde_json::from_slice(&account("N-1")).unwrap();
        account["billing_name"] = name.into();
        account.to_string().into_bytes()
    };
    let run = |lines: &[Vec<u8>]| {
        let stub = Stub::start();
        sandbox.write("in/a.ndjson", lines.join(&b'\n'));
        sandbox.write("in/b.json", lines.last().unwrap());
        let _ = std::fs::remove_file(sandbox.path("in.cutover-journal"));
        let ran = upload(&sandbox, &stub, &["in", "--report", "r.json"]);
        let validated = sandbox.validate(&["in", "--json", "--report", "v.json"]);
        // Both commands say the same.
        assert_eq!((ran.code, sandbox.rows("r.json")), (validated.code, sandbox.rows("v.json")));
        let name = stub.state().accounts["N-1"].0["billing_name"].clone();
        (ran, name, stub.creations())
    };
    let (ran, name, created) = run(&[changed("First"), changed("First")]);
    assert_eq!(
        (ran.code, figures(&ran, ["accounts", "accepted", "repeated", "differing"])),
        (Some(0), [3, 1, 2, 0])
    );
    assert_eq!((name, created), ("First".into(), vec![("N-1".to_owned(), 1)]));
    let (ran, name, created) = run(&[changed("First"), changed("Second")]);
    assert_eq!(
        (ran.code, figures(&ran, ["accounts", "accepted", "repeated", "differing"])),
        (Some(1), [3, 1, 2, 1])
    );
    assert_eq!((name, created), ("Second".into(), vec![("N-1".to_owned(), 1)]));
    let rows = sandbox.rows("r.json");
    let named: Vec<_> =
        rows.iter().map(|row| format!("{}:{} {}", row["file"], row["line"], row["detail"])).collect();
    insta::assert_snapshot!("copies", named.join("\n"));
}

/// It cannot be read twice.
#[test]
fn of_copies_on_standard_input_the_first_one_is_sent() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut changed: Value = serde_json::from_slice(&account("N-1")).unwrap();
    changed["billing_name"] = "Second".into();
    let mut child = sandbox.command_for(&stub, &[&UPLOAD[..], &["-", "--journal", "j", "--json"]].concat());
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let text = [account("N-1"), changed.to_string().into()].join(&b'\n');
    child.stdin.take().unwrap().write_all(&text).unwrap();
    let ran = RunResult::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, figures(&ran, ["accepted", "repeated", "differing"])), (Some(1), [1, 1, 1]));
    assert_ne!(stub.state().accounts["N-1"].0["billing_name"], "Second");
}

#[test]
fn an_accepted_account_stays_accepted_if_the_rules_refuse_it_later() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    let journal = sandbox.read("a.ndjson.cutover-journal");
    let later = ["upload", "a.ndjson", "b.ndjson", "--json", "--now", "1999-01-01T00:00:00Z"];
    sandbox.write("b.ndjson", account("N-9"));
    let ran = sandbox.run_with(&stub, &later);
    assert_eq!(figures(&ran, ["accepted", "faulty"]), [2, 1]);
    let added = sandbox.read("a.ndjson.cutover-journal").strip_prefix(&journal).unwrap().to_owned();
    assert!(added.lines().count() == 1 && added.contains("N-9"), "{added}");
}

#[test]
fn a_corrected_account_is_sent_again() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    let mut corrected: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    corrected["billing_name"] = "Corrected".into();
    // It is on another line, too.
    sandbox
        .write("a.ndjson", [account("N-0009"), corrected.to_string().into(), account("N-0000")].join(&b'\n'));
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!(ran.summary()["in_earlier_runs"]["accepted"], 1);
    assert_eq!(figures(&ran, ["accepted", "accounts"]), [3, 3]);
    let state = stub.state();
    let count = |number: &str| state.accounts[number].1;
    assert_eq!([count("N-0000"), count("N-0001"), count("N-0009")], [1, 2, 1]);
    assert_eq!(state.accounts["N-0001"].0["billing_name"], "Corrected");
}

#[test]
fn transient_faults_lose_no_account() {
    for (mode, most) in [(&[][..], 1), (&["--one-by-one"][..], 1)] {
        let (sandbox, stub) = (sandbox(60), Stub::start());
        stub.script([
            Behavior::Answer(429, Some(1)),
            Behavior::Answer(503, None),
            Behavior::Cut(5),
            Behavior::StopAt(7, 503),
            Behavior::StopAt(3, 401),
            Behavior::ErrorAt(2),
            Behavior::Answer(401, None),
        ]);
        let begun = std::time::Instant::now();
        let ran = upload(&sandbox, &stub, &[&["a.ndjson", "--connections", "1"], mode].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
        assert_eq!(figures(&ran, ["accounts", "accepted"]), [60, 60]);
        assert!(begun.elapsed().as_millis() >= 1_000, "it did not wait as long as the service asked");
        let twice = stub.creations().iter().filter(|(_, count)| *count > 1).count();
        // The line that was stored without an answer, and the one answered with 500.
        assert!(stub.creations().len() == 60 && twice <= most + 1, "{:?}", stub.creations());
    }
}

#[test]
fn a_line_that_fails_does_not_delay_others_and_is_sent_by_the_next_run() {
    let (sandbox, stub) = (sandbox(5), Stub::start());
    // As often as it is tried.
    stub.state().failures.insert("N-0002".to_owned(), 3);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    // The account is not to blame.
    assert_eq!(ran.code, Some(2));
    assert_eq!(figures(&ran, ["accepted", "failed"]), [4, 1]);
    assert_eq!(codes(&journal(&sandbox), "failed"), ["N-0002"]);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "failed"])), (Some(0), [5, 0]));
}

#[test]
fn answers_of_gateways_during_an_outage_are_retried() {
    for mode in [&[][..], &["--one-by-one"]] {
        let (sandbox, stub) = (sandbox(3), Stub::start());
        stub.state().token_faults.extend([(500, false), (500, true), (522, true)]);
        stub.script([Behavior::Page(500), Behavior::Page(522), Behavior::Answer(530, None)]);
        let ran = upload(&sandbox, &stub, &[&["a.ndjson"], mode].concat());
        assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [3]), "{}", ran.err);
    }
}

#[test]
fn a_service_that_fails_at_every_account_is_retried() {
    let (sandbox, stub) = (sandbox(5), Stub::start());
    stub.script([Behavior::Down, Behavior::Down, Behavior::Down, Behavior::Down]);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "failed"])), (Some(0), [5, 0]));
}

#[test]
fn an_account_in_progress_is_retried_and_sent_by_the_next_run() {
    let (sandbox, stub) = (sandbox(3), Stub::start());
    let busy = json!({"non_field_errors": {"code": "account_import_process_in_progress", "detail": "x"}});
    stub.state().refusals.insert("N-0001".to_owned(), busy);
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "in_progress", "already_there"])), (Some(2), [2, 1, 0]));
    // All lines once, in one request or more, and then only this one.
    let lines: Vec<usize> = stub.state().requests.iter().map(|(_, lines)| *lines).collect();
    assert!(lines.iter().sum::<usize>() == 5 && lines.ends_with(&[1, 1]), "{lines:?}");
    assert_eq!(codes(&journal(&sandbox), "in_progress"), ["N-0001"]);
    assert!(
        journal(&sandbox).iter().all(|record| record["outcome"] == "accepted" || record["totals"].is_null())
    );
    stub.state().refusals.clear();
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "in_progress"])), (Some(0), [3, 0]));
}

#[test]
fn answers_that_are_not_the_services_are_not_recorded() {
    for (act, part) in [
        (Behavior::Foreign(json!({"status": 202, "body": {}})), "answers 202, and not as Cutover does"),
        (
            Behavior::Foreign(json!({"status": 400, "body": {"message": "Bad"}})),
            "answers 400, and not as Cutover does",
        ),
        (Behavior::Foreign(json!({"external_account_number": "X"})), "answers to other lines than were sent"),
        (Behavior::More("{\"line\": 4}\n"), "answers to more lines than were sent"),
    ] {
        let (sandbox, stub) = (sandbox(3), Stub::start());
        stub.script([act]);
        let ran = upload(&sandbox, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2), "{part}");
        assert!(ran.err.contains(part), "{}", ran.err);
        assert!(journal(&sandbox).iter().all(|record| record["status"] == 201));
        assert_eq!(figures(&upload(&sandbox, &stub, &["a.ndjson"]), ["accepted", "not_sent"]), [3, 0]);
    }
}

#[test]
fn a_permanent_fault_ends_the_run_and_the_next_run_resumes() {
    let not_ongoing =
        json!({"code": "import_supplier_migration_not_ongoing", "detail": "x", "domain": "import_supplier"});
    for (act, part) in [
        (Behavior::Html, "there is no Cutover at the base URL: it answers 200"),
        (
            Behavior::Answer(404, None),
            "the service answers 404 to many accounts at once; --one-by-one may work",
        ),
        (Behavior::Answer(302, None), "a redirect"),
        (Behavior::Normal, "the import supplier takes no accounts now"),
    ] {
        let (sandbox, stub) = (sandbox(10), Stub::start());
        if act == Behavior::Normal {
            stub.state().refusals.insert("N-0004".to_owned(), not_ongoing.clone());
        }
        stub.script([act]);
        let ran = upload(&sandbox, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2), "{part}");
        assert!(ran.err.contains(part) && ran.err.lines().count() == 1, "{}", ran.err);
        let [accepted, left] = figures(&ran, ["accepted", "not_sent"]);
        assert_eq!(accepted + left, 10);
        stub.state().refusals.clear();
        assert_eq!(figures(&upload(&sandbox, &stub, &["a.ndjson"]), ["accepted", "not_sent"]), [10, 0]);
        assert!(stub.creations().iter().all(|(_, count)| *count == 1));
    }
}

#[test]
fn an_outage_ends_the_run_after_the_patience() {
    let (sandbox, stub) = (sandbox(3), Stub::start());
    stub.script(std::iter::repeat_n(Behavior::Answer(503, None), 100));
    let ran = sandbox.run_with(&stub, &[&UPLOAD[..], &["a.ndjson", "--patience", "1"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), "error: the service answers 503\n"));
    assert!(
        ran.out.contains("not sent yet   3") && ran.out.contains("run the same command again"),
        "{}",
        ran.out
    );
}

#[test]
fn a_wrong_key_is_reported_before_any_input_is_read() {
    let (sandbox, stub) = (sandbox(1), Stub::start());
    let mut command = sandbox.command_for(&stub, &["upload", "a.ndjson"]);
    let ran = RunResult::from(command.env("CUTOVER_API_KEY", "cut_live_wrong").output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the service refuses the API key\n");
    assert!(!sandbox.path("a.ndjson.cutover-journal").exists(), "nothing was answered");
}

#[test]
fn validation_can_be_left_to_the_service() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.ndjson", [&line(FAULTY)[..], b"{"].join(&b'\n'));
    assert_eq!(figures(&upload(&sandbox, &stub, &["a.ndjson"]), ["accepted", "faulty"]), [0, 2]);
    let ran = upload(&sandbox, &stub, &["a.ndjson", "--no-validate"]);
    // Text that is not JSON is never sent.
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [1, 1]));
    assert_eq!(stub.state().broken, 0);
}

#[test]
fn a_dry_run_is_marked_in_every_line_and_has_its_own_journal() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    let ran = sandbox.run_with(&stub, &[&UPLOAD[..], &["a.ndjson", "--dry-run"]].concat());
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("Dry run: "), "{}", ran.out);
    assert!(stub.state().accounts.values().all(|(body, _)| body["task_params"]["is_dry_run"] == true));
    assert_eq!(figures(&upload(&sandbox, &stub, &["a.ndjson"]), ["accepted"]), [2]);
    assert!(stub.state().accounts.values().all(|(body, count)| body["task_params"].is_null() && *count == 2));
}

#[test]
fn a_dry_run_skips_accounts_that_are_to_be_imported() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    let mut changed: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    changed["billing_name"] = "Changed".into();
    sandbox
        .write("a.ndjson", [account("N-0000"), changed.to_string().into(), account("N-0002")].join(&b'\n'));
    let ran = upload(&sandbox, &stub, &["a.ndjson", "--dry-run"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "left_out", "not_sent"])), (Some(0), [1, 2, 0]));
    let state = stub.state();
    let is_tried = |number: &str| state.accounts[number].0["task_params"]["is_dry_run"] == true;
    assert_eq!(["N-0000", "N-0001", "N-0002"].map(is_tried), [false, false, true]);
}

#[test]
fn a_change_after_the_import_is_a_warning_and_the_old_totals_count() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    let before = upload(&sandbox, &stub, &["a.ndjson"]).summary()["totals"].clone();
    let written = journal(&sandbox);
    let mut changed: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    changed["billing_name"] = "Changed".into();
    changed["ledgers"][0]["ledger_balance"] = "999.99".into();
    sandbox.write("a.ndjson", [account("N-0000"), changed.to_string().into()].join(&b'\n'));
    let there =
        json!({"non_field_errors": {"code": "account_import_process_already_imported", "detail": "x"}});
    stub.state().refusals.insert("N-0001".to_owned(), there);
    for _ in 0..2 {
        let ran = upload(&sandbox, &stub, &["a.ndjson", "--no-validate"]);
        assert_eq!(
            (ran.code, figures(&ran, ["accepted", "already_there", "warnings"])),
            (Some(0), [1, 1, 1])
        );
        assert_eq!(ran.summary()["top_warnings"][0]["code"], "already_imported_with_other_content");
        assert_eq!((&ran.summary()["totals"], journal(&sandbox)), (&before, written.clone()));
    }
}

#[test]
fn accepted_accounts_can_be_sent_again() {
    let (sandbox, stub) = (sandbox(2), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    stub.state().accounts.remove("N-0001");
    assert_eq!(figures(&upload(&sandbox, &stub, &["a.ndjson"]), ["accepted"]), [2]);
    assert_eq!(stub.creations().len(), 1);
    let ran = upload(&sandbox, &stub, &["a.ndjson", "--again"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(0), [2, 0]));
    assert_eq!(ran.summary()["in_earlier_runs"]["accepted"], 0);
    assert_eq!(stub.creations(), [("N-0000".to_owned(), 2), ("N-0001".to_owned(), 1)]);
}

#[test]
fn a_faulty_account_does_not_keep_its_correction_from_being_sent() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut faulty: Value = serde_json::from_slice(&line(FAULTY)).unwrap();
    faulty["external_account_number"] = "N-1".into();
    let corrected = account("N-1");
    let same: Value = serde_json::from_slice(&corrected).unwrap();
    faulty["import_supplier"] = same["import_supplier"].clone();
    sandbox.write("a.ndjson", [faulty.to_string().into(), corrected].join(&b'\n'));
    let ran = upload(&sandbox, &stub, &["a.ndjson"]);
    // It differs from the one before.
    assert_eq!((ran.code, figures(&ran, ["accepted", "repeated", "differing"])), (Some(1), [1, 1, 1]));
}

#[test]
fn a_journal_belongs_to_one_service_and_standard_input_has_none() {
    let (sandbox, stub, other) = (sandbox(1), Stub::start(), Stub::start());
    upload(&sandbox, &stub, &["a.ndjson"]);
    let ran = upload(&sandbox, &other, &["a.ndjson"]);
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains(&format!("is about {}, another installation: give another one", stub.url())),
        "{}",
        ran.err
    );
    assert_eq!(upload(&sandbox, &other, &["a.ndjson", "--journal", "other"]).code, Some(0));
    let ran = upload(&sandbox, &stub, &["-"]);
    assert!(
        ran.err.starts_with("error: name a journal for standard input with --journal FILE"),
        "{}",
        ran.err
    );
    assert_eq!(upload(&sandbox, &stub, &["a.ndjson", "--journal", "a.ndjson"]).code, Some(2));
    let both = ["a.ndjson", "--journal", "r.csv", "--report", "r.csv"];
    assert_eq!(
        upload(&sandbox, &stub, &both).err,
        "error: r.csv is the journal: a report would replace it\n"
    );
    let both = ["a.ndjson", "--journal", "j.json", "--report", "./j.json"];
    assert_eq!(upload(&sandbox, &stub, &both).code, Some(2));
    let both = ["report", "ACME", "--journal", "j.json", "--report", "./j.json"];
    assert_eq!(sandbox.run_with(&stub, &both).err, "error: j.json is a journal: a report would replace it\n");
    assert_eq!(sandbox.read("a.ndjson").as_bytes(), account("N-0000"));
}

#[test]
fn slow_input_is_sent_as_it_arrives() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut child = sandbox.command_for(&stub, &[&UPLOAD[..], &["-", "--journal", "j", "--json"]].concat());
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // Some of it is read; the rest is read with the next input or at the end.
    let lines: Vec<Vec<u8>> = (0..400).map(|n| account(&format!("N-{n:04}"))).collect();
    let text = lines.join(&b'\n');
    assert!(text.len() > 512 * 1024, "{}", text.len());
    input.write_all(&text).unwrap();
    let recorded = || std::fs::read_to_string(sandbox.path("j")).unwrap_or_default().lines().count();
    wait_for_count("some are sent before the end", 100, recorded);
    drop(input);
    let ran = RunResult::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [400]));
}

#[cfg(unix)]
mod signals {
    use super::*;
    use std::process::{Child, Command};

    /// Number of lines of the journal.
    fn recorded(sandbox: &Sandbox) -> usize {
        let journal = std::fs::read(sandbox.path("a.ndjson.cutover-journal")).unwrap_or_default();
        journal.iter().filter(|byte| **byte == b'\n').count()
    }

    /// Starts a run that hangs in a request after the earlier answers are recorded.
    fn hanging(sandbox: &Sandbox, stub: &Stub) -> Child {
        stub.state().hang_after = Some(600);
        let arguments = [&UPLOAD[..], &["a.ndjson", "--json", "--connections", "1"]].concat();
        let child = sandbox.command_for(stub, &arguments).spawn().unwrap();
        wait_for("it hangs", || match (stub.state().hangs, recorded(sandbox)) {
            (true, 601..) => Ok(()),
            progress => Err(progress),
        });
        child
    }

    fn signal(child: &Child, name: &str) {
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    #[test]
    fn a_killed_run_is_resumed() {
        let (sandbox, stub) = (sandbox(800), Stub::start());
        let mut child = hanging(&sandbox, &stub);
        signal(&child, "KILL");
        child.wait().unwrap();
        // The last record may be torn.
        let mut torn = std::fs::read(sandbox.path("a.ndjson.cutover-journal")).unwrap();
        torn.extend_from_slice(b"{\"file\":\"a.ndj");
        sandbox.write("a.ndjson.cutover-journal", torn);
        let ran = upload(&sandbox, &stub, &["a.ndjson"]);
        assert!(ran.err.contains("had a torn end: 14 bytes were cut off"), "{}", ran.err);
        assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(0), [800, 0]));
        assert!(ran.summary()["in_earlier_runs"]["accepted"].as_u64().unwrap() >= 600);
        let created = stub.creations();
        assert!(created.len() == 800 && created.iter().all(|(_, count)| *count == 1));
        assert_eq!(codes(&journal(&sandbox), "accepted").len(), 800);
    }

    #[test]
    fn a_second_run_at_the_same_time_is_refused() {
        let (sandbox, stub) = (sandbox(800), Stub::start());
        let mut child = hanging(&sandbox, &stub);
        let ran = upload(&sandbox, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2));
        assert_eq!(ran.err, "error: a.ndjson.cutover-journal is in use by another run\n");
        signal(&child, "KILL");
        child.wait().unwrap();
    }

    #[test]
    fn ctrl_c_ends_a_run_with_a_summary_and_the_second_one_at_once() {
        let (sandbox, stub) = (sandbox(800), Stub::start());
        // The service asks for a pause as long as a client accepts, so no request is in flight.
        stub.script([Behavior::Normal, Behavior::Answer(429, Some(600))]);
        let arguments =
            [&UPLOAD[..], &["a.ndjson", "--json", "--connections", "1", "--patience", "3600"]].concat();
        let child = sandbox.command_for(&stub, &arguments).spawn().unwrap();
        // The first request has as many lines as were read before the pipeline was idle.
        let answered = || stub.state().requests.first().map_or(usize::MAX - 1, |(_, lines)| *lines);
        wait_for("it pauses", || {
            let (acts, recorded) = (stub.state().acts.len(), recorded(&sandbox));
            if acts == 0 && recorded > answered() { Ok(()) } else { Err((acts, recorded)) }
        });
        let begun = std::time::Instant::now();
        signal(&child, "INT");
        let ran = RunResult::from(child.wait_with_output().unwrap());
        assert!(begun.elapsed() < STALLED, "it waits for the pause to end");
        assert_eq!((ran.code, ran.summary()["interrupted"].as_bool()), (Some(130), Some(true)));
        assert_eq!(figures(&ran, ["accepted"]), [answered() as u64]);

        let (sandbox, stub) = (super::sandbox(800), Stub::start());
        let child = hanging(&sandbox, &stub);
        // The hanging request has 10 seconds left, after which there would be a summary; a second Ctrl-C does not wait.
        signal(&child, "INT");
        wait_until_delivered(&child);
        signal(&child, "INT");
        let ran = RunResult::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
    }

    /// Waits until a signal is delivered; two pending signals count as one.
    fn wait_until_delivered(child: &Child) {
        let pending = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            let pending =
                status.lines().find_map(|line| line.strip_prefix("ShdPnd:")).unwrap().trim().to_owned();
            pending.chars().any(|c| c != '0')
        };
        while cfg!(target_os = "linux") && pending() {
            std::thread::yield_now();
        }
    }
}

fn act() -> impl Strategy<Value = Behavior> {
    prop_oneof![
        3 => Just(Behavior::Normal),
        2 => (0_usize..30).prop_map(Behavior::Cut),
        1 => (0_usize..30).prop_map(|n| Behavior::StopAt(n, 503)),
        1 => (0_usize..30).prop_map(|n| Behavior::StopAt(n, 401)),
        1 => Just(Behavior::Answer(503, None)),
        1 => Just(Behavior::Html),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_account_is_created_and_only_those_without_an_answer_twice(
        acts in prop::collection::vec(act(), 0..6),
        torn in prop::option::of(1_usize..400),
        connections in 1_usize..4,
    ) {
        let (sandbox, stub) = (sandbox(40), Stub::start());
        let cuts = acts.iter().filter(|act| matches!(act, Behavior::Cut(_))).count();
        stub.script(acts);
        let connections = connections.to_string();
        let run = || upload(&sandbox, &stub, &["a.ndjson", "--connections", &connections]);
        let mut lost = 0;
        for n in 0..10 {
            let ran = run();
            if ran.code == Some(0) {
                break;
            }
            prop_assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
            prop_assert!(n < 9, "it does not come to an end");
            // A crash loses some records.
            if let Some(torn) = torn {
                let journal = std::fs::read_to_string(sandbox.path("a.ndjson.cutover-journal")).unwrap_or_default();
                let head = journal.find('\n').map_or(0, |end| end + 1);
                let kept = head.max(journal.len().saturating_sub(torn));
                lost += journal[kept..].lines().count();
                sandbox.write("a.ndjson.cutover-journal", &journal[..kept]);
            }
        }
        let created: BTreeMap<String, u32> = stub.creations().into_iter().collect();
        prop_assert_eq!(created.len(), 40);
        let again: u32 = created.values().map(|count| count - 1).sum();
        prop_assert!(again as usize <= cuts + lost, "{again} sent again: {cuts} cuts, {lost} lost records");
        let records = codes(&journal(&sandbox), "accepted");
        prop_assert_eq!(records.len(), 40, "an answer is written down once");
    }
}
