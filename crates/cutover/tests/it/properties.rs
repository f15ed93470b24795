use crate::harness::{ACCOUNTS, Installation, VALIDATE};
use cutover_testkit::payload::account_json;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// Validate and create agree on generated payloads, most of them faulty, and never answer 5xx.
#[test]
fn validate_and_create_agree() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api", "--rate-limit", "0"]);
    let client = server.client(&key);
    let mut runner = TestRunner::new(Config::with_cases(150));
    let (taken, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    runner
        .run(&(any::<u64>(), any::<bool>()), |(seed, plain)| {
            let mut account: serde_json::Value = serde_json::from_str(&account_json(seed)).unwrap();
            if plain {
                // Members that several rules check together are left out, so that some payloads are valid.
                let kept = ["communication_preference", "billing_name", "sales_channel"];
                account.as_object_mut().unwrap().retain(|name, _| kept.contains(&name.as_str()));
            }
            account["import_supplier"] = "ACME".into();
            account["external_account_number"] = format!("P-{seed}-{plain}").into();
            let body = account.to_string();
            let (validated, created) = (client.post(VALIDATE, &body), client.post(ACCOUNTS, &body));
            prop_assert!(
                matches!((validated.status, created.status), (200, 201) | (400, 400)),
                "{validated:?} {created:?}"
            );
            let counter = if created.status == 201 { &taken } else { &refused };
            counter.set(counter.get() + 1);
            Ok(())
        })
        .unwrap();
    assert!(taken.get() > 20 && refused.get() > 20, "{} taken, {} refused", taken.get(), refused.get());
}
