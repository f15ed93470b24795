use crate::harness::{ACCOUNTS, Installation, wait_for};
use crate::payloads::small;
use serde_json::json;

#[test]
fn equal_content_changes_nothing_and_other_content_replaces() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    assert_eq!(
        client
            .post(
                ACCOUNTS,
                r#"{"import_supplier":"ACME","external_account_number":"C-1","ledgers":[{"ledger_balance":1.50}]}"#
            )
            .status,
        201
    );
    // Order of members, notation of numbers and default parameters do not matter.
    let same = r#"{"task_params":{"is_dry_run":false},"payload":{"ledgers":[{"ledger_balance":15e-1}],"external_account_number":"C-1","import_supplier":"ACME"}}"#;
    assert_eq!(client.post(ACCOUNTS, same).status, 201);
    assert_eq!(installation.history("ACME", "C-1"), ["created"]);
    // A number and a string differ.
    let other =
        r#"{"import_supplier":"ACME","external_account_number":"C-1","ledgers":[{"ledger_balance":"1.50"}]}"#;
    assert_eq!(client.post(ACCOUNTS, other).status, 201);
    assert_eq!(installation.history("ACME", "C-1"), ["created", "replaced"]);
    assert_eq!(client.status("C-1")["status"], "PENDING");
}

#[test]
fn a_hundred_creates_of_one_account_leave_one_process() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let create = |i: usize| {
            let client = client.clone();
            move || {
                let mut account = small("C-1");
                account["billing_name"] = json!(format!("Version {}", i % 7));
                // PostgreSQL ends a wait for a lock after 5 s, which a hundred commits of a busy disk may take. Clients
                // send the account again then.
                wait_for("an answer", || match client.create(&account).status {
                    503 => Err(()),
                    status => Ok(status),
                })
            }
        };
        let threads: Vec<_> = (0..100).map(|i| scope.spawn(create(i))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(statuses, [201; 100]);
    assert_eq!(installation.run_json(&["process", "list", "ACME"]).as_array().unwrap().len(), 1);
}
