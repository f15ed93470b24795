//! Runs of a supplier, and checks of stored payloads under other settings (contract D15).

use crate::env::{TestEnv, account_of};
use crate::test_doubles::{StoreCall, WatchedStore};
use chrono::Duration;
use cutover_app::Ports;
use cutover_app::operator::{
    Difference, Differing, OperatorError, Release, RunReport, SupplierChange, UndoRequest, UndoScope,
    WhatIfRequest,
};
use cutover_app::port::{CauseCount, Clock, Outcome, read};
use cutover_app::worker::Worked;
use cutover_core::Level;
use cutover_model::content_hash;
use cutover_process::State;
use cutover_testkit::FakeClock;
use std::sync::{Arc, OnceLock};

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}],"ledgers":[{"ledger_balance":"12.50"}]"#;
const FAULTY: &str = r#""customers":[],"ledgers":[{"ledger_balance":"12.50"}]"#;

fn import(env: &TestEnv) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
}

/// Makes the absence of customers an error, or not.
fn strict(env: &TestEnv, level: Level, dry_run: bool) {
    let rules = [("ACC-04".to_owned(), Some(level))].into();
    env.app
        .as_command()
        .set_supplier("ACME", SupplierChange { rules, dry_run: Some(dry_run), ..SupplierChange::default() })
        .unwrap();
}

fn outcomes(env: &TestEnv, name: &str) -> Vec<Outcome> {
    read(&*env.store, |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        let run = tx.run(supplier.id, name)?.unwrap();
        tx.outcomes(run.id, 0, 100)
    })
    .unwrap()
}

fn counts(report: &RunReport) -> [u64; 4] {
    [0, 1, 2, 3].map(|n| report.counts[n].1)
}

