use crate::env::{TestEnv, request};
use cutover_app::Step;
use cutover_app::additions::AddRefused;

fn statement(id: &str, more: &str) -> String {
    format!(
        r#"{{"bill_period_from_date":"2026-01-01","bill_period_to_date":"2026-01-31","statement_id":"{id}"{more}}}"#
    )
}

fn add(env: &TestEnv, statements: &[String]) -> Result<String, Vec<String>> {
    let body = request("statements", statements);
    match env.app.add_historical_statements(&env.caller, body.as_bytes(), None) {
        Ok(Step::Done(answer)) => Ok(answer),
        Err(AddRefused::Faults(faults)) => {
            Err(faults.iter().map(|f| format!("{} {}", f.attr, f.code)).collect())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn statements_are_added_once_and_never_changed() {
    let env = TestEnv::with(
        r#""unknown_occupier":true,"statements":[{"bill_period_from_date":"2025-01-01","bill_period_to_date":"2025-01-31","statement_id":"S-1"}]"#,
    );
    let amount = |id, amount| statement(id, &format!(r#","gross_amount":{amount}"#));
    let answer = add(&env, &[amount("S-1", "10.10"), amount("S-2", "20")]).unwrap();
    assert_eq!(answer, request("statements", &[amount("S-1", "10.10"), amount("S-2", "20")]));
    // Equal content is accepted again. A statement with other content refuses all.
    add(&env, &[amount(" S-1", "10.1").replace(" S-1", "S-1"), amount("S-3", "1")]).unwrap();
    let absent = r#","issued_date":null,"number":" ","gross_amount":1"#;
    add(&env, &[statement("S-3", absent)]).unwrap();
    let refused = add(&env, &[amount("S-4", "1"), amount("S-2", "20.01"), amount("S-1", "\"10.10\"")]);
    let code = "historical_statement_already_exists";
    let at = |n| format!("statements.{n}.statement_id {code}");
    assert_eq!(refused.unwrap_err(), [at(1), at(2)]);
    let imported = env.imported();
    let ids: Vec<&str> = imported.historical_statements.iter().map(|s| s.statement_id.trimmed()).collect();
    assert_eq!(ids, ["S-1", "S-2", "S-3"]);
    assert_eq!(imported.account.statements.unwrap().len(), 1);
}

#[test]
fn a_duplicate_id_in_a_request_is_an_error() {
    let env = TestEnv::with(r#""unknown_occupier":true"#);
    let refused = add(&env, &[statement("S-1", ""), statement("S-1", "")]).unwrap_err();
    assert_eq!(refused, ["statements.1.statement_id duplicate_statement_ids"]);
    assert!(env.imported().historical_statements.is_empty());
}
