use super::{assert_no_scan, assert_uses, at, database, plan_of};
use cutover_core::Code;
use cutover_model::Totals;

#[test]
fn figures_are_read_by_their_supplier() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let states = plan_of(&mut conn, |tx| tx.state_counts(1).map(drop));
    assert_uses(&states, "SEARCH process_counts USING PRIMARY KEY (supplier_id=?)");
    assert_uses(&states, "INDEX process_changes_of_supplier (supplier_id=? AND id>?)");
    let minutes = plan_of(&mut conn, |tx| tx.minute_counts(1, at(0)).map(drop));
    assert_uses(&minutes, "SEARCH process_minutes USING PRIMARY KEY (supplier_id=? AND minute>?)");
    assert_uses(&minutes, "INDEX process_changes_of_supplier (supplier_id=? AND id>?)");
    let totals = plan_of(&mut conn, |tx| tx.totals(1).map(drop));
    assert_uses(&totals, "SEARCH totals USING INTEGER PRIMARY KEY");
    assert_uses(&totals, "INDEX total_changes_of_supplier (supplier_id=? AND id>?)");
    for plan in [states, minutes, totals] {
        let is_of_few = |step: &String| !step.starts_with("SCAN") || step == "SCAN counted";
        assert!(plan.iter().all(is_of_few), "{plan:#?}");
    }
}

#[test]
fn examples_of_an_error_are_the_first_of_a_range() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| tx.failed_with(1, &Code::Error.into(), 3).map(drop));
    assert_no_scan(&plan);
    assert_uses(&plan, "INDEX processes_by_error (supplier_id=? AND error_code=?)");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}

/// A fold reads only the first changes, however many there are.
#[test]
fn folding_uses_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        tx.add_totals(1, &Totals::default())?;
        assert_eq!(tx.fold(10)?, 1);
        Ok(())
    });
    assert_no_scan(&plan);
    assert_uses(&plan, "SEARCH total_changes USING INTEGER PRIMARY KEY");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}
