//! Export and erasure of one account.

use crate::harness::{Client, Installation, NOTES, TRANSACTIONS, VALIDATE, adding, items, text};
use crate::payloads::{KINDS, documented, fixture, small};
use crate::transactions::transaction;
use cutover_testkit_postgres::psql;
use serde_json::{Value, json};

const IMPORTED: &str = "/v2/data-import/imported-accounts/ACME/";
const BULK: &str = "/v2/data-import/accounts/bulk/";
const INVARIANTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/invariants.sql");

/// What makes a command erase, with its reason.
const YES: [&str; 3] = ["--yes", "--because", "asked for"];

/// Figures that must not change when an account is erased and imported again.
fn figures(client: &Client) -> [Value; 2] {
    let mut progress = client.progress();
    [progress["counts"].take(), progress["totals"].take()]
}

/// On PostgreSQL, runs the operators' consistency check, which must find nothing.
fn assert_sound(installation: &Installation) {
    assert_eq!(installation.failed_checks(), [""; 0]);
    if std::env::var_os("CUTOVER_TEST_ON").is_some() {
        let output =
            psql(installation.test_database().url()).unwrap().args(["-f", INVARIANTS]).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!((output.status.code(), said.concat()), (Some(0), String::new()));
    }
}

#[test]
fn an_erased_account_is_refused_until_that_is_forgotten() {
    let (installation, _server, client) = Installation::with_accounts(&[documented("A-1"), small("A-2")]);
    let before = figures(&client);
    let note = json!([{"body": "B", "document_paths": [{"document_path": "later.txt"}]}]);
    assert_eq!(client.send_json(NOTES, &adding("A-1", "notes", note.clone())).status, 201);
    let erase = ["account", "erase", "ACME", "A-1"];
    let shown = installation.run_json(&erase);
    let documents = json!(["/ACME/later.txt", "/ACME/notes/call.txt", "/ACME/statements/s-1.pdf"]);
    assert_eq!((&shown["erased"], &shown["documents"]), (&json!(false), &documents));
    assert_eq!(client.status("A-1")["status"], "PROCESSED");

    let erased = installation.run_json(&[&erase[..], &YES].concat());
    assert_eq!((&erased["erased"], &erased["documents"]), (&json!(true), &documents));
    assert_eq!((&erased["rows"]["notes"], &erased["rows"]["processes"]), (&json!(2), &json!(1)));
    let absent = (404, "import_process_does_not_exist".to_owned());
    assert_eq!(client.get("/v2/data-import/accounts/ACME/A-1/").status, 404);
    assert_eq!(client.send_json(NOTES, &adding("A-1", "notes", note)).code(), absent);
    assert!(installation.run_refused(&[&erase[..], &YES].concat()).contains("A-1"));
    assert_sound(&installation);

    let refused = client.create(&documented("A-1"));
    assert_eq!(refused.code(), (400, "import_process_failed_validation".to_owned()), "{}", refused.text());
    let validated = client.send_json(VALIDATE, &documented("A-1"));
    assert_eq!(validated.status, 400, "{}", validated.text());
    let error = &validated.json()["errors"][0];
    assert_eq!(
        (&error["code"], &error["attr"]),
        (&json!("account_erased"), &json!("external_account_number"))
    );
    let media = [("Content-Type", "application/x-ndjson")];
    let line = client.send("POST", BULK, &media, format!("{}\n", documented("A-1")).as_bytes());
    assert!(line.text().contains("import_process_failed_validation"), "{}", line.text());
    let forget = [&erase[..], &["--forget"]].concat();
    let shown = installation.run_json(&forget);
    assert_eq!(shown, json!({"erased": true, "forgotten": false}));
    let forgotten = installation.run_json(&[&forget[..], &YES].concat());
    assert_eq!(forgotten, json!({"erased": false, "forgotten": true}));
    assert!(installation.run_refused(&[&forget[..], &YES].concat()).contains("erased account"));
    let trail = installation.run_json(&["audit", "--action", "account.forget-erasure"]);
    assert_eq!(items(&trail)[0]["detail"]["because"], "asked for");

    assert_eq!(client.create(&documented("A-1")).status, 201);
    client.wait("A-1", "PROCESSED");
    assert_eq!(figures(&client), before);
    let reported = installation.run_json(&["audit", "--action", "account.erase"]);
    let reported = &items(&reported)[0];
    assert_eq!((&reported["process_id"], &reported["detail"]["notes"]), (&erased["process_id"], &json!(2)));
    assert_eq!(
        (&reported["detail"]["documents"], &reported["detail"]["because"]),
        (&json!(3), &json!("asked for"))
    );
    assert_sound(&installation);
}

