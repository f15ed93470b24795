//! Accounts to the service, whatever comes between.

use crate::harness::{NOW, Ran, Site, account, line};
use crate::stub::{Act, KEY, Stub};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;

const FAULTY: &str = "faulty/CUS-01-not-a-phone-number";
const UPLOAD: [&str; 3] = ["upload", "--now", NOW];

fn upload(site: &Site, stub: &Stub, arguments: &[&str]) -> Ran {
    site.ask(stub, &[&UPLOAD[..], &["--json", "--patience", "20"], arguments].concat())
}

/// A site with so many accounts in `a.ndjson`.
fn site(accounts: usize) -> Site {
    let site = Site::new();
    let lines: Vec<Vec<u8>> = (0..accounts).map(|n| account(&format!("N-{n:04}"))).collect();
    site.write("a.ndjson", lines.join(&b'\n'));
    site
}

/// Members of the summary.
fn figures<const N: usize>(ran: &Ran, names: [&str; N]) -> [u64; N] {
    let summary = ran.summary();
    names.map(|name| summary[name].as_u64().unwrap_or_else(|| panic!("{name}: {summary}")))
}

/// The records of the journal, without its first line.
fn journal(site: &Site) -> Vec<Value> {
    let text = site.read("a.ndjson.cutover-journal");
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn codes(records: &[Value], outcome: &str) -> Vec<String> {
    let of = records.iter().filter(|record| record["outcome"] == outcome);
    of.map(|record| record["external_account_number"].as_str().unwrap_or("–").to_owned()).collect()
}

#[test]
fn every_account_gets_there_once() {
    for manner in [&[][..], &["--one-by-one"]] {
        let (site, stub) = (site(700), Stub::start());
        let ran = upload(&site, &stub, &[&["a.ndjson"], manner].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert_eq!(
            figures(&ran, ["accounts", "accepted", "faulty", "refused", "not_sent"]),
            [700, 700, 0, 0, 0]
        );
        let created = stub.creations();
        assert!(created.len() == 700 && created.iter().all(|(_, count)| *count == 1));
        assert_eq!(journal(&site).len(), 700);
        // Another run has nothing to do.
        let again = upload(&site, &stub, &[&["a.ndjson"], manner].concat());
        assert_eq!(again.code, Some(0));
        assert_eq!(figures(&again, ["accepted", "not_sent"]), [700, 0]);
        assert_eq!(again.summary()["in_earlier_runs"]["accepted"], 700);
        assert_eq!((stub.creations(), journal(&site).len()), (created, 700));
    }
}

#[test]
fn what_is_sent_is_what_stands_there() {
    let (site, stub) = (Site::new(), Stub::start());
    let text = crate::harness::fixture_text("valid/electricity");
    site.write("a.json", &text);
    assert_eq!(upload(&site, &stub, &["a.json"]).code, Some(0));
    let sent: Value = serde_json::from_slice(&text).unwrap();
    let number = sent["external_account_number"].as_str().unwrap();
    assert_eq!(stub.state().accounts[number], (sent, 1));
}

#[test]
fn people_read_what_became_of_the_accounts() {
    let (site, stub) = (site(3), Stub::start());
    let more =
        [account("N-0001"), account("R-1"), account("R-2"), account("T-1"), line(FAULTY), b"{".to_vec()];
    site.write("b.ndjson", more.join(&b'\n'));
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
    let ran = site.ask(
        &stub,
        &[&UPLOAD[..], &["a.ndjson", "b.ndjson", "--report", "r.csv", "--report", "r.html"]].concat(),
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("people", ran.text());
    insta::assert_snapshot!("report", site.read("r.csv"));
    assert!(site.read("r.html").contains("<h1>Upload of accounts</h1>"));
    insta::assert_snapshot!("journal", site.read("a.ndjson.cutover-journal").replace(&stub.url(), "URL"));
    // What was refused is told again and not asked again, unless that is wanted.
    let ran = upload(&site, &stub, &["a.ndjson", "b.ndjson"]);
    assert_eq!(figures(&ran, ["accepted", "already_there", "refused", "faulty"]), [3, 1, 2, 3]);
    assert_eq!(ran.summary()["top_errors"][1]["code"], "refused_in_an_earlier_run");
    stub.state().refusals.clear();
    let ran = upload(&site, &stub, &["a.ndjson", "b.ndjson", "--retry-refused"]);
    assert_eq!(figures(&ran, ["accepted", "already_there", "refused", "faulty"]), [5, 1, 0, 3]);
}

#[test]
fn what_is_there_stays_there_though_the_rules_would_refuse_it_later() {
    let (site, stub) = (site(2), Stub::start());
    upload(&site, &stub, &["a.ndjson"]);
    let journal = site.read("a.ndjson.cutover-journal");
    let later = ["upload", "a.ndjson", "b.ndjson", "--json", "--now", "1999-01-01T00:00:00Z"];
    site.write("b.ndjson", account("N-9"));
    let ran = site.ask(&stub, &later);
    assert_eq!(figures(&ran, ["accepted", "faulty"]), [2, 1]);
    let added = site.read("a.ndjson.cutover-journal").strip_prefix(&journal).unwrap().to_owned();
    assert!(added.lines().count() == 1 && added.contains("N-9"), "{added}");
}

#[test]
fn an_account_that_was_mended_is_sent_anew() {
    let (site, stub) = (site(2), Stub::start());
    upload(&site, &stub, &["a.ndjson"]);
    let mut mended: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    mended["billing_name"] = "Mended".into();
    // It stands elsewhere, too.
    site.write("a.ndjson", [account("N-0009"), mended.to_string().into(), account("N-0000")].join(&b'\n'));
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!(ran.summary()["in_earlier_runs"]["accepted"], 1);
    assert_eq!(figures(&ran, ["accepted", "accounts"]), [3, 3]);
    let state = stub.state();
    let count = |number: &str| state.accounts[number].1;
    assert_eq!([count("N-0000"), count("N-0001"), count("N-0009")], [1, 2, 1]);
    assert_eq!(state.accounts["N-0001"].0["billing_name"], "Mended");
}

#[test]
fn faults_on_the_way_are_mended_without_a_loss() {
    for (manner, most) in [(&[][..], 1), (&["--one-by-one"][..], 1)] {
        let (site, stub) = (site(60), Stub::start());
        stub.will([
            Act::Answer(429, Some(1)),
            Act::Answer(503, None),
            Act::Cut(5),
            Act::StopAt(7, 503),
            Act::StopAt(3, 401),
            Act::ErrorAt(2),
            Act::Answer(401, None),
        ]);
        let begun = std::time::Instant::now();
        let ran = upload(&site, &stub, &[&["a.ndjson", "--connections", "1"], manner].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
        assert_eq!(figures(&ran, ["accounts", "accepted"]), [60, 60]);
        assert!(begun.elapsed().as_millis() >= 1_000, "it does not wait as it is told");
        let twice = stub.creations().iter().filter(|(_, count)| *count > 1).count();
        // What was stored and not answered, and the line that was answered 500.
        assert!(stub.creations().len() == 60 && twice <= most + 1, "{:?}", stub.creations());
    }
}

#[test]
fn a_line_that_the_service_fails_at_holds_up_no_other_and_is_sent_by_the_next_run() {
    let (site, stub) = (site(5), Stub::start());
    // It stays alone after the first round.
    stub.will([Act::ErrorAt(2), Act::ErrorAt(0), Act::ErrorAt(0)]);
    let ran = upload(&site, &stub, &["a.ndjson"]);
    // It is no fault of the account.
    assert_eq!(ran.code, Some(2));
    assert_eq!(figures(&ran, ["accepted", "failed"]), [4, 1]);
    assert_eq!(codes(&journal(&site), "failed"), ["N-0002"]);
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "failed"])), (Some(0), [5, 0]));
}

