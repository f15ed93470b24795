//! Undoing imports (contract D18).

use crate::env::{TestEnv, account_of, request};
use chrono::Duration;
use cutover_app::account::{AccountFilter, shown_progress};
use cutover_app::auth::Caller;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, BulkRequest, JobOwner, OperatorError, UndoRequest, UndoScope};
use cutover_app::port::{
    ArchivedVersion, Clock, FeedFilter, Job, JobKind, KeptBecause, PageLimit, read, write,
};
use cutover_app::worker::Worked;
use cutover_core::ExternalAccountNumber;
use cutover_model::{RowCounts, Totals};
use cutover_process::State;
use cutover_testkit::create_account;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}],"ledgers":[{"ledger_balance":"12.50"}]"#;

fn numbers(of: &[&str]) -> UndoRequest {
    let numbers = of.iter().map(|number| (*number).to_owned()).collect();
    UndoRequest { supplier: "ACME".into(), which: UndoScope::Numbers(numbers) }
}

/// Returns an environment with `count` imported accounts `A-1`, `A-2`, …
fn imported(count: usize) -> TestEnv {
    let env = TestEnv::new();
    (1..=count).for_each(|n| env.create_as(&format!("A-{n}"), MEMBERS));
    import(&env);
    env.clock.advance(Duration::seconds(1));
    env
}

fn import(env: &TestEnv) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
}

fn undo(env: &TestEnv, request: &UndoRequest) -> Job {
    let begun = env.app.as_command().begin_undo(request, "wrong tariffs", JobOwner::Caller).unwrap();
    env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {}).unwrap()
}

/// Matched, undone, kept and failed accounts.
fn counts(job: &Job) -> [u64; 4] {
    [job.matched, job.changed, job.skipped, job.failed]
}

fn totals(env: &TestEnv) -> Totals {
    read(&*env.store, |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        tx.totals(supplier.id)
    })
    .unwrap()
}

/// Returns the types of the events of an account, with its number here.
fn events(env: &TestEnv, number: &str) -> Vec<(String, Option<String>)> {
    let organisation = env.caller.organisation_id;
    let page = read(&*env.store, |tx| {
        tx.feed_page(organisation, &FeedFilter::default(), None, PageLimit::of(1_000))
    });
    let events = page.unwrap().unwrap().events.into_iter();
    let own = events.filter(|event| event.external_account_number.as_deref() == Some(number));
    own.map(|event| (event.event_type.to_string(), event.service_account_number)).collect()
}

