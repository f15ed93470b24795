use super::{assert_no_scan, assert_uses, at, database, plan_of};
use cutover_app::port::Cause;
use cutover_core::Level;
use cutover_model::{RowCounts, Totals};

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
    assert_uses(&totals, "SEARCH row_counts USING PRIMARY KEY (supplier_id=? AND is_sent=?)");
    assert_uses(&totals, "INDEX row_changes_of_supplier (supplier_id=? AND id>?)");
    let sent = plan_of(&mut conn, |tx| tx.sent(1).map(drop));
    assert_uses(&sent, "SEARCH process_counts USING PRIMARY KEY (supplier_id=?)");
    assert_uses(&sent, "INDEX process_changes_of_supplier (supplier_id=? AND id>?)");
    let causes = plan_of(&mut conn, |tx| tx.top_causes(1, Level::Error, 10).map(drop));
    assert_uses(&causes, "SEARCH cause_counts USING PRIMARY KEY (supplier_id=? AND level=?)");
    assert_uses(&causes, "INDEX cause_changes_of_supplier (supplier_id=? AND id>?)");
    let activity = plan_of(&mut conn, |tx| tx.activity(1, at(0), at(9)).map(drop));
    assert_uses(
        &activity,
        "SEARCH activity_minutes USING PRIMARY KEY (supplier_id=? AND minute>? AND minute<?)",
    );
    assert_uses(&activity, "INDEX activity_changes_of_supplier (supplier_id=? AND id>?)");
    let failing = plan_of(&mut conn, |tx| tx.failing_minutes(1, 10, at(9), 5).map(drop));
    assert_uses(&failing, "SEARCH activity_minutes USING PRIMARY KEY (supplier_id=? AND minute<?)");
    for plan in [states, minutes, totals, sent, causes, activity, failing] {
        let is_of_few = |step: &String| !step.starts_with("SCAN") || step == "SCAN counted";
        assert!(plan.iter().all(is_of_few), "{plan:#?}");
    }
}

#[test]
fn similar_numbers_are_found_by_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| tx.similar_numbers(1, &["A-1".parse().unwrap()]).map(drop));
    assert_uses(&plan, "COVERING INDEX folded_numbers_by_number (supplier_id=? AND folded=?)");
    assert_uses(&plan, "SEARCH p USING INTEGER PRIMARY KEY (rowid=?)");
    assert!(plan.iter().all(|step| !step.starts_with("SCAN processes")), "{plan:#?}");
}

/// Pages of account numbers cost the same for any number of them, and so does the removal of a batch.
#[test]
fn declared_numbers_are_found_by_their_key() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        assert!(tx.add_numbers(1, 1, true, &["A-1".parse().unwrap(), "A-2".parse().unwrap()])?);
        assert_eq!(tx.declared_numbers(1, "A-1", 10)?, ["A-2"]);
        assert_eq!(tx.declared_among(1, &["A-1".into()])?, ["A-1"]);
        tx.drop_numbers(1)?;
        assert_eq!(tx.remove_numbers(1, 10)?, 2);
        Ok(())
    });
    assert_no_scan(&plan);
    assert_uses(
        &plan,
        "manifest_numbers USING PRIMARY KEY (supplier_id=? AND list=? AND external_account_number>?)",
    );
    assert_uses(
        &plan,
        "manifest_numbers USING PRIMARY KEY (supplier_id=? AND list=? AND external_account_number=?)",
    );
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE FOR ORDER")), "{plan:#?}");
}

#[test]
fn examples_of_an_error_are_the_first_of_a_range() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let cause = Cause { code: "error".into(), attr: None };
    let plan = plan_of(&mut conn, |tx| tx.accounts_with(1, Level::Error, &cause, 3).map(drop));
    assert_no_scan(&plan);
    assert_uses(&plan, "INDEX process_causes_by_pattern (supplier_id=? AND level=? AND code=? AND attr=?)");
    assert_uses(&plan, "SEARCH processes USING INTEGER PRIMARY KEY");
    let plan = plan_of(&mut conn, |tx| tx.has_cause(1, Level::Error, "error").map(drop));
    assert_no_scan(&plan);
    assert_uses(&plan, "INDEX process_causes_by_code (supplier_id=? AND level=? AND code=?)");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}

/// A fold reads only the first changes, however many there are.
#[test]
fn folding_uses_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        let rows = RowCounts::of([("notes", 1)]);
        tx.add_totals(1, &Totals { readings: 1, rows, ..Totals::default() })?;
        assert_eq!(tx.fold(10)?, 2);
        Ok(())
    });
    assert_no_scan(&plan);
    assert_uses(&plan, "SEARCH total_changes USING INTEGER PRIMARY KEY");
    assert_uses(&plan, "SEARCH row_changes USING INTEGER PRIMARY KEY");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}

/// The checks before a wave cost the same for any number of accounts.
#[test]
fn checks_before_a_wave_read_ranges_of_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let failed = plan_of(&mut conn, |tx| tx.failed_since(1, at(0)).map(drop));
    assert_uses(&failed, "SEARCH process_minutes USING PRIMARY KEY (supplier_id=? AND minute>?)");
    assert_uses(&failed, "INDEX process_changes_of_supplier (supplier_id=? AND id>?)");
    let last = plan_of(&mut conn, |tx| tx.last_minute(1).map(drop));
    assert_uses(&last, "SEARCH process_minutes USING PRIMARY KEY (supplier_id=?)");
    let contracts = plan_of(&mut conn, |tx| tx.absent_contracts(1, 1, 4).map(drop));
    assert_uses(&contracts, "SEARCH a USING PRIMARY KEY (organisation_id=?)");
    assert_uses(&contracts, "INDEX process_contracts_by_identifier (organisation_id=? AND identifier=?)");
    let windows = plan_of(&mut conn, |tx| tx.waiting_windows(1).map(drop));
    assert_uses(&windows, "INDEX processes_windows (supplier_id=? AND window_end>?)");
    let backup = plan_of(&mut conn, |tx| tx.last_backup_at().map(drop));
    assert_uses(&backup, "INDEX audit_trail_by_action (organisation_id=? AND action=?)");
    let gate = plan_of(&mut conn, |tx| tx.gate(1).map(drop));
    assert_uses(&gate, "SEARCH supplier_gates USING INTEGER PRIMARY KEY");
    for plan in [failed, last, contracts, windows, backup, gate] {
        let is_of_few = |step: &String| !step.starts_with("SCAN") || step == "SCAN counted";
        assert!(plan.iter().all(is_of_few), "{plan:#?}");
        assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
    }
}
