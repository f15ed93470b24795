//! Bulk operations as jobs (contract D14).

use crate::env::TestEnv;
use chrono::Duration;
use cutover_app::job::JobRunner;
use cutover_app::operator::{AuditScope, BulkRequest, JobOwner, OperatorError};
use cutover_app::port::{ArchivedVersion, Clock, Job, JobKind, JobState};
use cutover_process::State;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}]"#;

fn request(kind: JobKind) -> BulkRequest {
    let (status, is_undone, error_code, before, numbers) = Default::default();
    BulkRequest { kind, supplier: "ACME".into(), status, is_undone, error_code, before, numbers }
}

/// Creates an environment with `count` accounts `A-1`, `A-2`, …, created a second apart.
fn with_pending(count: usize) -> TestEnv {
    let env = TestEnv::new();
    for i in 1..=count {
        env.create_as(&format!("A-{i}"), MEMBERS);
        env.clock.advance(Duration::seconds(1));
    }
    env
}

fn cancelled(count: usize) -> TestEnv {
    let env = with_pending(count);
    (1..=count).for_each(|i| drop(env.app.as_command().cancel_process("ACME", &format!("A-{i}")).unwrap()));
    env.clock.advance(Duration::seconds(1));
    env
}

fn runner(env: &TestEnv) -> JobRunner {
    JobRunner::new(env.app.clone(), env.stop.clone())
}

fn counts(job: &Job) -> [u64; 3] {
    [job.matched, job.changed, job.skipped]
}

/// Returns the facts of the audit entries of an action about a job.
fn trail(env: &TestEnv, action: &str) -> Vec<String> {
    let all = env.app.as_command().audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap();
    let of_jobs = all.iter().filter(|entry| entry.action == action && entry.process_id.is_none());
    let facts = |entry: &cutover_app::port::AuditRecord| {
        let facts = entry.detail.facts().filter(|(name, _)| *name != "job");
        facts.map(|(name, fact)| format!("{name}={fact}")).collect::<Vec<_>>().join(" ")
    };
    of_jobs.map(facts).collect()
}

#[test]
fn nothing_is_changed_by_counting() {
    let env = with_pending(3);
    assert_eq!(env.app.as_command().count_bulk(&request(JobKind::Cancel)).unwrap(), 3);
    assert_eq!(env.app.as_command().count_bulk(&request(JobKind::Retry)).unwrap(), 0);
    assert_eq!(env.state_of("A-1"), State::Pending);
    assert!(env.app.as_command().jobs(None).unwrap().is_empty());
}

#[test]
fn a_job_is_worked_off_in_batches_and_recorded_once() {
    let env = with_pending(250);
    let begun = env.app.as_command().begin_bulk(&request(JobKind::Cancel), JobOwner::Caller).unwrap();
    let mut batches = Vec::new();
    let ended = env
        .app
        .as_command()
        .run_job(&begun.name, Some(begun.claim), |job| batches.push(job.changed))
        .unwrap();
    assert_eq!(batches, [100, 200, 250]);
    assert_eq!((ended.state.as_str(), counts(&ended)), ("done", [250, 250, 0]));
    assert_eq!(env.state_of("A-250"), State::Cancelled);
    assert_eq!(trail(&env, "process.cancel"), ["changed=250 matched=250 skipped=0"]);
    assert_eq!(env.app.as_command().show_job(&begun.name).unwrap(), ended);

    let mut again = request(JobKind::Retry);
    assert_eq!(env.app.as_command().count_bulk(&again).unwrap(), 0, "cancelled processes have to be named");
    again.status = Some(State::Cancelled);
    env.clock.advance(Duration::seconds(1));
    let begun = env.app.as_command().begin_bulk(&again, JobOwner::Workers).unwrap();
    assert!(runner(&env).run_once().unwrap() && !runner(&env).run_once().unwrap());
    assert_eq!(counts(&env.app.as_command().show_job(&begun.name).unwrap()), [250, 250, 0]);
    assert_eq!(env.state_of("A-1"), State::Pending);
    assert_eq!(trail(&env, "process.retry"), ["changed=250 matched=250 skipped=0 status=CANCELLED"]);
}