fn add_note(env: &TestEnv, number: &str) {
    let body = request("notes", &[r#"{"body":"Called."}"#.to_owned()]).replace("A-1", number);
    assert!(env.app.add_notes(&env.caller, body.as_bytes(), None).is_ok());
}

fn archive(env: &TestEnv, number: &str) {
    let number: ExternalAccountNumber = number.parse().unwrap();
    write(&*env.store, move |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        let process = tx.process(supplier.id, &number)?.unwrap().process;
        tx.archive(&[ArchivedVersion::new(&process, None)], chrono::DateTime::UNIX_EPOCH)
    })
    .unwrap();
}

/// Rows are those that were sent and added: not the ledger that an import makes.
#[test]
fn rows_are_counted_until_their_account_goes() {
    let env = imported(2);
    env.create_as("A-3", r#""events":[{"event_type":"MOVE","category":"c","subcategory":"s","description":"in","occurred_at":"2024-01-01T00:00:00Z"}]"#);
    import(&env);
    let rows = |own: &[(&str, u64)]| RowCounts::of(own.iter().copied());
    assert_eq!(totals(&env).rows, rows(&[("accounts", 3), ("customers", 2), ("ledgers", 2), ("events", 1)]));
    // The second one is there already.
    (0..2).for_each(|_| add_note(&env, "A-1"));
    let with_note = [("accounts", 3), ("customers", 2), ("ledgers", 2), ("events", 1), ("notes", 1)];
    assert_eq!(totals(&env).rows, rows(&with_note));
    undo(&env, &numbers(&["A-2", "A-3"]));
    assert_eq!(totals(&env).rows, rows(&[("accounts", 1), ("customers", 1), ("ledgers", 1), ("notes", 1)]));
    env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
    assert_eq!(totals(&env).rows, RowCounts::default());
}

#[test]
fn what_would_be_undone_is_shown_and_not_changed() {
    let env = imported(5);
    add_note(&env, "A-2");
    env.app.report_billed(&env.caller, "ACME", "A-3").unwrap();
    archive(&env, "A-4");
    let all = ["A-1", "A-2", "A-3", "A-4", "A-5", " A-5 ", "NOBODY", ""];
    let found = env.app.as_command().undoable(&numbers(&all)).unwrap();
    assert_eq!((found.undo.count, found.undo.examples.as_slice()), (2, &["A-1".into(), "A-5".into()][..]));
    let kept: Vec<_> =
        found.kept.iter().map(|(why, group)| (why.as_str(), group.count, group.examples.join(" "))).collect();
    let expected =
        [("account_already_billed", 1, "A-3"), ("account_changed", 1, "A-2"), ("account_archived", 1, "A-4")];
    assert_eq!(kept, expected.map(|(why, count, numbers)| (why, count, numbers.to_owned())));
    assert_eq!((found.kept_count(), found.unknown.examples.join(" ").trim()), (3, "NOBODY"));
    assert_eq!(found.unknown.count, 2);
    assert_eq!(env.state_of("A-1"), State::Processed);
    assert!(env.app.as_command().jobs(None).unwrap().is_empty());

    let job = undo(&env, &numbers(&all));
    assert_eq!(counts(&job), [5, 2, 3, 0]);
    let states = ["A-1", "A-2", "A-3", "A-4", "A-5"].map(|number| env.state_of(number));
    let kept = State::Processed;
    assert_eq!(states, [State::Cancelled, kept, kept, kept, State::Cancelled]);
    assert_eq!(totals(&env).accounts, 3);
}

#[test]
fn imports_since_a_time_are_undone_in_batches() {
    let env = imported(3);
    let since = env.clock.now();
    (1..=120).for_each(|n| env.create_as(&format!("B-{n}"), MEMBERS));
    import(&env);
    env.clock.advance(Duration::seconds(1));
    let request = UndoRequest { supplier: "ACME".into(), which: UndoScope::Since(since) };
    let found = env.app.as_command().undoable(&request).unwrap();
    assert_eq!((found.undo.count, found.undo.examples.len(), found.kept_count()), (120, 10, 0));
    let begun = env.app.as_command().begin_undo(&request, "wrong tariffs", JobOwner::Caller).unwrap();
    let mut batches = Vec::new();
    let ended = env
        .app
        .as_command()
        .run_job(&begun.name, Some(begun.claim), |job| batches.push(job.changed))
        .unwrap();
    assert_eq!(batches, [50, 100, 120]);
    assert_eq!(counts(&ended), [120, 120, 0, 0]);
    assert_eq!((env.state_of("A-1"), env.state_of("B-120")), (State::Processed, State::Cancelled));
    let rows = RowCounts::of([("accounts", 3), ("customers", 3), ("ledgers", 3)]);
    assert_eq!(
        totals(&env),
        Totals { accounts: 3, ledger_balance: "37.50".parse().unwrap(), rows, ..Totals::default() }
    );
    let trail = env.app.as_command().audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap();
    let of_it: Vec<_> = trail.iter().filter(|entry| entry.action == "supplier.undo").collect();
    let facts = of_it[0].detail.facts().filter(|(name, _)| !["job", "since"].contains(name));
    let facts: Vec<_> = facts.map(|(name, fact)| format!("{name}={fact}")).collect();
    assert_eq!(
        (of_it.len(), facts.join(" ").as_str()),
        (1, "because=wrong tariffs failed=0 kept=0 undone=120")
    );
}

/// Of three imports two are undone, and a fourth account is cancelled: they are told apart by filters, counts and retries.
#[test]
fn what_was_undone_is_told_from_what_was_cancelled() {
    let env = imported(3);
    env.create_as("B-1", MEMBERS);
    env.app.as_command().cancel_process("ACME", "B-1").unwrap();
    undo(&env, &numbers(&["A-1", "A-2"]));
    env.clock.advance(Duration::seconds(1));
    let found = |is_undone| {
        let filter = AccountFilter { is_undone, ..AccountFilter::default() };
        let page = env.app.find_accounts(&env.caller, "ACME", &filter, None, 10).unwrap().unwrap();
        page.accounts.into_iter().map(|account| (account.number, account.is_undone)).collect::<Vec<_>>()
    };
    let of =
        |numbers: &[&str], is| numbers.iter().map(|number| ((*number).to_owned(), is)).collect::<Vec<_>>();
    assert_eq!(found(Some(true)), of(&["A-1", "A-2"], true));
    assert_eq!(found(Some(false)), of(&["A-3", "B-1"], false));
    let cancelled = |env: &TestEnv| {
        let progress = env.app.progress(&env.caller, "ACME").unwrap().unwrap();
        let shown = serde_json::to_value(shown_progress(&progress)).unwrap();
        (shown["counts"]["CANCELLED"].as_u64(), shown["undone"].as_u64())
    };
    assert_eq!(cancelled(&env), (Some(3), Some(2)));

    let retry = |status, is_undone, numbers| {
        let request = BulkRequest {
            kind: JobKind::Retry,
            supplier: "ACME".into(),
            status,
            is_undone,
            error_code: None,
            before: None,
            numbers,
        };
        let counted = env.app.as_command().count_bulk(&request)?;
        let begun = env.app.as_command().begin_bulk(&request, JobOwner::Caller)?;
        let ended = env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {})?;
        assert_eq!((ended.matched, ended.changed), (counted, counted));
        Ok::<_, OperatorError>(counted)
    };
    assert!(matches!(retry(Some(State::Errored), true, None), Err(OperatorError::Refused(_))));
    assert_eq!(retry(Some(State::Cancelled), false, None).unwrap(), 1);
    assert_eq!((env.state_of("B-1"), env.state_of("A-1")), (State::Pending, State::Cancelled));
    let listed = Some(vec!["A-2".to_owned(), "B-1".to_owned()]);
    assert_eq!(retry(None, true, listed).unwrap(), 1);
    assert_eq!(cancelled(&env), (Some(1), Some(1)));
    assert_eq!(retry(None, true, None).unwrap(), 1);
    assert_eq!((found(Some(true)), cancelled(&env)), (vec![], (Some(0), Some(0))));

    // What is cancelled later was not undone.
    env.app.as_command().cancel_process("ACME", "A-1").unwrap();
    assert_eq!((found(Some(true)), cancelled(&env)), (vec![], (Some(1), Some(0))));
}

#[test]
fn an_undo_needs_a_reason() {
    let env = imported(1);
    for because in ["", " ", &"x".repeat(1_001)] {
        let refused = env.app.as_command().begin_undo(&numbers(&["A-1"]), because, JobOwner::Workers);
        assert!(matches!(refused, Err(OperatorError::Refused(_))), "{refused:?}");
    }
    assert!(env.app.as_command().jobs(None).unwrap().is_empty());
    assert_eq!(undo(&env, &numbers(&["A-1"])).because.as_deref(), Some("wrong tariffs"));
}

/// The account, its totals and its issues are as if it had never been imported; only its number is another one.
#[test]
fn an_account_that_was_undone_and_sent_again_is_like_a_new_one() {
    let (env, untouched) = (imported(1), imported(1));
    let first = env.report().account.unwrap();
    assert_eq!(counts(&undo(&env, &numbers(&["A-1"]))), [1, 1, 0, 0]);
    let gone = env.report();
    assert!(gone.account.is_none() && gone.status.service_identifier.is_none());
    assert_eq!((totals(&env), gone.history.len()), (Totals::default(), 4));
    env.clock.advance(Duration::seconds(1));
    let body = account_of("A-1", MEMBERS);
    create_account(&env.app, &env.caller, None, body.as_bytes()).unwrap();
    import(&env);
    let (again, expected) = (env.report(), untouched.report());
    let (account, other) = (again.account.unwrap(), expected.account.unwrap());
    assert_ne!(account.number, first.number);
    assert_eq!(account.account, other.account);
    assert_eq!((again.issues, totals(&env)), (expected.issues, totals(&untouched)));
    let kinds = events(&env, "A-1");
    let expected = ["created", "processed", "undone", "created", "processed"];
    assert_eq!(
        kinds.iter().map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(),
        expected.map(|word| format!("account_import_process.{word}"))
    );
    assert_eq!(kinds[2].1, Some(first.number.to_string()));
    // It is as unchanged as a new one.
    env.clock.advance(Duration::seconds(1));
    assert_eq!(counts(&undo(&env, &numbers(&["A-1"]))), [1, 1, 0, 0]);
}

#[test]
fn an_undone_account_can_be_retried_with_its_payload() {
    let env = imported(1);
    undo(&env, &numbers(&["A-1"]));
    env.clock.advance(Duration::seconds(1));
    env.app.as_command().retry_process("ACME", "A-1").unwrap();
    import(&env);
    assert_eq!(env.state_of("A-1"), State::Processed);
    assert_eq!(totals(&env).accounts, 1);
}

/// Another account that has its meter points is not warned of them any more.
#[test]
fn meter_points_of_an_undone_account_are_free() {
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accounts/valid/electricity.json");
    let mut sent: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(fixture).unwrap()).unwrap();
    sent["import_supplier"] = "ACME".into();
    let env = TestEnv::new();
    let mut import_as = |number: &str| {
        sent["external_account_number"] = number.into();
        create_account(&env.app, &env.caller, None, sent.to_string().as_bytes()).unwrap();
        import(&env);
        env.clock.advance(Duration::seconds(1));
        let warnings = env.report_of(number).issues.warnings;
        warnings.iter().any(|warning| warning.rule.as_deref() == Some("PST-12"))
    };
    assert!(!import_as("A-1"));
    assert!(import_as("A-2"));
    undo(&env, &numbers(&["A-1", "A-2"]));
    assert!(!import_as("A-3"));
}

