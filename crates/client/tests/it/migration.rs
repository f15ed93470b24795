//! `watch` and `report`.

use crate::harness::{NOW, Sandbox, account, line};
use crate::stub::Stub;
use serde_json::{Value, json};

const PROGRESS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/progress/";
const LIST: &str = "/v2/data-import/accounts/ACME_ENERGY/";
const TOTALS: &str = "/v2/data-import/import-suppliers/ACME_ENERGY/account-totals/";

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
fn watch_ends_when_no_account_is_pending() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let states =
        || [progress(3, 0, 0), progress(3, 0, 0), progress(1, 2, 0), progress(0, 3, 0)].map(|p| (200, p));
    stub.answers(PROGRESS, states());
    let ran = sandbox.run_with(&stub, &["watch", "ACME_ENERGY", "--interval", "1"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.out);
    stub.answers(PROGRESS, [(200, progress(1, 2, 0)), (200, progress(0, 2, 1))]);
    let ran = sandbox.run_with(&stub, &["watch", "ACME_ENERGY", "--interval", "1", "--json"]);
    assert_eq!((ran.code, ran.summary()), (Some(1), progress(0, 2, 1)));
}

#[test]
fn a_service_that_is_away_for_a_moment_is_waited_for() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    stub.answers(PROGRESS, [(503, json!({})), (500, json!({})), (200, progress(0, 1, 0))]);
    assert_eq!(sandbox.run_with(&stub, &["watch", "ACME_ENERGY"]).code, Some(0));
    let ran = sandbox.run_with(&stub, &["watch", "OTHER"]);
    assert_eq!(
        (ran.code, ran.err.as_str()),
        (Some(2), "error: the service knows no import supplier OTHER\n")
    );
}

/// An upload of three accepted accounts, a faulty and a refused one.
fn uploaded() -> (Sandbox, Stub) {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    let mut lines: Vec<Vec<u8>> = ["N-0", "N-1", "N-2", "R-1"].map(account).into();
    lines.push(line("faulty/CUS-01-not-a-phone-number"));
    sandbox.write("in/a.ndjson", lines.join(&b'\n'));
    let refusal = json!({"detail": "x", "code": "payload_too_large"});
    stub.state().refusals.insert("R-1".to_owned(), refusal);
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW]).code, Some(1));
    (sandbox, stub)
}

/// An upload of three accepted accounts.
fn complete() -> (Sandbox, Stub) {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("in/a.ndjson", ["N-0", "N-1", "N-2"].map(account).join(&b'\n'));
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    (sandbox, stub)
}

