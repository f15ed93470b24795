//! Timelines and summaries of suppliers.

use crate::env::TestEnv;
use chrono::{DateTime, Duration, Utc};
use cutover_app::operator::{
    OperatorError, Release, SupplierChange, TimelineCursor, TimelineEvent, TimelineKind,
};
use cutover_app::port::{AuditAction, Clock};
use cutover_app::worker::Worked;

fn minute(env: &TestEnv) {
    env.clock.advance(Duration::minutes(1));
}

fn timeline(env: &TestEnv, since: Option<DateTime<Utc>>) -> Vec<TimelineEvent> {
    env.app.as_command().timeline("ACME", since, None, 1_000).unwrap().events
}

fn import(env: &TestEnv) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
}

/// A wave of two fails, which holds; it is released by force. Twelve accounts are refused, and somebody writes a note.
fn night() -> TestEnv {
    let env = TestEnv::new();
    minute(&env);
    env.set_supplier(SupplierChange {
        waves: Some("2,rest".parse().unwrap()),
        hold_on_errors: Some(Some("0/10".parse().unwrap())),
        ..SupplierChange::default()
    });
    (0..5).for_each(|n| env.create_as(&format!("A-{n}"), r#""customers":[]"#));
    minute(&env);
    env.fail(true);
    minute(&env);
    import(&env);
    minute(&env);
    (0..12).for_each(|n| env.refuse(&format!("R-{n}")));
    minute(&env);
    env.app.as_command().note_supplier("ACME", " rule ACC-04 is too strict \n").unwrap();
    minute(&env);
    env.fail(false);
    minute(&env);
    let because = Some("agreed with Acme".to_owned());
    let release = Release { because, is_forced: true, ..Release::default() };
    env.release(release).unwrap();
    minute(&env);
    env
}

#[test]
fn a_night_is_told_from_its_last_event() {
    let env = night();
    let events = timeline(&env, None);
    assert!(events.is_sorted_by(|one, other| one.at >= other.at), "{events:?}");
    let kinds: Vec<TimelineKind> = events.iter().map(|event| event.kind).collect();
    let (release, settings) = (TimelineKind::Release, TimelineKind::Settings);
    let (note, failures, hold) = (TimelineKind::Note, TimelineKind::Failures, TimelineKind::Hold);
    assert_eq!(kinds[..6], [release, settings, note, failures, hold, settings], "{events:?}");
    assert!(kinds.contains(&TimelineKind::Wave), "{events:?}");
    let text = "Released by force, although these checks said stop: failures; it was held because too many accounts failed";
    assert_eq!(events[0].text, text);
    assert_eq!(events[4].text, "Held because too many accounts failed: 1 account had ended, 1 had failed");
    assert!(events[0].is_forced && events[0].because.as_deref() == Some("agreed with Acme"), "{events:?}");
    assert_eq!(events[2].text, "rule ACC-04 is too strict");
    assert!(events[2].by.as_ref().is_some_and(|by| by.starts_with("command")), "{events:?}");
    assert!(events[3].text.starts_with("12 accounts failed or were refused in the minute of "), "{events:?}");
    assert_eq!(events[4].by, None);
}

/// A supplier holds its imports itself, and an operator does so too.
#[test]
fn what_the_supplier_did_itself_is_told_as_that() {
    let env = TestEnv::new();
    let by = env.app.as_caller(&env.caller);
    let release = |because: &str| {
        minute(&env);
        env.release_as_supplier(Some(because));
        timeline(&env, None)[0].text.clone()
    };
    minute(&env);
    by.hold_as_supplier("ACME", Some("wrong tariffs".into())).unwrap();
    assert_eq!(timeline(&env, None)[0].text, "Held by the supplier itself");
    assert_eq!(release("corrected"), "Released by the supplier itself");
    by.hold_as_supplier("ACME", None).unwrap();
    env.app.as_command().hold_supplier("ACME", Some("lunch".into())).unwrap();
    let left = release("again");
    assert!(
        left.starts_with("The supplier ended its own hold; it is still held by an operator (command"),
        "{left}"
    );
}

/// A hold is listed before the failures that were counted later in the same minute.
#[test]
fn a_burst_comes_after_what_happened_in_its_minute() {
    let env = TestEnv::new();
    env.clock.advance(Duration::seconds(10));
    env.app.as_command().hold_supplier("ACME", None).unwrap();
    (0..10).for_each(|n| env.refuse(&format!("R-{n}")));
    let kinds: Vec<TimelineKind> = timeline(&env, None).iter().map(|event| event.kind).collect();
    assert_eq!(kinds[..2], [TimelineKind::Failures, TimelineKind::Hold]);
}

#[test]
fn a_shift_sees_what_happened_since_it_began() {
    let env = night();
    let all = timeline(&env, None);
    let since = all[2].at.to_utc();
    assert_eq!(timeline(&env, Some(since)), all[..3]);
    assert_eq!(timeline(&env, Some(since + Duration::microseconds(1))), all[..2]);
}

/// However long a page is, all pages together have every event once.
#[test]
fn pages_have_every_event_once() {
    let env = night();
    for n in 0..7 {
        env.app.as_command().note_supplier("ACME", &format!("note {n}")).unwrap();
        minute(&env);
        env.app.as_command().start_run("ACME", &format!("run {n}")).unwrap();
        minute(&env);
        env.app.as_command().end_run("ACME").unwrap();
        minute(&env);
    }
    let all = timeline(&env, None);
    assert!(all.len() > 25, "{all:?}");
    for limit in 1..12 {
        let (mut events, mut after) = (Vec::new(), None);
        loop {
            let page = env.app.as_command().timeline("ACME", None, after, limit).unwrap();
            events.extend(page.events);
            let Some(next) = page.next else { break };
            assert_ne!(after, Some(next), "a page leads to another one");
            after = TimelineCursor::decode(&next.encode());
        }
        assert_eq!(events, all, "{limit} on a page");
    }
}

#[test]
fn a_note_is_audited_without_its_text_and_must_say_something() {
    let env = TestEnv::new();
    env.app.as_command().note_supplier("ACME", "shift ends").unwrap();
    for text in ["", " \n", &"x".repeat(2_001)] {
        let refused = env.app.as_command().note_supplier("ACME", text);
        assert!(matches!(refused, Err(OperatorError::Refused(_))), "{text:?}");
    }
    let scope = cutover_app::operator::AuditScope { limit: 9, ..Default::default() };
    let records = env.app.as_command().audit(&scope).unwrap();
    let noted: Vec<_> =
        records.iter().filter(|record| record.action == AuditAction::SupplierNoted.as_str()).collect();
    assert_eq!(noted.len(), 1);
    assert!(noted[0].detail.is_empty() && noted[0].supplier.as_deref() == Some("ACME"), "{noted:?}");
    let unknown = env.app.as_command().note_supplier("NONE", "x");
    assert!(matches!(unknown, Err(OperatorError::NotFound { .. })), "{unknown:?}");
    assert!(env.app.as_command().timeline("NONE", None, None, 9).is_err());
}

/// What failed at its time stays in the chart when the account is imported later.
#[test]
fn what_failed_stays_counted_when_it_is_imported_later() {
    let env = TestEnv::new();
    env.create_as("A-1", r#""customers":[]"#);
    env.fail(true);
    import(&env);
    let failed_at = env.clock.now();
    let counted = |env: &TestEnv| {
        let activity = env.app.as_command().migration("ACME").unwrap().activity;
        let sums = activity.iter().map(|minute| (minute.imported, minute.failed));
        sums.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    };
    assert_eq!(counted(&env), (0, 1));
    minute(&env);
    env.fail(false);
    env.app.as_command().retry_process("ACME", "A-1").unwrap();
    import(&env);
    assert_eq!(counted(&env), (1, 1));
    let summary = env.app.as_command().summary("ACME", None).unwrap();
    assert_eq!((summary.failed, summary.imported.accounts), (0, 1));
    let happened: Vec<_> = summary.activity.iter().filter(|of| of.accounts > 0).map(|of| of.kind).collect();
    assert_eq!(happened, ["accepted", "queued_again", "imported", "failed"]);
    assert_eq!((summary.duration_minutes, summary.bar_minutes), (2, 1));
    let bars: Vec<_> = summary.bars.iter().map(|bar| (bar.imported, bar.failed)).collect();
    assert_eq!(bars, [(0, 1), (1, 0)]);
    assert_eq!(summary.first_at.unwrap().to_utc().timestamp() / 60, failed_at.timestamp() / 60);
    let later = env.app.as_command().summary("ACME", Some(env.clock.now())).unwrap();
    assert_eq!(later.bars.iter().map(|bar| bar.failed).sum::<u64>(), 0);
}

#[test]
fn a_summary_names_releases_that_were_forced() {
    let env = night();
    let summary = env.app.as_command().summary("ACME", None).unwrap();
    let [forced] = &summary.forced_releases[..] else { panic!("{summary:?}") };
    assert_eq!(forced.because.as_deref(), Some("agreed with Acme"));
    assert!(forced.by.starts_with("command") && !forced.checks.is_empty(), "{forced:?}");
    assert_eq!((summary.refused, summary.failed, summary.waiting), (12, 2, 3));
    assert_eq!(summary.duration_minutes, 1, "nothing ended when the others were refused");
    let since = forced.at.to_utc() + Duration::microseconds(1);
    assert_eq!(env.app.as_command().summary("ACME", Some(since)).unwrap().forced_releases, []);
    assert!(env.app.as_command().summary("NONE", None).is_err());
}