#[test]
fn what_gateways_answer_while_the_service_is_away_passes() {
    for manner in [&[][..], &["--one-by-one"]] {
        let (site, stub) = (site(3), Stub::start());
        stub.state().token_faults.extend([(500, false), (500, true), (522, true)]);
        stub.will([Act::Page(500), Act::Page(522), Act::Answer(530, None)]);
        let ran = upload(&site, &stub, &[&["a.ndjson"], manner].concat());
        assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [3]), "{}", ran.err);
    }
}

#[test]
fn a_service_that_fails_at_everything_is_waited_for() {
    let (site, stub) = (site(5), Stub::start());
    stub.will([Act::Down, Act::Down, Act::Down, Act::Down]);
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "failed"])), (Some(0), [5, 0]));
}

#[test]
fn what_is_being_imported_is_asked_again_and_sent_by_the_next_run() {
    let (site, stub) = (site(3), Stub::start());
    let busy = json!({"non_field_errors": {"code": "account_import_process_in_progress", "detail": "x"}});
    stub.state().refusals.insert("N-0001".to_owned(), busy);
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "in_progress", "already_there"])), (Some(2), [2, 1, 0]));
    assert_eq!(stub.state().requests.iter().map(|(_, lines)| *lines).collect::<Vec<_>>(), [3, 1, 1]);
    assert_eq!(codes(&journal(&site), "in_progress"), ["N-0001"]);
    assert!(
        journal(&site).iter().all(|record| record["outcome"] == "accepted" || record["totals"].is_null())
    );
    stub.state().refusals.clear();
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "in_progress"])), (Some(0), [3, 0]));
}

