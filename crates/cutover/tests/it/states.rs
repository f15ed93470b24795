//! Failure 24: a supplier is paused or completed, or an account cancelled, during a migration.

use crate::documents::PDF;
use crate::harness::{ACCOUNTS, Client, Installation, Server, wait_until};
use crate::payloads::{documented, nameless, small, wrapped};
use cutover_testkit_s3::{BUCKET, Fault, S3Server};
use serde_json::{Value, json};

/// The numbers of an account in each state.
const STATES: [&str; 8] = [
    "PENDING",
    "LATER",
    "IN_PROGRESS",
    "PROCESSED",
    "ERRORED",
    "CANCELLED",
    "DRY_RUN_SUCCEEDED",
    "DRY_RUN_ERRORED",
];

struct Migration {
    storage: S3Server,
    installation: Installation,
    key: String,
    server: Option<Server>,
}

impl Migration {
    /// Creates a row in every state; the one in progress waits for silent storage, and another waits behind
    /// it.
    fn in_the_middle() -> Self {
        let storage = S3Server::start().unwrap();
        for supplier in ["ACME", "SECOND"] {
            storage.put(&format!("{supplier}/notes/call.txt"), b"x").unwrap();
            storage.put(&format!("{supplier}/statements/s-1.pdf"), PDF).unwrap();
        }
        let (mut installation, key) = Installation::with_supplier();
        storage.environment().iter().for_each(|(name, value)| installation.set_variable(name, value));
        installation.run_json(&[
            "supplier",
            "set",
            "ACME",
            "--verify-documents",
            "true",
            "--max-concurrent-imports",
            "1",
        ]);
        installation.run_json(&["supplier", "add", "SECOND", "--organisation", "Acme"]);
        let later = json!({"schedule_window_start": "2099-01-01T00:00:00Z"});
        let dry = json!({"is_dry_run": true});
        let mut migration = Self { storage, installation, key, server: None };
        migration.stage(&[
            small("PROCESSED"),
            nameless("ERRORED"),
            wrapped("LATER", later.clone()),
            wrapped("CANCELLED", later),
            wrapped("DRY_RUN_SUCCEEDED", dry.clone()),
            json!({"payload": nameless("DRY_RUN_ERRORED"), "task_params": dry}),
        ]);
        migration.installation.run_json(&["process", "cancel", "ACME", "CANCELLED"]);
        migration.installation.run_json(&["supplier", "set", "ACME", "--rule", "CUS-08=error"]);
        let client = migration.serve("all");
        for number in ["PROCESSED", "ERRORED", "DRY_RUN_SUCCEEDED", "DRY_RUN_ERRORED"] {
            client.wait(number, number);
        }
        migration.stage(&[documented("IN_PROGRESS"), documented("PENDING")]);
        migration.storage.set_fault(Fault::Silent);
        migration.serve("all");
        wait_until("an import is in flight", || migration.storage.in_flight() > 0);
        migration
    }

    /// Stops the server, and starts another in its place.
    fn serve(&mut self, role: &str) -> Client {
        drop(self.server.take());
        let documents = format!("s3://{BUCKET}");
        let server = self.installation.serve_with(&["--role", role, "--documents-url", &documents]);
        let client = server.client(&self.key);
        self.server = Some(server);
        client
    }

