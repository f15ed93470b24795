//! The start and the end of a run while accounts are imported (contract D15).

use super::race;
use crate::specs::code;
use cutover_app::port::read;
use std::collections::BTreeSet;

/// The supplier of the accounts, and their number.
const SUPPLIER: u8 = 0;
const ACCOUNTS: usize = 16;

/// An account is in a run exactly if it ended after the start of the run and before its end.
#[test]
fn a_run_has_the_accounts_that_ended_in_it() {
    race(
        "bounds of a run under load",
        |_| {},
        |arena, round| {
            let numbers: Vec<String> = (0..ACCOUNTS).map(|n| format!("R-{round}-{n}")).collect();
            for (n, number) in numbers.iter().enumerate() {
                arena.create(SUPPLIER, number, &format!("{round:08}{n:02}"));
            }
            let (app, supplier, name) = (&arena.apps[1], code(SUPPLIER), format!("run {round}"));
            let run = std::thread::scope(|scope| {
                let workers = [0, 1].map(|node| scope.spawn(move || arena.drain(node)));
                app.start_run(&supplier, &name).unwrap();
                let run = app.end_run(&supplier).unwrap().run;
                workers.into_iter().for_each(|worker| worker.join().unwrap());
                run
            });
            let outcomes = read(&*arena.store, |tx| tx.outcomes(run.id, 0, u32::MAX)).unwrap();
            let recorded: BTreeSet<_> = outcomes.iter().map(|outcome| outcome.ended_at).collect();
            let ended = numbers
                .iter()
                .map(|number| app.show_process(&supplier, number).unwrap().status.modified_at.to_utc());
            let during = ended.filter(|at| run.started_at < *at && Some(*at) < run.ended_at);
            let during: BTreeSet<_> = during.collect();
            assert_eq!(recorded, during, "{run:?}");
            format!("{} of {ACCOUNTS}", if during.is_empty() { "none" } else { "some" })
        },
    );
}
