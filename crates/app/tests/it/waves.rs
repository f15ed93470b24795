//! Releases of holds, and the waves that they continue, repeat or begin (contract D16, decision 0046).

use crate::env::TestEnv;
use chrono::{DateTime, Duration, Utc};
use cutover_app::operator::{AuditScope, Forecast, OperatorError, Release, Scope, Services, SupplierChange};
use cutover_app::port::{
    Answer, AuditAction, DocumentState, Documents, DocumentsUnavailable, Hold, HoldCause, Operator,
    WantedDocument,
};
use cutover_app::worker::Worked;
use cutover_app::{App, Ports};
use std::sync::{Arc, OnceLock};

/// The environment with waves of two accounts, of three, and of the rest. One failure in ten accounts is too many.
fn environment() -> TestEnv {
    let env = TestEnv::new();
    env.set_supplier(SupplierChange {
        waves: Some("2,3,rest".parse().unwrap()),
        hold_on_errors: Some(Some("0/10".parse().unwrap())),
        ..SupplierChange::default()
    });
    env
}

fn create(env: &TestEnv, count: usize) {
    (0..count).for_each(|n| env.create_as(&format!("A-{n}"), r#""customers":[]"#));
}

fn hold(env: &TestEnv) -> Hold {
    env.app.as_command().hold_supplier("ACME", None).unwrap();
    held(env).unwrap()
}

fn held(env: &TestEnv) -> Option<Hold> {
    env.app.as_command().show_hold("ACME").unwrap()
}

/// Imports what may be, and returns the cause of the hold that follows, and its wave.
fn import(env: &TestEnv) -> (HoldCause, Option<u32>) {
    while env.worker.run_once().unwrap() != Worked::Nothing {}
    let hold = held(env).unwrap();
    (*hold.latest().by.known().unwrap(), hold.wave)
}

fn release(env: &TestEnv, release: Release) -> Result<Forecast, OperatorError> {
    Ok(env.release(release)?.forecast)
}

/// Returns the number of the wave that a release leads to, and how many accounts it still takes.
fn wave_after(env: &TestEnv, asked: Release) -> (u32, u64) {
    let wave = release(env, asked).unwrap().wave.unwrap();
    (wave.0, wave.1.accounts)
}

fn because() -> Option<String> {
    Some("agreed".to_owned())
}

/// Releases although accounts have failed.
fn forced() -> Release {
    Release { because: because(), is_forced: true, ..Release::default() }
}

#[test]
fn a_wave_that_an_operator_held_goes_on() {
    let env = environment();
    hold(&env);
    create(&env, 9);
    assert_eq!(wave_after(&env, Release::default()), (1, 2));
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    assert_eq!(wave_after(&env, Release::default()), (2, 3));
    assert_eq!(import(&env), (HoldCause::Wave, Some(2)));
    assert_eq!(wave_after(&env, Release::default()), (3, 4), "the rest");
}

fn supplier_holds(env: &TestEnv, because: &str) {
    env.app.as_caller(&env.caller).hold_as_supplier("ACME", Some(because.into())).unwrap();
}

/// Returns the reasons of the hold, with their words.
fn why(env: &TestEnv) -> Vec<(HoldCause, Option<String>)> {
    let hold = held(env);
    let reasons = hold.iter().flat_map(Hold::reasons);
    reasons.map(|reason| (*reason.by.known().unwrap(), reason.because.clone())).collect()
}

#[test]
fn a_supplier_ends_the_hold_that_it_placed_and_no_other() {
    let env = environment();
    create(&env, 9);
    supplier_holds(&env, "tariffs");
    supplier_holds(&env, "tariffs");
    assert_eq!(env.worker.run_once().unwrap(), Worked::Nothing);
    env.app.as_command().hold_supplier("ACME", None).unwrap();
    // Other words replace its reason.
    supplier_holds(&env, "documents");
    let own = (HoldCause::Supplier, Some("documents".to_owned()));
    assert_eq!(why(&env), [(HoldCause::Operator, None), own]);

    let release = || env.release_as_supplier(None);
    let stale = env.app.now() - Duration::seconds(1);
    let refused = env.app.as_caller(&env.caller).release_as_supplier("ACME", Some(stale), None).unwrap_err();
    assert!(refused.to_string().starts_with("the supplier has held its imports again"), "{refused}");
    assert_eq!(why(&env).len(), 2);
    release();
    assert_eq!(why(&env), [(HoldCause::Operator, None)]);
    release();
    assert_eq!(why(&env), [(HoldCause::Operator, None)], "there is none of its own");
    assert_eq!(wave_after(&env, Release::default()), (1, 2));
    supplier_holds(&env, "tariffs");
    release();
    assert_eq!(why(&env), []);
    // The wave has gone on, and its end is not the supplier's to release.
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    supplier_holds(&env, "tariffs");
    release();
    assert_eq!(why(&env), [(HoldCause::Wave, None)]);
}

#[test]
fn a_wave_that_was_held_in_the_middle_keeps_what_it_has_claimed() {
    let env = environment();
    create(&env, 1);
    env.worker.run_once().unwrap();
    hold(&env);
    create(&env, 9);
    assert_eq!(wave_after(&env, Release::default()), (1, 1));
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    assert_eq!(held(&env).unwrap().ended, 1, "since the last release");
}

#[test]
fn a_wave_with_too_many_failures_is_repeated() {
    let env = environment();
    create(&env, 9);
    env.fail(true);
    assert_eq!(import(&env), (HoldCause::ErrorRate, Some(1)));
    env.fail(false);
    assert_eq!(wave_after(&env, forced()), (1, 2));
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    assert_eq!(wave_after(&env, forced()), (2, 3));
}

#[test]
fn the_next_wave_begins_on_purpose_and_with_a_reason() {
    let env = environment();
    hold(&env);
    create(&env, 9);
    let without_reason = release(&env, Release { is_next_wave: true, ..Release::default() });
    assert!(matches!(without_reason, Err(OperatorError::Refused(text)) if text.contains("needs a reason")));
    let on_purpose = Release { is_next_wave: true, because: because(), ..Release::default() };
    assert_eq!(wave_after(&env, on_purpose), (2, 3));
    assert_eq!(import(&env), (HoldCause::Wave, Some(2)));
}

#[test]
fn only_the_hold_that_was_shown_is_released() {
    let env = environment();
    let of = |since: DateTime<Utc>| Release { held_since: Some(since), ..Release::default() };
    let first = hold(&env).first.since;
    create(&env, 9);
    release(&env, of(first)).unwrap();
    let refusal = release(&env, of(first)).unwrap_err().to_string();
    assert!(refusal.contains("is not held any more"), "{refusal}");
    env.clock.advance(Duration::seconds(1));
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    let refusal = release(&env, of(first)).unwrap_err().to_string();
    assert!(refusal.contains("is held after wave 1 since"), "{refusal}");
    let second = held(&env).unwrap().first.since;
    let unseen = env.app.as_command().release_supplier("ACME", &Release::default(), &Services::default());
    let refusal = unseen.unwrap_err().to_string();
    assert!(
        refusal.contains("is held after wave 1 since") && refusal.contains("shown without a hold"),
        "{refusal}"
    );
    release(&env, of(second)).unwrap();
    assert_eq!(held(&env), None);
}

/// Documents that somebody holds the supplier at while they are looked up.
#[derive(Default)]
struct HoldsMeanwhile(OnceLock<Arc<App>>);

impl Documents for HoldsMeanwhile {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn look_up<'a>(
        &'a self,
        _: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        if let Some(app) = self.0.get() {
            app.as_command().hold_supplier("ACME", Some("stop".into())).unwrap();
        }
        Box::pin(std::future::ready(Ok(vec![DocumentState::Pdf; wanted.len()])))
    }
}

/// The checks of a release take time, in which another reason is added that they were not about.
#[test]
fn a_reason_that_is_added_while_readiness_is_checked_is_not_released() {
    let documents = Arc::<HoldsMeanwhile>::default();
    let given = documents.clone();
    let env = TestEnv::on(move |ports| Ports { documents: given, ..ports });
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    hold(&env);
    env.create(r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#);
    let services = Services { has_documents: true, ..Services::default() };
    let shown = Release::of(held(&env).as_ref());
    documents.0.set(env.app.clone()).ok().unwrap();
    let refused = env.app.as_command().release_supplier("ACME", &shown, &services).unwrap_err();
    assert_eq!(refused.to_string(), "ACME was held again while its readiness was checked");
    assert!(matches!(refused, OperatorError::Changed(_)));
    assert_eq!(held(&env).unwrap().latest().because.as_deref(), Some("stop"));
}

/// Two people who have seen the same settings do not overrule each other.
#[test]
fn settings_of_a_gate_are_changed_by_somebody_who_has_seen_them() {
    let env = TestEnv::new();
    let by = |user: &str| env.app.operate(Operator::read(user), Scope::Installation);
    let waves = |waves: &str| Some(waves.parse().unwrap());
    let of = |revision, sizes| SupplierChange { revision, waves: waves(sizes), ..SupplierChange::default() };
    let set = |user: &str, change: SupplierChange| by(user).set_supplier("ACME", change);
    let unseen = set("ada", of(None, "5,rest")).unwrap_err();
    let text = "waves and hold-on-errors are changed only by somebody who has seen them: ACME has the waves none and \
                hold-on-errors none, in revision 0 of its settings";
    assert_eq!(unseen.to_string(), text);
    let hold_on_errors = Some(Some("1/200".parse().unwrap()));
    let share = SupplierChange { hold_on_errors, ..SupplierChange::default() };
    assert!(matches!(set("ada", share.clone()), Err(OperatorError::Changed(_))));
    // Other settings, such as a status in a hurry, need nobody who has looked.
    set("ada", SupplierChange { dry_run: Some(true), ..SupplierChange::default() }).unwrap();
    set("ada", of(Some(1), "5,rest")).unwrap();
    let stale = set("bob", of(Some(1), "9,rest")).unwrap_err().to_string();
    let at = env.app.now().format("%Y-%m-%d %H:%M:%S");
    let text = format!(
        "the settings of ACME have been changed since they were shown, the last time at {at} (UTC) by command:ada: \
         waves=5,rest. Look at them again"
    );
    assert_eq!(stale, text);
    set("bob", SupplierChange { revision: Some(2), ..share }).unwrap();
    assert_eq!(by("bob").show_supplier("ACME").unwrap().settings.waves.to_string(), "5,rest");
}

/// Each reason has its owner and its words, and a release names all that it ends.
#[test]
fn whoever_holds_a_held_supplier_adds_a_reason() {
    let env = environment();
    let by = |user: &str, because: &str| {
        env.clock.advance(Duration::seconds(1));
        let operations = env.app.operate(Operator::read(user), Scope::Installation);
        operations.hold_supplier("ACME", Some(because.into())).map(drop)
    };
    by("ada", "tariffs").unwrap();
    let seen = held(&env).unwrap().latest().since;
    by("bob", "no documents").unwrap();
    by("ada", "tariffs").unwrap();
    let hold = held(&env).unwrap();
    let reasons: Vec<String> = hold
        .reasons()
        .map(|of| format!("{} {}", of.owner.as_ref().unwrap(), of.because.as_ref().unwrap()))
        .collect();
    assert_eq!(reasons, ["command:ada tariffs", "command:bob no documents"]);

    let stale = Release { held_since: Some(seen), ..Release::default() };
    let refusal = release(&env, stale).unwrap_err().to_string();
    assert!(refusal.contains("is held by an operator since"), "{refusal}");
    let shown = Release { held_since: Some(hold.latest().since), ..Release::default() };
    let ended = env.app.as_command().release_supplier("ACME", &shown, &Services::default()).unwrap().ended;
    assert_eq!((ended, held(&env)), (Some(hold), None));
    let scope = AuditScope { action: Some(AuditAction::SupplierReleased), limit: 9, ..AuditScope::default() };
    let detail = env.app.as_command().audit(&scope).unwrap().remove(0).detail;
    let held_by = detail.facts().find(|(name, _)| *name == "held-by").unwrap().1.to_string();
    assert_eq!(held_by, "operator command:ada, operator command:bob");

    for n in 0..20 {
        by("ada", &format!("reason {n}")).unwrap();
    }
    assert!(
        matches!(by("ada", "one more"), Err(OperatorError::Refused(text)) if text.contains("20 reasons"))
    );
    assert_eq!(held(&env).unwrap().reasons().count(), 20);
}

/// An operator may hold a supplier that is held after a wave.
#[test]
fn a_hold_after_a_wave_takes_the_reason_of_an_operator() {
    let env = environment();
    create(&env, 9);
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    hold(&env);
    let causes: Vec<String> = held(&env).unwrap().reasons().map(|reason| reason.by.to_string()).collect();
    assert_eq!(causes, ["wave", "operator"]);
}

/// A release that was shown before would end a reason that nobody has seen.
#[test]
fn a_wave_that_ends_during_a_hold_adds_its_reason() {
    let env = environment();
    let document = r#""unknown_occupier":true,"notes":[{"document_paths":[{"document_path":"a.pdf"}]}]"#;
    (0..9).for_each(|n| env.create_as(&format!("A-{n}"), document));
    env.set_supplier(SupplierChange { verify_documents: Some(true), ..SupplierChange::default() });
    env.documents.set_down(true);
    while env.worker.run_once().unwrap() != Worked::Nothing {}
    assert_eq!(held(&env), None, "the claims of the wave were given back");
    let seen = hold(&env).latest().since;
    env.clock.advance(Duration::seconds(1));
    for number in ["A-0", "A-1"] {
        env.app.as_command().cancel_process("ACME", number).unwrap();
    }
    let causes: Vec<String> = held(&env).unwrap().reasons().map(|reason| reason.by.to_string()).collect();
    assert_eq!(causes, ["operator", "wave"]);
    let stale = Release { held_since: Some(seen), ..Release::default() };
    assert!(release(&env, stale).unwrap_err().to_string().contains("is held after wave 1 since"));
}
