//! Workers of two nodes on the same accounts.

use super::race;
use crate::specs::{VERIFYING, code};
use cutover_process::State;

/// Each account is imported once, in its first attempt.
#[test]
fn two_workers_import_each_account_once() {
    race(
        "accounts of two workers",
        |_| {},
        |arena, round| {
            let numbers: Vec<String> = (0..4).map(|n| format!("R-{round}-{n}")).collect();
            let create = |n: usize| arena.create(VERIFYING, &numbers[n], &format!("{round:08}{n:02}"));
            (0..3).for_each(create);
            arena.drain_together(|| create(3));
            for number in &numbers {
                let report = arena.apps[0].as_command().show_process(&code(VERIFYING), number).unwrap();
                assert_eq!((report.status.status, report.attempt), (State::Processed, 1), "{number}");
                assert_eq!(report.history.len(), 3, "created, claimed, imported");
            }
            "once".to_owned()
        },
    );
}
