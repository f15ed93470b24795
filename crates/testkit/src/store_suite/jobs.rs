//! Bulk operations.

use super::helpers::{at, create, organisation, process, put, see, step, supplier};
use cutover_app::port::{
    ArchivedVersion, Job, JobFilter, JobKind, JobPosition, JobState, StepWrite, Store, StoredIssue,
    StoredIssues,
};
use cutover_process::{Actor, Event, State};

pub(super) fn job(name: &str, organisation_id: i64) -> Job {
    Job {
        id: 0,
        name: name.into(),
        kind: JobKind::Retry.into(),
        organisation_id,
        supplier_id: 7,
        supplier: "ACME".into(),
        actor: "command:ana".into(),
        filter: JobFilter::default(),
        because: None,
        created_at: at(1),
        state: JobState::Preparing.into(),
        ended_at: None,
        matched: 3,
        changed: 0,
        skipped: 0,
        failed: 0,
        removed: Default::default(),
        position: JobPosition::default(),
        due_at: None,
        claim: 0,
        version: 0,
    }
}

fn add(store: &dyn Store, job: Job) -> Job {
    put(store, move |tx| tx.add_job(&job))
}

fn change(store: &dyn Store, job: &Job) -> bool {
    let job = job.clone();
    put(store, move |tx| tx.change_job(&job))
}

/// Jobs are found by their id, and listed by organisation, the last first.
pub fn jobs_read_back(store: &dyn Store) {
    let (ours, theirs) = (organisation(store, "Ours").id, organisation(store, "Theirs").id);
    let filter = JobFilter {
        status: Some(State::Errored.into()),
        error_code: Some("missing_document".into()),
        before: Some(at(9)),
        imported_since: Some(at(8)),
        imported_until: Some(at(9)),
        run: Some("night".into()),
        wave: Some(3),
        is_undone: Some(false),
        is_list: true,
    };
    let because = Some("wrong tariffs".to_owned());
    let first = add(store, Job { filter, because, ..job("job_1", ours) });
    let second = add(store, job("job_2", theirs));
    let third = add(store, job("job_3", ours));
    for added in [&first, &second, &third] {
        assert_eq!(see(store, |tx| tx.job(&added.name)).as_ref(), Some(added));
    }
    let bare = Job { id: 0, filter: JobFilter::default(), because: None, ..first.clone() };
    assert_eq!(bare, job("job_1", ours));
    assert_eq!(see(store, |tx| tx.job("job_4")), None);
    let names =
        |of, limit| see(store, |tx| tx.jobs(of, limit)).into_iter().map(|job| job.name).collect::<Vec<_>>();
    assert_eq!(names(None, 10), ["job_3", "job_2", "job_1"]);
    assert_eq!(names(None, 2), ["job_3", "job_2"]);
    assert_eq!(names(Some(ours), 10), ["job_3", "job_1"]);
}

/// A change is written if the job has not changed since it was read.
pub fn changes_of_a_job_are_guarded(store: &dyn Store) {
    let first = add(store, job("job_1", organisation(store, "Ours").id));
    let changed = Job {
        state: JobState::Running.into(),
        changed: 2,
        skipped: 1,
        failed: 3,
        removed: [("accounts".to_owned(), 12)].into(),
        position: JobPosition { part: 1, at: Some(at(5)), id: 12 },
        due_at: Some(at(20)),
        claim: 4,
        ..first.clone()
    };
    assert!(change(store, &changed));
    let changed = Job { version: 1, ..changed };
    assert_eq!(see(store, |tx| tx.job("job_1")), Some(changed.clone()));
    assert!(!change(store, &first));
    let ended = Job {
        state: JobState::Done.into(),
        ended_at: Some(at(30)),
        due_at: None,
        position: JobPosition::default(),
        ..changed
    };
    assert!(change(store, &ended));
    assert_eq!(see(store, |tx| tx.job("job_1")), Some(Job { version: 2, ..ended }));
}