/// The business whose contract it named may lose it.
#[test]
fn contracts_of_an_undone_account_are_free() {
    let env = TestEnv::new();
    let business = |contracts: &str| {
        format!(
            r#"{{"import_supplier_code":"ACME","external_business_identifier":"B-1",
            "business":{{"business_contracts":[{contracts}]}}}}"#
        )
    };
    let contract = r#"{"identifier":"C-1","valid_from_date":"2026-01-01","signed_at_date":"2025-12-01",
        "versions":[{"applicable_at_date":"2026-01-01","terms":[]}]}"#;
    env.app.create_business(&env.caller, business(contract).as_bytes()).unwrap();
    let members = format!(r#"{MEMBERS},"business":{{"business_contract_identifier":"C-1"}}"#);
    env.create_as("A-1", &members);
    import(&env);
    env.clock.advance(Duration::seconds(1));
    let other = contract.replace("C-1", "C-2");
    let replace = || env.app.replace_business(&env.caller, "B-1", business(&other).as_bytes());
    assert!(replace().is_err(), "it is in use");
    undo(&env, &numbers(&["A-1"]));
    assert!(replace().is_ok());
}

#[test]
fn something_added_meanwhile_keeps_an_account() {
    let env = imported(120);
    let request =
        UndoRequest { supplier: "ACME".into(), which: UndoScope::Since(chrono::DateTime::UNIX_EPOCH) };
    let begun = env.app.as_command().begin_undo(&request, "wrong tariffs", JobOwner::Caller).unwrap();
    let mut is_first = true;
    let ended = env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {
        if std::mem::take(&mut is_first) {
            add_note(&env, "A-120");
            env.app.report_billed(&env.caller, "ACME", "A-119").unwrap();
            // Undone by this job, and imported again: it is not undone twice.
            env.clock.advance(Duration::seconds(1));
            env.app.as_command().retry_process("ACME", "A-1").unwrap();
            import(&env);
        }
    });
    assert_eq!(counts(&ended.unwrap()), [120, 118, 2, 0]);
    let states = ["A-1", "A-118", "A-119", "A-120"].map(|number| env.state_of(number));
    assert_eq!(states, [State::Processed, State::Cancelled, State::Processed, State::Processed]);
}

