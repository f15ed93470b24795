//! Ledgers, and transactions after the import.

use super::helpers::{ABSENT, on_threads, put, see, supplier};
use super::imported::{decided, import, seen};
use super::kept::{comparable, difference};
use crate::payload::transaction_json;
use chrono::NaiveDate;
use cutover_app::port::{NewAccount, NewTransaction, Store, StoredTransaction, Tx};
use cutover_core::Zone;
use cutover_model::choices::TransactionType;
use cutover_model::rust_decimal::Decimal as Value;
use cutover_model::service::read_transaction;
use cutover_model::{Decimal, IntoOwned, Transaction};

fn value(digits: &str) -> Value {
    decimal(digits).value()
}

fn decimal(digits: &str) -> Decimal<'static> {
    digits.parse().unwrap()
}

/// Returns a transaction as JSON.
fn sent(id: &str, kind: &str, amount: &str) -> String {
    format!(
        r#"{{"transaction_id":"{id}","transaction_date":"2026-05-01","amount":{amount},"type":"{kind}"}}"#
    )
}

fn transaction(id: &str, kind: &str, amount: &str) -> Transaction<'static> {
    read_transaction(&sent(id, kind, amount)).unwrap().into_owned()
}

/// Adds a transaction, which is found at the place that is returned.
fn add(
    store: &dyn Store,
    to: &NewAccount,
    transaction: Transaction<'static>,
    sent_date: Option<NaiveDate>,
) -> i64 {
    let id = to.process_id;
    put(store, move |tx| {
        let ledger = tx.first_ledger(id)?.unwrap().position;
        tx.add_transaction(id, ledger, &NewTransaction { transaction, sent_date })
    })
}

fn find(store: &dyn Store, of: &NewAccount, id: &str) -> Option<StoredTransaction> {
    see(store, |tx| tx.find_transaction(of.process_id, id))
}

fn amount(store: &dyn Store, of: &NewAccount, id: &str) -> Option<String> {
    find(store, of, id).map(|found| found.transaction.amount.as_sent().to_owned())
}

/// The first of several ledgers is returned with the data that additions need, and contains the added
/// transactions.
pub fn transactions_are_added_to_the_first_ledger(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ledgers = r#""ledgers":[
        {"last_statement_closing_date":"2026-04-30","last_statement_balance":-10.10},
        {"last_statement_closing_date":"2026-06-30","ledger_balance":7}]"#;
    let account = import(store, &acme, 1, ledgers);
    let bare = import(store, &acme, 2, r#""ledgers":[{"ledger_balance":"0.50"}]"#);
    let first = |id| see(store, |tx| tx.first_ledger(id));
    let head = first(account.process_id).unwrap();
    assert_eq!(head.last_statement_closing_date, "2026-04-30".parse().ok());
    assert_eq!((head.last_statement_balance, head.balance), (Some(value("-10.10")), None));
    let other = first(bare.process_id).unwrap();
    assert_eq!((other.last_statement_closing_date, other.last_statement_balance), (None, None));
    assert_eq!(other.balance, Some(value("0.50")));
    assert_eq!(first(ABSENT), None);

    let first = add(store, &account, transaction("T-1", "CREDIT", "5"), None);
    let second = add(store, &account, transaction("T-2", "CREDIT", "5"), None);
    let places = ["T-1", "T-2"].map(|id| find(store, &account, id).unwrap().position);
    assert_eq!((places, second), ([first, second], first + 1));
    let ledgers = seen(store, &account).account.ledgers.unwrap();
    let current = ledgers.iter().map(|l| l.current_statement_transactions.iter().flatten().count());
    assert_eq!(current.collect::<Vec<_>>(), [2, 0]);
}

