use super::fault::tests::each;
use super::*;
use cutover_core::{Now, Zone};
use cutover_model::decode_account;
use cutover_rules::{Facts, Profile, check_account};

fn today() -> NaiveDate {
    "2026-03-31".parse().unwrap()
}

fn generator(seed: u64) -> Generator {
    Generator::new(seed, "DEMO-1", today())
}

/// The errors and the warnings of a payload, as `attr: code`.
fn check(payload: &Value) -> (Vec<String>, Vec<String>) {
    let body = payload.to_string();
    let now = Now::new("2026-03-31T02:00:00Z".parse().unwrap(), Zone::UTC);
    let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
    let facts = Facts { supplier_known: Some(true), ..Facts::at(now) };
    let report = check_account(&decoded, facts, &Profile::default());
    let named =
        |issues: &[cutover_core::Issue]| issues.iter().map(|i| format!("{}: {}", i.attr, i.code)).collect();
    (named(&report.errors), named(&report.warnings))
}

#[test]
fn valid_accounts_are_valid_without_a_warning() {
    for seed in 1..=5 {
        let mut generator = generator(seed);
        for _ in 0..200 {
            let account = generator.valid();
            assert_eq!(check(&account.payload), (vec![], vec![]), "seed {seed}, {}", account.number);
        }
    }
}

#[test]
fn a_faulty_account_has_the_fault_it_claims_and_no_other() {
    for seed in 1..=20 {
        let mut generator = generator(seed);
        for (fault, payload) in each(|| generator.valid().payload, today()) {
            assert_eq!(check(&payload).0, [format!("{}: {}", fault.attr, fault.code)], "seed {seed}");
        }
    }
}

#[test]
fn about_one_in_twenty_is_faulty() {
    let mut generator = generator(7);
    let faulty = (0..2_000).filter(|_| generator.account().fault.is_some()).count();
    assert!((60..=140).contains(&faulty), "{faulty}");
}

#[test]
fn a_seed_makes_the_same_accounts_with_numbers_of_their_own() {
    let make = || {
        let mut generator = generator(3);
        (0..50).map(|_| generator.account()).collect::<Vec<_>>()
    };
    let (one, other) = (make(), make());
    assert!(one.iter().zip(&other).all(|(a, b)| a.payload == b.payload));
    let numbers: std::collections::BTreeSet<_> = one.iter().map(|a| &a.number).collect();
    assert_eq!(numbers.len(), 50);
}
