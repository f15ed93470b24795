//! Erasure of suppliers.

use super::businesses::business;
use super::helpers::{at, create, insert, organisation, process, put, see, supplier};
use super::imported::import;
use super::jobs::job;
use cutover_app::port::{
    ErasedRows, ErasureMark, HoldCause, InstructionDetails, InstructionKey, Job, JobFilter, JobKind,
    JobState, Manifest, NewBusiness, Operator, RefusedCreate, RefusedFault, ServiceHold, Store, Supplier,
    SupplierNote, TimelineRange, VerifiedInstruction,
};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::{RowCounts, Totals};
use cutover_process::{Event, Submission};

/// Adds rows about a supplier to every table that can have some, apart from accounts. Returns the job that
/// erases it.
pub fn furnish(store: &dyn Store, of: &Supplier) -> Job {
    let id = of.id;
    let refused = RefusedCreate {
        number: "R-1".into(),
        refused_at: at(1),
        causes: vec![RefusedFault { code: "required".into(), attr: "customers".into() }],
    };
    put(store, move |tx| {
        tx.lock_refusals(id)?;
        tx.change_refusals(id, &[], &[refused], 2)?;
        let manifest = Manifest { declared: Totals::default(), declared_at: at(1) };
        tx.set_manifest(id, Some(&manifest))?;
        assert!(tx.add_numbers(id, 1, true, &["N-1".parse().unwrap()])?);
        tx.add_erasure_mark(id, ErasureMark([7; 32]))?;
        let by = Operator::Command { user: None };
        tx.add_supplier_note(id, &SupplierNote { at: at(1), by, text: "a note".into() })?;
        let by = HoldCause::Wave.into();
        tx.add_service_hold(id, &ServiceHold { at: at(1), by, wave: None, ended: 0, failed: 0 })?;
        let rows = RowCounts::of([("readings", 3)]);
        tx.add_totals(id, &Totals { readings: 3, rows, ..Totals::default() })
    });
    super::certificates::issue(store, of, "c1");
    put(store, |tx| tx.fold(1_000));
    put(store, move |tx| tx.add_totals(id, &Totals { readings: 4, ..Totals::default() }));
    add_business(store, business(of, "B-8", &["C-8", "C-9"], 1));
    let of_supplier = |name: &str, kind: JobKind| Job {
        kind: kind.into(),
        supplier_id: id,
        state: JobState::Running.into(),
        filter: JobFilter { is_list: true, ..JobFilter::default() },
        ..job(name, of.organisation_id)
    };
    let (other, erasure) =
        (of_supplier("job_1", JobKind::Retry), of_supplier("job_2", JobKind::EraseSupplier));
    put(store, move |tx| {
        let other = tx.add_job(&other)?;
        tx.add_job_items(other.id, &[1, 2, 3])?;
        tx.add_job(&erasure)
    })
}

fn add_business(store: &dyn Store, new: NewBusiness) -> i64 {
    put(store, move |tx| tx.insert_business(&new)).id
}

fn erase_supplier(store: &dyn Store, of: &Supplier) -> Option<Vec<ErasedRows>> {
    let id = of.id;
    put(store, move |tx| tx.erase_supplier(id))
}

/// Removes everything that is kept of a supplier without accounts, and the supplier. Returns the number of removed rows
/// by table.
pub fn erase_rest(store: &dyn Store, of: &Supplier, erasure: &Job) -> Vec<ErasedRows> {
    let (id, job) = (of.id, erasure.id);
    assert_eq!(erase_supplier(store, of), None, "its refused creates are kept");
    let mut erased = put(store, move |tx| {
        tx.lock_refusals(id)?;
        let refused = tx.refused_after(id, "", 9)?;
        tx.change_refusals(id, &refused, &[], 0)?;
        Ok(vec![("refused_creates", refused.len() as u64)])
    });
    assert_eq!(erase_supplier(store, of), None, "its businesses are kept");
    for business in see(store, |tx| tx.businesses_of(id, 9)) {
        erased.extend(put(store, move |tx| {
            tx.lock_business(business)?;
            tx.erase_business(business)
        }));
    }
    loop {
        let rows = put(store, move |tx| tx.erase_minutes_and_jobs(id, job, 2));
        if rows.is_empty() {
            break;
        }
        assert!(rows.iter().all(|(_, rows)| (1..=2).contains(rows)), "{rows:?}");
        erased.extend(rows);
    }
    erased.extend(erase_supplier(store, of).unwrap());
    erased
}

fn rows(erased: &[ErasedRows], table: &str) -> u64 {
    erased.iter().filter(|(name, _)| *name == table).map(|(_, rows)| rows).sum()
}

