//! The export of failed accounts (contract D14).

use crate::env::{TestEnv, account_of};
use chrono::{Days, Duration};
use cutover_app::operator::{
    Archive, ArchiveScope, ArchivedProcess, FailedAccounts, FailedCursor, FailedFormat, FailedPage, LeftOut,
    SupplierChange,
};
use cutover_app::port::{Clock, Staged, StoreError, write};
use cutover_core::{Code, Level};
use cutover_process::{Actor, Event, State};

const MEMBERS: &str = r#""customers": [], "transfer_balance": 10.10, "ledgers": [{"ledger_balance": 10.10}]"#;

fn wanted() -> FailedAccounts {
    FailedAccounts { supplier: "ACME".into(), status: None, error_code: None }
}

/// Creates an environment in which accounts without customers are accepted, and their imports fail.
fn failing(count: usize, members: &str) -> TestEnv {
    let env = TestEnv::new();
    (1..=count).for_each(|n| env.create_as(&format!("A-{n}"), members));
    let rules = [("ACC-04".to_owned(), Some(Level::Error))].into();
    env.app.as_command().set_supplier("ACME", SupplierChange { rules, ..SupplierChange::default() }).unwrap();
    while env.worker.run_once().unwrap() != cutover_app::worker::Worked::Nothing {}
    env
}

/// Ends the import of an account that is pending with an error without items.
fn fail(env: &TestEnv, number: &str) {
    let (number, at) = (number.parse().unwrap(), env.clock.now());
    let supplier = env.app.as_command().show_supplier("ACME").unwrap();
    let written = write(&*env.store, move |tx| {
        let mut process = tx.process(supplier.id, &number)?.unwrap().process;
        for event in [Event::Claimed, Event::OutageTooLong] {
            let (next, entry) = process.step(event, at, Actor::System).unwrap();
            assert!(tx.step_process(&next, &entry)?);
            process = next;
        }
        Ok::<_, StoreError>(())
    });
    written.unwrap();
}

fn export(env: &TestEnv, wanted: &FailedAccounts, format: FailedFormat) -> (Vec<FailedPage>, String) {
    let begun = env.app.as_command().begin_failed_export(wanted, format).unwrap();
    let (mut pages, mut next): (Vec<FailedPage>, Option<FailedCursor>) = (Vec::new(), None);
    loop {
        let page = env.app.failed_page(&begun, next, Vec::new()).unwrap();
        next = page.next.clone();
        pages.push(page);
        if next.is_none() {
            let bytes = pages.iter().flat_map(|page| page.bytes.iter().copied()).collect();
            return (pages, String::from_utf8(bytes).unwrap());
        }
    }
}

/// Nothing but the faults is kept of what was refused.
#[test]
fn refused_accounts_are_exported_with_their_faults() {
    let env = failing(1, MEMBERS);
    (0..600).for_each(|n| env.refuse(&format!("R-{n:03}")));
    let (_, csv) = export(&env, &wanted(), FailedFormat::Csv);
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(
        (rows.len(), rows[2].split(',').take(3).collect()),
        (602, vec!["R-000", "invalid", "customers.#.family_name"])
    );
    let (pages, ndjson) = export(&env, &wanted(), FailedFormat::Ndjson);
    let left_out: Vec<&str> =
        pages.iter().flat_map(|page| &page.left_out).map(|of| of.number.as_str()).collect();
    assert_eq!((ndjson.lines().count(), left_out.len(), left_out[599]), (1, 600, "R-599"));
    let of_code = |code: &str| {
        let wanted = FailedAccounts { error_code: Some(code.into()), ..wanted() };
        export(&env, &wanted, FailedFormat::Csv).1.lines().count() - 1
    };
    assert_eq!((of_code("invalid"), of_code("required")), (600, 0));
    let errored = FailedAccounts { status: Some(State::Errored), ..wanted() };
    assert_eq!(export(&env, &errored, FailedFormat::Csv).1.lines().count(), 2);
}

