//! Runs: what an end of an account reads, with and without an open run, and what is read of a run.

use super::{assert_no_scan, assert_uses, database, plan_of};
use crate::sqlite::testing::{at, with};
use cutover_app::port::Outcome;
use cutover_model::Totals;
use cutover_process::State;

fn outcome(process_id: i64) -> Outcome {
    Outcome {
        process_id,
        state: State::Errored.into(),
        ended_at: at(1),
        content: None,
        paths: None,
        causes: Vec::new(),
        totals: Totals::default(),
    }
}

#[test]
fn runs_and_outcomes_are_found_by_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, process) = database(folder.path());
    let codes = [process.snapshot().supplier.clone()];
    // All that a supplier without an open run pays for the end of its accounts.
    let plan = plan_of(&mut conn, |tx| tx.lock_open_runs(&codes).map(drop));
    assert_no_scan(&plan);
    assert_uses(&plan, "INDEX open_runs (supplier_id=?)");
    with(&mut conn, |tx| tx.start_run(1, "night", at(1))).unwrap();
    let plan = plan_of(&mut conn, |tx| {
        let run = tx.open_run(1)?.unwrap().id;
        for _ in 0..2 {
            tx.record_outcomes(run, &[outcome(1), outcome(2)])?;
        }
        assert_eq!(tx.outcomes(run, 1, 10)?, [outcome(2)]);
        tx.run_figures(run)?;
        tx.forget_outcomes(run, &[2])?;
        tx.runs(1, None, 10)?;
        assert!(tx.run(1, "night")?.is_some());
        tx.end_run(run, at(2))?;
        tx.begin_wave(1, 1, at(1))?;
        tx.wave_span(1, 1)?;
        tx.erase(&[1]).map(drop)
    });
    assert_no_scan(&plan);
    assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE FOR ORDER")), "{plan:#?}");
    assert_uses(&plan, "run_outcomes USING PRIMARY KEY (run_id=? AND process_id>?)");
    assert_uses(&plan, "run_figures USING PRIMARY KEY (run_id=?)");
    assert_uses(&plan, "INDEX runs_of_supplier (supplier_id=? AND id<?)");
}