#[test]
fn what_somebody_between_answers_is_not_written_down() {
    for (act, part) in [
        (Act::Foreign(json!({"status": 202, "body": {}})), "answers 202 to an account"),
        (Act::Foreign(json!({"status": 400, "body": {"message": "Bad"}})), "answers 400 to an account"),
        (Act::Foreign(json!({"external_account_number": "X"})), "answers to other lines than were sent"),
        (Act::More("{\"line\": 4}\n"), "answers to more lines than were sent"),
    ] {
        let (site, stub) = (site(3), Stub::start());
        stub.will([act]);
        let ran = upload(&site, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2), "{part}");
        assert!(ran.err.contains(part), "{}", ran.err);
        assert!(journal(&site).iter().all(|record| record["status"] == 201));
        assert_eq!(figures(&upload(&site, &stub, &["a.ndjson"]), ["accepted", "not_sent"]), [3, 0]);
    }
}

#[test]
fn what_does_not_pass_ends_it_and_the_next_run_goes_on() {
    let not_ongoing =
        json!({"code": "import_supplier_migration_not_ongoing", "detail": "x", "domain": "import_supplier"});
    for (act, part) in [
        (Act::Html, "there is no Cutover at the base URL: it answers 200"),
        (Act::Answer(404, None), "the service answers 404 to many accounts at once; --one-by-one may do"),
        (Act::Answer(302, None), "which leads elsewhere"),
        (Act::Well, "the import supplier takes no accounts now"),
    ] {
        let (site, stub) = (site(10), Stub::start());
        if act == Act::Well {
            stub.state().refusals.insert("N-0004".to_owned(), not_ongoing.clone());
        }
        stub.will([act]);
        let ran = upload(&site, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2), "{part}");
        assert!(ran.err.contains(part) && ran.err.lines().count() == 1, "{}", ran.err);
        let [accepted, left] = figures(&ran, ["accepted", "not_sent"]);
        assert_eq!(accepted + left, 10);
        stub.state().refusals.clear();
        assert_eq!(figures(&upload(&site, &stub, &["a.ndjson"]), ["accepted", "not_sent"]), [10, 0]);
        assert!(stub.creations().iter().all(|(_, count)| *count == 1));
    }
}

#[test]
fn a_service_that_stays_away_ends_it_in_time() {
    let (site, stub) = (site(3), Stub::start());
    stub.will(std::iter::repeat_n(Act::Answer(503, None), 100));
    let ran = site.ask(&stub, &[&UPLOAD[..], &["a.ndjson", "--patience", "1"]].concat());
    assert_eq!((ran.code, ran.err.as_str()), (Some(2), "error: the service answers 503\n"));
    assert!(ran.out.contains("not sent yet   3") && ran.out.contains("run the same again"), "{}", ran.out);
}

#[test]
fn a_wrong_key_is_told_before_anything_is_read() {
    let (site, stub) = (site(1), Stub::start());
    let mut command = site.asking(&stub, &["upload", "a.ndjson"]);
    let ran = Ran::from(command.env("CUTOVER_API_KEY", "cut_live_wrong").output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert_eq!(ran.err, "error: the service refuses the API key\n");
    assert!(!site.read("a.ndjson.cutover-journal").contains(KEY));
}

#[test]
fn the_rules_may_be_left_to_the_service() {
    let (site, stub) = (Site::new(), Stub::start());
    site.write("a.ndjson", [&line(FAULTY)[..], b"{"].join(&b'\n'));
    assert_eq!(figures(&upload(&site, &stub, &["a.ndjson"]), ["accepted", "faulty"]), [0, 2]);
    let ran = upload(&site, &stub, &["a.ndjson", "--no-validate"]);
    // What is not JSON is no line.
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [1, 1]));
    assert_eq!(stub.state().broken, 0);
}