/// The job that is due first is found, once it is due.
pub fn jobs_are_found_when_they_are_due(store: &dyn Store) {
    let ours = organisation(store, "Ours").id;
    let running = |name, due| {
        let job = Job { state: JobState::Running.into(), due_at: Some(at(due)), ..job(name, ours) };
        add(store, job)
    };
    let (late, early) = (running("job_1", 20), running("job_2", 10));
    add(store, job("job_3", ours));
    let due = |when| see(store, |tx| tx.due_job(at(when))).map(|job| job.name);
    assert_eq!(due(9), None);
    assert_eq!(due(10).as_deref(), Some("job_2"));
    assert_eq!(due(30).as_deref(), Some("job_2"));
    let stopped = Job { state: JobState::Stopped.into(), due_at: None, ..early.clone() };
    assert!(change(store, &stopped));
    assert_eq!(due(30).as_deref(), Some("job_1"));
    assert_eq!(put(store, |tx| tx.release_jobs(at(2))), 1);
    assert_eq!(due(2).as_deref(), Some("job_1"));
    for waits in [true, false] {
        let locked = put(store, move |tx| tx.lock_job(late.id, waits));
        assert_eq!(locked.map(|job| job.due_at), Some(Some(at(2))));
        assert_eq!(put(store, move |tx| tx.lock_job(super::helpers::ABSENT, waits)), None);
    }
}

/// The list of a job is a set, in the order of keys, and goes once the job has ended or was never begun.
pub fn lists_of_jobs_are_read_and_removed(store: &dyn Store) {
    let ours = organisation(store, "Ours").id;
    let is_list = JobFilter { is_list: true, ..JobFilter::default() };
    let listed = |name| add(store, Job { filter: is_list.clone(), ..job(name, ours) });
    let (first, other) = (listed("job_1"), listed("job_2"));
    let id = first.id;
    assert_eq!(put(store, move |tx| tx.add_job_items(id, &[5, 3, 5])), 2);
    assert_eq!(put(store, move |tx| tx.add_job_items(id, &[3, 9])), 1);
    assert_eq!(put(store, move |tx| tx.add_job_items(other.id, &[3])), 1);
    let items = |after, limit| see(store, |tx| tx.job_items(id, after, limit));
    assert_eq!(items(0, 10), [3, 5, 9]);
    assert_eq!(items(3, 1), [5]);
    assert_eq!(items(9, 1), [0; 0]);
    let clear = |limit| put(store, move |tx| tx.clear_job_items(at(0), limit));
    assert!(!clear(10));
    assert!(change(store, &Job { state: JobState::Done.into(), ..first }));
    assert!(clear(2));
    assert_eq!(items(0, 10), [9]);
    assert!(clear(2) && !clear(2));
    assert_eq!(items(0, 10), [0; 0]);
    assert_eq!(see(store, |tx| tx.job_items(other.id, 0, 10)), [3]);
    assert!(put(store, |tx| tx.clear_job_items(at(2), 10)));
    assert_eq!(see(store, |tx| tx.job_items(other.id, 0, 10)), [0; 0]);
}

/// Processes and their issues are found together by key.
pub fn processes_are_found_by_key(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ids = [create(store, &acme, "A-1").id(), create(store, &acme, "A-2").id()];
    let claimed = process(store, &acme, "A-1").process;
    assert!(step(store, &claimed, Event::Claimed, at(2)));
    let claimed = process(store, &acme, "A-1").process;
    let (rejected, entry) = claimed.step(Event::Rejected, at(3), Actor::System).unwrap();
    let issue = StoredIssue {
        attr: "customers".into(),
        pattern: "customers".into(),
        code: "required".into(),
        detail: "x".into(),
        ..StoredIssue::default()
    };
    let issues = StoredIssues { errors: vec![issue], warnings: Vec::new() };
    let written = issues.clone();
    assert_eq!(
        put(store, move |tx| tx.step_processes(&[StepWrite {
            process: &rejected,
            entry: &entry,
            issues: Some(&written),
            sent: None
        }])),
        [true]
    );
    let found = see(store, |tx| tx.processes_by_id(&[ids[1], ids[0], super::helpers::ABSENT]));
    assert_eq!(found.iter().map(|stored| stored.process.id()).collect::<Vec<_>>(), ids);
    assert_eq!(found[0], process(store, &acme, "A-1"));
    let mut of = see(store, |tx| tx.issues_of(&ids));
    of.sort_by_key(|(id, ..)| *id);
    assert_eq!(of, [(ids[0], issues, false), (ids[1], StoredIssues::default(), false)]);
    let archived = process(store, &acme, "A-1").process;
    assert_eq!(put(store, move |tx| tx.archive(&[ArchivedVersion::new(&archived, None)], at(9))), 1);
    assert!(see(store, |tx| tx.issues_of(&ids[..1]))[0].2);
}