#[test]
fn filters_select_processes() {
    let env = with_pending(4);
    let noon = env.clock.now();
    env.clock.advance(Duration::minutes(1));
    env.create_as("A-5", MEMBERS);
    env.clock.advance(Duration::minutes(1));
    let count = |change: &dyn Fn(&mut BulkRequest)| {
        let mut request = request(JobKind::Cancel);
        change(&mut request);
        env.app.as_command().count_bulk(&request)
    };
    assert_eq!(count(&|_| {}).unwrap(), 5);
    assert_eq!(count(&|request| request.before = Some(noon)).unwrap(), 4);
    assert_eq!(count(&|request| request.before = Some(noon - Duration::hours(1))).unwrap(), 0);
    assert_eq!(count(&|request| request.error_code = Some("error".into())).unwrap(), 0);
    let numbers = ["A-1", " A-1 ", "A-5", "NOBODY", ""].map(String::from).to_vec();
    assert_eq!(count(&|request| request.numbers = Some(numbers.clone())).unwrap(), 2);
    assert_eq!(
        count(&|request| {
            request.numbers = Some(numbers.clone());
            request.before = Some(noon);
        })
        .unwrap(),
        1
    );
    let refused = count(&|request| request.status = Some(State::Processed)).unwrap_err();
    assert_eq!(refused.to_string(), "processes that are PROCESSED cannot be cancelled");
    let nobody = count(&|request| request.supplier = "NOBODY".into()).unwrap_err();
    assert!(matches!(nobody, OperatorError::NotFound { .. }));
}

#[test]
fn numbers_without_an_account_are_named() {
    let env = with_pending(3);
    let check = |numbers: &[&str]| {
        let numbers: Vec<String> = numbers.iter().map(|number| (*number).to_owned()).collect();
        env.app.as_command().check_numbers("ACME", &numbers).map_err(|error| error.to_string())
    };
    assert_eq!(check(&["A-1", " A-3 ", "A-1", ""]), Ok(()));
    assert_eq!(check(&["NOBODY", "A-1"]).unwrap_err(), r#"ACME has no account with the number "NOBODY""#);
    let long = "x".repeat(200);
    let refused = check(&[&long, "NOBODY"]).unwrap_err();
    assert!(refused.contains("NOBODY") && refused.contains(&long), "{refused}");
    assert!(env.app.as_command().check_numbers("NONE", &[]).is_err());
}

#[test]
fn named_accounts_that_cannot_be_changed_are_skipped() {
    let env = with_pending(3);
    env.worker.run_once().unwrap();
    env.create_as("B-1", MEMBERS);
    let numbers = ["A-1", "B-1", "NOBODY"].map(String::from).to_vec();
    let request = BulkRequest { numbers: Some(numbers), ..request(JobKind::Cancel) };
    assert_eq!(env.app.as_command().count_bulk(&request).unwrap(), 2);
    let begun = env.app.as_command().begin_bulk(&request, JobOwner::Caller).unwrap();
    let ended = env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {}).unwrap();
    assert_eq!(counts(&ended), [2, 1, 1]);
    assert_eq!((env.state_of("A-1"), env.state_of("B-1")), (State::Processed, State::Cancelled));
}

#[test]
fn processes_that_step_meanwhile_are_skipped() {
    let env = with_pending(150);
    let begun = env.app.as_command().begin_bulk(&request(JobKind::Cancel), JobOwner::Caller).unwrap();
    let mut is_first = true;
    let ended = env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {
        if std::mem::take(&mut is_first) {
            env.clock.advance(Duration::seconds(1));
            env.app.as_command().cancel_process("ACME", "A-150").unwrap();
            env.app.as_command().retry_process("ACME", "A-150").unwrap();
            env.create_as("LATER", MEMBERS);
        }
    });
    assert_eq!(counts(&ended.unwrap()), [150, 149, 1]);
    assert_eq!((env.state_of("A-150"), env.state_of("LATER")), (State::Pending, State::Pending));
}

#[test]
fn a_process_that_fails_again_is_not_tried_again_by_the_same_job() {
    let env = cancelled(120);
    let request = BulkRequest { status: Some(State::Cancelled), ..request(JobKind::Retry) };
    let begun = env.app.as_command().begin_bulk(&request, JobOwner::Caller).unwrap();
    let ended = env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| {
        // Back in the state that the job began from.
        env.app.as_command().cancel_process("ACME", "A-1").ok();
        env.app.as_command().cancel_process("ACME", "A-120").ok();
    });
    assert_eq!(counts(&ended.unwrap()), [120, 120, 0]);
    let retries = |number| {
        let history = env.report_of(number).history;
        history.iter().filter(|entry| entry.event.as_str() == "retried_by_operator").count()
    };
    assert_eq!((retries("A-1"), retries("A-120"), retries("A-2")), (1, 1, 1));
}

