//! Tests that queries find their rows by an index: the statements of each method are recorded, and SQLite
//! explains their plans.

use super::dialect::Conn;
use super::migrations;
use super::queries::SqlTx;
use super::testing::{add_process, add_supplier, at, connect};
use crate::context::Context;
use cutover_app::port::{
    ArchivedVersion, AuditAction, AuditFilter, ErasureMark, FairShares, FeedFilter, PageLimit, ProcessFilter,
    Staged, StepWrite, StoreError, StoredIssues, Tx,
};
use cutover_core::Code;
use cutover_model::Totals;
use cutover_process::{Actor, Event, Process, State};
use diesel::connection::InstrumentationEvent;
use diesel::prelude::*;
use std::path::Path;
use std::sync::{Arc, Mutex};

mod after_import;
mod certificates;
mod figures;
mod runs;

#[derive(QueryableByName)]
struct Step {
    #[diesel(sql_type = diesel::sql_types::Text)]
    detail: String,
}

/// Returns the plans of the statements of a job, a line for each step.
fn plan_of(conn: &mut Conn, job: impl FnOnce(&mut dyn Tx) -> Result<(), StoreError>) -> Vec<String> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watch = seen.clone();
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { query, .. } = event {
            let text = query.to_string();
            let sql = text.split_once(" -- binds").map_or(&*text, |(sql, _)| sql);
            watch.lock().unwrap().push(sql.to_owned());
        }
    });
    job(&mut SqlTx::new(conn, &Context::default())).unwrap();
    conn.set_instrumentation(|_: InstrumentationEvent<'_>| {});
    let statements = std::mem::take(&mut *seen.lock().unwrap());
    assert!(!statements.is_empty());
    let explain = |sql: String| {
        let steps: Vec<Step> =
            diesel::sql_query(format!("EXPLAIN QUERY PLAN {sql}")).load(conn).expect("it is a statement");
        steps.into_iter().map(|step| step.detail)
    };
    statements.into_iter().flat_map(explain).collect()
}

/// Opens a database with one pending process. The plans do not depend on the rows.
fn database(folder: &Path) -> (Conn, Process) {
    let mut conn = connect(&folder.join("cutover.db"));
    migrations::apply(&mut conn).unwrap();
    add_supplier(&mut conn);
    let process = add_process(&mut conn, 1);
    (conn, process)
}

/// Checks that no step scans a whole table or index.
#[track_caller]
fn assert_no_scan(plan: &[String]) {
    let scans: Vec<_> = plan.iter().filter(|step| step.starts_with("SCAN") && !is_of_few(step)).collect();
    assert!(scans.is_empty(), "{scans:?} in {plan:#?}");
}

/// Returns true if a step scans constants, given values, the result of a subquery, or suppliers, of which
/// there are few.
fn is_of_few(step: &str) -> bool {
    ["SCAN CONSTANT ROW", "SCAN (subquery", "SCAN given", "SCAN open", "SCAN leases", "SCAN next", "SCAN s"]
        .iter()
        .any(|few| {
            step.strip_prefix(few)
                .is_some_and(|rest| rest.is_empty() || !rest.starts_with(char::is_alphanumeric))
        })
}

#[track_caller]
fn assert_uses(plan: &[String], index: &str) {
    assert!(plan.iter().any(|step| step.contains(index)), "{index} in {plan:#?}");
}

/// Actions of an organisation, of a supplier, of an author and of a kind.
#[test]
fn actions_are_found_by_an_index() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let own = AuditFilter { organisation_id: Some(1), before: Some(9), ..AuditFilter::default() };
    for (filter, index) in [
        (own.clone(), "audit_trail_of_organisation (organisation_id=? AND id<?)"),
        (AuditFilter { by: Some("command".into()), ..own.clone() }, "audit_trail_by_actor"),
        (AuditFilter { action: Some(AuditAction::BackupBegun), ..own }, "audit_trail_by_action"),
        (AuditFilter { supplier_id: Some(1), ..AuditFilter::default() }, "audit_trail_of_supplier"),
        (
            AuditFilter { supplier_id: Some(1), is_without_accounts: true, ..AuditFilter::default() },
            "audit_trail_of_supplier",
        ),
    ] {
        let plan = plan_of(&mut conn, |tx| tx.audit_records(&filter, 9).map(drop));
        assert!(plan.iter().any(|step| step.contains(index)), "{filter:?}: {plan:?}");
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{filter:?}: {plan:?}");
    }
}