/// Every kind of end has an outcome, with the hash of what was sent, whether it was computed before the transaction or in it.
#[test]
fn every_end_of_an_account_is_recorded() {
    let env = TestEnv::new();
    env.app.as_command().start_run("ACME", "night").unwrap();
    strict(&env, Level::Off, false);
    env.create_as("A-1", MEMBERS);
    env.create_as("A-2", FAULTY);
    strict(&env, Level::Error, false);
    import(&env);
    let window = |minutes: i64| (env.clock.now() + Duration::minutes(minutes)).to_rfc3339();
    let params =
        format!(r#"{{"schedule_window_start":"{}","schedule_window_end":"{}"}}"#, window(60), window(120));
    env.create_with(&params, "A-3", MEMBERS);
    env.clock.advance(Duration::hours(3));
    env.app.sweep().unwrap();
    assert_eq!(env.state_of("A-3"), State::Errored);
    strict(&env, Level::Off, true);
    env.create_as("A-4", MEMBERS);
    env.create_as("A-5", FAULTY);
    strict(&env, Level::Error, true);
    import(&env);
    let kept = outcomes(&env, "night");
    let states: Vec<String> = kept.iter().map(|outcome| outcome.state.to_string()).collect();
    assert_eq!(states, ["PROCESSED", "ERRORED", "ERRORED", "DRY_RUN_SUCCEEDED", "DRY_RUN_ERRORED"]);
    let sent = [MEMBERS, FAULTY, MEMBERS, MEMBERS, FAULTY];
    for (n, (outcome, members)) in kept.iter().zip(sent).enumerate() {
        let number = format!("A-{}", n + 1);
        let hash = content_hash(account_of(&number, members).as_bytes()).ok();
        assert_eq!(outcome.content, hash, "{number}");
        assert_eq!(outcome.totals.accounts, u64::from(outcome.has_passed()), "{number}");
        assert_eq!(outcome.causes.is_empty(), outcome.has_passed(), "{number}");
    }
    assert_eq!(kept[2].causes[0].code, "schedule_window_missed");
    let report = env.app.as_command().show_run("ACME", "night").unwrap();
    assert_eq!(counts(&report), [1, 2, 1, 1]);
    assert_eq!(report.totals.ledger_balance.to_string(), "25");
    assert_eq!(report.totals, {
        let one = kept[0].totals;
        one.checked_add(kept[3].totals).unwrap()
    });
    // A cancelled account has no outcome of its own: the one before stays.
    env.app.as_command().retry_process("ACME", "A-2").unwrap();
    env.app.as_command().cancel_process("ACME", "A-2").unwrap();
    assert_eq!(outcomes(&env, "night"), kept);
    // The second end replaces the first.
    env.app.as_command().retry_process("ACME", "A-2").unwrap();
    strict(&env, Level::Off, false);
    import(&env);
    assert_eq!(counts(&env.app.as_command().end_run("ACME").unwrap()), [2, 1, 1, 1]);
}

/// Hashes are computed by the worker once it knows of the run, and before that in the transaction: both are the same.
#[test]
fn the_paths_at_which_accounts_were_changed_are_named() {
    let env = TestEnv::new();
    let operate = env.app.as_command();
    let with = |mobile: &str, balance: &str| {
        format!(
            r#""customers":[{{"family_name":"Okafor","mobile":"{mobile}"}}],"ledgers":[{{"ledger_balance":"{balance}"}}]"#
        )
    };
    strict(&env, Level::Off, true);
    let rehearse = |name: &str, accounts: [(&str, String); 4]| {
        operate.start_run("ACME", name).unwrap();
        for (number, members) in accounts {
            env.create_as(number, &members);
            import(&env);
        }
        operate.end_run("ACME").unwrap();
    };
    let first = with("0491570110", "1.50");
    rehearse("one", ["A-1", "A-2", "A-3", "A-4"].map(|number| (number, first.clone())));
    assert!(outcomes(&env, "one").iter().all(|outcome| outcome.paths.is_some()));
    rehearse(
        "two",
        [
            ("A-1", with("0491570156", "1.50")),
            ("A-2", with("0491570156", "2.50")),
            ("A-3", with("0491570156", "1.50")),
            ("A-4", first.replace(r#"[{"ledger"#, r#" [ {"ledger"#)),
        ],
    );
    let diff = operate.diff_runs("ACME", "one", "two").unwrap();
    let mobile = "customers.#.mobile";
    let changed = |number: &str, paths: &[&'static str]| Differing {
        number: number.into(),
        paths: Some(paths.to_vec()),
    };
    let expected = [
        changed("A-1", &[mobile]),
        changed("A-2", &[mobile, "ledgers.#.ledger_balance"]),
        changed("A-3", &[mobile]),
    ];
    assert_eq!(diff.changed, expected);
    assert_eq!(diff.paths, [(mobile, 3), ("ledgers.#.ledger_balance", 1)]);
    let mut all = Vec::new();
    let mut each = |one: &Differing| {
        all.push(one.clone());
        Ok::<_, OperatorError>(())
    };
    operate.each_difference(("ACME", "one", "two"), Difference::Changed, &mut each).unwrap();
    assert_eq!(all, expected);
    // Without a run nothing is computed, and the next one begins in the transaction again.
    env.create_as("A-1", &with("0491570157", "1.50"));
    import(&env);
    rehearse("three", ["A-1", "A-2", "A-3", "A-4"].map(|number| (number, first.clone())));
    let diff = operate.diff_runs("ACME", "one", "three").unwrap();
    assert_eq!((diff.changed, diff.paths), (vec![], vec![]));
}

/// Others may commit while a transaction waits to begin; these times are compared with theirs.
#[test]
fn runs_and_holds_are_dated_in_their_transactions() {
    let clock = Arc::<OnceLock<Arc<FakeClock>>>::default();
    let waiting = clock.clone();
    let watch = move |call| {
        if let Some(clock) = waiting.get().filter(|_| call == StoreCall::Write) {
            clock.advance(Duration::seconds(10));
        }
    };
    let poll = std::time::Duration::from_secs(1);
    let env =
        TestEnv::on(|ports| Ports { store: Arc::new(WatchedStore::new(ports.store, poll, watch)), ..ports });
    assert!(clock.set(env.clock.clone()).is_ok());
    assert_eq!(env.app.as_command().start_run("ACME", "one").unwrap().run.started_at, env.clock.now());
    assert_eq!(env.app.as_command().end_run("ACME").unwrap().run.ended_at, Some(env.clock.now()));
    env.app.as_command().hold_supplier("ACME", None).unwrap();
    assert_eq!(env.app.as_command().show_hold("ACME").unwrap().unwrap().first.since, env.clock.now());
}

#[test]
fn outcomes_are_kept_in_the_open_run_only() {
    let env = TestEnv::new();
    env.create_as("A-1", MEMBERS);
    import(&env);
    for name in ["one", "two"] {
        env.app.as_command().start_run("ACME", name).unwrap();
        env.clock.advance(Duration::minutes(1));
        env.create_as(&format!("OF-{name}"), MEMBERS);
        import(&env);
        env.app.as_command().end_run("ACME").unwrap();
        env.create_as(&format!("AFTER-{name}"), MEMBERS);
        import(&env);
    }
    let diff = env.app.as_command().diff_runs("ACME", "one", "two").unwrap();
    let found: Vec<_> = diff.groups.iter().map(|(of, group)| (*of, group.examples.clone())).collect();
    let expected = [
        (Difference::New, vec!["OF-two".to_owned()]),
        (Difference::Gone, vec!["OF-one".to_owned()]),
        (Difference::Changed, vec![]),
        (Difference::Fixed, vec![]),
        (Difference::Broken, vec![]),
    ];
    assert_eq!(found, expected);
    let (mut numbers, runs) = (Vec::new(), ("ACME", "one", "two"));
    let each = |one: &Differing| {
        numbers.push(one.number.clone());
        Ok::<_, OperatorError>(())
    };
    env.app.as_command().each_difference(runs, Difference::New, &mut { each }).unwrap();
    assert_eq!(numbers, ["OF-two"]);
}

fn show(env: &TestEnv, run: &str) -> (u64, u64, Vec<String>) {
    env.app.record_refused().unwrap();
    let report = env.app.as_command().show_run("ACME", run).unwrap();
    let passed = report.counts.iter().filter(|(state, _)| !state.is_error()).map(|(_, count)| count).sum();
    let causes = report.top_refused.iter();
    let cause = |of: &CauseCount| format!("{} {} {:?}", of.accounts, of.cause.code, of.cause.attr.as_deref());
    (passed, report.refused, causes.map(cause).collect())
}

/// Two rehearsals: what was refused is an outcome of a run, and of the comparison.
#[test]
fn accounts_that_are_refused_are_part_of_a_run() {
    let env = TestEnv::new();
    let operate = env.app.as_command();
    strict(&env, Level::Off, true);
    env.refuse("BEFORE");
    env.clock.advance(Duration::seconds(2));
    operate.start_run("ACME", "one").unwrap();
    ["PASSED", "RESENT"].iter().for_each(|number| env.create_as(number, MEMBERS));
    ["CORRECTED", "REFUSED", "ACCEPTED"].iter().for_each(|number| env.refuse(number));
    let cause = |accounts| vec![format!("{accounts} invalid Some(\"customers.#.family_name\")")];
    assert_eq!(show(&env, "one"), (0, 3, cause(3)));
    env.clock.advance(Duration::seconds(2));
    env.create_as("ACCEPTED", MEMBERS);
    import(&env);
    env.clock.advance(Duration::seconds(2));
    // It has an outcome in the run: what is sent later and refused is not that of the account.
    env.refuse("RESENT");
    assert_eq!(show(&env, "one"), (3, 2, cause(2)));
    operate.end_run("ACME").unwrap();
    env.refuse("AFTER");
    env.clock.advance(Duration::seconds(2));
    operate.start_run("ACME", "two").unwrap();
    ["CORRECTED", "RESENT"].iter().for_each(|number| env.create_as(number, MEMBERS));
    ["PASSED", "REFUSED"].iter().for_each(|number| env.refuse(number));
    import(&env);
    assert_eq!(show(&env, "two"), (2, 2, cause(2)));
    operate.end_run("ACME").unwrap();
    // What is sent now changes no run that has ended.
    env.create_as("REFUSED", MEMBERS);
    assert_eq!((show(&env, "one"), show(&env, "two")), ((3, 2, cause(2)), (2, 2, cause(2))));
    let diff = operate.diff_runs("ACME", "one", "two").unwrap();
    let groups: Vec<_> = diff.groups.iter().map(|(of, group)| (*of, group.examples.join(" "))).collect();
    let expected = [
        (Difference::New, String::new()),
        (Difference::Gone, "ACCEPTED".to_owned()),
        (Difference::Changed, String::new()),
        (Difference::Fixed, "CORRECTED".to_owned()),
        (Difference::Broken, "PASSED".to_owned()),
    ];
    assert_eq!(groups, expected);
    assert_eq!((diff.codes[0].a, diff.codes[0].b, diff.totals.map(|of| of.accounts)), (2, 2, [3, 2]));
    operate.erase_account("ACME", "CORRECTED", "asked for").unwrap();
    assert_eq!(show(&env, "one"), (3, 1, cause(1)));
    assert_eq!(operate.diff_runs("ACME", "one", "two").unwrap().groups[3].1.count, 0);
}

/// An account belongs to the wave that claimed it, whenever it ends.
#[test]
fn a_wave_that_was_released_early_has_its_late_accounts() {
    let env = TestEnv::new();
    let waves = Some("5,rest".parse().unwrap());
    env.set_supplier(SupplierChange { waves, ..SupplierChange::default() });
    env.create_as("A-1", MEMBERS);
    import(&env);
    env.clock.advance(Duration::seconds(5));
    env.app.as_command().hold_supplier("ACME", None).unwrap();
    let early = Release { because: Some("early".into()), is_next_wave: true, ..Release::default() };
    env.release(early).unwrap();
    env.create_as("A-2", MEMBERS);
    import(&env);
    let of_wave = |wave| {
        let request = UndoRequest { supplier: "ACME".into(), which: UndoScope::Wave(wave) };
        env.app.as_command().undoable(&request).unwrap().undo.examples
    };
    // Both were imported within a lease of the release.
    assert_eq!((of_wave(1), of_wave(2)), (vec!["A-1".to_owned()], vec!["A-2".to_owned()]));
}

#[test]
fn stored_payloads_are_checked_under_other_settings() {
    let env = TestEnv::new();
    strict(&env, Level::Off, false);
    for n in 0..150 {
        env.create_as(&format!("A-{n}"), if n % 7 == 3 { FAULTY } else { MEMBERS });
    }
    let what_if = |level| {
        let change = SupplierChange {
            rules: [("ACC-04".to_owned(), Some(level))].into(),
            ..SupplierChange::default()
        };
        let mut seen = 0;
        let request = WhatIfRequest { supplier: "ACME".into(), change, ..WhatIfRequest::default() };
        let result = env.app.as_command().what_if(&request, &mut |accounts| seen = accounts).unwrap();
        assert_eq!(seen, 150);
        result
    };
    let strictly = what_if(Level::Error);
    assert_eq!((strictly.checked, strictly.passing, strictly.failing), (150, 129, 21));
    assert_eq!((strictly.newly_failing.count, strictly.newly_passing.count), (21, 0));
    let first: Vec<String> = (0..10).map(|n| format!("A-{}", n * 7 + 3)).collect();
    assert_eq!((&strictly.newly_failing.examples, &strictly.codes[0].1.examples), (&first, &first));
    assert_eq!((strictly.codes.len(), strictly.codes[0].1.count), (1, 21));
    assert_eq!(env.state_of("A-3"), State::Pending);
    strict(&env, Level::Error, false);
    import(&env);
    let relaxed = what_if(Level::Off);
    assert_eq!((relaxed.failing, relaxed.newly_failing.count, relaxed.newly_passing.count), (0, 0, 21));
    assert_eq!(relaxed.newly_passing.examples, first);
    assert_eq!(env.state_of("A-3"), State::Errored);
}
