//! Documents on S3 storage, with and without failures.

use crate::documents::{PDF, note, statement};
use crate::harness::{
    ACCOUNTS, Answer, Client, Installation, NOTES, STATEMENTS, Server, VALIDATE, adding, text,
    wait_for_count, wait_until,
};
use crate::payloads::{documented, small};
use cutover_testkit_s3::{BUCKET, Fault, S3Server};
use serde_json::json;

struct Stage {
    storage: S3Server,
    installation: Installation,
    key: String,
    server: Server,
    client: Client,
}

/// Storage, and a server that uses it for the documents of `ACME`.
fn stage(role: &str) -> Stage {
    let storage = S3Server::start().unwrap();
    let (mut installation, key) = Installation::with_supplier();
    storage.environment().iter().for_each(|(name, value)| installation.set_variable(name, value));
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "true"]);
    let server = serve(&installation, role);
    let client = server.client(&key);
    Stage { storage, installation, key, server, client }
}

fn serve(installation: &Installation, role: &str) -> Server {
    installation.serve_with(&["--role", role, "--documents-url", &format!("s3://{BUCKET}")])
}

fn fill(storage: &S3Server) {
    storage.put("ACME/notes/call.txt", b"x").unwrap();
    storage.put("ACME/statements/s-1.pdf", PDF).unwrap();
}

#[test]
fn missing_documents_and_other_files_than_pdf_are_reported() {
    let Stage { storage, client, installation, .. } = &stage("all");
    let account = documented("S-1");
    assert_eq!(
        client.send_json(VALIDATE, &account).errors(),
        [
            "notes.0.document_paths.0.document_path path_does_not_exist_in_file_store",
            "statements.0.statement_path path_does_not_exist_in_file_store",
        ]
    );
    fill(storage);
    storage.put("ACME/statements/s-1.pdf", b"%PD").unwrap();
    assert_eq!(
        client.send_json(VALIDATE, &account).errors(),
        ["statements.0.statement_path document_not_pdf"]
    );
    fill(storage);
    assert_eq!(client.send_json(VALIDATE, &account).status, 200);
    client.import(&[account]);
    let add_note = adding("S-1", "notes", note("notes/call.txt"));
    let add_statement = adding("S-1", "statements", statement("/statements/s-1.pdf"));
    assert_eq!(client.send_json(NOTES, &add_note).status, 201);
    assert_eq!(client.send_json(STATEMENTS, &add_statement).status, 201);
    let readyz = client.get("/readyz");
    assert_eq!(readyz.status, 200, "{}", readyz.text());
    // Prefixes of other suppliers, even similar ones, are never requested.
    storage.put("ACME2/canary.pdf", PDF).unwrap();
    for path in ["../ACME2/canary.pdf", "2/canary.pdf", "%2e%2e/ACME2/canary.pdf"] {
        let answer = client.send_json(STATEMENTS, &adding("S-1", "statements", statement(path)));
        assert_eq!(answer.status, 400, "{path}");
    }
    // Listing the bucket checks that it exists.
    let objects: Vec<String> = storage.seen().into_iter().map(|seen| seen.path).collect();
    let (bucket, inside) = (format!("/{BUCKET}"), format!("/{BUCKET}/ACME/"));
    assert!(objects.iter().all(|path| *path == bucket || path.starts_with(&inside)), "{objects:?}");
    assert_eq!(installation.account("S-1")["statements"][0]["statement_id"], "S-1");
}

