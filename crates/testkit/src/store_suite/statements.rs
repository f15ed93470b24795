//! Historical statements after the import.

use super::helpers::{at, see, supplier};
use super::imported::{import, seen};
use super::kept::{comparable, difference};
use crate::payload::historical_statement_json;
use cutover_app::port::{NewAccount, NewHistoricalStatement, Store, StoreError, write};
use cutover_core::Zone;
use cutover_model::{HistoricalStatement, IntoOwned, Limits, Nullable, decode_historical_statements};

fn decode(json: &str) -> HistoricalStatement<'static> {
    let body = format!(r#"{{"import_supplier":"S","external_account_number":"N","statements":[{json}]}}"#);
    let decoded = decode_historical_statements(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
    decoded.draft.unwrap().into_valid().unwrap().statements.remove(0).into_owned()
}

fn statement(id: &str) -> HistoricalStatement<'static> {
    let period = r#""bill_period_from_date":"2025-01-01","bill_period_to_date":"2025-03-31""#;
    decode(&format!(r#"{{{period},"statement_id":"{id}"}}"#))
}

fn add(
    store: &dyn Store,
    to: &NewAccount,
    statement: HistoricalStatement<'static>,
    n: u8,
) -> Result<(), StoreError> {
    let id = to.process_id;
    let new = NewHistoricalStatement { statement, fingerprint: [n; 32], added_at: at(2_000 - i64::from(n)) };
    write(store, move |tx| tx.add_historical_statement(id, &new))
}

fn find(store: &dyn Store, of: &NewAccount, id: &str) -> Option<[u8; 32]> {
    see(store, |tx| tx.historical_statement(of.process_id, id))
}

/// The fingerprint is found within the account by the trimmed id.
pub fn added_statements_are_found_by_their_id(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let [account, other] = [1, 2].map(|n| import(store, &acme, n, r#""ledgers":[{}]"#));
    assert_eq!(add(store, &account, statement(" S-1\\t"), 1), Ok(()));
    assert_eq!(add(store, &account, statement("S-2"), 2), Ok(()));
    assert_eq!(["S-1", "S-2"].map(|id| find(store, &account, id)), [Some([1; 32]), Some([2; 32])]);
    assert_eq!(["s-1", "S-3"].map(|id| find(store, &account, id)), [None, None]);
    assert_eq!(find(store, &other, "S-1"), None);
}

/// A second statement with an id is refused; that of another account is not the same.
pub fn a_statement_is_added_once(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let [account, other] = [1, 2].map(|n| import(store, &acme, n, r#""ledgers":[{}]"#));
    assert_eq!(add(store, &account, statement("S-1"), 1), Ok(()));
    for again in ["S-1", "S-1 "] {
        let refused = add(store, &account, statement(again), 2).unwrap_err();
        assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
    }
    assert_eq!(find(store, &account, "S-1"), Some([1; 32]));
    assert_eq!(seen(store, &account).historical_statements.len(), 1);
    assert_eq!(add(store, &other, statement("S-1"), 3), Ok(()));
    assert_eq!(find(store, &other, "S-1"), Some([3; 32]));
}

/// The two neither find nor block each other.
pub fn statements_of_the_payload_are_independent_of_added_ones(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let sent = r#""statements":[{"bill_period_from_date":"2024-01-01","bill_period_to_date":"2024-03-31",
        "statement_id":"S-1"}]"#;
    let account = import(store, &acme, 1, sent);
    assert_eq!(find(store, &account, "S-1"), None);
    assert_eq!(seen(store, &account).historical_statements, []);
    let before = seen(store, &account).account;
    assert_eq!(add(store, &account, statement("S-1"), 1), Ok(()));
    assert_eq!(find(store, &account, "S-1"), Some([1; 32]));
    let after = seen(store, &account);
    assert_eq!(after.account, before);
    assert_eq!(after.historical_statements, [statement("S-1")]);
}

/// They read back completely, in the order of addition, without nulls and with exact digits.
pub fn added_statements_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let account = import(store, &acme, 1, r#""ledgers":[{}]"#);
    let full = decode(
        r#"{"bill_period_from_date":"2025-01-01","bill_period_to_date":"2025-03-31","statement_id":"Z",
        "issued_date":"2025-04-01","number":" 007","gross_amount":10.10,"statement_path":"s/é.pdf"}"#,
    );
    let empty =
        HistoricalStatement { issued_date: Nullable::Null, gross_amount: Nullable::Null, ..statement("Y") };
    let mut all = vec![full, empty];
    all.extend((1..=40).map(|seed| HistoricalStatement {
        statement_id: format!("G-{}", 50 - seed).into(),
        ..decode(&historical_statement_json(seed))
    }));
    for (n, statement) in (1..).zip(&all) {
        assert_eq!(add(store, &account, statement.clone(), n), Ok(()));
    }
    let kept = seen(store, &account).historical_statements;
    assert_eq!(kept.len(), all.len());
    for (kept, added) in kept.iter().zip(&all) {
        let (kept, added) = (comparable(kept, Zone::UTC), comparable(added, Zone::UTC));
        assert_eq!(difference(&kept, &added), None);
    }
    let amount = kept[0].gross_amount.value().unwrap();
    assert_eq!((amount.as_sent(), amount.is_quoted()), ("10.10", true));
    assert_eq!((&kept[1].issued_date, &kept[1].gross_amount), (&Nullable::Absent, &Nullable::Absent));
    assert_eq!(kept[1].number, None);
}
