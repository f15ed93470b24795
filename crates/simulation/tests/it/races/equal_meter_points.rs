//! Accounts with one meter point, of which only the first has it to itself (rule PST-12).

use super::{Arena, race};
use crate::specs::{VERIFYING, code};
use cutover_app::operator::SupplierChange;
use cutover_core::Level;
use cutover_process::State;

/// The accounts of a batch.
const BATCH: usize = 10;

fn set_rule(arena: &Arena, level: Level) {
    let rules = [("PST-12".to_owned(), Some(level))].into();
    let change = SupplierChange { rules, ..SupplierChange::default() };
    arena.apps[0].as_command().set_supplier(&code(VERIFYING), change).unwrap();
}

/// Returns the accounts that have the meter point to themselves, of those with these numbers. Every other one must name
/// one of them.
fn first_of(arena: &Arena, level: Level, numbers: &[String]) -> Vec<usize> {
    let mut first = Vec::new();
    for (n, number) in numbers.iter().enumerate() {
        let report = arena.apps[0].as_command().show_process(&code(VERIFYING), number).unwrap();
        let issues = match level {
            Level::Error => &report.issues.errors,
            _ => &report.issues.warnings,
        };
        let issue = issues.iter().find(|issue| issue.code == "meter_point_of_another_account");
        let is_refused = level == Level::Error && issue.is_some();
        let expected = if is_refused { State::Errored } else { State::Processed };
        assert_eq!(report.status.status, expected, "{number}: {:?}", report.issues);
        match issue {
            None => first.push(n),
            Some(issue) => {
                let names = |other: &String| issue.detail.contains(&format!("Account {other} of "));
                assert!(numbers.iter().any(|other| other != number && names(other)), "{number}: {issue:?}");
            }
        }
    }
    first
}

/// They are imported as if each had a batch of its own, in the order of their creation.
fn in_one_batch(level: Level) {
    let name = format!("equal meter points in one batch, {level:?}");
    race(
        &name,
        |arena| set_rule(arena, level),
        |arena, round| {
            let numbers: Vec<String> = (0..BATCH).map(|n| format!("R-{round}-{n}")).collect();
            numbers.iter().for_each(|number| arena.create(VERIFYING, number, &format!("{round:010}")));
            arena.drain((round % 2) as usize);
            assert_eq!(first_of(arena, level, &numbers), [0]);
            "the first".to_owned()
        },
    );
}

/// Two workers have read that nobody has it, and then write.
fn in_two_batches(level: Level) {
    let name = format!("equal meter points in batches of two workers, {level:?}");
    race(
        &name,
        |arena| set_rule(arena, level),
        |arena, round| {
            let numbers: Vec<String> = (0..2).map(|n| format!("R-{round}-{n}")).collect();
            let create = |n: usize| arena.create(VERIFYING, &numbers[n], &format!("{round:010}"));
            create(0);
            arena.drain_together(|| create(1));
            let first = first_of(arena, level, &numbers);
            assert_eq!(first.len(), 1, "{first:?}");
            ["the first", "the second"][first[0]].to_owned()
        },
    );
}

#[test]
fn one_account_of_a_batch_gets_a_meter_point() {
    in_one_batch(Level::Error);
}

#[test]
fn all_but_one_account_of_a_batch_are_warned_of_a_meter_point() {
    in_one_batch(Level::Warning);
}

#[test]
fn one_account_of_two_batches_gets_a_meter_point() {
    in_two_batches(Level::Error);
}

#[test]
fn one_account_of_two_batches_is_warned_of_a_meter_point() {
    in_two_batches(Level::Warning);
}