    /// Creates accounts that stay pending.
    fn stage(&mut self, accounts: &[Value]) {
        let client = self.serve("api");
        for account in accounts {
            let answer = client.create(account);
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        drop(self.server.take());
    }

    fn client(&self) -> Client {
        self.server.as_ref().unwrap().client(&self.key)
    }

    fn set(&self, status: &str) {
        self.installation.run_json(&["supplier", "set", "ACME", "--status", status, "--yes"]);
    }

    /// The number, state, attempt and account of every row.
    fn rows(&self) -> Vec<Value> {
        let row = |number| {
            let shown = self.installation.show(number);
            json!([
                number,
                shown["status"],
                shown["attempt"],
                shown["service_identifier"],
                shown.get("account").is_some()
            ])
        };
        STATES.map(row).into()
    }

    /// Waits until nothing is in progress; begun imports are then complete, or rolled back.
    fn quiet(&self) {
        wait_until("nothing is in flight", || self.installation.count("ACME", "IN_PROGRESS") == 0);
        let shown = self.installation.show("IN_PROGRESS");
        let is_whole =
            shown["status"] == "PROCESSED" && shown["account"]["statements"][0]["statement_id"] == "S-1";
        let has_nothing =
            shown["service_identifier"].is_null() && shown.get("account").is_none_or(Value::is_null);
        assert!(is_whole || shown["status"] == "PENDING" && has_nothing, "{shown}");
    }

    /// Another supplier's account is imported: the worker runs, and has skipped the waiting ones.
    fn others_go_on(&self, number: &str) {
        let mut account = small(number);
        account["import_supplier"] = json!("SECOND");
        assert_eq!(self.client().create(&account).status, 201);
        wait_until("another supplier's is imported", || {
            self.installation.show_of("SECOND", number)["status"] == "PROCESSED"
        });
    }

    /// Creates of every row, and of a new one, are refused alike and change nothing.
    fn takes_nothing(&self) {
        let client = self.client();
        for number in STATES.into_iter().chain(["NEW"]) {
            let dry = wrapped(number, json!({"is_dry_run": true}));
            for account in [small(number), dry] {
                let code = client.create(&account).code();
                assert_eq!(code, (400, "import_supplier_migration_not_ongoing".to_owned()), "{number}");
            }
        }
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/NEW/")).status, 404);
    }

    /// After resuming, waiting accounts are imported once, and the others are unchanged.
    fn goes_on(&self, before: &[Value]) {
        self.set("ongoing");
        for number in ["IN_PROGRESS", "PENDING"] {
            wait_until("what waited is imported", || self.installation.show(number)["status"] == "PROCESSED");
            let history = self.installation.history("ACME", number);
            assert_eq!(history.iter().filter(|event| *event == "imported").count(), 1, "{history:?}");
        }
        let of_others = |rows: &[Value]| -> Vec<Value> {
            rows.iter().filter(|row| row[0] != "IN_PROGRESS" && row[0] != "PENDING").cloned().collect()
        };
        assert_eq!(of_others(&self.rows()), of_others(before));
        assert_eq!(self.installation.failed_checks(), [""; 0]);
    }
}

/// Sets the supplier to a status that accepts nothing, during a migration.
fn stop_and_go_on(status: &str) {
    let mut migration = Migration::in_the_middle();
    migration.set(status);
    migration.takes_nothing();
    migration.storage.set_fault(Fault::None);
    migration.quiet();
    let before = migration.rows();
    for (row, number) in before.iter().zip(STATES) {
        let expected = if number == "LATER" { "PENDING" } else { number };
        assert!(row[1] == expected || number == "IN_PROGRESS", "{row}");
    }
    migration.others_go_on("S-1");
    assert_eq!(migration.rows(), before, "staged payloads are unchanged");
    // The same by a newly started process.
    migration.serve("all");
    migration.others_go_on("S-2");
    migration.takes_nothing();
    assert_eq!(migration.rows(), before);
    migration.goes_on(&before);
}

#[test]
fn a_paused_supplier_keeps_staged_payloads_and_imports_them_once_later() {
    stop_and_go_on("paused");
}

#[test]
fn a_supplier_completed_too_early_keeps_staged_payloads() {
    stop_and_go_on("complete");
}

/// An import in progress is rolled back as a whole, kept while the supplier is paused, and made once later.
#[test]
fn a_worker_that_dies_while_its_supplier_is_paused_leaves_no_partial_import() {
    let mut migration = Migration::in_the_middle();
    migration.set("paused");
    migration.server.take().unwrap().kill();
    migration.storage.set_fault(Fault::None);
    migration.serve("all");
    migration.quiet();
    assert_eq!(migration.installation.show("IN_PROGRESS")["status"], "PENDING");
    let before = migration.rows();
    migration.others_go_on("S-1");
    assert_eq!(migration.rows(), before);
    migration.goes_on(&before);
}

/// Accounts that have not begun are cancelled; a begun one is cancelled as a whole or not at all.
#[test]
fn a_cancellation_during_a_migration_affects_pending_accounts_only() {
    let migration = Migration::in_the_middle();
    let cancel =
        |number: &str| migration.installation.run(&["process", "cancel", "ACME", number]).status.success();
    for number in ["PROCESSED", "ERRORED", "CANCELLED"] {
        assert!(!cancel(number), "{number}");
        assert_eq!(migration.installation.show(number)["status"], number);
    }
    // What was only rehearsed is still to be sent, or not.
    for number in ["DRY_RUN_SUCCEEDED", "DRY_RUN_ERRORED"] {
        assert!(cancel(number), "{number}");
        assert_eq!(migration.installation.show(number)["status"], "CANCELLED");
    }
    assert!(cancel("LATER"));
    // It cannot be cancelled in progress; deferred because of the storage it can.
    let is_cancelled = cancel("IN_PROGRESS");
    migration.storage.set_fault(Fault::None);
    let expected = if is_cancelled { "CANCELLED" } else { "PROCESSED" };
    migration.client().wait("IN_PROGRESS", expected);
    migration.client().wait("PENDING", "PROCESSED");
    assert_eq!(migration.installation.show("IN_PROGRESS")["service_identifier"].is_null(), is_cancelled);
    assert_eq!(migration.installation.show("LATER")["status"], "CANCELLED");
    // A create starts another attempt; earlier ones stay in the history.
    assert_eq!(migration.client().create(&small("LATER")).status, 201);
    migration.client().wait("LATER", "PROCESSED");
    let history = migration.installation.history("ACME", "LATER");
    assert_eq!(history.iter().filter(|event| *event == "cancelled").count(), 1, "{history:?}");
}
