//! Accounts are found by what people know of them.

use crate::env::TestEnv;
use cutover_app::auth::Caller;
use cutover_app::operator::{FoundAccount, FoundAccounts, FoundBy};
use cutover_app::port::{AuditFilter, SearchTerm, read};
use cutover_testkit::create_account;

const ADA: &str = r#"
    "customers": [{"given_name": "Ada Maria", "family_name": "O'Brien-Müller", "email": "Ada@Example.com", "mobile": "0412 345 678"}],
    "billing_name": "Analytical Engines Pty Ltd",
    "last_billed_to_date": "2026-01-01",
    "supply_addresses": [{
        "supply_address": {
            "administrative_area": "VIC", "country": "AU", "locality": "RICHMOND", "postal_code": "3121",
            "structured_street_address": {"house_number_1": "12", "street_name": "HIGH", "street_type": "ST"}
        },
        "customer_at_supply_address_from_date": "2020-01-01",
        "meter_points": [{
            "mpxn": "6203847516", "supply_type": "ELECTRICITY", "supply_start_date": "2020-01-01",
            "meters": [{"meter_serial_number": "SN-0815"}]
        }]
    }]"#;
const BOB: &str = r#""customers": [{"given_name": "Bob", "family_name": "Smith"}]"#;

fn environment() -> TestEnv {
    let env = TestEnv::new();
    env.create_as("OLD-70012345", ADA);
    env.create_as("OLD-70099999", BOB);
    env.refuse("OLD-80012346");
    env
}

fn search(env: &TestEnv, text: &str) -> FoundAccounts {
    env.app.as_caller(&env.caller).search_accounts(None, text, 10).unwrap()
}

/// A line for each account that was found, with what it was found by.
fn found(env: &TestEnv, text: &str) -> Vec<String> {
    let line = |account, by: Vec<&str>| match account {
        FoundAccount::Accepted(account) => format!("{} by {}", account.number, by.join(", ")),
        FoundAccount::Refused(refused) => format!("{} refused, by {}", refused.number, by.join(", ")),
    };
    let matches = search(env, text).matches.into_iter();
    matches
        .map(|found| line(found.account, found.found_by.into_iter().map(FoundBy::as_str).collect()))
        .collect()
}

/// The words of an account in the store.
fn terms_of(env: &TestEnv, number: &str) -> Vec<SearchTerm> {
    let number = number.parse().unwrap();
    read(&*env.store, |tx| {
        let id = tx.process(1, &number)?.unwrap().process.id();
        Ok(tx.staged(id)?.unwrap().terms)
    })
    .unwrap()
}