#[test]
fn only_a_complete_import_exits_with_0() {
    let (sandbox, stub) = complete();
    let report =
        |more: &[&str]| sandbox.run_with(&stub, &[&["report", "ACME_ENERGY", "in", "--json"], more].concat());
    let reasons = |ran: &crate::harness::RunResult| ran.summary()["not_imported"].clone();
    let ran = report(&[]);
    assert_eq!((ran.code, &ran.summary()["agrees"]), (Some(0), &json!(true)), "{}", ran.err);
    // An account that was never sent, a changed one, and one of another supplier.
    sandbox.write("in/b.json", account("N-3"));
    let ran = report(&["--report", "r.json"]);
    assert_eq!((ran.code, &ran.summary()["agrees"]), (Some(1), &json!(true)));
    assert_eq!(
        (&reasons(&ran)["not_sent"], &sandbox.rows("r.json")[0]["file"]),
        (&json!(1), &json!("in/b.json"))
    );
    let mut changed: Value = serde_json::from_slice(&account("N-1")).unwrap();
    changed["billing_name"] = "Changed".into();
    sandbox.write("in/b.json", changed.to_string());
    let ran = report(&["--report", "r.json"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!((&reasons(&ran)["changed"], &reasons(&ran)["differing_copies"]), (&json!(1), &json!(1)));
    let codes: Vec<_> = sandbox.rows("r.json").iter().map(|row| row["code"].clone()).collect();
    assert!(
        codes.contains(&"changed_since_sent".into()) && codes.contains(&"differs_in_input".into()),
        "{codes:?}"
    );
    let other = String::from_utf8(account("N-4")).unwrap().replace("ACME_ENERGY", "OTHER");
    sandbox.write("in/b.json", other);
    assert_eq!(report(&[]).code, Some(0));
    // A manifest that differs.
    let mut declared = progress(0, 3, 0);
    let sums = |accounts: u64| {
        json!({"accounts": accounts, "ledger_balance": format!("-{}.00", 25 * accounts),
        "readings": 0, "transactions": 2 * accounts, "documents": 0})
    };
    for (accounts, code) in [(3, 0), (4, 1)] {
        declared["manifest"] = json!({"declared": sums(accounts), "sent": sums(3), "imported": sums(3)});
        stub.answers(PROGRESS, [(200, declared.clone())]);
        assert_eq!(report(&[]).code, Some(code), "{accounts} declared");
    }
    sandbox.write("in/b.json", line("faulty/CUS-01-not-a-phone-number"));
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW]).code, Some(1));
    let ran = report(&[]);
    assert_eq!((ran.code, &reasons(&ran)["faulty"]), (Some(1), &json!(1)));
    sandbox.write("in/b.json.gz", "{}");
    let ran = report(&["--report", "r.html"]);
    assert_eq!((ran.code, &reasons(&ran)["unreadable_files"]), (Some(2), &json!(1)), "{}", ran.err);
    assert!(sandbox.read("r.html").contains("Not every account or row of the files is imported"));
    std::fs::remove_file(sandbox.path("in/b.json.gz")).unwrap();
    // It is no obstacle once it is not in the files any more.
    std::fs::remove_file(sandbox.path("in/b.json")).unwrap();
    assert_eq!(report(&[]).code, Some(0));
}

/// Rows that belong to no account are not imported, whatever the sums say.
#[test]
fn rows_of_tables_that_were_lost_are_named() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("a.ndjson", ["N-0", "N-1", "N-2"].map(account).join(&b'\n'));
    assert_eq!(sandbox.run(&["disassemble", "a.ndjson", "--to", "in"]).code, Some(0));
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    let report = |more: &[&str]| sandbox.run_with(&stub, &[&["report", "ACME_ENERGY", "in"], more].concat());
    let ran = report(&[]);
    assert_eq!((ran.code, ran.out.contains(" rows, 0 findings.")), (Some(0), true), "{}{}", ran.out, ran.err);
    let customers = sandbox.read("in/customers.csv");
    let cells = customers.lines().next().unwrap().matches(',').count();
    sandbox.write("in/customers.csv", format!("{customers}X,1{}\n", ",".repeat(cells - 1)));
    let ran = report(&["--json", "--report", "r.json", "--report", "r.html"]);
    assert_eq!((ran.code, &ran.summary()["agrees"]), (Some(1), &json!(true)), "{}", ran.err);
    assert_eq!(ran.summary()["tables"]["findings"], 1);
    let row = &sandbox.rows("r.json")[0];
    let line = customers.lines().count() + 1;
    assert_eq!(
        (&row["code"], &row["file"], &row["line"]),
        (&json!("orphan_row"), &json!("in/customers.csv"), &json!(line))
    );
    assert!(sandbox.read("r.html").contains("Not every account or row of the files is imported"));
}

