//! Releases of holds, and the waves that they continue, repeat or begin (contract D16, decision 0046).

use crate::env::TestEnv;
use chrono::{DateTime, Duration, Utc};
use cutover_app::operator::{Forecast, OperatorError, Release, Services, SupplierChange};
use cutover_app::port::{Hold, HoldCause};
use cutover_app::worker::Worked;
use cutover_core::Level;

/// The environment with waves of two accounts, of three, and of the rest. One failure in ten accounts is too many.
fn environment() -> TestEnv {
    let env = TestEnv::new();
    set(
        &env,
        SupplierChange {
            waves: Some("2,3,rest".parse().unwrap()),
            hold_on_errors: Some(Some("0/10".parse().unwrap())),
            ..SupplierChange::default()
        },
    );
    env
}

fn set(env: &TestEnv, change: SupplierChange) {
    env.app.as_command().set_supplier("ACME", change).unwrap();
}

/// Accounts without customers fail from now on, or do not any more.
fn fail(env: &TestEnv, is_failing: bool) {
    let rules = [("ACC-04".to_owned(), is_failing.then_some(Level::Error))].into();
    set(env, SupplierChange { rules, ..SupplierChange::default() });
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
    (*hold.by.known().unwrap(), hold.wave)
}

fn release(env: &TestEnv, release: Release) -> Result<Forecast, OperatorError> {
    Ok(env.app.as_command().release_supplier("ACME", &release, &Services::default())?.1)
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
    fail(&env, true);
    assert_eq!(import(&env), (HoldCause::ErrorRate, Some(1)));
    fail(&env, false);
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
    let first = hold(&env).since;
    create(&env, 9);
    release(&env, of(first)).unwrap();
    let refusal = release(&env, of(first)).unwrap_err().to_string();
    assert!(refusal.contains("is not held any more"), "{refusal}");
    env.clock.advance(Duration::seconds(1));
    assert_eq!(import(&env), (HoldCause::Wave, Some(1)));
    let refusal = release(&env, of(first)).unwrap_err().to_string();
    assert!(refusal.contains("is held by wave since"), "{refusal}");
    let second = held(&env).unwrap().since;
    release(&env, of(second)).unwrap();
    assert_eq!(held(&env), None);
}