#[test]
fn a_job_is_taken_over_when_its_lease_ends() {
    let env = with_pending(250);
    let begun = env.app.as_command().begin_bulk(&request(JobKind::Cancel), JobOwner::Caller).unwrap();
    assert!(!runner(&env).run_once().unwrap(), "its command has it");
    env.clock.advance(Duration::seconds(11));
    assert!(runner(&env).run_once().unwrap());
    // The command returns, and finds that it has lost the job.
    let ended =
        env.app.as_command().run_job(&begun.name, Some(begun.claim), |_| panic!("nothing is left")).unwrap();
    assert_eq!(counts(&ended), [250, 250, 0]);
}

#[test]
fn a_job_can_be_stopped_and_resumed() {
    let env = with_pending(250);
    let begun = env.app.as_command().begin_bulk(&request(JobKind::Cancel), JobOwner::Caller).unwrap();
    let stopped = env.app.as_command().run_job(&begun.name, Some(begun.claim), |job| {
        if job.changed == 100 {
            env.app.as_command().stop_job(&job.name).unwrap();
        }
    });
    let stopped = stopped.unwrap();
    assert_eq!((stopped.state.as_str(), stopped.changed), ("stopped", 100));
    env.clock.advance(Duration::minutes(1));
    assert!(!runner(&env).run_once().unwrap());
    assert_eq!(env.app.as_command().stop_job(&begun.name).unwrap().state, JobState::Stopped);
    assert_eq!(trail(&env, "job.stop"), ["changed=100 matched=250 skipped=0"]);

    assert_eq!(env.app.as_command().resume_job(&begun.name).unwrap().state, JobState::Running);
    let ended = env.app.as_command().run_job(&begun.name, None, |_| {}).unwrap();
    assert_eq!(counts(&ended), [250, 250, 0]);
    assert_eq!((trail(&env, "job.resume").len(), trail(&env, "process.cancel").len()), (1, 1));
    for refused in [env.app.as_command().stop_job(&begun.name), env.app.as_command().resume_job(&begun.name)]
    {
        assert_eq!(refused.unwrap_err().to_string(), "the job has ended");
    }
}

#[test]
fn a_stopped_runner_gives_its_job_back() {
    let env = with_pending(3);
    let begun = env.app.as_command().begin_bulk(&request(JobKind::Cancel), JobOwner::Workers).unwrap();
    env.stop.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(runner(&env).run_once().unwrap());
    assert_eq!(env.app.as_command().show_job(&begun.name).unwrap().changed, 0);
    env.stop.store(false, std::sync::atomic::Ordering::SeqCst);
    assert!(runner(&env).run_once().unwrap(), "it need not wait for the lease");
    assert_eq!(env.app.as_command().show_job(&begun.name).unwrap().state, JobState::Done);
}

#[test]
fn the_console_sees_the_jobs_of_its_organisation() {
    let env = with_pending(2);
    let request = request(JobKind::Cancel);
    let job = env.app.as_caller(&env.caller).begin_bulk(&request, JobOwner::Workers).unwrap();
    assert_eq!(job.actor, format!("key:{}", env.caller.key_prefix));
    assert_eq!(env.app.as_caller(&env.caller).jobs(None).unwrap().iter().collect::<Vec<_>>(), [&job]);
    assert!(runner(&env).run_once().unwrap());
    let last =
        env.app.as_command().audit(&AuditScope { limit: 1, ..AuditScope::default() }).unwrap().remove(0);
    assert_eq!((last.by, last.action.as_str()), (job.actor, "process.cancel"));
}

#[test]
fn archived_payloads_are_not_tried_again() {
    let env = cancelled(2);
    cutover_app::port::write(&*env.store, |tx| {
        let supplier = tx.supplier(&"ACME".parse().unwrap())?.unwrap();
        let stored = tx.process(supplier.id, &"A-1".parse().unwrap())?.unwrap();
        tx.archive(&[ArchivedVersion::new(&stored.process, None)], chrono::DateTime::UNIX_EPOCH)
    })
    .unwrap();
    let request = BulkRequest { status: Some(State::Cancelled), ..request(JobKind::Retry) };
    let begun = env.app.as_command().begin_bulk(&request, JobOwner::Workers).unwrap();
    assert!(runner(&env).run_once().unwrap());
    assert_eq!(counts(&env.app.as_command().show_job(&begun.name).unwrap()), [2, 1, 1]);
    assert_eq!((env.state_of("A-1"), env.state_of("A-2")), (State::Cancelled, State::Pending));
}