#[test]
fn waiting_accounts_are_found_by_everything_people_know() {
    let env = environment();
    let texts = [
        "OLD-7",
        "0012",
        "001234",
        "Müller",
        "muller",
        "ada müller",
        "OBRIEN Ada",
        "maria o'brien",
        "Ada Smith",
        "bob smith",
        "ada@example.com",
        "+61 412 345 678",
        "12 High Street, Richmond VIC 3121",
        "High 3121",
        "Low 3121",
        "6203847516",
        "sn 0815",
        "analytical engines",
        "3121",
        "zz",
    ];
    let lines = texts.map(|text| format!("{text}: {}", found(&env, text).join("; ")));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn an_account_is_found_by_its_latest_payload_until_it_is_erased() {
    let env = environment();
    env.create_as("OLD-70099999", &BOB.replace("Smith", "Jones"));
    assert_eq!(found(&env, "smith"), [""; 0]);
    assert_eq!(found(&env, "jones"), ["OLD-70099999 by name"]);
    env.worker.run_once().unwrap();
    assert_eq!(found(&env, "jones"), ["OLD-70099999 by name"]);
    env.app.as_command().erase_account("ACME", "OLD-70099999", "asked for").unwrap();
    assert_eq!(found(&env, "jones"), [""; 0]);
}

#[test]
fn nobody_finds_the_accounts_of_others() {
    let env = environment();
    let stranger = Caller { organisation_id: 99, ..env.caller.clone() };
    for text in ["muller", "0012", "ada@example.com"] {
        assert!(env.app.as_caller(&stranger).search_accounts(None, text, 10).unwrap().matches.is_empty());
    }
    assert!(env.app.as_caller(&stranger).search_accounts(Some("ACME"), "muller", 10).is_err());
}

/// Nor is any word in the index of the store: it has hashes, and the ends of numbers.
#[test]
fn a_search_is_recorded_without_its_text() {
    let env = environment();
    search(&env, "ada müller");
    let filter = AuditFilter::default();
    let last = read(&*env.store, |tx| tx.audit_records(&filter, 1)).unwrap().remove(0);
    assert_eq!(last.action.as_str(), "account.search");
    let facts: Vec<_> = last.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
    assert_eq!(facts, ["found=1"]);
    let terms = terms_of(&env, "OLD-70012345");
    let texts = terms.iter().map(|SearchTerm(term)| String::from_utf8_lossy(term).to_lowercase());
    let readable: Vec<_> = texts.filter(|text| text.contains("12345")).collect();
    assert!(
        readable.len() > 2
            && readable.iter().all(|end| "\u{1}\0\0\0\0\0\0\0\u{1}old-70012345".ends_with(&end[9..])),
        "only the ends of its number: {readable:?}"
    );
    let all = terms.iter().flat_map(|SearchTerm(term)| term.clone()).collect::<Vec<u8>>();
    let all = String::from_utf8_lossy(&all).to_lowercase();
    for word in ["ada", "muller", "müller", "obrien", "example", "0815", "6203847516", "high", "3121"] {
        assert!(!all.contains(word), "{word}");
    }
}

/// An account has only the contract of its business in its payload.
#[test]
fn accounts_are_found_by_the_name_of_their_business() {
    let env = TestEnv::new();
    let business = |name: &str| {
        format!(
            r#"{{"import_supplier_code": "ACME", "external_business_identifier": "B-1", "business": {{
                "company_name": "{name}", "business_contracts": [{{"identifier": "C-1",
                "valid_from_date": "2023-01-01", "signed_at_date": "2022-12-01"}}]}}}}"#
        )
    };
    env.app.create_business(&env.caller, business("Halloran Cold Störage Pty. Ltd.").as_bytes()).unwrap();
    env.create_as("N-1", &format!(r#"{BOB}, "business": {{"business_contract_identifier": "C-1"}}"#));
    env.create_as("N-2", BOB);
    for text in ["halloran", "Cold Storage", "Halloran cold storage pty ltd", "B-1", "C-1"] {
        assert_eq!(found(&env, text), ["N-1 by business"], "{text}");
    }
    for text in ["pty ltd", "halloran storage", "hallo"] {
        assert_eq!(found(&env, text), [""; 0], "{text}");
    }
    env.app.replace_business(&env.caller, "B-1", business("Icehouse").as_bytes()).unwrap();
    assert_eq!((found(&env, "halloran"), found(&env, "icehouse")), (vec![], vec!["N-1 by business".into()]));
    let stranger = Caller { organisation_id: 99, ..env.caller.clone() };
    assert!(env.app.as_caller(&stranger).search_accounts(None, "icehouse", 10).unwrap().matches.is_empty());
}

#[test]
fn words_beyond_the_limit_of_an_account_are_left_out() {
    let env = TestEnv::new();
    let customers: Vec<_> =
        (0..3_000).map(|n| format!(r#"{{"given_name":"G{n}","family_name":"Zed"}}"#)).collect();
    let account = crate::env::account_of("MANY-1", &format!(r#""customers":[{}]"#, customers.join(",")));
    create_account(&env.app, &env.caller, None, account.as_bytes()).unwrap();
    assert_eq!(terms_of(&env, "MANY-1").len(), 2_000 + "MANY-1".len() - 4);
}