#[test]
fn a_dry_run_says_so_in_every_line_and_leaves_no_trace_in_the_journal() {
    let (site, stub) = (site(2), Stub::start());
    let ran = site.ask(&stub, &[&UPLOAD[..], &["a.ndjson", "--dry-run"]].concat());
    assert_eq!(ran.code, Some(0));
    assert!(ran.out.contains("Dry run: "), "{}", ran.out);
    assert!(stub.state().accounts.values().all(|(body, _)| body["task_params"]["is_dry_run"] == true));
    assert_eq!(figures(&upload(&site, &stub, &["a.ndjson"]), ["accepted"]), [2]);
    assert!(stub.state().accounts.values().all(|(body, count)| body["task_params"].is_null() && *count == 2));
}

#[test]
fn a_dry_run_takes_the_place_of_nothing_that_is_to_be_imported() {
    let (site, stub) = (site(2), Stub::start());
    upload(&site, &stub, &["a.ndjson"]);
    let mut changed: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    changed["billing_name"] = "Changed".into();
    site.write("a.ndjson", [account("N-0000"), changed.to_string().into(), account("N-0002")].join(&b'\n'));
    let ran = upload(&site, &stub, &["a.ndjson", "--dry-run"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "left_out", "not_sent"])), (Some(0), [1, 2, 0]));
    let state = stub.state();
    let is_tried = |number: &str| state.accounts[number].0["task_params"]["is_dry_run"] == true;
    assert_eq!(["N-0000", "N-0001", "N-0002"].map(is_tried), [false, false, true]);
}

#[test]
fn what_was_changed_after_its_import_is_told_and_its_old_sums_stay() {
    let (site, stub) = (site(2), Stub::start());
    let before = upload(&site, &stub, &["a.ndjson"]).summary()["totals"].clone();
    let written = journal(&site);
    let mut changed: Value = serde_json::from_slice(&account("N-0001")).unwrap();
    changed["billing_name"] = "Changed".into();
    changed["ledgers"][0]["ledger_balance"] = "999.99".into();
    site.write("a.ndjson", [account("N-0000"), changed.to_string().into()].join(&b'\n'));
    let there =
        json!({"non_field_errors": {"code": "account_import_process_already_imported", "detail": "x"}});
    stub.state().refusals.insert("N-0001".to_owned(), there);
    for _ in 0..2 {
        let ran = upload(&site, &stub, &["a.ndjson", "--no-validate"]);
        assert_eq!(
            (ran.code, figures(&ran, ["accepted", "already_there", "warnings"])),
            (Some(0), [1, 1, 1])
        );
        assert_eq!(ran.summary()["top_warnings"][0]["code"], "already_imported_with_other_content");
        assert_eq!((&ran.summary()["totals"], journal(&site)), (&before, written.clone()));
    }
}

#[test]
fn what_was_accepted_may_be_sent_again() {
    let (site, stub) = (site(2), Stub::start());
    upload(&site, &stub, &["a.ndjson"]);
    stub.state().accounts.remove("N-0001");
    assert_eq!(figures(&upload(&site, &stub, &["a.ndjson"]), ["accepted"]), [2]);
    assert_eq!(stub.creations().len(), 1);
    let ran = upload(&site, &stub, &["a.ndjson", "--again"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(0), [2, 0]));
    assert_eq!(ran.summary()["in_earlier_runs"]["accepted"], 0);
    assert_eq!(stub.creations(), [("N-0000".to_owned(), 2), ("N-0001".to_owned(), 1)]);
}

#[test]
fn a_faulty_account_does_not_keep_the_mended_one_from_being_sent() {
    let (site, stub) = (Site::new(), Stub::start());
    let mut faulty: Value = serde_json::from_slice(&line(FAULTY)).unwrap();
    faulty["external_account_number"] = "N-1".into();
    let mended = account("N-1");
    let same: Value = serde_json::from_slice(&mended).unwrap();
    faulty["import_supplier"] = same["import_supplier"].clone();
    site.write("a.ndjson", [faulty.to_string().into(), mended].join(&b'\n'));
    let ran = upload(&site, &stub, &["a.ndjson"]);
    assert_eq!((ran.code, figures(&ran, ["accepted", "faulty"])), (Some(1), [1, 1]));
}

