use crate::house::{House, request};
use cutover_app::after::{AddRefused, AddTransactions, TransactionsRefused};
use cutover_model::rust_decimal::Decimal;
use proptest::prelude::*;

/// The open statement period of this account: 2026-07-01 to 2026-11-21.
const ACCOUNT: &str = r#""unknown_occupier":true,"ledgers":[{"last_statement_closing_date":"2026-06-30",
    "last_statement_balance":"10.00","ledger_balance":"12.50","current_statement_transactions":[
    {"transaction_id":"OLD","transaction_date":"2026-07-05","amount":"2.50","type":"PAYMENT"}]}]"#;

fn transaction(id: &str, date: &str, amount: &str, kind: &str) -> String {
    format!(r#"{{"transaction_id":"{id}","transaction_date":"{date}","amount":{amount},"type":"{kind}"}}"#)
}

fn add(
    house: &House,
    query: AddTransactions,
    transactions: &[String],
) -> Result<Vec<(bool, Decimal, bool)>, String> {
    let body = request("transactions", transactions);
    match house.app.add_transactions(&house.caller, body.as_bytes(), Ok(query)) {
        Ok(results) => Ok(results
            .iter()
            .map(|r| {
                let is_plus = matches!(r.transaction.kind.as_str(), "PAYMENT" | "CREDIT");
                (r.status == cutover_model::TransactionStatus::Added, r.transaction.amount.value(), is_plus)
            })
            .collect()),
        Err(TransactionsRefused::Transaction { transaction_data, error_detail, errors }) => {
            let errors: Vec<String> = errors.iter().map(|e| format!("{} {}", e.attr, e.code)).collect();
            Err(format!("{error_detail}\n{transaction_data}\n{}", errors.join("\n")))
        }
        Err(TransactionsRefused::Add(refused)) => Err(refused.to_string()),
    }
}

fn balance(house: &House) -> Decimal {
    house.imported().account.ledgers.unwrap()[0].ledger_balance.as_ref().unwrap().value()
}

fn current(house: &House) -> usize {
    let ledgers = house.imported().account.ledgers.unwrap();
    ledgers[0].current_statement_transactions.iter().flatten().count()
}

const NO_MOVE: AddTransactions =
    AddTransactions { check_previously_added: true, force_add_to_current_statement: false };
const AGAIN: AddTransactions =
    AddTransactions { check_previously_added: false, force_add_to_current_statement: true };

#[test]
fn the_balance_follows_and_what_is_known_is_skipped() {
    let house = House::with(ACCOUNT);
    let call = [
        transaction("OLD", "2026-07-05", "2.5", "PAYMENT"),
        transaction("T-1", "2026-11-01", "7.25", "CREDIT"),
        transaction("T-2", "2026-11-02", "100", "CHARGE"),
    ];
    let added = |results: Vec<(bool, Decimal, bool)>| results.iter().map(|r| r.0).collect::<Vec<_>>();
    assert_eq!(added(add(&house, NO_MOVE, &call).unwrap()), [false, true, true]);
    assert_eq!(balance(&house).to_string(), "-80.25");
    assert_eq!(added(add(&house, NO_MOVE, &call).unwrap()), [false; 3]);
    assert_eq!((balance(&house).to_string().as_str(), current(&house)), ("-80.25", 3));
    assert_eq!(added(add(&house, AGAIN, &call[1..2]).unwrap()), [true]);
    assert_eq!((balance(&house).to_string().as_str(), current(&house)), ("-73.00", 4));
}

#[test]
fn what_is_moved_is_known_by_the_date_that_was_sent() {
    let house = House::with(ACCOUNT);
    let call =
        [transaction("T-1", "2026-01-05", "1", "CREDIT"), transaction("T-2", "2027-01-05", "1", "CREDIT")];
    add(&house, AddTransactions::default(), &call).unwrap();
    let account = house.imported().account;
    let dates: Vec<String> = account.ledgers.unwrap()[0]
        .current_statement_transactions
        .iter()
        .flatten()
        .map(|t| t.transaction_date.to_string())
        .collect();
    assert_eq!(dates, ["2026-07-05", "2026-07-01", "2026-11-21"]);
    let notes = account.notes.unwrap();
    assert_eq!((notes.len(), notes[0].is_pinned), (1, Some(true)));
    add(&house, NO_MOVE, &call).unwrap();
    assert_eq!(house.imported().account.notes.unwrap().len(), 1);
    let moved = transaction("T-1", "2026-07-01", "1", "CREDIT");
    let refused = add(&house, AddTransactions::default(), &[moved]).unwrap_err();
    assert!(refused.ends_with("transactions.0.transaction_id transaction_id_reused_with_different_content"));
}

#[test]
fn a_call_that_fails_stores_nothing() {
    let house = House::with(ACCOUNT);
    let refused = [
        add(
            &house,
            NO_MOVE,
            &[
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
                transaction("T-2", "2026-01-05", "10.10", "CREDIT"),
                transaction("OLD", "2026-07-05", "2.51", "PAYMENT"),
            ],
        ),
        add(
            &house,
            NO_MOVE,
            &[
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
                transaction("T-3", "2026-11-01", "\"1.50\"", "PRESENT"),
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
            ],
        ),
        add(&house, NO_MOVE, &[]),
    ];
    let lines: Vec<String> = refused.into_iter().map(Result::unwrap_err).collect();
    insta::assert_snapshot!(lines.join("\n\n"));
    assert_eq!((balance(&house).to_string().as_str(), current(&house)), ("12.50", 1));
}

#[test]
fn a_payload_without_a_balance_begins_with_what_it_says() {
    for (ledgers, after) in [
        ("", "1.10"),
        (r#","ledgers":[{}]"#, "1.10"),
        (
            r#","ledgers":[{"last_statement_closing_date":"2026-06-30","current_statement_transactions":[
            {"transaction_id":"OLD","transaction_date":"2026-07-05","amount":"2.50","type":"CHARGE"}]}]"#,
            "-1.40",
        ),
    ] {
        let house = House::with(&format!(r#""unknown_occupier":true{ledgers}"#));
        add(&house, NO_MOVE, &[transaction("T-1", "2026-11-01", "1.10", "CREDIT")]).unwrap();
        assert_eq!(balance(&house).to_string(), after, "{ledgers}");
    }
}

#[test]
fn faulty_parameters_are_faults_among_the_others() {
    let house = House::with(ACCOUNT);
    let body = request("transactions", &[transaction("T-1", "2026-11-01", "1", "PRESENT")]);
    let query = Err(vec!["check_previously_added"]);
    let refused = house.app.add_transactions(&house.caller, body.as_bytes(), query).unwrap_err();
    let TransactionsRefused::Transaction { errors, .. } = refused else { panic!("{refused}") };
    let errors: Vec<String> = errors.iter().map(|e| format!("{} {}", e.attr, e.code)).collect();
    assert_eq!(errors, ["check_previously_added invalid", "transactions.0.type invalid_choice"]);
}

#[test]
fn what_is_structurally_faulty_is_shown_as_sent() {
    let house = House::with(ACCOUNT);
    let twice = transaction("T-1", "2026-11-01", "1.10", "CREDIT").replace('}', r#","note":"a","note":"b"}"#);
    let refused = add(&house, NO_MOVE, std::slice::from_ref(&twice)).unwrap_err();
    assert!(refused.contains(&twice), "{refused}");
}

#[test]
fn a_transaction_of_an_empty_period_stays_at_today() {
    let house = House::with(&ACCOUNT.replace("2026-06-30", "2026-11-20").replace("2026-07-05", "2026-11-21"));
    house.clock.advance(chrono::Duration::days(-1));
    let today = transaction("T-1", "2026-11-20", "1", "CREDIT");
    assert!(add(&house, NO_MOVE, std::slice::from_ref(&today)).unwrap_err().contains("outside"));
    add(&house, AddTransactions::default(), &[today]).unwrap();
    assert_eq!(house.imported().account.notes, None);
}

#[test]
fn faults_of_the_wrapper_are_of_no_transaction() {
    let house = House::with(ACCOUNT);
    let refused = house.app.add_transactions(&house.caller, b"{}", Ok(AddTransactions::default()));
    assert!(
        matches!(refused, Err(TransactionsRefused::Add(AddRefused::Faults(faults))) if faults.len() == 3)
    );
}

/// A call: whether ids are looked up, whether dates may be moved, and transactions of few ids.
fn calls() -> impl Strategy<Value = Vec<(bool, bool, Vec<String>)>> {
    let transaction = (0..6_u32, 0..3_usize, 0..400_u32, 0..5_usize).prop_map(|(id, date, cents, kind)| {
        let date = ["2026-05-01", "2026-08-01", "2026-12-01"][date];
        let kind = ["PAYMENT", "CREDIT", "CHARGE", "SUPPLY_CHARGE", "REPAYMENT"][kind];
        let amount = format!("{}.{:02}", cents / 100, cents % 100);
        transaction(&format!("T-{id}"), date, &amount, if kind == "SUPPLY_CHARGE" { "CHARGE" } else { kind })
    });
    let call = (any::<bool>(), any::<bool>(), proptest::collection::vec(transaction, 1..4));
    proptest::collection::vec(call, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// After any series of calls the balance is the first one and the sum of what was said to be added;
    /// the same calls again, with a look at what is known, change nothing.
    #[test]
    fn balances_add_up_and_repeated_calls_change_nothing(calls in calls()) {
        let house = House::with(ACCOUNT);
        let (mut expected, mut count) = (balance(&house), current(&house));
        for (check_previously_added, force_add_to_current_statement, transactions) in &calls {
            let query = AddTransactions {
                check_previously_added: *check_previously_added,
                force_add_to_current_statement: *force_add_to_current_statement,
            };
            for (is_new, amount, is_plus) in add(&house, query, transactions).unwrap_or_default() {
                if is_new {
                    count += 1;
                    expected += if is_plus { amount } else { -amount };
                }
            }
            prop_assert_eq!(balance(&house), expected);
            prop_assert_eq!(current(&house), count);
            let before = house.imported();
            let again = AddTransactions { check_previously_added: true, ..query };
            if let Ok(results) = add(&house, again, transactions) {
                // What was refused before is refused again, so that whatever passes is known by now.
                let known = results.iter().all(|(is_new, ..)| !is_new);
                prop_assert!(known);
            }
            prop_assert_eq!(house.imported(), before);
        }
    }
}
