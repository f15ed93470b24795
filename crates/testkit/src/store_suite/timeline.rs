//! What the timeline of a supplier is made of.

use super::certificates::issue;
use super::helpers::{at, put, see, supplier};
use super::jobs::job;
use cutover_app::port::{
    HoldCause, Job, JobState, Operator, ServiceHold, Store, Supplier, SupplierNote, TimelineRange,
};

fn before(of: &Supplier, seconds: i64, limit: u32) -> TimelineRange {
    TimelineRange { supplier_id: of.id, before: at(seconds), limit }
}

/// They are returned by their time, the last first, and only those of the supplier.
pub fn notes_and_holds_of_a_supplier_read_back(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let note =
        |seconds, by: Operator| SupplierNote { at: at(seconds), by, text: format!("note {seconds} ✓") };
    let ada = || Operator::Command { user: Some("ada".into()) };
    let notes = [note(1, ada()), note(3, Operator::Key { prefix: "cut_1".into() }), note(2, ada())];
    let hold = |seconds, wave| ServiceHold {
        at: at(seconds),
        by: HoldCause::ErrorRate.into(),
        wave,
        ended: 100,
        failed: 7,
    };
    let (id, written) = (acme.id, notes.clone());
    put(store, move |tx| {
        written.iter().try_for_each(|note| tx.add_supplier_note(id, note))?;
        tx.add_service_hold(id, &hold(5, Some(2)))?;
        tx.add_service_hold(id, &hold(9, None))?;
        tx.begin_wave(id, 1, at(1))?;
        tx.begin_wave(id, 0, at(6))
    });
    let [first, third, second] = notes;
    assert_eq!(
        see(store, |tx| tx.supplier_notes(before(&acme, 4, 9))),
        [third.clone(), second.clone(), first]
    );
    assert_eq!(see(store, |tx| tx.supplier_notes(before(&acme, 4, 1))), [third]);
    assert_eq!(see(store, |tx| tx.supplier_notes(before(&acme, 3, 1))), [second]);
    assert_eq!(see(store, |tx| tx.service_holds(before(&acme, 9, 9))), [hold(5, Some(2))]);
    assert_eq!(see(store, |tx| tx.service_holds(before(&acme, 10, 1))), [hold(9, None)]);
    assert_eq!(see(store, |tx| tx.wave_begins(before(&acme, 9, 9))), [(at(6), 0), (at(1), 1)]);
    assert_eq!(see(store, |tx| tx.supplier_notes(before(&other, 9, 9))), []);
    assert_eq!(see(store, |tx| tx.service_holds(before(&other, 9, 9))), []);
    assert_eq!(see(store, |tx| tx.wave_begins(before(&other, 9, 9))), []);
}

/// Jobs that are being prepared and certificates that are being issued are left out.
pub fn jobs_and_certificates_are_found_by_their_time(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (id, organisation) = (acme.id, acme.organisation_id);
    let added = |name: &str, state: JobState, seconds| {
        let begun = at(seconds);
        let of = Job { supplier_id: id, state: state.into(), created_at: begun, ..job(name, organisation) };
        put(store, move |tx| tx.add_job(&of));
    };
    added("job_1", JobState::Done, 30);
    added("job_2", JobState::Preparing, 25);
    added("job_3", JobState::Running, 20);
    let names = |of: &Supplier, seconds| {
        let jobs = see(store, |tx| tx.begun_jobs(before(of, seconds, 9)));
        jobs.into_iter().map(|job| job.name).collect::<Vec<_>>()
    };
    assert_eq!(names(&acme, 31), ["job_1", "job_3"]);
    assert_eq!(names(&acme, 30), ["job_3"]);
    assert_eq!(names(&other, 31), [""; 0]);
    issue(store, &acme, "c1");
    put(store, move |tx| tx.begin_certificate(id, "c2", at(1), false));
    let issued = see(store, |tx| tx.issued_certificates(before(&acme, 1_000_000, 9)));
    assert_eq!(issued.iter().map(|of| of.name.as_str()).collect::<Vec<_>>(), ["c1"]);
    assert_eq!(see(store, |tx| tx.issued_certificates(before(&other, 1_000_000, 9))), []);
}
