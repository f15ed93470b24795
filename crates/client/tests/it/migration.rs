//! A migration watched and compared with what was sent.

use crate::harness::{NOW, Site, account, line};
use crate::stub::Stub;
use serde_json::{Value, json};

const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/progress/";
const LIST: &str = "/v2/data-import/accounts/ACME_ENERGY/";

fn progress(pending: u64, imported: u64, errored: u64) -> Value {
    let errors = match errored {
        0 => json!([]),
        count => json!([{"code": "import_process_failed_validation", "count": count, "examples": ["N-0"]}]),
    };
    // An account of the fixture has a balance of -25 and two transactions.
    json!({
        "counts": {"PENDING": pending, "IN_PROGRESS": 0, "PROCESSED": imported, "ERRORED": errored,
            "CANCELLED": 0, "DRY_RUN_SUCCEEDED": 0, "DRY_RUN_ERRORED": 0},
        "top_errors": errors, "rate_per_minute": "61.5", "estimated_finish_at": null,
        "totals": {"accounts": imported, "ledger_balance": format!("-{}.00", 25 * imported), "readings": 0,
            "transactions": 2 * imported, "documents": 0}
    })
}

fn listed(number: &str, identifier: Option<&str>, error: Option<&str>) -> Value {
    let error = error.map(|code| json!({"code": code, "detail": "It failed.", "domain": "import_process"}));
    json!({"external_account_number": number, "service_identifier": identifier, "latest_error": error,
        "status": "x", "created_at": "x", "modified_at": "x", "latest_event": {}})
}

#[test]
fn it_is_watched_until_nothing_is_left() {
    let (site, stub) = (Site::new(), Stub::start());
    let states =
        || [progress(3, 0, 0), progress(3, 0, 0), progress(1, 2, 0), progress(0, 3, 0)].map(|p| (200, p));
    stub.answers(PROGRESS, states());
    let ran = site.ask(&stub, &["watch", "ACME_ENERGY", "--interval", "1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out);
    stub.answers(PROGRESS, [(200, progress(1, 2, 0)), (200, progress(0, 2, 1))]);
    let ran = site.ask(&stub, &["watch", "ACME_ENERGY", "--interval", "1", "--json"]);
    assert_eq!((ran.code, ran.summary()), (Some(1), progress(0, 2, 1)));
}

#[test]
fn a_service_that_is_away_for_a_moment_is_waited_for() {
    let (site, stub) = (Site::new(), Stub::start());
    stub.answers(PROGRESS, [(503, json!({})), (500, json!({})), (200, progress(0, 1, 0))]);
    assert_eq!(site.ask(&stub, &["watch", "ACME_ENERGY"]).code, Some(0));
    let ran = site.ask(&stub, &["watch", "OTHER"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(2), "error: the service knows no import supplier OTHER\n")
    );
}

/// Three accounts that are accepted, a faulty and a refused one.
fn uploaded() -> (Site, Stub) {
    let (site, stub) = (Site::new(), Stub::start());
    let mut lines: Vec<Vec<u8>> = ["N-0", "N-1", "N-2", "R-1"].map(account).into();
    lines.push(line("faulty/CUS-01-not-a-phone-number"));
    site.write("in/a.ndjson", lines.join(&b'\n'));
    let refusal = json!({"detail": "x", "code": "payload_too_large"});
    stub.state().refusals.insert("R-1".to_owned(), refusal);
    assert_eq!(site.ask(&stub, &["upload", "in", "--now", NOW]).code, Some(1));
    (site, stub)
}

#[test]
fn sums_agree_to_the_cent_or_what_is_missing_is_said() {
    let (site, stub) = uploaded();
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!("agrees", ran.out);
    stub.answers(PROGRESS, [(200, progress(0, 2, 1))]);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "in/"]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!("differs", ran.out);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "--journal", "in.cutover-journal", "--json"]);
    assert_eq!(ran.code, Some(1));
    let mut summary = ran.summary();
    summary["top_errors"].as_array_mut().unwrap().truncate(1);
    insta::assert_json_snapshot!("document", summary);
    let mut off_by_a_cent = progress(0, 3, 0);
    off_by_a_cent["totals"]["ledger_balance"] = "-75.01".into();
    stub.answers(PROGRESS, [(200, off_by_a_cent)]);
    assert_eq!(site.ask(&stub, &["report", "ACME_ENERGY", "in"]).code, Some(1));
}

