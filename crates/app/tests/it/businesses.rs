//! Businesses that have the number of another one (rule BUS-10).

use crate::env::TestEnv;
use cutover_app::additions::{AddRefused, ReplaceRefused};
use cutover_app::auth::{Caller, Credential};
use cutover_app::operator::SupplierChange;
use cutover_app::port::ApiKeyRole;
use cutover_core::Level;

const TAKEN: &str = "business.details.0.value business_detail_value_exists_for_unique_key";

fn business(identifier: &str, key: &str, value: &str) -> String {
    format!(
        r#"{{"import_supplier_code": "ACME", "external_business_identifier": "{identifier}",
            "business": {{"details": [{{"key": "{key}", "value": "{value}"}}]}}}}"#
    )
}

fn faults(refused: AddRefused) -> String {
    match refused {
        AddRefused::Faults(issues) => {
            let lines: Vec<_> = issues.iter().map(|issue| format!("{} {}", issue.attr, issue.code)).collect();
            lines.join("\n")
        }
        other => panic!("{other}"),
    }
}

fn create(env: &TestEnv, identifier: &str, key: &str, value: &str) -> Result<i64, String> {
    let created = env.app.create_business(&env.caller, business(identifier, key, value).as_bytes());
    created.map(|created| created.service_business_id).map_err(faults)
}

fn replace(env: &TestEnv, identifier: &str, key: &str, value: &str) -> Result<i64, String> {
    let body = business(identifier, key, value);
    match env.app.replace_business(&env.caller, identifier, body.as_bytes()) {
        Ok(replaced) => Ok(replaced.service_business_id),
        Err(ReplaceRefused::Add(refused)) => Err(faults(refused)),
        Err(other) => panic!("{other}"),
    }
}

fn set_level(env: &TestEnv, level: Level) {
    let rules = [("BUS-10".to_owned(), Some(level))].into();
    env.set_supplier(SupplierChange { rules, ..SupplierChange::default() });
}

/// An environment in which the rule is an error, with a business that has an ABN.
fn environment() -> TestEnv {
    let env = TestEnv::new();
    set_level(&env, Level::Error);
    assert_eq!(create(&env, "B-1", "abn", "51 824 753 556"), Ok(1));
    env
}

#[test]
fn a_number_that_another_business_has_is_reported() {
    let env = environment();
    assert_eq!(create(&env, "B-2", " abn", "51824753556").unwrap_err(), TAKEN);
    for level in [Level::Warning, Level::Off] {
        set_level(&env, level);
        assert!(create(&env, &format!("B-{level}"), "abn", "51824753556").is_ok(), "{level}");
    }
    set_level(&env, Level::Error);
    assert_eq!(create(&env, "B-3", "acn", "51824753556"), Ok(4));
    assert_eq!(create(&env, "B-4", "frmp", "51824753556"), Ok(5));
    assert_eq!(replace(&env, "B-4", "abn", "51824753556").unwrap_err(), TAKEN);
}

#[test]
fn a_business_has_its_own_number() {
    let env = environment();
    assert_eq!(create(&env, "B-1", "abn", "51 824 753 556"), Ok(1));
    assert_eq!(replace(&env, "B-1", "abn", "51824753556"), Ok(1));
    assert_eq!(replace(&env, " B-1", "abn", "53 004 085 616"), Ok(1));
    // Its earlier number is free, and its new one is not.
    assert_eq!(create(&env, "B-2", "abn", "51824753556"), Ok(2));
    assert_eq!(create(&env, "B-3", "abn", "53004085616").unwrap_err(), TAKEN);
}

#[test]
fn numbers_of_erased_businesses_and_of_other_organisations_are_free() {
    let env = environment();
    env.app.add_organisation("Other").unwrap();
    let rules = [("BUS-10".to_owned(), Some(Level::Error))].into();
    let strict = SupplierChange { rules, ..SupplierChange::default() };
    env.app.as_command().add_supplier("ACME2", "Other", strict).unwrap();
    let key = env.app.as_command().issue_api_key("Other", ApiKeyRole::Supplier).unwrap().key;
    let token = env.app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
    let other: Caller = env.app.authenticate(&token).unwrap();
    let sent = |identifier: &str| {
        let body = business(identifier, "abn", "51824753556").replace("ACME", "ACME2");
        env.app.create_business(&other, body.as_bytes()).map(drop).map_err(faults)
    };
    assert_eq!(sent("B-1"), Ok(()));
    assert_eq!(sent("B-2").unwrap_err(), TAKEN);
    env.app.as_command().erase_business("Acme", "B-1").unwrap();
    assert!(create(&env, "B-2", "abn", "51824753556").is_ok());
}
