use crate::env::{TestEnv, request};
use cutover_app::additions::{AddRefused, AddTransactions, TransactionsRefused};
use cutover_app::operator::SupplierChange;
use cutover_core::Level;
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
    env: &TestEnv,
    query: AddTransactions,
    transactions: &[String],
) -> Result<Vec<(bool, Decimal, bool)>, String> {
    let body = request("transactions", transactions);
    match env.app.add_transactions(&env.caller, body.as_bytes(), Ok(query)) {
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

fn balance(env: &TestEnv) -> Decimal {
    env.imported().account.ledgers.unwrap()[0].ledger_balance.as_ref().unwrap().value()
}

fn current(env: &TestEnv) -> usize {
    let ledgers = env.imported().account.ledgers.unwrap();
    ledgers[0].current_statement_transactions.iter().flatten().count()
}

const NO_MOVE: AddTransactions =
    AddTransactions { check_previously_added: true, force_add_to_current_statement: false };
const AGAIN: AddTransactions =
    AddTransactions { check_previously_added: false, force_add_to_current_statement: true };

#[test]
fn the_balance_is_updated_and_known_transactions_are_skipped() {
    let env = TestEnv::with(ACCOUNT);
    let call = [
        transaction("OLD", "2026-07-05", "2.5", "PAYMENT"),
        transaction("T-1", "2026-11-01", "7.25", "CREDIT"),
        transaction("T-2", "2026-11-02", "100", "CHARGE"),
    ];
    let added = |results: Vec<(bool, Decimal, bool)>| results.iter().map(|r| r.0).collect::<Vec<_>>();
    assert_eq!(added(add(&env, NO_MOVE, &call).unwrap()), [false, true, true]);
    assert_eq!(balance(&env).to_string(), "-80.25");
    assert_eq!(added(add(&env, NO_MOVE, &call).unwrap()), [false; 3]);
    assert_eq!((balance(&env).to_string().as_str(), current(&env)), ("-80.25", 3));
    assert_eq!(added(add(&env, AGAIN, &call[1..2]).unwrap()), [true]);
    assert_eq!((balance(&env).to_string().as_str(), current(&env)), ("-73.00", 4));
}

/// The ids of results of a request with this member besides.
fn ids(env: &TestEnv, member: &str, transactions: &[String]) -> Vec<Option<i64>> {
    let body = request("transactions", transactions).replacen('{', &format!("{{{member}"), 1);
    let results = env.app.add_transactions(&env.caller, body.as_bytes(), Ok(NO_MOVE)).unwrap();
    results.iter().map(|result| result.added_transaction_id).collect()
}

#[test]
fn a_transaction_has_the_same_number_again() {
    let env = TestEnv::with(ACCOUNT);
    let [old, new] = [("OLD", "2.5", "PAYMENT"), ("T-1", "7.25", "CREDIT")]
        .map(|(id, amount, kind)| transaction(id, "2026-07-05", amount, kind));
    let first = ids(&env, "", &[old.clone(), new.clone()]);
    assert!(first[0].is_some_and(|id| id > 0) && first[1].is_some() && first[0] != first[1]);
    assert_eq!(ids(&env, "", &[new, old]), [first[1], first[0]]);
}

#[test]
fn a_dry_run_is_answered_and_keeps_nothing() {
    let env = TestEnv::with(ACCOUNT);
    let call = [
        transaction("OLD", "2026-07-05", "2.5", "PAYMENT"),
        transaction("T-1", "2026-11-01", "7.25", "CREDIT"),
    ];
    let kept = || (env.imported(), format!("{:?}", env.report()));
    let before = kept();
    let known = ids(&env, r#""dry_run":true,"#, &call);
    assert!(known[0].is_some() && known[1].is_none());
    assert_eq!(kept(), before);
    let faulty = [transaction("OLD", "2026-07-05", "9", "PAYMENT")];
    let body = request("transactions", &faulty).replacen('{', r#"{"dry_run":true,"#, 1);
    assert!(env.app.add_transactions(&env.caller, body.as_bytes(), Ok(NO_MOVE)).is_err());
    assert_eq!(ids(&env, r#""dry_run":false,"#, &call)[0], known[0]);
    assert_eq!(current(&env), 2);
}

/// A charge of a product for these days.
fn charge(id: &str, amount: &str, product: &str, band: &str, days: [&str; 2]) -> String {
    let [start, end] = days;
    let item = format!(
        r#"{{"rate_band":"{band}","start_date":"{start}","end_date":"{end}","number_of_units":"1","net_amount":"{amount}"}}"#
    );
    let head = transaction(id, "2026-11-01", &format!("\"{amount}\""), "SUPPLY_CHARGE");
    format!(
        r#"{},"reason":"IMPORTED_CHARGE","display_note":"","note":"","product_code":"{product}","line_items":[{item}],"tax_items":[]}}"#,
        head.trim_end_matches('}')
    )
}

/// The paths at which the account has this warning.
fn charged_twice(env: &TestEnv) -> Vec<String> {
    let code = "line_items_overlap_already_charged_period";
    let warnings = env.report().issues.warnings.into_iter().filter(|warning| warning.code == code);
    warnings.map(|warning| warning.attr).collect()
}

#[test]
fn a_period_that_was_charged_is_reported() {
    let env = TestEnv::with(ACCOUNT);
    let october = ["2026-10-01", "2026-10-31"];
    add(&env, NO_MOVE, &[charge("C-1", "9", "P", "A", october)]).unwrap();
    add(&env, NO_MOVE, &[charge("C-1", "9", "P", "A", october)]).unwrap();
    for other in [
        charge("C-2", "9", "Q", "A", october),
        charge("C-3", "9", "P", "B", october),
        charge("C-4", "9", "P", "A", ["2026-11-01", "2026-11-02"]),
        charge("C-5", "-9", "P", "A", october),
    ] {
        add(&env, NO_MOVE, &[other]).unwrap();
    }
    assert_eq!(charged_twice(&env), [""; 0]);
    let twice = charge("C-6", "9", "P", " A", ["2026-10-31", "2026-10-31"]);
    add(&env, NO_MOVE, &[transaction("T-1", "2026-11-01", "1", "CREDIT"), twice]).unwrap();
    assert_eq!(charged_twice(&env), ["transactions.1.line_items.0.start_date"]);
    env.set_supplier(SupplierChange {
        rules: [("PST-19".to_owned(), Some(Level::Error))].into(),
        ..SupplierChange::default()
    });
    let refused = add(&env, NO_MOVE, &[charge("C-7", "9", "P", "A", october)]).unwrap_err();
    assert!(
        refused.ends_with("transactions.0.line_items.0.start_date line_items_overlap_already_charged_period"),
        "{refused}"
    );
}

#[test]
fn the_account_is_also_named_by_its_old_name() {
    let env = TestEnv::with(ACCOUNT);
    let call = [transaction("T-1", "2026-11-01", "7.25", "CREDIT")];
    let body = request("transactions", &call).replace("external_account_number", "account_number");
    assert!(env.app.add_transactions(&env.caller, body.as_bytes(), Ok(NO_MOVE)).is_ok());
    let both = request("transactions", &call).replacen('{', r#"{"account_number":"A-1","#, 1);
    let Err(TransactionsRefused::Add(AddRefused::Faults(faults))) =
        env.app.add_transactions(&env.caller, both.as_bytes(), Ok(NO_MOVE))
    else {
        panic!("a member is given twice");
    };
    let faults: Vec<_> = faults.iter().map(|fault| format!("{} {}", fault.attr, fault.code)).collect();
    assert_eq!(faults, ["external_account_number duplicate_field"]);
}

#[test]
fn moved_transactions_are_recognised_by_the_sent_date() {
    let env = TestEnv::with(ACCOUNT);
    let call =
        [transaction("T-1", "2026-01-05", "1", "CREDIT"), transaction("T-2", "2027-01-05", "1", "CREDIT")];
    add(&env, AddTransactions::default(), &call).unwrap();
    let account = env.imported().account;
    let dates: Vec<String> = account.ledgers.unwrap()[0]
        .current_statement_transactions
        .iter()
        .flatten()
        .map(|t| t.transaction_date.to_string())
        .collect();
    assert_eq!(dates, ["2026-07-05", "2026-07-01", "2026-11-21"]);
    let notes = account.notes.unwrap();
    assert_eq!((notes.len(), notes[0].is_pinned), (1, Some(true)));
    add(&env, NO_MOVE, &call).unwrap();
    assert_eq!(env.imported().account.notes.unwrap().len(), 1);
    add(&env, AGAIN, &[transaction("T-3", "2026-01-05", "1", "CREDIT")]).unwrap();
    assert_eq!(env.imported().account.notes.unwrap().len(), 2, "each call that moves one pins a note");
    let moved = transaction("T-1", "2026-07-01", "1", "CREDIT");
    let refused = add(&env, AddTransactions::default(), &[moved]).unwrap_err();
    assert!(refused.ends_with("transactions.0.transaction_id transaction_id_reused_with_different_content"));
}

#[test]
fn a_refused_request_adds_no_transaction() {
    let env = TestEnv::with(ACCOUNT);
    let refused = [
        add(
            &env,
            NO_MOVE,
            &[
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
                transaction("T-2", "2026-01-05", "10.10", "CREDIT"),
                transaction("OLD", "2026-07-05", "2.51", "PAYMENT"),
            ],
        ),
        add(
            &env,
            NO_MOVE,
            &[
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
                transaction("T-3", "2026-11-01", "\"1.50\"", "PRESENT"),
                transaction("T-1", "2026-11-01", "1", "CREDIT"),
            ],
        ),
        add(&env, NO_MOVE, &[]),
    ];
    let lines: Vec<String> = refused.into_iter().map(Result::unwrap_err).collect();
    insta::assert_snapshot!(lines.join("\n\n"));
    assert_eq!((balance(&env).to_string().as_str(), current(&env)), ("12.50", 1));
}

#[test]
fn an_id_is_not_reused() {
    let env = TestEnv::with(ACCOUNT);
    for (date, amount, kind) in [
        ("2026-07-05", "\"2.51\"", "PAYMENT"),
        ("2026-07-06", "\"2.50\"", "PAYMENT"),
        ("2026-07-05", "\"2.50\"", "CREDIT"),
    ] {
        let new = transaction("T-1", "2026-11-01", "1", "CREDIT");
        let refused = add(&env, NO_MOVE, &[new, transaction("OLD", date, amount, kind)]).unwrap_err();
        let fault = "transactions.1.transaction_id transaction_id_reused_with_different_content";
        assert!(refused.ends_with(fault), "{refused}");
    }
    let twice = ["A", "A "].map(|id| transaction(id, "2026-11-01", "1", "CREDIT"));
    for query in [NO_MOVE, AGAIN] {
        let refused = add(&env, query, &twice).unwrap_err();
        assert!(refused.ends_with("transactions.1.transaction_id duplicate_transaction_ids"), "{refused}");
    }
    assert_eq!((balance(&env).to_string().as_str(), current(&env)), ("12.50", 1));
}

#[test]
fn a_ledger_without_a_balance_begins_with_its_transactions() {
    for (ledgers, after) in [
        ("", "1.10"),
        (r#","ledgers":[{}]"#, "1.10"),
        (
            r#","ledgers":[{"last_statement_closing_date":"2026-06-30","current_statement_transactions":[
            {"transaction_id":"OLD","transaction_date":"2026-07-05","amount":"2.50","type":"CHARGE"}]}]"#,
            "-1.40",
        ),
    ] {
        let env = TestEnv::with(&format!(r#""unknown_occupier":true{ledgers}"#));
        add(&env, NO_MOVE, &[transaction("T-1", "2026-11-01", "1.10", "CREDIT")]).unwrap();
        assert_eq!(balance(&env).to_string(), after, "{ledgers}");
    }
}

#[test]
fn invalid_parameters_are_reported_with_other_errors() {
    let env = TestEnv::with(ACCOUNT);
    let body = request("transactions", &[transaction("T-1", "2026-11-01", "1", "PRESENT")]);
    let query = Err(vec!["check_previously_added"]);
    let refused = env.app.add_transactions(&env.caller, body.as_bytes(), query).unwrap_err();
    let TransactionsRefused::Transaction { errors, .. } = refused else { panic!("{refused}") };
    let errors: Vec<String> = errors.iter().map(|e| format!("{} {}", e.attr, e.code)).collect();
    assert_eq!(errors, ["check_previously_added invalid", "transactions.0.type invalid_choice"]);
}

#[test]
fn an_invalid_transaction_is_shown_as_sent() {
    let env = TestEnv::with(ACCOUNT);
    let twice = transaction("T-1", "2026-11-01", "1.10", "CREDIT").replace('}', r#","note":"a","note":"b"}"#);
    for sent in [
        &*twice,
        r#"{"transaction_id": "F", "transaction_date":"2026-02-30", "amount":10.10,"type":"CREDIT"}"#,
        r#"{"transaction_id":"F","transaction_date":"2026-11-01","amount":"ten","type":"CREDIT","x":[1.0]}"#,
        "7.0",
    ] {
        let good = transaction("T-2", "2026-11-01", "1", "CREDIT");
        let refused = add(&env, NO_MOVE, &[good, sent.to_owned()]).unwrap_err();
        assert!(refused.contains(sent), "{refused}");
    }
    assert_eq!(current(&env), 1, "half a batch is never stored");
}

#[test]
fn a_transaction_of_today_is_not_moved_if_the_period_is_empty() {
    let env = TestEnv::with(&ACCOUNT.replace("2026-06-30", "2026-11-20").replace("2026-07-05", "2026-11-21"));
    env.clock.advance(chrono::Duration::days(-1));
    let today = transaction("T-1", "2026-11-20", "1", "CREDIT");
    assert!(add(&env, NO_MOVE, std::slice::from_ref(&today)).unwrap_err().contains("outside"));
    add(&env, AddTransactions::default(), &[today]).unwrap();
    assert_eq!(env.imported().account.notes, None);
}

#[test]
fn errors_outside_of_the_list_name_no_transaction() {
    let env = TestEnv::with(ACCOUNT);
    let refused = env.app.add_transactions(&env.caller, b"{}", Ok(AddTransactions::default()));
    assert!(
        matches!(refused, Err(TransactionsRefused::Add(AddRefused::Faults(faults))) if faults.len() == 3)
    );
}

/// Series of requests: if known ids are skipped, if dates may be moved, and transactions with few different
/// ids.
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

    /// After any series of requests, the balance is the initial one plus the transactions added. Repeating
    /// them with known ids skipped changes nothing.
    #[test]
    fn balances_add_up_and_repeated_calls_change_nothing(calls in calls()) {
        let env = TestEnv::with(ACCOUNT);
        let (mut expected, mut count) = (balance(&env), current(&env));
        for (check_previously_added, force_add_to_current_statement, transactions) in &calls {
            let query = AddTransactions {
                check_previously_added: *check_previously_added,
                force_add_to_current_statement: *force_add_to_current_statement,
            };
            for (is_new, amount, is_plus) in add(&env, query, transactions).unwrap_or_default() {
                if is_new {
                    count += 1;
                    expected += if is_plus { amount } else { -amount };
                }
            }
            prop_assert_eq!(balance(&env), expected);
            prop_assert_eq!(current(&env), count);
            let before = env.imported();
            let again = AddTransactions { check_previously_added: true, ..query };
            if let Ok(results) = add(&env, again, transactions) {
                // Refused requests are refused again, so all transactions of accepted ones are known.
                let known = results.iter().all(|(is_new, ..)| !is_new);
                prop_assert!(known);
            }
            prop_assert_eq!(env.imported(), before);
        }
    }
}
