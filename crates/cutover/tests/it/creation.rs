use crate::harness::{ACCOUNTS, Client, Installation, Server, wait_for};
use crate::payloads::{small, wrapped};
use serde_json::{Value, json};

/// A server without workers: created accounts stay pending.
fn staged() -> (Installation, Server, Client) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--role", "api"]);
    let client = server.client(&key);
    (installation, server, client)
}

fn history(installation: &Installation, number: &str) -> Vec<String> {
    let shown = installation.show(number);
    let entry = |e: &Value| e["event"].as_str().unwrap().to_owned();
    shown["history"].as_array().unwrap().iter().map(entry).collect()
}

#[test]
fn a_create_is_scheduled_and_its_status_is_reported() {
    let (_installation, _server, client) = staged();
    let answer = client.create(&small("C-1"));
    assert_eq!((answer.status, answer.json()), (201, json!({})));
    let status = client.status("C-1");
    assert_eq!(status["status"], "PENDING");
    assert_eq!(status["service_identifier"], Value::Null);
    assert_eq!(status["latest_event"]["event"], "EVENT_ACCOUNT_IMPORT_PROCESS_CREATED");
    assert_eq!(status["latest_event"]["data"], Value::Null);
    assert_eq!(status["latest_error"], Value::Null);
    assert_eq!(status["created_at"], status["modified_at"]);
    let members =
        ["created_at", "latest_error", "latest_event", "modified_at", "service_identifier", "status"];
    assert_eq!(status.as_object().unwrap().keys().collect::<Vec<_>>(), members);
}

#[test]
fn a_faulty_create_is_refused_and_stores_nothing() {
    let (installation, _server, client) = staged();
    let mut account = small("C-1");
    account["customers"][0]["email"] = json!("no mail");
    let answer = client.create(&account);
    assert_eq!(answer.code(), (400, "import_process_failed_validation".into()));
    assert_eq!(answer.json()["domain"], "import_process");
    assert_eq!(answer.json().as_object().unwrap().len(), 3);
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/C-1/")).code(), (404, "not_found".into()));
    assert_eq!(installation.run_json(&["process", "list", "ACME"]), json!([]));
}

#[test]
fn equal_content_changes_nothing_and_other_content_replaces() {
    let (installation, _server, client) = staged();
    assert_eq!(
        client
            .post(
                ACCOUNTS,
                r#"{"import_supplier":"ACME","external_account_number":"C-1","transfer_balance":1.50}"#
            )
            .status,
        201
    );
    // Order of members, notation of numbers and default parameters do not matter.
    let same = r#"{"task_params":{"is_dry_run":false},"payload":{"transfer_balance":15e-1,"external_account_number":"C-1","import_supplier":"ACME"}}"#;
    assert_eq!(client.post(ACCOUNTS, same).status, 201);
    assert_eq!(history(&installation, "C-1"), ["created"]);
    // A number and a string differ.
    let other = r#"{"import_supplier":"ACME","external_account_number":"C-1","transfer_balance":"1.50"}"#;
    assert_eq!(client.post(ACCOUNTS, other).status, 201);
    assert_eq!(history(&installation, "C-1"), ["created", "replaced"]);
    assert_eq!(client.status("C-1")["status"], "PENDING");
}

#[test]
fn a_supplier_that_is_not_ongoing_accepts_nothing() {
    let (installation, _server, client) = staged();
    for status in ["paused", "complete"] {
        installation.run_json(&["supplier", "set", "ACME", "--status", status]);
        let answer = client.create(&small("C-1"));
        assert_eq!(answer.code(), (400, "import_supplier_migration_not_ongoing".into()));
        assert_eq!(answer.json()["domain"], "import_supplier");
    }
    // Faults are reported first.
    let faulty = client.post(ACCOUNTS, r#"{"import_supplier":"ACME"}"#);
    assert_eq!(faulty.code(), (400, "import_process_failed_validation".into()));
}

#[test]
fn a_window_is_checked() {
    let (_installation, _server, client) = staged();
    let answer = client.post(crate::harness::VALIDATE, wrapped("C-1", json!({
        "schedule_window_start": "2020-01-01T00:00:00Z", "schedule_window_end": "2019-01-01T00:00:00Z", "is_dry_run": "no"
    })).to_string());
    assert_eq!(
        answer.errors(),
        [
            "task_params.is_dry_run invalid",
            "task_params.schedule_window_end schedule_window_end_in_past",
            "task_params.schedule_window_start schedule_window_start__after_end",
            "task_params.schedule_window_start schedule_window_start_in_past",
        ]
    );
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

#[test]
fn numbers_are_trimmed_and_found_by_their_encoded_path() {
    let (_installation, _server, client) = staged();
    for (number, path) in
        [(" C 1\t", "C%201"), ("a/b", "a%2Fb"), ("50%", "50%25"), ("Zoë", "Zo%C3%AB"), ("a%2Fb", "a%252Fb")]
    {
        assert_eq!(client.create(&small(number)).status, 201, "{number}");
        assert_eq!(client.status(path)["status"], "PENDING", "{number}");
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/{path}")).status, 200, "without the slash: {number}");
    }
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/%FF/")).status, 404);
}
