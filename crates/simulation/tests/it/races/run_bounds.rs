//! The start and the end of a run while accounts are imported (contract D15).

use super::{Arena, race};
use crate::specs::{VERIFYING, code};
use cutover_app::port::read;

/// Number of accounts of a round: a few more than a worker claims at a time.
const ACCOUNTS: usize = 20;

/// Returns the nodes that work. The first one commits each account alone; in every other round the second one commits all
/// that it claimed at once.
fn nodes(round: u64) -> [usize; 2] {
    [0, (round % 2) as usize]
}

/// Returns how many accounts the workers have come to when the run is started, and when it is ended. 17 starts, 9 lengths
/// and two choices of nodes have no common divisor, so each is combined with each of the others in some hundred rounds.
fn bounds(round: u64) -> [usize; 2] {
    let start = (round * 7 % 17) as usize;
    [start, start + 1 + (round % 9) as usize]
}

/// Creates the accounts, and returns their numbers.
fn create(arena: &Arena, round: u64) -> Vec<String> {
    let numbers: Vec<String> = (0..ACCOUNTS).map(|n| format!("R-{round}-{n}")).collect();
    for (n, number) in numbers.iter().enumerate() {
        arena.create(VERIFYING, number, &format!("{round:08}{n:02}"));
    }
    numbers
}

/// An account is in a run exactly if it ended after the start of the run and before its end.
#[test]
fn a_run_has_the_accounts_that_ended_in_it() {
    race(
        "bounds of a run under load",
        |_| {},
        |arena, round| {
            let numbers = create(arena, round);
            let (app, supplier, name) = (&arena.apps[1], code(VERIFYING), format!("run {round}"));
            let (nodes, [start, end]) = (nodes(round), bounds(round));
            let run = arena.drain_while(&nodes, |meeting| {
                meeting.wait_for_lookups(start, nodes.len());
                app.as_command().start_run(&supplier, &name).unwrap();
                meeting.wait_for_lookups(end, nodes.len());
                app.as_command().end_run(&supplier).unwrap().run
            });
            let outcomes = read(&*arena.store, |tx| tx.outcomes(run.id, 0, u32::MAX)).unwrap();
            let mut recorded: Vec<_> = outcomes.iter().map(|outcome| outcome.ended_at).collect();
            let ended = numbers.iter().map(|number| {
                app.as_command().show_process(&supplier, number).unwrap().status.modified_at.to_utc()
            });
            let during = ended.filter(|at| run.started_at < *at && Some(*at) < run.ended_at);
            let mut during: Vec<_> = during.collect();
            recorded.sort();
            during.sort();
            assert_eq!(recorded, during, "{run:?}");
            format!("{:02} of {ACCOUNTS}", during.len())
        },
    );
}
