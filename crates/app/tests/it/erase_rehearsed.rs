//! The end of rehearsals: accounts that were only rehearsed are cancelled and erased together (contract D14).

use crate::env::TestEnv;
use chrono::Duration;
use cutover_app::operator::{AuditScope, BulkRequest, JobOwner, OperatorError};
use cutover_app::port::{Job, JobKind};
use cutover_process::State;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}]"#;

fn request(kind: JobKind, status: Option<State>) -> BulkRequest {
    let (is_undone, error_code, before, numbers) = Default::default();
    BulkRequest { kind, supplier: "ACME".into(), status, is_undone, error_code, before, numbers }
}

/// Creates an environment with 60 accounts that passed a dry run, one that was imported and one that waits.
fn rehearsed() -> TestEnv {
    let env = TestEnv::new();
    (1..=60).for_each(|n| env.create_with(r#"{"is_dry_run":true}"#, &format!("A-{n}"), MEMBERS));
    env.create_as("I-1", MEMBERS);
    while env.worker.run_once().unwrap() != cutover_app::worker::Worked::Nothing {}
    env.create_as("P-1", MEMBERS);
    env.clock.advance(Duration::seconds(1));
    env
}

fn end(env: &TestEnv, job: Job) -> Job {
    env.app.as_command().run_job(&job.name, Some(job.claim), |_| {}).unwrap()
}

#[test]
fn rehearsals_are_erased_together_and_can_be_sent_again() {
    let env = rehearsed();
    let erase = request(JobKind::Erase, None);
    let command = env.app.as_command();
    assert_eq!(command.count_bulk(&erase).unwrap(), 60);
    let refused = command.begin_bulk(&erase, JobOwner::Caller).unwrap_err();
    assert_eq!(refused.to_string(), "an erasure needs a reason");
    assert!(command.begin_bulk_erasure(&erase, " ", JobOwner::Caller).is_err());
    let job = end(&env, command.begin_bulk_erasure(&erase, "end of trial", JobOwner::Caller).unwrap());
    assert_eq!((job.matched, job.changed, job.skipped), (60, 60, 0));
    assert_eq!(job.removed.get("processes"), Some(&60), "{:?}", job.removed);
    let gone = command.show_process("ACME", "A-1").unwrap_err();
    assert!(matches!(gone, OperatorError::NotFound { .. }));
    assert_eq!((env.state_of("I-1"), env.state_of("P-1")), (State::Processed, State::Pending));
    let scope = AuditScope { limit: 1_000, ..AuditScope::default() };
    let trail = command.audit(&scope).unwrap();
    let ends: Vec<_> = trail.iter().filter(|record| record.action == "account.erase").collect();
    assert_eq!(ends.len(), 1);
    assert!(
        ends[0].detail.facts().any(|(name, fact)| (name, &*fact.to_string()) == ("because", "end of trial"))
    );

    // They leave no mark: the real import follows.
    env.create_as("A-1", MEMBERS);
    env.worker.run_once().unwrap();
    assert_eq!(env.state_of("A-1"), State::Processed);
}

#[test]
fn only_rehearsals_are_erased_together() {
    let env = rehearsed();
    for status in [State::Processed, State::Errored, State::Pending, State::Cancelled] {
        let refused = env.app.as_command().count_bulk(&request(JobKind::Erase, Some(status))).unwrap_err();
        assert_eq!(refused.to_string(), format!("processes that are {status} cannot be erased together"));
    }
    // An account of a list that is something else is left alone.
    let numbers = Some(["A-1", "I-1", "P-1"].map(String::from).to_vec());
    let erase = BulkRequest { numbers, ..request(JobKind::Erase, None) };
    let begun = env.app.as_command().begin_bulk_erasure(&erase, "trial", JobOwner::Caller).unwrap();
    let job = end(&env, begun);
    assert_eq!((job.matched, job.changed, job.skipped), (3, 1, 2));
    assert_eq!(env.state_of("A-2"), State::DryRunSucceeded);
}

/// Rehearsals are neither sent nor waiting, and neither are they once they are cancelled.
#[test]
fn rehearsals_are_cancelled_together_and_count_nowhere() {
    let env = rehearsed();
    let sent = || env.app.as_command().show_progress("ACME").unwrap().reconciliation.sent.accounts;
    assert_eq!(sent(), 2);
    let cancel = request(JobKind::Cancel, Some(State::DryRunSucceeded));
    assert_eq!(env.app.as_command().count_bulk(&request(JobKind::Cancel, None)).unwrap(), 1, "one waits");
    let job = end(&env, env.app.as_command().begin_bulk(&cancel, JobOwner::Caller).unwrap());
    assert_eq!((job.changed, job.skipped), (60, 0));
    assert_eq!((env.state_of("A-1"), sent()), (State::Cancelled, 2));
}