#[test]
fn every_failed_account_has_its_faults() {
    let env = failing(40, MEMBERS);
    env.create_with(r#"{"is_dry_run":true}"#, "D-1", r#""customers":[{"family_name":"B"}]"#);
    fail(&env, "D-1");
    env.create_as("P-1", r#""customers":[{"family_name":"B"}]"#);
    let (_, csv) = export(&env, &wanted(), FailedFormat::Csv);
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    assert_eq!(lines.len(), 42, "{csv}");
    insta::assert_snapshot!([lines[0], lines[1], lines[40], lines[41]].join("\n"));
    let of = |status, error_code: Option<&str>| {
        let wanted = FailedAccounts { status, error_code: error_code.map(Into::into), ..wanted() };
        export(&env, &wanted, FailedFormat::Csv).1.matches("\r\n").count() - 1
    };
    assert_eq!((of(Some(State::Errored), None), of(Some(State::DryRunErrored), None)), (40, 1));
    let code = lines[1].split(',').nth(1).unwrap();
    assert_eq!(of(None, Some(code)), 40);
    assert_eq!(of(Some(State::DryRunErrored), Some(code)), 0);
    assert_eq!(of(None, Some(Code::Null.as_str())), 0);
}

#[test]
fn a_fault_of_a_document_names_the_document() {
    let env = failing(1, r#""customers":[],"notes":[{"document_paths":[{"document_path":"gone.pdf"}]}]"#);
    let verify = SupplierChange { verify_documents: Some(true), ..SupplierChange::default() };
    env.app.as_command().set_supplier("ACME", verify).unwrap();
    env.app.as_command().retry_process("ACME", "A-1").unwrap();
    env.worker.run_once().unwrap();
    let (_, csv) = export(&env, &wanted(), FailedFormat::Csv);
    let lines: Vec<&str> = csv.split_terminator("\r\n").collect();
    let of = |attr: &str| lines.iter().find(|line| line.contains(attr)).unwrap();
    assert!(of("document_path").ends_with(",gone.pdf"), "{csv}");
    assert!(of("ACC-04").ends_with(','), "{csv}");
}

#[test]
fn payloads_can_be_sent_again_as_they_were() {
    let env = failing(1, "\n\"customers\":\r\n[ ],\"ledgers\": [{\"ledger_balance\": 10.10}]");
    env.app.as_command().set_supplier("ACME", SupplierChange::default()).unwrap();
    let (_, lines) = export(&env, &wanted(), FailedFormat::Ndjson);
    let sent = account_of("A-1", " \"customers\":  [ ],\"ledgers\": [{\"ledger_balance\": 10.10}]");
    assert_eq!(lines, format!("{sent}\n"));
}

#[test]
fn a_page_is_bounded_in_bytes() {
    let billing = "x".repeat(200);
    let notes: Vec<String> = (0..1_000).map(|n| format!(r#"{{"body":"{n}{billing}"}}"#)).collect();
    let env = failing(20, &format!(r#""customers":[],"notes":[{}]"#, notes.join(",")));
    let (pages, lines) = export(&env, &wanted(), FailedFormat::Ndjson);
    assert_eq!(lines.lines().count(), 20);
    assert_eq!(pages.iter().map(|page| page.accounts).sum::<u64>(), 20);
    assert!(pages.len() > 2 && pages.iter().all(|page| page.bytes.len() < 1_500_000));
}

struct Nowhere;

impl Archive for Nowhere {
    fn append(&mut self, _: &ArchivedProcess) -> std::io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn accounts_without_a_payload_are_named() {
    let env = failing(3, MEMBERS);
    let before = env.clock.now().date_naive() + Days::new(1);
    env.clock.advance(Duration::days(2));
    let scope = ArchiveScope { before, supplier: None, limit: Some(1) };
    env.app.as_command().archive_processes(&scope, &mut Nowhere).unwrap();
    let id = env.app.as_command().erasable("ACME", "A-2").unwrap().process_id;
    let broken = Staged { payload: b"?".to_vec(), fingerprint: [0; 32], ..Staged::default() };
    write(&*env.store, move |tx| tx.restage(id, &broken)).unwrap_or_else(|e: StoreError| panic!("{e}"));
    let (pages, lines) = export(&env, &wanted(), FailedFormat::Ndjson);
    assert_eq!((lines.lines().count(), pages[0].accounts), (1, 1));
    let left_out = |number: &str, why| LeftOut { number: number.into(), why };
    assert_eq!(
        pages[0].left_out,
        [left_out("A-1", "its payload is archived"), left_out("A-2", "its payload cannot be read")]
    );
    let (_, csv) = export(&env, &wanted(), FailedFormat::Csv);
    assert_eq!(csv.matches("\r\n").count(), 4);
}

#[test]
fn an_export_that_is_refused_is_not_recorded() {
    let env = failing(1, MEMBERS);
    let refused = |wanted: FailedAccounts| {
        env.app.as_command().begin_failed_export(&wanted, FailedFormat::Csv).unwrap_err().to_string()
    };
    let pending = FailedAccounts { status: Some(State::Pending), ..wanted() };
    assert_eq!(refused(pending), "processes that are PENDING have not failed");
    assert!(refused(FailedAccounts { supplier: "NOBODY".into(), ..wanted() }).contains("NOBODY"));
    assert!(refused(FailedAccounts { error_code: Some("nothing".into()), ..wanted() }).contains("nothing"));
    let scope = cutover_app::operator::AuditScope { limit: 99, ..Default::default() };
    assert!(
        env.app.as_command().audit(&scope).unwrap().iter().all(|record| record.action != "process.export")
    );
}
