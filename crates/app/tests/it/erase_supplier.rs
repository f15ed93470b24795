//! The erasure of a supplier as a job (contract D14).

use crate::env::{TestEnv, account_of};
use chrono::Duration;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, OperatorError, SupplierChange};
use cutover_app::port::{ApiKeyRole, Clock, FeedFilter, Job, JobState, PageLimit, StoreError, read, write};
use cutover_core::{FeedEventType, SupplierStatus};
use cutover_process::{Actor, Event};
use cutover_testkit::create_account;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}],"ledgers":[{"ledger_balance":"7.50"}]"#;

fn set(env: &TestEnv, status: SupplierStatus) -> Result<(), OperatorError> {
    let change = SupplierChange { status: Some(status), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", change).map(drop)
}

fn runner(env: &TestEnv) -> JobRunner {
    JobRunner::new(env.app.clone(), env.stop.clone())
}

/// Begins the erasure of a paused supplier.
fn begin(env: &TestEnv) -> (Job, Option<i64>) {
    set(env, SupplierStatus::Paused).unwrap();
    env.app.as_command().begin_supplier_erasure("ACME", "asked for").unwrap()
}

fn erase(env: &TestEnv) -> Job {
    let (job, claim) = begin(env);
    env.app.as_command().run_job(&job.name, claim, |_| {}).unwrap()
}

/// Creates an environment with `count` imported accounts `A-1`, `A-2`, …, and `P-1`, which waits.
fn with_accounts(count: usize) -> TestEnv {
    let env = TestEnv::new();
    (1..=count).for_each(|n| env.create_as(&format!("A-{n}"), MEMBERS));
    while env.worker.run_once().unwrap() != cutover_app::worker::Worked::Nothing {}
    env.create_as("P-1", MEMBERS);
    env
}

#[test]
fn everything_of_a_supplier_is_removed_and_recorded_once() {
    let env = with_accounts(120);
    let refused = account_of("R-1", r#""customers":[{"family_name":7}]"#);
    assert!(create_account(&env.app, &env.caller, None, refused.as_bytes()).is_err());
    let what = env.app.as_command().erasable_supplier("ACME").unwrap();
    assert_eq!((what.process_count(), what.totals.accounts, what.refused), (121, 120, 1));
    assert!(what.job.is_none() && what.others.is_empty());
    let job = erase(&env);
    assert_eq!((job.state.known(), job.matched, job.changed), (Some(&JobState::Done), 121, 121));
    for (table, rows) in [("processes", 121), ("accounts", 120), ("refused_creates", 1), ("suppliers", 1)] {
        assert_eq!(job.removed.get(table), Some(&rows), "{table}: {:?}", job.removed);
    }
    assert!(matches!(env.app.as_command().show_supplier("ACME"), Err(OperatorError::NotFound { .. })));
    let create = account_of("A-1", MEMBERS);
    assert!(create_account(&env.app, &env.caller, None, create.as_bytes()).is_err());
    // Refused creates of a supplier that is gone are dropped.
    env.app.record_refused().unwrap();

    let all = env.app.as_command().audit(&AuditScope { limit: 99, ..AuditScope::default() }).unwrap();
    let ends: Vec<_> = all.iter().filter(|record| record.action == "supplier.erase").collect();
    assert_eq!((ends.len(), ends[0].organisation.as_deref()), (1, Some("Acme")));
    let facts: Vec<String> = ends[0].detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
    for fact in ["supplier=ACME", "processes=121", "refused_creates=1", "because=asked for"] {
        assert!(facts.iter().any(|found| found == fact), "{fact}: {facts:?}");
    }
    let organisation = env.caller.organisation_id;
    let filter = FeedFilter { supplier: None, types: vec![FeedEventType::AccountErased] };
    let page = read(&*env.store, |tx| tx.feed_page(organisation, &filter, None, PageLimit::of(1_000)));
    let events = page.unwrap_or_else(|e: StoreError| panic!("{e}")).unwrap().events;
    assert_eq!(events.len(), 121);
    assert_eq!(events.iter().filter(|event| event.service_account_number.is_some()).count(), 120);

    // The code can be used again, by a supplier that has nothing.
    env.app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).unwrap();
    let again = env.app.as_command().show_progress("ACME").unwrap();
    assert_eq!((again.reconciliation.imported.accounts, again.refused.accounts), (0, 0));
    env.create_as("A-1", MEMBERS);
    env.worker.run_once().unwrap();
    assert!(env.report().account.is_some());
}

#[test]
fn a_supplier_that_takes_accounts_is_not_erased() {
    let env = with_accounts(1);
    let refused = env.app.as_command().begin_supplier_erasure("ACME", "asked for").unwrap_err().to_string();
    assert_eq!(refused, "ACME is Ongoing: pause it first with `cutover supplier set ACME --status paused`");
    let nobody = env.app.as_command().begin_supplier_erasure("NOBODY", "asked for").unwrap_err();
    assert!(matches!(nobody, OperatorError::NotFound { .. }));
    let (job, claim) = begin(&env);
    let refused = set(&env, SupplierStatus::Ongoing).unwrap_err().to_string();
    assert_eq!(refused, "it is being erased: its settings stay");
    // Beginning it again returns the same job.
    let (again, no_claim) = env.app.as_command().begin_supplier_erasure("ACME", "asked for").unwrap();
    assert_eq!((again.name, no_claim, claim), (job.name.clone(), None, Some(1)));
    env.app.as_command().stop_job(&job.name).unwrap();
    assert!(set(&env, SupplierStatus::Ongoing).is_err());
    assert!(
        env.app
            .as_command()
            .begin_supplier_erasure("ACME", "asked for")
            .unwrap_err()
            .to_string()
            .contains(&job.name)
    );
    env.app.as_command().resume_job(&job.name).unwrap();
    while runner(&env).run_once().unwrap() {}
    assert_eq!(env.app.as_command().show_job(&job.name).unwrap().state, JobState::Done);
}

/// The command dies after its first batch; a runner goes on once the lease has ended.
#[test]
fn an_erasure_is_taken_over() {
    let env = with_accounts(60);
    let (job, _) = begin(&env);
    assert!(!runner(&env).run_once().unwrap());
    env.clock.advance(Duration::seconds(11));
    while runner(&env).run_once().unwrap() {}
    let job = env.app.as_command().show_job(&job.name).unwrap();
    assert_eq!((job.state.known(), job.changed), (Some(&JobState::Done), 61));
}

#[test]
fn an_erasure_waits_for_running_imports() {
    let env = with_accounts(1);
    let (supplier, at) = (env.app.as_command().show_supplier("ACME").unwrap(), env.clock.now());
    let claim = move |event: Event| {
        let supplier = supplier.id;
        move |tx: &mut dyn cutover_app::port::Tx| {
            let process = tx.process(supplier, &"P-1".parse().unwrap())?.unwrap().process;
            let (process, entry) = process.step(event, at, Actor::System).unwrap();
            tx.step_process(&process, &entry)
        }
    };
    assert_eq!(write(&*env.store, claim(Event::Claimed)), Ok::<_, StoreError>(true));
    let (job, _) = begin(&env);
    env.clock.advance(Duration::seconds(11));
    assert!(runner(&env).run_once().unwrap());
    assert!(!runner(&env).run_once().unwrap(), "it waits for a second");
    let waiting = env.app.as_command().show_job(&job.name).unwrap();
    assert_eq!((waiting.state.known(), waiting.changed), (Some(&JobState::Running), 1));
    assert!(env.app.as_command().show_process("ACME", "P-1").is_ok());
    assert_eq!(write(&*env.store, claim(Event::Rejected)), Ok::<_, StoreError>(true));
    env.clock.advance(Duration::seconds(1));
    while runner(&env).run_once().unwrap() {}
    assert_eq!(env.app.as_command().show_job(&job.name).unwrap().state, JobState::Done);
}

/// Businesses go, unless accounts of another supplier of the organisation need them.
#[test]
fn businesses_that_others_need_are_passed() {
    let env = with_accounts(1);
    env.app.as_command().add_supplier("SECOND", "Acme", SupplierChange::default()).unwrap();
    for name in ["B-1", "B-2"] {
        let body = format!(
            r#"{{"import_supplier_code":"ACME","external_business_identifier":"{name}","business":
            {{"business_contracts":[{{"identifier":"C-{name}","valid_from_date":"2026-01-01",
            "signed_at_date":"2025-12-01","versions":[{{"applicable_at_date":"2026-01-01","terms":[]}}]}}]}}}}"#
        );
        env.app.create_business(&env.caller, body.as_bytes()).unwrap();
    }
    let account = r#"{"import_supplier":"SECOND","external_account_number":"S-1","business":{"business_contract_identifier":"C-B-2"},
        "customers":[{"family_name":"B"}]}"#;
    create_account(&env.app, &env.caller, None, account.as_bytes()).unwrap();
    assert_eq!(env.app.as_command().erasable_supplier("ACME").unwrap().others, [("businesses", 2)]);
    let job = erase(&env);
    assert_eq!(job.removed.get("businesses"), Some(&1));
    assert_eq!(env.app.business(&env.caller, "B-1").unwrap(), None);
    let kept = String::from_utf8(env.app.business(&env.caller, "B-2").unwrap().unwrap()).unwrap();
    assert!(kept.contains(r#""import_supplier_code":"SECOND""#), "{kept}");
    env.app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap();
}