/// Nothing of it is found any more, and nothing of another supplier is gone.
pub fn an_erased_supplier_leaves_nothing(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let (erasure, staying) = (furnish(store, &acme), see_staying(store, &other));
    let account = import(store, &acme, 1, r#""ledgers":[{}]"#).process_id;
    let waiting = create(store, &acme, "P-1").id();
    let counted = see(store, |tx| tx.supplier_rows(acme.id));
    assert_eq!(counted, [("businesses", 1), ("certificates", 1), ("jobs", 2)]);
    assert_eq!(erase_supplier(store, &acme), None, "it has accounts");
    let erased = put(store, move |tx| {
        tx.lock_account(account)?;
        tx.erase(&[account, waiting])
    });
    assert_eq!((rows(&erased, "processes"), rows(&erased, "accounts")), (2, 1));
    let erased = erase_rest(store, &acme, &erasure);
    for (table, count) in [
        ("refused_creates", 1),
        ("businesses", 1),
        ("certificates", 1),
        ("job_items", 3),
        ("jobs", 1),
        ("erased_accounts", 1),
        ("suppliers", 1),
    ] {
        assert_eq!(rows(&erased, table), count, "{table}: {erased:?}");
    }
    assert_eq!(see(store, |tx| tx.supplier(&acme.code)), None);
    assert_eq!(see(store, |tx| tx.supplier_by_id(acme.id)), None);
    assert_eq!(see(store, |tx| tx.refused_figures(acme.id, 9)), Default::default());
    assert_eq!(see(store, |tx| tx.totals(acme.id)), Totals::default());
    assert_eq!(see(store, |tx| tx.state_counts(acme.id)), []);
    assert_eq!(see(store, |tx| tx.minute_counts(acme.id, at(-9_999))), []);
    assert_eq!(see(store, |tx| tx.activity(acme.id, at(-9_999), at(9_999))), []);
    let all = TimelineRange { supplier_id: acme.id, before: at(9_999), limit: 9 };
    assert_eq!(see(store, |tx| tx.supplier_notes(all)), []);
    assert_eq!(see(store, |tx| tx.service_holds(all)), []);
    assert_eq!(see(store, |tx| tx.business(acme.organisation_id, "B-8")), None);
    assert!(!see(store, |tx| tx.contract_exists(acme.organisation_id, "C-9")));
    assert_eq!(see(store, |tx| tx.job("job_1")), None);
    // The erasure itself is kept, so that the process that works on it sees its end.
    assert_eq!(see(store, |tx| tx.job("job_2")), Some(erasure));
    while put(store, |tx| tx.fold(9)) > 0 {}
    assert_eq!(see(store, |tx| tx.suppliers(None)), std::slice::from_ref(&other));
    assert_eq!(see_staying(store, &other), staying);
    // The trail knows suppliers by their keys.
    let again = supplier(store, "ACME");
    assert!(again.id > other.id && again.id != acme.id, "{again:?}");
    assert_eq!(see(store, |tx| tx.totals(again.id)), Totals::default());
    assert_eq!(again.mark_key, None);
    // The number of a business is not used again.
    add_business(store, business(&again, "B-9", &["C-9"], 1));
    assert_eq!(see(store, |tx| tx.business(again.organisation_id, "B-9")).unwrap().number, 2);
}

/// The data of another supplier: a pending account and its counts.
fn see_staying(store: &dyn Store, other: &Supplier) -> impl PartialEq + std::fmt::Debug + use<> {
    let number = "A-1".parse().unwrap();
    if see(store, |tx| tx.process(other.id, &number)).is_none() {
        let owner = other.clone();
        put(store, move |tx| insert(tx, &owner, "A-1", Submission::default(), at(0)));
    }
    (process(store, other, "A-1"), see(store, |tx| tx.state_counts(other.id)))
}

/// A business that accounts of another supplier need is passed to it.
pub fn businesses_are_passed_to_those_who_need_them(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let id = add_business(store, business(&acme, "B-1", &["C-1"], 1));
    let organisation = acme.organisation_id;
    let using = || see(store, |tx| tx.supplier_using(organisation, "C-1"));
    assert_eq!(using(), None);
    let account = create(store, &other, "A-1");
    let key = account.id();
    put(store, move |tx| tx.set_contract_of(key, Some((organisation, "C-1"))));
    assert_eq!(using(), Some(other.id));
    assert_eq!(see(store, |tx| tx.supplier_paying(id)), None);
    let paid = import(store, &other, 7, r#""ledgers":[{}]"#).process_id;
    let instruction = VerifiedInstruction {
        key: InstructionKey {
            vendor: "pay".into(),
            kind: PaymentInstructionType::Card,
            reference: "R".into(),
        },
        details: InstructionDetails::default(),
        verified_at: at(3),
    };
    put(store, move |tx| tx.add_business_instruction(id, &instruction, &[paid]));
    assert_eq!(see(store, |tx| tx.supplier_paying(id)), Some(other.id));
    put(store, move |tx| tx.pass_business(id, other.id));
    assert_eq!(see(store, |tx| tx.businesses_of(acme.id, 9)), [0; 0]);
    assert_eq!(see(store, |tx| tx.businesses_of(other.id, 9)), [id]);
    let record = see(store, |tx| tx.business_record(organisation, "B-1")).unwrap();
    assert_eq!(record.request.import_supplier_code.trimmed(), "OTHER");
    assert!(super::helpers::step(store, &account, Event::Cancelled, at(2)));
    assert_eq!(using(), None);
}

/// It is found until it is done.
pub fn the_erasure_of_a_supplier_is_found(store: &dyn Store) {
    let ours = organisation(store, "Ours").id;
    let of = |id| see(store, |tx| tx.erasure_of(id)).map(|job| job.name);
    put(store, move |tx| tx.add_job(&Job { supplier_id: 5, ..job("job_1", ours) }));
    assert_eq!(of(5), None);
    let erasure = Job { kind: JobKind::EraseSupplier.into(), supplier_id: 5, ..job("job_2", ours) };
    let erasure = put(store, move |tx| tx.add_job(&erasure));
    assert_eq!((of(5).as_deref(), of(6)), (Some("job_2"), None));
    let ended = Job { state: JobState::Done.into(), ..erasure };
    assert!(put(store, move |tx| tx.change_job(&ended)));
    assert_eq!(of(5), None);
}