#[test]
fn claims_read_pending_processes_by_supplier() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        assert_eq!(tx.due_processes(at(1), 4, &FairShares::default())?.len(), 1);
        Ok(())
    });
    assert_no_scan(&plan);
    assert_uses(&plan, "INDEX processes_pending (supplier_id=? AND due_at>? AND due_at<?)");
    assert_uses(&plan, "INDEX processes_running (supplier_id=?)");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}

#[test]
fn the_sweep_reads_only_indexes_of_its_processes() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let leases = plan_of(&mut conn, |tx| tx.expired_leases(at(1), 500).map(|_| ()));
    assert_no_scan(&leases);
    assert_uses(&leases, "INDEX processes_leases (supplier_id=?)");
    let windows = plan_of(&mut conn, |tx| tx.missed_windows(at(1), 500).map(|_| ()));
    assert_no_scan(&windows);
    assert_uses(&windows, "INDEX processes_windows (supplier_id=? AND window_end>?)");
    let next = plan_of(&mut conn, |tx| tx.next_due_at(at(1)).map(|_| ()));
    assert_no_scan(&next);
    assert_uses(&next, "INDEX processes_pending (supplier_id=?)");
    let expired = plan_of(&mut conn, |tx| tx.remove_expired_tokens(at(1)).map(|_| ()));
    assert_uses(&expired, "INDEX refresh_tokens_by_expiry");
}

#[test]
fn a_process_is_found_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, process) = database(folder.path());
    let number = &process.snapshot().external_account_number;
    let plan = plan_of(&mut conn, |tx| tx.process(1, number).map(|_| ()));
    assert_no_scan(&plan);
    assert_uses(&plan, "(supplier_id=? AND external_account_number>? AND external_account_number<?)");
}

#[test]
fn pages_of_a_list_are_ranges_of_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    add_process(&mut conn, 2);
    let mut page = |filter: ProcessFilter<'_>, after| {
        let limit = PageLimit { items: 100, scanned: 1 };
        let plan = plan_of(&mut conn, |tx| tx.list_processes(1, filter, after, limit).map(|_| ()));
        assert_no_scan(&plan);
        assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
        plan
    };
    let all = ProcessFilter::default();
    assert_uses(&page(all, None), "INDEX processes_by_creation (supplier_id=?)");
    let later = ProcessFilter { modified_after: Some(at(0)), ..all };
    for (filter, index) in [
        (all, "by_creation"),
        (ProcessFilter::of(State::Errored), "errored"),
        (ProcessFilter::of(State::DryRunErrored), "dry_run_errored"),
        (ProcessFilter::of(State::DryRunSucceeded), "dry_run_succeeded"),
        (ProcessFilter::of(State::Cancelled), "cancelled"),
        (ProcessFilter::of(State::Processed), "imported"),
        (ProcessFilter::of(State::InProgress), "running"),
        (ProcessFilter::of(State::Pending), "listed_pending"),
    ] {
        let index = format!("INDEX processes_{index}");
        let range = "(supplier_id=? AND created_at>?)";
        assert_uses(&page(filter, Some((at(-1), 1))), &format!("{index} {range}"));
        // Only the index is read to find the end of a page.
        let plan = page(ProcessFilter { modified_after: later.modified_after, ..filter }, Some((at(-1), 1)));
        assert_uses(&plan, &format!("USING COVERING {index} {range}"));
    }
    let plan = page(later, Some((at(-1), 1)));
    assert_uses(&plan, "USING INDEX processes_by_creation (supplier_id=? AND created_at>? AND created_at<?)");
    // What was undone is read among what is cancelled.
    for state in [None, Some(State::Cancelled)] {
        let plan = page(ProcessFilter { state, is_undone: Some(true), ..all }, Some((at(-1), 1)));
        assert_uses(&plan, "INDEX processes_cancelled (supplier_id=? AND created_at>?");
    }
}

/// Every create of a supplier with marks looks for its own.
#[test]
fn marks_are_found_by_their_key() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    for marks in [&[ErasureMark([1; 32])][..], &[ErasureMark([1; 32]), ErasureMark([2; 32])]] {
        let plan = plan_of(&mut conn, |tx| tx.erasure_marks_among(1, marks).map(|_| ()));
        assert_no_scan(&plan);
        assert_uses(&plan, "SEARCH erased_accounts USING PRIMARY KEY (supplier_id=? AND mark=?)");
    }
}