/// The answer for cases without a code in the contract: retry soon.
fn assert_unavailable(answer: &Answer, fault: Fault) {
    assert_eq!(answer.code(), (503, "service_unavailable".to_owned()), "{fault:?}");
    assert!(answer.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
}

/// Every kind of failure: 503 although the storage may never answer, nothing stored, progress unaffected, and recovery afterwards.
fn endure(fault: Fault) {
    let Stage { storage, client, installation, server, .. } = &stage("all");
    fill(storage);
    client.import(&[documented("S-1")]);
    let before = installation.account("S-1");
    storage.set_fault(fault);
    std::thread::scope(|scope| {
        let asks: [(&str, serde_json::Value); 4] = [
            (VALIDATE, documented("S-2")),
            (ACCOUNTS, documented("S-2")),
            (NOTES, adding("S-1", "notes", note("notes/call.txt"))),
            (STATEMENTS, adding("S-1", "statements", statement("statements/s-1.pdf"))),
        ];
        let asked = asks.map(|(path, body)| scope.spawn(move || client.send_json(path, &body)));
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/S-1/")).status, 200);
        assert_eq!(client.send_json(VALIDATE, &small("S-3")).status, 200, "names no documents");
        assert_eq!(server.anonymous().get("/healthz").status, 200);
        asked.into_iter().for_each(|thread| assert_unavailable(&thread.join().unwrap(), fault));
    });
    let ready = server.anonymous().get("/readyz");
    assert_eq!((ready.status, &ready.json()["parts"]["documents"]), (200, &"down".into()), "{fault:?}");
    assert_eq!(installation.account("S-1"), before, "{fault:?}");
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/S-2/")).status, 404, "{fault:?}");
    storage.set_fault(Fault::None);
    wait_until("the storage is noticed", || client.send_json(VALIDATE, &documented("S-2")).status == 200);
    client.import(&[documented("S-2")]);
    wait_until("readiness shows it", || {
        server.anonymous().get("/readyz").json()["parts"]["documents"] == "ok"
    });
}

/// Decision 0057: what needs no documents goes on.
#[test]
fn without_a_supplier_that_verifies_documents_a_lost_storage_stops_nothing() {
    let Stage { storage, client, installation, server, .. } = &stage("all");
    installation.run_json(&["supplier", "set", "ACME", "--verify-documents", "false"]);
    storage.set_fault(Fault::Stopped);
    let account = documented("S-1");
    let ready = server.anonymous().get("/readyz");
    let validated = client.send_json(VALIDATE, &account);
    let created = client.create(&account);
    assert_eq!((ready.status, &ready.json()["parts"]["documents"]), (200, &"down".into()));
    assert_eq!((validated.status, created.status), (200, 201));
    client.wait("S-1", "PROCESSED");
    let add_note = adding("S-1", "notes", note("notes/call.txt"));
    assert_eq!(client.send_json(NOTES, &add_note).status, 201);
    let metrics = client.get("/metrics").text();
    assert!(metrics.contains("cutover_documents_up 0"), "{metrics}");
}

#[test]
fn a_failing_storage_is_a_temporary_failure() {
    std::thread::scope(|scope| {
        for fault in [Fault::Silent, Fault::Status(503), Fault::Cut, Fault::Stopped] {
            scope.spawn(move || endure(fault));
        }
    });
}

/// Number of imports that the failing storage interrupts.
const INTERRUPTED: usize = 30;

#[test]
fn imports_wait_for_storage_that_stopped_in_the_middle() {
    let Stage { storage, client, installation, key, server } = stage("api");
    installation.run_json(&[
        "supplier",
        "add",
        "SECOND",
        "--organisation",
        "Acme",
        "--verify-documents",
        "true",
    ]);
    fill(&storage);
    storage.put("SECOND/notes/call.txt", b"x").unwrap();
    storage.put("SECOND/statements/s-1.pdf", PDF).unwrap();
    for supplier in ["ACME", "SECOND"] {
        for i in 0..INTERRUPTED {
            let mut account = documented(&format!("{supplier}-{i}"));
            account["import_supplier"] = json!(supplier);
            assert_eq!(client.create(&account).status, 201);
        }
    }
    installation.run_json(&["supplier", "set", "SECOND", "--status", "paused"]);
    drop((server, client));
    let server = serve(&installation, "all");
    let client = server.client(&key);
    wait_for_count("the first half is imported", INTERRUPTED, || installation.count("ACME", "PROCESSED"));
    // The other half begins while the storage is silent; then the storage goes away.
    storage.set_fault(Fault::Silent);
    installation.run_json(&["supplier", "set", "SECOND", "--status", "ongoing"]);
    wait_until("the storage is asked", || storage.in_flight() > 0);
    storage.set_fault(Fault::Stopped);
    let number = |i: usize| format!("SECOND-{i}");
    wait_until("an import is put off", || {
        (0..INTERRUPTED).any(|i| installation.history("SECOND", &number(i)).contains(&"deferred".to_owned()))
    });
    assert_eq!(installation.count("SECOND", "PROCESSED"), 0, "the storage is gone");
    assert_eq!(installation.count("SECOND", "ERRORED"), 0);
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/ACME-0/")).status, 200);
    storage.set_fault(Fault::None);
    wait_for_count("the other half is imported", INTERRUPTED, || installation.count("SECOND", "PROCESSED"));
    for i in 0..INTERRUPTED {
        let shown = installation.show_of("SECOND", &number(i));
        assert_eq!(text(&shown["account"]["external_account_number"]), number(i));
        assert!(shown["latest_error"].is_null());
        let history = installation.history("SECOND", &number(i));
        assert_eq!(history.iter().filter(|event| *event == "imported").count(), 1, "{history:?}");
        // A claim that waited long for others of its worker is released as at a shutdown.
        let known = ["created", "claimed", "deferred", "shut_down", "imported"];
        assert!(history.iter().all(|event| known.contains(&event.as_str())), "{history:?}");
    }
}
