use crate::house::House;
use chrono::{Days, Duration};
use cutover_app::operator::{Archive, ArchiveError, ArchiveScope, Archived, ArchivedProcess, OperatorError};
use cutover_app::port::Clock;
use cutover_process::State;
use std::io;

/// An archive in memory.
struct Lines<F> {
    numbers: Vec<String>,
    payloads: Vec<Vec<u8>>,
    sync: F,
}

impl<F: FnMut() -> io::Result<()>> Lines<F> {
    fn new(sync: F) -> Self {
        Self { numbers: Vec::new(), payloads: Vec::new(), sync }
    }
}

impl<F: FnMut() -> io::Result<()>> Archive for Lines<F> {
    fn append(&mut self, archived: &ArchivedProcess) -> io::Result<()> {
        self.numbers.push(archived.process.snapshot().external_account_number.to_string());
        self.payloads.push(archived.payload.clone());
        assert!(!archived.history.is_empty());
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        (self.sync)()
    }
}

fn body(number: &str) -> String {
    format!(
        r#"{{"import_supplier":"ACME","external_account_number":"{number}","customers":[{{"family_name":"B"}}]}}"#
    )
}

fn create(house: &House, number: &str) {
    house.app.create_account(&house.caller, None, body(number).as_bytes(), None).unwrap();
}

/// A house with so many cancelled accounts `A-1`, `A-2`, … of a day ago.
fn with_cancelled(count: usize) -> House {
    let house = House::new();
    for i in 1..=count {
        create(&house, &format!("A-{i}"));
        house.app.cancel_process("ACME", &format!("A-{i}")).unwrap();
    }
    house.clock.advance(Duration::days(1));
    house
}

/// What changed before today.
fn before_today(house: &House) -> ArchiveScope {
    ArchiveScope { before: house.clock.now().date_naive(), supplier: None, limit: None }
}

#[test]
fn what_has_ended_moves_in_batches_up_to_a_limit() {
    let house = with_cancelled(230);
    create(&house, "PENDING");
    let (all, some) = (before_today(&house), ArchiveScope { limit: Some(205), ..before_today(&house) });
    assert_eq!(house.app.count_archivable(&all).unwrap(), 230);
    assert_eq!(house.app.count_archivable(&some).unwrap(), 205);
    let mut syncs = 0;
    let mut lines = Lines::new(|| {
        syncs += 1;
        Ok(())
    });
    let done = house.app.archive_processes(&some, &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 205, stayed: 0 });
    let done = house.app.archive_processes(&all, &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 25, stayed: 0 });
    assert_eq!(lines.numbers, (1..=230).map(|i| format!("A-{i}")).collect::<Vec<_>>());
    assert_eq!(lines.payloads[229], body("A-230").as_bytes());
    assert_eq!(syncs, 4);
    assert_eq!(house.app.count_archivable(&all).unwrap(), 0);
}

#[test]
fn days_and_suppliers_bound_it() {
    let house = with_cancelled(1);
    let today = before_today(&house);
    let count = |scope: &ArchiveScope| house.app.count_archivable(scope);
    assert_eq!(count(&ArchiveScope { before: today.before - Days::new(1), ..today.clone() }).unwrap(), 0);
    assert_eq!(count(&ArchiveScope { limit: Some(0), ..today.clone() }).unwrap(), 0);
    assert_eq!(count(&ArchiveScope { supplier: Some("ACME".into()), ..today.clone() }).unwrap(), 1);
    let nobody = count(&ArchiveScope { supplier: Some("NOBODY".into()), ..today });
    assert!(matches!(nobody, Err(OperatorError::NotFound { .. })));
}

#[test]
fn nothing_leaves_before_it_is_durable() {
    let house = with_cancelled(1);
    let mut lines = Lines::new(|| Err(io::Error::other("the disk is full")));
    let failed = house.app.archive_processes(&before_today(&house), &mut lines);
    assert!(matches!(failed, Err(ArchiveError::Archive(_))));
    let report = house.report();
    assert_eq!((report.archived_at, report.history.len()), (None, 2));
    assert_eq!(house.app.count_archivable(&before_today(&house)).unwrap(), 1);
}

#[test]
fn what_changes_meanwhile_stays() {
    let house = with_cancelled(2);
    let mut lines = Lines::new(|| {
        house.app.retry_process("ACME", "A-1").unwrap();
        Ok(())
    });
    let done = house.app.archive_processes(&before_today(&house), &mut lines).unwrap();
    assert_eq!(done, Archived { archived: 1, stayed: 1 });
    house.worker.run_once().unwrap();
    let report = house.report();
    assert_eq!((report.status.status, report.archived_at), (State::Processed, None));
    assert_eq!(report.history.len(), 5);
}

#[test]
fn what_is_archived_has_to_be_sent_again() {
    let house = with_cancelled(1);
    house.app.archive_processes(&before_today(&house), &mut Lines::new(|| Ok(()))).unwrap();
    let report = house.report();
    assert_eq!((report.archived_at, report.history), (Some(house.clock.now()), vec![]));
    let refused = house.app.retry_process("ACME", "A-1").unwrap_err().to_string();
    let today = house.clock.now().date_naive();
    assert_eq!(refused, format!("its payload was archived on {today}: send it again"));
    assert_eq!(house.report().status.status, State::Cancelled);

    create(&house, "A-1");
    house.worker.run_once().unwrap();
    let report = house.report();
    assert_eq!((report.status.status, report.archived_at), (State::Processed, None));
    assert_eq!(report.history.len(), 3);
}

#[test]
fn an_archived_import_stays_imported() {
    let house = House::with(r#""customers":[{"family_name":"B"}]"#);
    let imported = house.imported();
    house.clock.advance(Duration::days(1));
    house.app.archive_processes(&before_today(&house), &mut Lines::new(|| Ok(()))).unwrap();
    assert!(house.report().archived_at.is_some());
    assert_eq!(house.imported(), imported);
    let again = house.app.create_account(&house.caller, None, body("A-1").as_bytes(), None);
    assert_eq!(again.unwrap_err().to_string(), "the account has been imported already");
}