#[test]
fn after_a_dry_run_the_report_says_so() {
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    sandbox.write("in/a.ndjson", ["N-0", "N-1"].map(account).join(&b'\n'));
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW, "--dry-run"]).code, Some(0));
    let mut rehearsed = progress(0, 0, 0);
    rehearsed["counts"]["DRY_RUN_SUCCEEDED"] = 2.into();
    rehearsed["totals"]["ledger_balance"] = "0.00".into();
    stub.answers(PROGRESS, [(200, rehearsed)]);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("dry_run", ran.out);
    let named = ["report", "ACME_ENERGY", "--journal", "in.cutover-dry-run-journal", "--json"];
    let ran = sandbox.run_with(&stub, &named);
    assert_eq!((ran.code, &ran.summary()["dry_run"]), (Some(1), &json!(true)));
}

#[test]
fn sums_agree_to_the_cent_or_the_difference_is_shown() {
    let (sandbox, stub) = uploaded();
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in"]);
    // Two accounts are neither sent nor imported.
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("agrees", ran.out);
    stub.answers(PROGRESS, [(200, progress(0, 2, 1))]);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in/"]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!("differs", ran.out);
    let ran =
        sandbox.run_with(&stub, &["report", "ACME_ENERGY", "--journal", "in.cutover-journal", "--json"]);
    assert_eq!(ran.code, Some(1));
    let mut summary = ran.summary();
    summary["top_errors"].as_array_mut().unwrap().truncate(1);
    insta::assert_json_snapshot!("document", summary);
    let mut off_by_a_cent = progress(0, 3, 0);
    off_by_a_cent["totals"]["ledger_balance"] = "-75.01".into();
    stub.answers(PROGRESS, [(200, off_by_a_cent)]);
    assert_eq!(sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in"]).code, Some(1));
}

#[test]
fn every_account_is_a_row() {
    let (sandbox, stub) = uploaded();
    stub.answers(PROGRESS, [(200, progress(0, 2, 1))]);
    // Pages are requested in the order of the statuses.
    let mut answers = vec![
        (200, json!({"items": [listed("N-0", None, Some("document_gone"))], "next": "cursor=2"})),
        // An empty page need not be the last.
        (200, json!({"items": [], "next": "cursor=3"})),
        (
            200,
            json!([
                listed("X-9", None, Some("import_process_retries_exhausted")),
                listed("X-10", None, Some("import_process_failed_validation")),
                listed("X-11", None, Some("import_process_failed_validation")),
            ]),
        ),
    ];
    answers.extend(std::iter::repeat_n((200, json!([])), 5));
    answers.push((200, json!([listed("N-1", Some("A-1"), None), listed("N-2", Some("A-2"), None)])));
    stub.answers(LIST, answers);
    let item =
        |attr: &str| json!({"attr": attr, "code": "invalid", "rule": "STR-04", "detail": "It is invalid."});
    let issues =
        json!({"attempt": 1, "errors": [item("notes.0.body"), item("customers.1.email")], "warnings": []});
    stub.answers(&format!("{LIST}X-10/issues/"), [(200, issues)]);
    stub.answers(&format!("{LIST}X-11/issues/"), [(404, json!({}))]);
    let ran =
        sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in", "--report", "r.csv", "--report", "r.html"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("rows", sandbox.read("r.csv"));
    assert!(sandbox.read("r.html").contains("The sums do not agree."));
    let queries = stub.state().queries.split_off(1);
    assert_eq!(queries[0], "status=ERRORED&page_size=10000");
    assert_eq!((queries[1].as_str(), queries[2].as_str(), queries.len()), ("cursor=2", "cursor=3", 12));
}

/// A cent is found: the account, its line and both sums are named.
#[test]
fn accounts_whose_totals_differ_are_named() {
    let (sandbox, stub) = uploaded();
    let mut off_by_a_cent = progress(0, 3, 0);
    off_by_a_cent["totals"]["ledger_balance"] = "-75.01".into();
    off_by_a_cent["totals"]["transactions"] = 7.into();
    stub.answers(PROGRESS, [(200, off_by_a_cent)]);
    let totals = |number: &str, balance: &str, transactions: u64| {
        json!({"external_account_number": number, "ledger_balance": balance, "readings": 0,
            "transactions": transactions, "documents": 0})
    };
    let first =
        json!({"next": "cursor=2", "items": [totals("N-0", "-25.00", 2), totals("N-1", "-25.01", 3)]});
    let last = json!({"items": [totals("N-2", "-25.00", 2), totals("OTHERS-1", "1.00", 0)]});
    let both = || [(200, first.clone()), (200, last.clone())];
    stub.answers(TOTALS, both());
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    insta::assert_snapshot!("other_totals", ran.out);
    stub.answers(TOTALS, both());
    stub.answers(LIST, [(200, json!([]))]);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in", "--json", "--report", "r.csv"]);
    let differing = &ran.summary()["differing"];
    assert_eq!(
        (&differing["count"], &differing["examples"][0]["imported"]["ledger_balance"]),
        (&1.into(), &"-25.01".into())
    );
    let rows = sandbox.read("r.csv");
    let row = rows.lines().find(|row| row.contains("totals_differ")).unwrap();
    assert!(row.contains("N-1") && row.contains("ledger balance -25.00 sent, -25.01 imported"), "{row}");
}

#[test]
fn an_account_sent_several_times_counts_once() {
    let (sandbox, stub) = uploaded();
    let mut changed: Value = serde_json::from_slice(&account("N-1")).unwrap();
    changed["ledgers"] = json!([]);
    changed["transfer_balance"] = json!("0.00");
    sandbox.write("in/a.ndjson", changed.to_string());
    assert_eq!(sandbox.run_with(&stub, &["upload", "in", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 3, 0))]);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in", "--json"]);
    let sent = &ran.summary()["sent"];
    assert_eq!((&sent["accounts"], &sent["ledger_balance"]), (&3.into(), &"-50.00".into()));
}