/// The keys of a page are sorted once more, as many as a page reads at most.
#[test]
fn pages_of_a_list_by_cause_are_ranges_of_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    add_process(&mut conn, 2);
    let failed = ProcessFilter { error_code: Some(Code::Error.as_str()), ..ProcessFilter::default() };
    let warned = ProcessFilter { error_code: None, warning_code: Some("required"), ..failed };
    let both = ProcessFilter { warning_code: warned.warning_code, ..failed };
    let state = |state| ProcessFilter { state: Some(state), ..failed };
    for filter in [failed, warned, both, state(State::Errored), state(State::DryRunErrored)] {
        let limit = PageLimit { items: 100, scanned: 1 };
        let plan = plan_of(&mut conn, |tx| tx.list_processes(1, filter, Some((at(0), 1)), limit).map(|_| ()));
        assert_no_scan(&plan);
        assert_uses(
            &plan,
            "INDEX process_causes_by_code (supplier_id=? AND level=? AND code=? AND (created_at,process_id)>(?,?))",
        );
        assert_uses(&plan, "SEARCH processes USING INTEGER PRIMARY KEY");
    }
}

#[test]
fn all_other_queries_use_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, process) = database(folder.path());
    let step = |event| process.clone().step(event, at(1), Actor::System).unwrap();
    let (claimed, stale) = (step(Event::Claimed), step(Event::Cancelled));
    let found = StoredIssues::default();
    let plan = plan_of(&mut conn, |tx| {
        tx.next_process_id()?;
        let steps = [&claimed, &stale].map(|(process, entry)| StepWrite {
            process,
            entry,
            issues: Some(&found),
            sent: None,
        });
        assert_eq!(tx.step_processes(&steps)?, [true, false]);
        assert_eq!(tx.payloads(&[1, 2, 3])?, [(1, Ok(vec![1]))]);
        tx.lock_account(1)?;
        tx.account_totals(1)?;
        tx.account_documents(1)?;
        tx.remove_totals(1, &Totals::default())?;
        tx.lock_process(1, &"A-1".parse().unwrap())?;
        tx.lock_business(1)?;
        tx.staged(1)?;
        tx.issues(1)?;
        tx.history(1)?;
        tx.restage(1, &Staged { payload: vec![2], fingerprint: [1; 32], ..Staged::default() })?;
        tx.imported_account(1)?;
        tx.supplier(&"A".parse().unwrap())?;
        tx.supplier_by_id(1)?;
        tx.suppliers_by_ids(&[1, 2, 3])?;
        tx.key_status(1)?;
        tx.api_key_by_hash(&[0; 32])?;
        tx.api_key_by_prefix("K")?;
        tx.refresh_token(&[0; 32])?;
        tx.use_refresh_token(&[0; 32], at(1))?;
        tx.revoke_family(1)?;
        tx.erase(&[1, 2])?;
        tx.erasure_of(1)?;
        tx.supplier_rows(1)?;
        tx.businesses_of(1, 9)?;
        tx.supplier_using(1, "C-1")?;
        tx.supplier_paying(1)?;
        tx.erase_business(1)?;
        tx.erase_minutes_and_jobs(1, 1, 9)?;
        tx.erase_supplier(2).map(drop)
    });
    assert_no_scan(&plan);
}

#[test]
fn archiving_reads_a_range_and_then_keys() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, process) = database(folder.path());
    let (cancelled, entry) = process.step(Event::Cancelled, at(1), Actor::System).unwrap();
    let look = plan_of(&mut conn, |tx| {
        assert!(tx.step_process(&cancelled, &entry)?);
        assert_eq!(tx.archivable(1, at(9), Some((at(-1), 0)), 10)?.ids, [1]);
        Ok(())
    });
    assert_no_scan(&look);
    assert_uses(&look, "INDEX processes_by_creation (supplier_id=? AND created_at>? AND created_at<?)");
    assert!(look.iter().all(|step| !step.contains("TEMP B-TREE")), "{look:#?}");
    let removal = plan_of(&mut conn, |tx| {
        assert_eq!(tx.processes_to_archive(&[1], at(9))?.len(), 1);
        assert_eq!(tx.archive(&[ArchivedVersion::new(&cancelled, None)], at(9))?, 1);
        assert_eq!(tx.archived_at(1)?, Some(at(9)));
        Ok(())
    });
    assert_no_scan(&removal);
}

/// The range begins at the position, not at the first event.
#[test]
fn events_are_read_from_their_position_on() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    let filter = FeedFilter::default();
    let plan = plan_of(&mut conn, |tx| tx.feed_page(1, &filter, None, PageLimit::of(9)).map(drop));
    assert_no_scan(&plan);
    assert_uses(&plan, "feed_events USING PRIMARY KEY (organisation_id=? AND (written_in,id)>(?,?))");
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
    let plan = plan_of(&mut conn, |tx| tx.expire_events(at(9), 9).map(drop));
    assert_uses(&plan, "feed_events USING PRIMARY KEY (organisation_id=? AND written_in=? AND id<?)");
}