/// Charges of a product are found by their days, in every ledger, but for negative ones.
pub fn charged_periods_are_found_by_their_days(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let charge = |id: &str, amount: &str, product: &str, items: &[[&str; 2]]| {
        let item = |[start, end]: &[&str; 2]| {
            format!(
                r#"{{"rate_band":"A","start_date":"{start}","end_date":"{end}","number_of_units":1,"net_amount":1}}"#
            )
        };
        let items: Vec<_> = items.iter().map(item).collect();
        format!(
            r#"{{"transaction_id":"{id}","transaction_date":"2026-05-01","amount":{amount},"type":"SUPPLY_CHARGE",
                "reason":"R","display_note":"","note":"","product_code":"{product}","line_items":[{}],"tax_items":[]}}"#,
            items.join(",")
        )
    };
    let ledgers = format!(
        r#""ledgers":[{{"current_statement_transactions":[{}]}},
            {{"last_statement_closing_date":"2026-04-30","historical_statement_transactions":[{}, {}]}}]"#,
        charge("T-1", "2", "P", &[["2026-01-01", "2026-01-31"], ["2026-03-01", "2026-03-31"]]),
        charge("T-2", "1", "P", &[["2026-02-01", "2026-02-28"]]),
        charge("T-3", "-1", "P", &[["2026-02-01", "2026-02-28"]]),
    );
    let (account, other) = (import(store, &acme, 1, &ledgers), import(store, &acme, 2, r#""ledgers":[{}]"#));
    let added =
        read_transaction(&charge("T-4", "1", "Q", &[["2026-02-01", "2026-02-28"]])).unwrap().into_owned();
    add(store, &account, added, None);
    let found = |of: &NewAccount, product: &str, first: &str, last: &str| -> Vec<String> {
        let days = (first.parse().unwrap(), last.parse().unwrap());
        let mut periods = see(store, |tx| tx.charged_periods(of.process_id, product, days));
        periods.sort();
        periods
            .into_iter()
            .map(|period| format!("{} {} {:?}", period.transaction_id, period.start_date, period.rate_band))
            .collect()
    };
    let all = [r#"T-1 2026-01-01 Some("A")"#, r#"T-2 2026-02-01 Some("A")"#, r#"T-1 2026-03-01 Some("A")"#];
    assert_eq!(found(&account, "P", "2026-01-31", "2026-03-01"), all);
    assert_eq!(found(&account, "P", "2026-02-28", "2026-02-28"), all[1..2]);
    assert_eq!(found(&account, "Q", "2026-01-01", "2026-12-31"), [r#"T-4 2026-02-01 Some("A")"#]);
    assert_eq!(found(&account, "P", "2026-04-01", "2026-12-31"), [""; 0]);
    assert_eq!(found(&other, "P", "2026-01-01", "2026-12-31"), [""; 0]);
}

/// Transactions are found in any ledger and statement of the account, with their items and exact digits.
pub fn a_transaction_is_found_by_its_id(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let full = r#"{"transaction_id":" T-1\t","transaction_date":"2026-04-01","amount":10.10,"type":"SUPPLY_CHARGE",
        "reason":"IMPORTED_CHARGE","display_note":"Seen ","note":"","product_code":"P",
        "line_items":[{"rate_band":"PEAK","start_date":"2026-03-01","end_date":"2026-03-31",
            "number_of_units":"0100.50","net_amount":9.0,"price_per_unit":0.0895522,"units":[1.10,"101.60"],
            "params":{"b":[1.50,null],"a":"x"}},
          {"start_date":"2026-03-31","end_date":"2026-03-31","number_of_units":1,"net_amount":0}],
        "tax_items":[{"amount":1.10,"tax_type":"GST","value_taxed":"9.00","rate":0.10,"unit_type":"PROPORTION"}]}"#;
    let ledgers = format!(
        r#""ledgers":[{{"current_statement_transactions":[{}]}},
            {{"last_statement_closing_date":"2026-04-30","historical_statement_transactions":[{}, {full}]}}]"#,
        sent("T-0", "CHARGE", "1"),
        sent("T-2", "CHARGE", "2"),
    );
    let (account, other) = (import(store, &acme, 1, &ledgers), import(store, &acme, 2, r#""ledgers":[{}]"#));
    let found = find(store, &account, "T-1").unwrap();
    let expected = read_transaction(full).unwrap();
    let (kept, expected) = (comparable(&found.transaction, Zone::UTC), comparable(&expected, Zone::UTC));
    assert_eq!(difference(&kept, &expected), None);
    assert_eq!((found.transaction.amount.as_sent(), found.transaction.amount.is_quoted()), ("10.10", true));
    assert_eq!(found.transaction.line_items.unwrap()[0].number_of_units.as_sent(), "0100.50");
    assert_eq!(found.sent_date, None);
    assert_eq!(["T-0", "T-2"].map(|id| amount(store, &account, id).unwrap()), ["1", "2"]);
    assert_eq!(["t-1", "T-3", ""].map(|id| find(store, &account, id)), [None, None, None]);
    assert_eq!(find(store, &other, "T-1"), None);
}

/// A transaction of the payload precedes added ones, and the first added one the others.
pub fn the_oldest_of_several_transactions_is_found(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ledgers = format!(
        r#""ledgers":[{{}},{{"last_statement_closing_date":"2026-05-02",
            "historical_statement_transactions":[{}]}}]"#,
        sent("T-1", "CHARGE", "1"),
    );
    let account = import(store, &acme, 1, &ledgers);
    for (id, amount) in [("T-1", "2"), ("T-2 ", "3"), ("T-2", "4")] {
        add(store, &account, transaction(id, "CHARGE", amount), None);
    }
    assert_eq!(["T-1", "T-2"].map(|id| amount(store, &account, id).unwrap()), ["1", "3"]);
}

/// Every documented member reads back, after the others of the open statement, with the date that was sent.
pub fn added_transactions_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ledger = format!(r#"{{"current_statement_transactions":[{}]}}"#, sent("T-0", "CHARGE", "1"));
    let ledgers = format!(r#""ledgers":[{ledger},{}]"#, ledger.replace("T-0", "T-1"));
    let account = import(store, &acme, 1, &ledgers);
    let mut expected = decided(&account);
    let mut moved: NaiveDate = "2026-01-31".parse().unwrap();
    for seed in 1..=60 {
        let json = transaction_json(seed);
        let mut new = read_transaction(&json).unwrap().into_owned();
        new.transaction_id = format!(" G-{seed}\n").into();
        moved = moved.succ_opt().unwrap();
        let sent_date = (seed % 3 == 0).then_some(moved);
        add(store, &account, new.clone(), sent_date);
        let found = find(store, &account, &format!("G-{seed}")).unwrap();
        let (kept, added) = (comparable(&found.transaction, Zone::UTC), comparable(&new, Zone::UTC));
        assert_eq!(difference(&kept, &added), None, "{seed}");
        assert_eq!(found.sent_date, sent_date, "{seed}");
        let ledger = &mut expected.ledgers.as_mut().unwrap()[0];
        ledger.current_statement_transactions.as_mut().unwrap().push(new);
    }
    let (kept, expected) =
        (comparable(&seen(store, &account).account, Zone::UTC), comparable(&expected, account.zone));
    assert_eq!(difference(&kept, &expected), None);
}

/// A balance can be set repeatedly, exactly, and for one ledger only.
pub fn a_balance_is_set(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ledgers = r#""ledgers":[{"last_statement_balance":1},{"ledger_balance":2}]"#;
    let (account, other) = (import(store, &acme, 1, ledgers), import(store, &acme, 2, ledgers));
    let id = account.process_id;
    for digits in ["99.99", "-12345678.10"] {
        put(store, move |tx| {
            let ledger = tx.first_ledger(id)?.unwrap().position;
            tx.set_balance(id, ledger, &decimal(digits))
        });
        let head = see(store, |tx| tx.first_ledger(id)).unwrap();
        assert_eq!((head.balance, head.last_statement_balance), (Some(value(digits)), Some(value("1"))));
    }
    let balances = |of: &NewAccount| {
        let ledgers = seen(store, of).account.ledgers.unwrap();
        ledgers.into_iter().map(|l| l.ledger_balance.map(|b| b.as_sent().to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(balances(&account), [Some("-12345678.10".into()), Some("2".into())]);
    assert_eq!(balances(&other), [None, Some("2".into())]);
}

/// Locking an account makes concurrent additions wait.
pub fn concurrent_changes_of_a_balance_are_all_kept(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let account = import(store, &acme, 1, r#""ledgers":[{"ledger_balance":0}]"#);
    let id = account.process_id;
    let raise = move |tx: &mut dyn Tx| {
        tx.lock_account(id)?;
        let ledger = tx.first_ledger(id)?.unwrap();
        let raised = ledger.balance.unwrap() + Value::ONE;
        tx.set_balance(id, ledger.position, &Decimal::from(raised))
    };
    on_threads(8, |_| (0..5).for_each(|_| put(store, raise)));
    assert_eq!(see(store, |tx| tx.first_ledger(id)).unwrap().balance, Some(value("40")));
    assert!(put(store, move |tx| tx.lock_account(id)));
    assert!(!put(store, |tx| tx.lock_account(ABSENT)));
}

/// It has the transactions of that ledger, including added ones, but not billed ones.
pub fn the_open_statement_is_that_of_its_ledger(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let ledgers = format!(
        r#""ledgers":[{{"last_statement_closing_date":"2026-05-02",
            "current_statement_transactions":[{},{}],"historical_statement_transactions":[{}]}},
            {{"current_statement_transactions":[{}]}}]"#,
        sent("T-1", "CHARGE", "1.50"),
        sent("T-2", "PAYMENT", r#""20.00""#),
        sent("T-3", "CHARGE", "99"),
        sent("T-4", "CHARGE", "77"),
    );
    let (account, other) = (import(store, &acme, 1, &ledgers), import(store, &acme, 2, r#""ledgers":[{}]"#));
    add(store, &account, transaction("T-5", "REPAYMENT", "0.1234567891"), None);
    let amounts = |of: &NewAccount| {
        let mut all = see(store, |tx| {
            let ledger = tx.first_ledger(of.process_id)?.unwrap().position;
            tx.current_amounts(of.process_id, ledger)
        });
        all.sort_by_key(|(_, amount)| *amount);
        all
    };
    use TransactionType::{Charge, Payment, Repayment};
    let expected = [(Repayment, "0.1234567891"), (Charge, "1.50"), (Payment, "20.00")];
    assert_eq!(amounts(&account), expected.map(|(kind, amount)| (kind, value(amount))));
    assert_eq!(amounts(&other), []);
}
