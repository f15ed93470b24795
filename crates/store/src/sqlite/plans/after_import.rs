//! Plans of the operations after an import and of the lists of version 1.

use super::super::testing::{add_account, at, texts, with};
use super::*;
use cutover_app::port::{
    AccountList, InstructionDetails, InstructionKey, MeterPointKey, MeterPointQuestion, NewBusiness,
    NewHistoricalStatement, NewNote, NewTransaction, NoteContent, PageLimit, Vendor, VendorKind,
    VerifiedInstruction,
};
use cutover_model::choices::PaymentInstructionType;
use cutover_model::service::read_transaction;
use cutover_model::{
    Business, BusinessDetail, BusinessRequest, Contract, ContractVersion, Free, HistoricalStatement, Note,
    Nullable,
};

const ACCOUNT: &str = r#"{"import_supplier":"A","external_account_number":"2",
    "notes":[{"body":"N","document_paths":[{"document_path":"n.pdf"}]}],
    "payment_instructions":[{"vendor":"V ","type":"CARD","reference":" R","valid_from":"2026-01-01"}],
    "ledgers":[{"current_statement_transactions":[{"transaction_id":"T","transaction_date":"2026-01-01",
        "amount":"1.10","type":"CREDIT"}]}]}"#;

/// Opens a database with an imported account with the key 2.
fn with_account(folder: &Path) -> Conn {
    let (mut conn, _) = database(folder);
    add_account(&mut conn, 2, ACCOUNT);
    conn
}

/// Checks that every row is found by a key or an index, in the order of the query.
#[track_caller]
fn assert_by_key(plan: &[String]) {
    assert_no_scan(plan);
    assert!(plan.iter().all(|step| !step.contains("TEMP B-TREE")), "{plan:#?}");
}

fn note() -> Note<'static> {
    Note { body: Some("N".into()), document_paths: None, created_at: None, is_pinned: None, unpin_at: None }
}

fn instruction(reference: &str) -> VerifiedInstruction {
    let key = InstructionKey {
        vendor: "V".into(),
        kind: PaymentInstructionType::Card,
        reference: reference.into(),
    };
    VerifiedInstruction { key, details: InstructionDetails::default(), verified_at: at(1) }
}

const TERMS: &str = r#"[ {"b":1.50, "a":"\u0041"} ,1e2]"#;

fn new_business() -> NewBusiness {
    let day = at(0).date_naive();
    let version = ContractVersion { applicable_at_date: day, terms: Free::from_json(TERMS).unwrap() };
    let contract = Contract {
        valid_from_date: day,
        signed_at_date: day,
        identifier: " C ".into(),
        versions: Some(vec![version]),
    };
    let business = Business {
        business_type: None,
        company_number: Some(" 1 2 ".into()),
        company_name: None,
        details: Some(vec![BusinessDetail { key: "abn".into(), value: "12".into() }]),
        business_contracts: Some(vec![contract]),
    };
    let request = BusinessRequest {
        import_supplier_code: "A".into(),
        external_business_identifier: "\tB ".into(),
        business,
    };
    NewBusiness {
        organisation_id: 1,
        supplier_id: 1,
        request,
        fingerprint: [1; 32],
        terms: Vec::new(),
        created_at: at(1),
    }
}

#[test]
fn notes_are_found_by_their_content_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    let content = NoteContent::of(&note());
    let mut plan = |time| {
        plan_of(&mut conn, |tx| {
            assert_eq!(tx.find_note(2, content, time)?, Some(at(0)));
            Ok(())
        })
    };
    for (time, range) in
        [(None, "content_hash>? AND content_hash<?"), (Some(at(0)), "content_hash=? AND created_at=?")]
    {
        let plan = plan(time);
        assert_by_key(&plan);
        assert_uses(&plan, &format!("COVERING INDEX notes_by_content (account_id=? AND {range})"));
    }
    let new = NewNote { note: note(), created_at: at(1), unpin_at: None };
    assert_by_key(&plan_of(&mut conn, |tx| tx.add_note(2, &new)));
}

#[test]
fn transactions_and_their_items_are_found_by_keys() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    let plan = plan_of(&mut conn, |tx| {
        assert!(tx.find_transaction(2, "T")?.is_some());
        Ok(())
    });
    assert_by_key(&plan);
    let range = "account_id=? AND transaction_id>? AND transaction_id<?";
    assert_uses(&plan, &format!("COVERING INDEX transactions_by_id ({range})"));
    assert_uses(&plan, "transactions USING PRIMARY KEY (account_id=? AND position=?)");
    assert_uses(&plan, "line_items USING PRIMARY KEY (account_id=? AND txn=?)");
    assert_uses(&plan, "tax_items USING PRIMARY KEY (account_id=? AND txn=?)");
    let json = r#"{"transaction_id":"U","transaction_date":"2026-01-01","amount":"1","type":"CHARGE"}"#;
    let transaction = read_transaction(json).unwrap();
    let balance = transaction.amount.clone().into_owned();
    let new =
        NewTransaction { transaction: cutover_model::IntoOwned::into_owned(transaction), sent_date: None };
    let others = plan_of(&mut conn, |tx| {
        tx.add_transaction(2, 0, &new)?;
        assert!(tx.first_ledger(2)?.is_some());
        tx.current_amounts(2, 0)?;
        tx.set_balance(2, 0, &balance)
    });
    assert_by_key(&others);
    let start = plan_of(&mut conn, |tx| tx.earliest_supply_start(2).map(|_| ()));
    assert_uses(&start, "COVERING INDEX meter_points_by_start (account_id=?)");
}