/// A billed account stays billed, with one event.
#[test]
fn a_billed_account_is_kept() {
    let env = imported(1);
    for _ in 0..2 {
        env.app.report_billed(&env.caller, "ACME", "A-1").unwrap();
    }
    assert_eq!(env.report().billed_at, Some(env.clock.now()));
    assert_eq!(events(&env, "A-1").iter().filter(|(kind, _)| kind == "account.billed").count(), 1);
    let found = env.app.as_command().undoable(&numbers(&["A-1"])).unwrap();
    assert_eq!(found.kept[0].0, KeptBecause::Billed);
    for (supplier, number) in [("ACME", "NONE"), ("NOBODY", "A-1"), (" ", " ")] {
        assert!(env.app.report_billed(&env.caller, supplier, number).is_err());
    }
    let stranger = Caller { organisation_id: 99, ..env.caller.clone() };
    assert!(env.app.report_billed(&stranger, "ACME", "A-1").is_err());
    env.create_as("P-1", MEMBERS);
    assert!(env.app.report_billed(&env.caller, "ACME", "P-1").is_err(), "it is not imported");
}

/// Every kind of addition keeps the account; a repetition of what it has does not.
#[test]
fn an_addition_that_adds_nothing_keeps_no_account() {
    let members = format!(r#"{MEMBERS},"notes":[{{"body":"Called."}}]"#);
    let env = TestEnv::with(&members);
    env.clock.advance(Duration::seconds(1));
    add_note(&env, "A-1");
    let unchanged = env.app.as_command().undoable(&numbers(&["A-1"])).unwrap();
    assert_eq!(unchanged.undo.count, 1);
    let body = request("notes", &[r#"{"body":"Called again."}"#.to_owned()]);
    assert!(env.app.add_notes(&env.caller, body.as_bytes(), None).is_ok());
    assert_eq!(env.app.as_command().undoable(&numbers(&["A-1"])).unwrap().kept[0].0, KeptBecause::Changed);
}

#[test]
fn the_console_undoes_accounts_of_its_organisation() {
    let env = imported(2);
    let request = numbers(&["A-1"]);
    assert_eq!(env.app.as_caller(&env.caller).undoable(&request).unwrap().undo.count, 1);
    let begun =
        env.app.as_caller(&env.caller).begin_undo(&request, "wrong tariffs", JobOwner::Workers).unwrap();
    assert!(JobRunner::new(env.app.clone(), env.stop.clone()).run_once().unwrap());
    let ended = env.app.as_caller(&env.caller).show_job(&begun.name).unwrap();
    assert_eq!((counts(&ended), ended.state.as_str()), ([1, 1, 0, 0], "done"));
    assert_eq!((env.state_of("A-1"), env.state_of("A-2")), (State::Cancelled, State::Processed));
}