#[test]
fn every_account_is_a_row() {
    let (site, stub) = uploaded();
    stub.answers(PROGRESS, [(200, progress(0, 2, 1))]);
    // The pages come in the order of the statuses that are asked for.
    let mut answers = vec![
        (200, json!({"items": [listed("N-0", None, Some("document_gone"))], "next": "cursor=2"})),
        // A page may be empty and not the last.
        (200, json!({"items": [], "next": "cursor=3"})),
        (200, json!([listed("X-9", None, Some("import_process_retries_exhausted"))])),
    ];
    answers.extend(std::iter::repeat_n((200, json!([])), 5));
    answers.push((200, json!([listed("N-1", Some("A-1"), None), listed("N-2", Some("A-2"), None)])));
    stub.answers(LIST, answers);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "in", "--report", "r.csv", "--report", "r.html"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("rows", site.read("r.csv"));
    assert!(site.read("r.html").contains("The sums do not agree."));
    let queries = stub.state().queries.split_off(1);
    assert_eq!(queries[0], "status=ERRORED&page_size=10000");
    assert_eq!((queries[1].as_str(), queries[2].as_str(), queries.len()), ("cursor=2", "cursor=3", 9));
}

#[test]
fn an_account_counts_once_however_often_it_was_sent() {
    let (site, stub) = uploaded();
    let mut mended: Value = serde_json::from_slice(&account("N-1")).unwrap();
    mended["ledgers"] = json!([]);
    site.write("in/a.ndjson", mended.to_string());
    assert_eq!(site.ask(&stub, &["upload", "in", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "in", "--json"]);
    let sent = &ran.summary()["sent"];
    assert_eq!((&sent["accounts"], &sent["ledger_balance"]), (&3.into(), &"-50.00".into()));
}

#[test]
fn what_was_uploaded_apart_is_added_up_together() {
    let (site, stub) = uploaded();
    site.write("b.ndjson", [account("N-7"), account("N-2")].join(&b'\n'));
    assert_eq!(site.ask(&stub, &["upload", "b.ndjson", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 4, 0))]);
    // N-2 is in both; a path without a journal was uploaded with another one.
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "in", "b.ndjson", "c.ndjson"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let both = ["--journal", "in.cutover-journal", "--journal", "b.ndjson.cutover-journal"];
    assert_eq!(site.ask(&stub, &[&["report", "ACME_ENERGY"], &both[..]].concat()).code, Some(0));
    assert_eq!(site.ask(&stub, &["report", "ACME_ENERGY", "b.ndjson"]).code, Some(1));
}

#[test]
fn only_the_suppliers_own_accounts_count_and_only_a_journal_of_this_service() {
    let (site, stub) = uploaded();
    let mut empty = progress(0, 0, 0);
    empty["totals"]["ledger_balance"] = "0.00".into();
    stub.answers("/v2/data-import/import-suppliers/OTHER/progress/", [(200, empty)]);
    let ran = site.ask(&stub, &["report", "OTHER", "in"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let ran = site.ask(&Stub::start(), &["report", "ACME_ENERGY", "in"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("is about http://"), "{}", ran.err);
    let ran = site.ask(&stub, &["report", "ACME_ENERGY", "gone"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("gone.cutover-journal cannot be read: "), "{}", ran.err);
}

#[test]
fn the_schema_is_the_documented_one() {
    let site = Site::new();
    for name in ["account", "notes"] {
        let path = format!("{}/../../docs/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let arguments: &[&str] = if name == "account" { &["schema"] } else { &["schema", name] };
        assert_eq!(site.run(arguments).out, std::fs::read_to_string(path).unwrap());
    }
    assert_eq!(site.run(&["schema", "moon"]).code, Some(2));
}