#[test]
fn several_journals_are_added_up() {
    let (sandbox, stub) = complete();
    sandbox.write("b.ndjson", [account("N-7"), account("N-2")].join(&b'\n'));
    assert_eq!(sandbox.run_with(&stub, &["upload", "b.ndjson", "--now", NOW]).code, Some(0));
    stub.answers(PROGRESS, [(200, progress(0, 4, 0))]);
    // N-2 is in both. A path without a journal was uploaded together with another.
    sandbox.write("c.ndjson", account("N-7"));
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "in", "b.ndjson", "c.ndjson"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let both = ["--journal", "in.cutover-journal", "--journal", "b.ndjson.cutover-journal"];
    assert_eq!(sandbox.run_with(&stub, &[&["report", "ACME_ENERGY"], &both[..]].concat()).code, Some(0));
    assert_eq!(sandbox.run_with(&stub, &["report", "ACME_ENERGY", "b.ndjson"]).code, Some(1));
}

#[test]
fn only_the_suppliers_own_accounts_count_and_only_a_journal_of_this_service() {
    let (sandbox, stub) = uploaded();
    let mut empty = progress(0, 0, 0);
    empty["totals"]["ledger_balance"] = "0.00".into();
    stub.answers("/v2/data-import/import-suppliers/OTHER/progress/", [(200, empty)]);
    let ran = sandbox.run_with(&stub, &["report", "OTHER", "in"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let ran = sandbox.run_with(&Stub::start(), &["report", "ACME_ENERGY", "in"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("is about http://"), "{}", ran.err);
    let ran = sandbox.run_with(&stub, &["report", "ACME_ENERGY", "gone"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("gone cannot be read: "), "{}", ran.err);
}

#[test]
fn the_schema_is_the_documented_one() {
    let sandbox = Sandbox::new();
    for name in ["account", "notes"] {
        let path = format!("{}/../../docs/schema/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let arguments: &[&str] = if name == "account" { &["schema"] } else { &["schema", name] };
        assert_eq!(sandbox.run(arguments).out, std::fs::read_to_string(path).unwrap());
    }
    assert_eq!(sandbox.run(&["schema", "moon"]).code, Some(2));
}