#[test]
fn meter_points_are_found_by_their_identifiers() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    let sought = MeterPointKey { mpxn: "6305".into(), supply_start_date: at(0).date_naive() };
    let plan = plan_of(&mut conn, |tx| {
        let number = &"2".parse().unwrap();
        let question = MeterPointQuestion { organisation_id: 1, supplier_id: 1, number, sought: &sought };
        tx.meter_point_holders(&[question]).map(|_| ())
    });
    assert_by_key(&plan);
    let by = "COVERING INDEX meter_points_by_mpxn (organisation_id=? AND mpxn=? AND supply_end_date";
    assert_uses(&plan, &format!("{by}=?)"));
    assert_uses(&plan, &format!("{by}>?)"));
}

#[test]
fn additions_to_an_account_use_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    let statement = HistoricalStatement {
        bill_period_from_date: at(0).date_naive(),
        bill_period_to_date: at(0).date_naive(),
        statement_id: "S".into(),
        issued_date: Nullable::Absent,
        number: None,
        gross_amount: Nullable::Absent,
        statement_path: None,
    };
    let statement = NewHistoricalStatement { statement, fingerprint: [1; 32], added_at: at(1) };
    let vendor = Vendor {
        organisation_id: 1,
        organisation: "A".into(),
        name: "V".into(),
        kind: VendorKind::Http.into(),
        base_url: "https://v.example".into(),
        secret_env: None,
        created_at: at(1),
    };
    let plan = plan_of(&mut conn, |tx| {
        tx.add_historical_statement(2, &statement)?;
        assert!(tx.historical_statement(2, "S")?.is_some());
        tx.add_account_instruction(2, &instruction("S"))?;
        assert!(tx.account_has_instruction(2, &instruction("S").key)?);
        assert!(tx.account_has_instruction(2, &instruction("R").key)?, "as imported, but for white space");
        let id = tx.insert_business(&new_business())?.id;
        assert!(tx.business(1, "B")?.is_some());
        assert!(tx.contract_exists(1, "C")?);
        tx.add_business_instruction(id, &instruction("S"), &[2])?;
        assert_eq!(tx.business_instruction(id, &instruction("S").key)?, Some(vec![2]));
        assert!(tx.add_vendor(&vendor)?);
        tx.vendor(1, "V")?;
        assert!(tx.remove_vendor(1, "V")?);
        tx.imported_account(2).map(|_| ())
    });
    assert_by_key(&plan);
}

#[test]
fn lists_are_ranges_of_their_indexes() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    let mut plan = |list| {
        let plan = plan_of(&mut conn, |tx| {
            tx.each_account(1, list, Some((at(0), 0)), at(1), PageLimit::of(10), &mut |_| {}).map(|_| ())
        });
        assert_by_key(&plan);
        plan
    };
    let range = "(supplier_id=? AND created_at>? AND created_at<?)";
    assert_uses(&plan(AccountList::Imported), &format!("INDEX processes_imported {range}"));
    assert_uses(&plan(AccountList::All), &format!("INDEX processes_by_creation {range}"));
    let pending = plan(AccountList::Pending);
    for index in ["processes_listed_pending", "processes_running", "processes_without_account"] {
        assert_uses(&pending, &format!("INDEX {index} {range}"));
    }
    assert_uses(&pending, "MERGE (UNION ALL)");
}

/// Identities are trimmed; all other values are stored byte for byte.
#[test]
fn businesses_are_stored_as_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _) = database(folder.path());
    with(&mut conn, |tx| tx.insert_business(&new_business())).unwrap();
    let stored = "SELECT external_identifier || '|' || company_number || '|' || identifier || '|' || terms AS found \
                FROM businesses b JOIN business_contracts c ON c.business_id = b.id \
                JOIN business_contract_versions v ON v.business_id = b.id AND v.contract = c.position";
    assert_eq!(texts(&mut conn, stored), [format!("B| 1 2 |C|{TERMS}")]);
}

#[test]
fn imported_accounts_are_a_range_of_their_index() {
    let folder = tempfile::tempdir().unwrap();
    let mut conn = with_account(folder.path());
    for after in [None, Some((at(-1), 1))] {
        let plan = plan_of(&mut conn, |tx| {
            assert_eq!(tx.imported_page(1, after, 100)?.accounts.len(), 1);
            Ok(())
        });
        assert_by_key(&plan);
        assert_uses(&plan, "COVERING INDEX accounts_by_import (supplier_id=? AND imported_at>?)");
    }
    let plan = plan_of(&mut conn, |tx| {
        assert_eq!(tx.imported_ids(1, &["2".parse().unwrap(), "3".parse().unwrap()])?, [Some(2), None]);
        tx.imported_accounts(&[1, 2, 3]).map(drop)
    });
    assert_by_key(&plan);
    let plan = plan_of(&mut conn, |tx| tx.feed_end(1).map(drop));
    assert_by_key(&plan);
    assert_uses(&plan, "feed_events USING PRIMARY KEY (organisation_id=?)");
}