/// Exports and erases accounts during concurrent creates and additions: no answer is 5xx, and the data stays
/// consistent.
#[test]
fn erasing_under_load_keeps_data_consistent() {
    let (installation, _server, client) = Installation::serving();
    let numbers: Vec<String> = (0..4).map(|n| format!("E-{n}")).collect();
    client.import(&numbers.iter().map(|number| small(number)).collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for number in &numbers {
            let (client, installation) = (&client, &installation);
            scope.spawn(move || {
                for n in 0..12 {
                    let created = client.create(&small(number));
                    assert!([201, 400, 409].contains(&created.status), "{}", created.text());
                    let id = format!("X-{n}");
                    let transactions = json!([transaction(&id, "2026-10-01", "5.25", "CREDIT")]);
                    let note = json!([{"body": id}]);
                    for (path, member, items) in
                        [(TRANSACTIONS, "transactions", transactions), (NOTES, "notes", note)]
                    {
                        let added = client.send_json(path, &adding(number, member, items));
                        assert!([201, 404].contains(&added.status), "{}", added.text());
                    }
                }
            });
            scope.spawn(move || {
                for _ in 0..4 {
                    let output = installation.run(&[
                        "account",
                        "erase",
                        "ACME",
                        number,
                        "--yes",
                        "--because",
                        "asked for",
                    ]);
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    let is_expected = output.status.success()
                        || said.contains("there is no process")
                        || said.contains("it is being imported");
                    assert!(is_expected, "{said}");
                }
            });
        }
    });
    for number in &numbers {
        // The last erasure is forgotten, if any met its account.
        installation.run(&[&["account", "erase", "ACME", number, "--forget"], &YES[..]].concat());
        let created = client.create(&small(number));
        assert!([201, 400, 409].contains(&created.status), "{}", created.text());
        client.wait(number, "PROCESSED");
    }
    let [counts, totals] = figures(&client);
    assert_eq!((&counts["PROCESSED"], &totals["accounts"]), (&json!(4), &json!(4)));
    let transactions: usize = numbers
        .iter()
        .map(|number| {
            items(&installation.account(number)["ledgers"][0]["current_statement_transactions"]).len()
        })
        .sum();
    assert_eq!(totals["transactions"], transactions);
    assert_sound(&installation);
}

/// An export has the payload as it was sent, and the account as readers get it, for every kind of meter point.
#[test]
fn an_export_equals_the_sent_payload() {
    let (installation, server, client) = Installation::serving();
    let reader = server.client(&installation.reader_key());
    for (kind, _) in KINDS {
        let account = fixture(kind, kind);
        client.import(std::slice::from_ref(&account));
        let file = installation.path().join(format!("{kind}.json"));
        let written =
            installation.run_json(&["account", "export", "ACME", kind, "--out", file.to_str().unwrap()]);
        let whole = std::fs::read_to_string(&file).unwrap();
        assert_eq!(written["bytes"], whole.len());
        assert!(whole.contains(&account.to_string()), "the payload is there to the byte");
        let export: Value = serde_json::from_str(&whole).unwrap();
        assert_eq!((&export["export"], &export["supplier"]), (&json!(1), &json!("ACME")));
        assert_eq!(text(&export["history"][0]["event"]), "created");
        assert_eq!(export["account"], reader.get(&format!("{IMPORTED}{kind}/")).json(), "{kind}");
    }
    assert_eq!(items(&installation.run_json(&["audit", "--action", "account.export"])).len(), KINDS.len());
}

#[test]
fn an_export_is_a_new_file_that_only_its_owner_can_read() {
    let (installation, _server, client) = Installation::with_accounts(&[small("A-1")]);
    let path = installation.path().join("a-1.json");
    let (export, file) = (["account", "export", "ACME", "A-1"], path.to_str().unwrap());
    let to_file = [&export[..], &["--out", file]].concat();
    installation.run_json(&to_file);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let before = std::fs::read(&path).unwrap();
    assert!(installation.run_refused(&to_file).contains("exists"));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let absent = installation.path().join("absent.json");
    installation.run_refused(&["account", "export", "ACME", "NOBODY", "--out", absent.to_str().unwrap()]);
    assert!(!absent.exists());
    let note = json!([{"body": "Later"}]);
    assert_eq!(client.send_json(NOTES, &adding("A-1", "notes", note)).status, 201);
    let printed = installation.run_json(&export);
    assert_eq!(printed["account"]["notes"][0]["body"], "Later");
    assert_eq!(printed["payload"], small("A-1"));
}