#[test]
fn a_journal_is_of_one_service_and_standard_input_has_none() {
    let (site, stub, other) = (site(1), Stub::start(), Stub::start());
    upload(&site, &stub, &["a.ndjson"]);
    let ran = upload(&site, &other, &["a.ndjson"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains(&format!("is about {}: give another one", stub.url())), "{}", ran.err);
    assert_eq!(upload(&site, &other, &["a.ndjson", "--journal", "other"]).code, Some(0));
    let ran = upload(&site, &stub, &["-"]);
    assert!(ran.err.starts_with("error: say with --journal FILE"), "{}", ran.err);
    assert_eq!(upload(&site, &stub, &["a.ndjson", "--journal", "a.ndjson"]).code, Some(2));
    let both = ["a.ndjson", "--journal", "r.csv", "--report", "r.csv"];
    assert_eq!(upload(&site, &stub, &both).err, "error: r.csv is the journal: a report would replace it\n");
    let both = ["a.ndjson", "--journal", "j.json", "--report", "./j.json"];
    assert_eq!(upload(&site, &stub, &both).code, Some(2));
    let both = ["report", "ACME", "--journal", "j.json", "--report", "./j.json"];
    assert_eq!(site.ask(&stub, &both).err, "error: j.json is a journal: a report would replace it\n");
    assert_eq!(site.read("a.ndjson").as_bytes(), account("N-0000"));
}

#[test]
fn what_comes_slowly_is_sent_as_it_comes() {
    let (site, stub) = (Site::new(), Stub::start());
    let mut child = site.asking(&stub, &[&UPLOAD[..], &["-", "--journal", "j", "--json"]].concat());
    let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // Some of it is read; the rest waits for more, or for the end.
    let lines: Vec<Vec<u8>> = (0..400).map(|n| account(&format!("N-{n:04}"))).collect();
    let text = lines.join(&b'\n');
    assert!(text.len() > 512 * 1024, "{}", text.len());
    input.write_all(&text).unwrap();
    let begun = std::time::Instant::now();
    while std::fs::read_to_string(site.path("j")).unwrap_or_default().lines().count() < 100 {
        assert!(begun.elapsed().as_secs() < 60, "nothing is sent before the end");
        std::thread::park_timeout(std::time::Duration::from_millis(5));
    }
    drop(input);
    let ran = Ran::from(child.wait_with_output().unwrap());
    assert_eq!((ran.code, figures(&ran, ["accepted"])), (Some(0), [400]));
}

#[cfg(unix)]
mod signals {
    use super::*;
    use std::process::{Child, Command};

    /// A run that hangs in the middle of a request, when its answers so far are written down.
    fn hanging(site: &Site, stub: &Stub) -> Child {
        stub.will([Act::Well, Act::HangAt(100)]);
        let arguments =
            [&UPLOAD[..], &["a.ndjson", "--json", "--connections", "1", "--patience", "20"]].concat();
        let child = site.asking(stub, &arguments).spawn().unwrap();
        let answered = || std::fs::read(site.path("a.ndjson.cutover-journal")).unwrap_or_default();
        let begun = std::time::Instant::now();
        while !stub.state().hangs || answered().iter().filter(|b| **b == b'\n').count() < 601 {
            assert!(begun.elapsed().as_secs() < 60, "it does not get there");
            std::thread::park_timeout(std::time::Duration::from_millis(5));
        }
        child
    }

    fn signal(child: &Child, name: &str) {
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    #[test]
    fn a_run_that_is_killed_is_gone_on_from() {
        let (site, stub) = (site(800), Stub::start());
        let mut child = hanging(&site, &stub);
        signal(&child, "KILL");
        child.wait().unwrap();
        // The last record may be torn.
        let mut torn = std::fs::read(site.path("a.ndjson.cutover-journal")).unwrap();
        torn.extend_from_slice(b"{\"file\":\"a.ndj");
        site.write("a.ndjson.cutover-journal", torn);
        let ran = upload(&site, &stub, &["a.ndjson"]);
        assert!(ran.err.contains("had a torn end: 14 bytes were cut off"), "{}", ran.err);
        assert_eq!((ran.code, figures(&ran, ["accepted", "not_sent"])), (Some(0), [800, 0]));
        assert!(ran.summary()["in_earlier_runs"]["accepted"].as_u64().unwrap() >= 600);
        let created = stub.creations();
        assert!(created.len() == 800 && created.iter().all(|(_, count)| *count == 1));
        assert_eq!(codes(&journal(&site), "accepted").len(), 800);
    }

    #[test]
    fn two_runs_at_once_are_refused() {
        let (site, stub) = (site(800), Stub::start());
        let mut child = hanging(&site, &stub);
        let ran = upload(&site, &stub, &["a.ndjson"]);
        assert_eq!(ran.code, Some(2));
        assert_eq!(ran.err, "error: a.ndjson.cutover-journal is in use by another run\n");
        signal(&child, "KILL");
        child.wait().unwrap();
    }

    #[test]
    fn ctrl_c_ends_it_with_a_summary_and_twice_at_once() {
        let (site, stub) = (site(800), Stub::start());
        // Its pauses are long: nothing is under way.
        stub.will([Act::Well, Act::Answer(429, Some(60))]);
        let arguments = [&UPLOAD[..], &["a.ndjson", "--json", "--connections", "1"]].concat();
        let child = site.asking(&stub, &arguments).spawn().unwrap();
        let begun = std::time::Instant::now();
        while !stub.state().acts.is_empty()
            || std::fs::read_to_string(site.path("a.ndjson.cutover-journal")).unwrap().lines().count() < 501
        {
            assert!(begun.elapsed().as_secs() < 60, "it does not get there");
            std::thread::park_timeout(std::time::Duration::from_millis(5));
        }
        signal(&child, "INT");
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert!(begun.elapsed().as_secs() < 55, "it waits for the pause to end");
        assert_eq!((ran.code, ran.summary()["interrupted"].as_bool()), (Some(130), Some(true)));
        assert_eq!(figures(&ran, ["accepted"]), [500]);

        let (site, stub) = (super::site(800), Stub::start());
        let child = hanging(&site, &stub);
        // What hangs has 10 seconds left; whoever cannot wait says so.
        let begun = std::time::Instant::now();
        signal(&child, "INT");
        until_it_heard(&child);
        signal(&child, "INT");
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""));
        assert!(begun.elapsed().as_secs() < 9, "it waits for what hangs");
    }

    /// Two signals that come together count as one.
    fn until_it_heard(child: &Child) {
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

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => Just(Act::Well),
        2 => (0_usize..30).prop_map(Act::Cut),
        1 => (0_usize..30).prop_map(|n| Act::StopAt(n, 503)),
        1 => (0_usize..30).prop_map(|n| Act::StopAt(n, 401)),
        1 => Just(Act::Answer(503, None)),
        1 => Just(Act::Html),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn however_runs_end_each_account_gets_there_and_only_what_had_no_answer_twice(
        acts in prop::collection::vec(act(), 0..6),
        torn in prop::option::of(1_usize..400),
        connections in 1_usize..4,
    ) {
        let (site, stub) = (site(40), Stub::start());
        let cuts = acts.iter().filter(|act| matches!(act, Act::Cut(_))).count();
        stub.will(acts);
        let connections = connections.to_string();
        let run = || upload(&site, &stub, &["a.ndjson", "--connections", &connections]);
        let mut lost = 0;
        for n in 0..10 {
            let ran = run();
            if ran.code == Some(0) {
                break;
            }
            prop_assert_eq!(ran.code, Some(2), "{}{}", ran.out, ran.err);
            prop_assert!(n < 9, "it does not come to an end");
            // A crash tears some records off.
            if let Some(torn) = torn {
                let journal = site.read("a.ndjson.cutover-journal");
                let head = journal.find('\n').unwrap() + 1;
                let kept = head.max(journal.len().saturating_sub(torn));
                lost += journal[kept..].lines().count();
                site.write("a.ndjson.cutover-journal", &journal[..kept]);
            }
        }
        let created: BTreeMap<String, u32> = stub.creations().into_iter().collect();
        prop_assert_eq!(created.len(), 40);
        let again: u32 = created.values().map(|count| count - 1).sum();
        prop_assert!(again as usize <= cuts + lost, "{again} sent again: {cuts} cuts, {lost} lost records");
        let records = codes(&journal(&site), "accepted");
        prop_assert_eq!(records.len(), 40, "an answer is written down once");
    }
}
