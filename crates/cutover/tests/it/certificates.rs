//! Certificates (contract D17): verified here as a supplier verifies them, from what was sent.

use crate::after_import::additions;
use crate::harness::{
    Action, Client, INSTRUCTION, Installation, NOTES, TRANSACTIONS, Vendor, adding, instruction, items,
};
use crate::payloads::{KINDS, fixture, small, wrapped};
use crate::transactions::transaction;
use cutover_model::certificate::{
    Addition, Certificate, InclusionProof, Leaf, MerkleRoot, account_content, addition_contents,
    certified_content, hash_of_line, to_hex, verify_signature,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

const PATH: &str = "/v2/data-import/import-suppliers/ACME/certificate/";
const KEYS: &str = "/v2/data-import/certificate-keys/";

/// A certificate with its leaves by number, all verified; and the number of erased ones.
struct Verified {
    certificate: Certificate,
    leaves: BTreeMap<String, Leaf>,
    erased: usize,
}

/// The public key of this id.
fn public_key(client: &Client, key_id: &str) -> String {
    let keys = client.get(KEYS).json();
    let key = items(&keys).iter().find(|key| key["key_id"] == key_id).unwrap();
    key["public_key"].as_str().unwrap().to_owned()
}

/// Verifies everything about a certificate that can be verified without files.
fn verified(client: &Client, document: &str) -> Verified {
    let id = serde_json::from_str::<Value>(document).unwrap()["key_id"].as_str().unwrap().to_owned();
    let certificate = verify_signature(document.as_bytes(), &public_key(client, &id)).unwrap();
    let lines = client.get(&format!("{PATH}{}/leaves/", certificate.id));
    assert_eq!(lines.status, 200);
    let (mut root, mut leaves, mut erased) = (MerkleRoot::default(), BTreeMap::new(), 0);
    for line in lines.text().lines() {
        let (hash, leaf) = hash_of_line(line.as_bytes()).unwrap();
        root.push(hash);
        match leaf {
            Some(leaf) => {
                let last = leaves.last_key_value().map(|(number, _): (&String, _)| number.clone());
                assert!(last < Some(leaf.external_account_number.clone()), "{last:?}");
                leaves.insert(leaf.external_account_number.clone(), leaf);
            }
            None => erased += 1,
        }
    }
    assert_eq!(
        (root.leaves(), to_hex(&root.root())),
        (certificate.accounts, certificate.merkle_root.clone())
    );
    Verified { certificate, leaves, erased }
}

fn issue(client: &Client) -> Verified {
    let issued = client.post(PATH, "");
    assert_eq!(issued.status, 201, "{}", issued.text());
    verified(client, &issued.text())
}

/// The content of an account, from what was sent.
fn content(account: &Value, added: &[(Addition, &Value)]) -> Option<String> {
    let payload = account_content(account.to_string().as_bytes()).unwrap();
    let added =
        added.iter().flat_map(|(kind, body)| addition_contents(*kind, body.to_string().as_bytes()).unwrap());
    Some(certified_content(payload, added.collect()).to_string())
}

impl Verified {
    fn content(&self, number: &str) -> Option<String> {
        self.leaves[number].content.clone()
    }

    fn status(&self, number: &str) -> &str {
        &self.leaves[number].status
    }
}

fn proof(client: &Client, id: &str, number: &str) -> InclusionProof {
    serde_json::from_str(&client.get(&format!("{PATH}{id}/proof/{number}/")).text()).unwrap()
}

#[test]
fn accounts_are_certified_as_they_were_sent() {
    let mut sent: Vec<Value> = KINDS.iter().map(|(kind, _)| fixture(kind, &format!("K-{kind}"))).collect();
    sent.push(small("A-1"));
    let (installation, server, client) = Installation::with_accounts(&sent);
    let none = client.get(PATH);
    assert_eq!(none.code(), (404, "certificate_not_issued".to_owned()));
    let waits = wrapped("W-1", json!({"schedule_window_start": "2099-01-01T00:00:00Z"}));
    assert_eq!(client.create(&waits).status, 201);
    let issued = issue(&client);
    for account in &sent {
        let number = account["external_account_number"].as_str().unwrap();
        assert_eq!(issued.content(number), content(account, &[]), "{number}");
        assert_eq!(issued.status(number), "PROCESSED");
        let totals = issued.leaves[number].totals.as_ref().unwrap();
        let path = "/v2/data-import/import-suppliers/ACME/account-totals/";
        let all = client.get(path).json();
        let own = items(&all).iter().find(|totals| totals["external_account_number"] == number).unwrap();
        let same = json!({"external_account_number": number, "ledger_balance": totals.ledger_balance,
            "readings": totals.readings, "transactions": totals.transactions, "documents": totals.documents});
        assert_eq!(*own, same);
    }
    assert_eq!(issued.content("W-1"), content(&waits, &[]));
    assert_eq!((issued.status("W-1"), &issued.leaves["W-1"].totals), ("PENDING", &None));
    let progress = client.progress();
    assert_eq!(serde_json::to_value(&issued.certificate.counts).unwrap(), progress["counts"]);
    assert_eq!(serde_json::to_value(&issued.certificate.manifest.imported).unwrap(), progress["totals"]);
    let settings = client.get("/v2/data-import/import-suppliers/ACME/").json();
    assert_eq!(settings["installation"], issued.certificate.installation);
    for number in issued.leaves.keys() {
        assert!(proof(&client, &issued.certificate.id, number).proves(&issued.certificate), "{number}");
    }
    let reader = server.client(&installation.reader_key());
    let theirs = issue(&reader);
    assert_ne!(theirs.certificate.merkle_root, issued.certificate.merkle_root, "salts are new");
    assert_eq!(client.get(PATH).json()["id"], theirs.certificate.id);
    assert_eq!(client.get(&format!("{PATH}nothing/")).status, 404);
    let log = server.log();
    let salt = &issued.leaves["A-1"].salt;
    assert!(!log.contains(salt) && !log.contains("A-1"), "{log}");
}

/// Each addition counts once for each time that it is added, and not if it adds nothing.
#[test]
fn additions_are_certified_if_they_add_something() {
    let vendor = Vendor::start(|_| Action::Json(200, json!({"reference": "R", "type": "CARD"})));
    let account = fixture("electricity", "A-1");
    let (installation, _server, client) = Installation::with_accounts(std::slice::from_ref(&account));
    installation.add_vendor("PAY", "http", &vendor.url(""), &[]);
    let earlier = issue(&client);
    let ([notes, transactions, statements], paid) =
        (additions("A-1").map(|(_, body)| body), instruction("A-1", "PAY", "CARD", "R"));
    for _ in 0..2 {
        for (path, body) in additions("A-1").iter().chain([&(INSTRUCTION, paid.clone())]) {
            assert_eq!(client.send_json(path, body).status, 201, "{path}");
        }
    }
    let added = [
        (Addition::Note, &notes),
        (Addition::Transaction, &transactions),
        (Addition::HistoricalStatement, &statements),
        (Addition::PaymentInstruction, &paid),
    ];
    let later = issue(&client);
    assert_eq!(later.content("A-1"), content(&account, &added));
    assert_ne!(later.content("A-1"), earlier.content("A-1"));
    let totals = |issued: &Verified| issued.leaves["A-1"].totals.clone().unwrap();
    assert_eq!(totals(&later).transactions, totals(&earlier).transactions + 1);
    let progress = client.progress();
    assert_eq!(serde_json::to_value(&later.certificate.manifest.imported).unwrap(), progress["totals"]);

    // Known in part: the new note counts. One of the account itself adds nothing.
    let both = adding("A-1", "notes", json!([{"body": "B"}, {"body": "Another"}]));
    assert_eq!(client.send_json(NOTES, &both).status, 201);
    let another = adding("A-1", "notes", json!([{"body": "Another"}]));
    // Added twice on demand.
    let again = format!("{TRANSACTIONS}?check_previously_added=false");
    assert_eq!(client.send_json(&again, &transactions).status, 201);
    // Refused as a whole.
    let mixed = adding("A-1", "notes", json!([{"body": "New"}, {"body": 7}]));
    assert_eq!(client.send_json(NOTES, &mixed).status, 400);
    // Moved into the open period, with a note of the service's own, which is not part of what was sent.
    let old = transaction("OLD", "1999-01-01", "1.50", "CHARGE");
    let old = adding("A-1", "transactions", json!([old]));
    assert_eq!(client.send_json(TRANSACTIONS, &old).status, 201);
    let more =
        [(Addition::Note, &another), (Addition::Transaction, &transactions), (Addition::Transaction, &old)];
    let last = issue(&client);
    assert_eq!(last.content("A-1"), content(&account, &[&added[..], &more].concat()));
    let progress = client.progress();
    assert_eq!(serde_json::to_value(&last.certificate.manifest.imported).unwrap(), progress["totals"]);

    // Earlier certificates stay as they were.
    let path = format!("{PATH}{}/", earlier.certificate.id);
    let kept = verified(&client, &client.get(&path).text());
    assert_eq!(kept.leaves, earlier.leaves);
    assert!(proof(&client, &earlier.certificate.id, "A-1").proves(&earlier.certificate));
}

#[test]
fn an_account_is_certified_as_it_was_accepted_last() {
    let (installation, server, client) = Installation::with_accounts(&[]);
    let changed = |city: &str| {
        let mut account = small("A-1");
        account["billing_name"] = json!(city);
        json!({"payload": account, "task_params": {"is_dry_run": true}})
    };
    assert_eq!(client.create(&changed("First")).status, 201);
    client.wait("A-1", "DRY_RUN_SUCCEEDED");
    assert_eq!(client.create(&changed("Second")).status, 201);
    client.wait("A-1", "DRY_RUN_SUCCEEDED");
    let mut refused = small("A-1");
    refused["customers"] = json!(7);
    assert_eq!(client.create(&refused).status, 400);
    let rehearsed = issue(&client);
    assert_eq!(rehearsed.content("A-1"), content(&changed("Second"), &[]));
    assert_eq!(rehearsed.status("A-1"), "DRY_RUN_SUCCEEDED");

    let last = small("A-1");
    client.import(std::slice::from_ref(&last));
    let (path, body) = additions("A-1")[0].clone();
    assert_eq!(client.send_json(path, &body).status, 201);
    assert_eq!(issue(&client).content("A-1"), content(&last, &[(Addition::Note, &body)]));

    // An undo takes the additions; archiving changes nothing.
    let other = small("A-2");
    client.import(std::slice::from_ref(&other));
    installation.run_json(&[
        "supplier",
        "undo",
        "ACME",
        "--number",
        "A-2",
        "--yes",
        "--because",
        "asked for",
    ]);
    let undone = issue(&client);
    assert_eq!((undone.status("A-2"), undone.content("A-2")), ("CANCELLED", content(&other, &[])));
    drop(server);
    let file = installation.path().join("archive.ndjson.gz").to_str().unwrap().to_owned();
    installation.run_json(&["process", "archive", "--before", "2999-01-01", "--to", &file, "--yes"]);
    let server = installation.serve();
    let client = server.client(&installation.key("Acme"));
    assert_eq!(issue(&client).content("A-1"), content(&last, &[(Addition::Note, &body)]));
}

/// Nothing but a hash is left of an erased account, and everything else can still be verified.
#[test]
fn an_erased_account_is_forgotten_by_its_certificates() {
    let accounts: Vec<Value> = (1..=5).map(|n| small(&format!("A-{n}"))).collect();
    let (installation, _server, client) = Installation::with_accounts(&accounts);
    let before = [issue(&client), issue(&client)];
    let id = before[0].certificate.id.clone();
    for number in ["A-1", "A-3"] {
        installation.run_json(&["account", "erase", "ACME", number, "--yes", "--because", "asked for"]);
    }
    for issued in &before {
        let path = format!("{PATH}{}/", issued.certificate.id);
        let after = verified(&client, &client.get(&path).text());
        assert_eq!((after.erased, after.leaves.len()), (2, 3));
        let lines = client.get(&format!("{path}leaves/")).text();
        for number in ["A-1", "A-3"] {
            let leaf = &issued.leaves[number];
            assert!(!lines.contains(number) && !lines.contains(&leaf.salt));
            assert!(!lines.contains(leaf.content.as_ref().unwrap()));
            assert_eq!(client.get(&format!("{path}proof/{number}/")).status, 404);
        }
        for number in ["A-2", "A-4", "A-5"] {
            let proof = proof(&client, &issued.certificate.id, number);
            assert!(proof.proves(&issued.certificate));
            assert_eq!(proof.leaf, issued.leaves[number]);
        }
    }
    let now = issue(&client);
    assert_eq!((now.certificate.accounts, now.erased), (3, 0));
    // The supplier takes its certificates with it.
    installation.run_json(&["supplier", "set", "ACME", "--status", "paused"]);
    installation.run_json(&["supplier", "erase", "ACME", "--yes", "--because", "asked for"]);
    assert_eq!(client.get(&format!("{PATH}{id}/leaves/")).status, 404);
    assert_eq!(installation.failed_checks(), [""; 0]);
}

#[test]
fn keys_rotate_and_old_certificates_stay_valid() {
    let (installation, _server, client) = Installation::with_accounts(&[small("A-1")]);
    assert_eq!(installation.run_json(&["certificate-key", "list"]), json!([]));
    assert!(installation.run_refused(&["certificate-key", "show"]).contains("certificate key"));
    let old = issue(&client);
    let key = installation.run_json(&["certificate-key", "show"]);
    assert_eq!((&key["key_id"], &key["signs"]), (&json!(old.certificate.key_id), &json!(true)));
    let new = installation.run_json(&["certificate-key", "rotate"]);
    let signed = issue(&client);
    assert_eq!(signed.certificate.key_id, new["key_id"]);
    let path = format!("{PATH}{}/", old.certificate.id);
    verified(&client, &client.get(&path).text());
    let shown = installation.run_json(&["certificate-key", "show", &old.certificate.key_id]);
    assert_eq!((&shown["public_key"], &shown["signs"]), (&key["public_key"], &json!(false)));
    assert_ne!(shown["retired_at"], Value::Null);
    assert_eq!(items(&installation.run_json(&["certificate-key", "list"])).len(), 2);
    let trail = installation.run_json(&["audit", "--action", "certificate-key.rotate"]);
    assert_eq!(trail[0]["detail"]["key_id"], new["key_id"]);
    assert!(installation.run_refused(&["certificate-key", "show", "0"]).contains('0'));
}

#[test]
fn the_command_issues_and_writes_files() {
    let (installation, _server, client) = Installation::with_accounts(&[small("A-1")]);
    let file = |name: &str| installation.path().join(name).to_str().unwrap().to_owned();
    let (json, html) = (file("acme.json"), file("acme.html"));
    let shown = installation.run_json(&["supplier", "certificate", "ACME", "--out", &json, "--html", &html]);
    let document = fs::read_to_string(&json).unwrap();
    let issued = verified(&client, &document);
    assert_eq!(shown["id"], issued.certificate.id);
    assert_eq!(client.get(PATH).text(), document);
    let page = fs::read_to_string(&html).unwrap();
    assert!(page.contains(&issued.certificate.merkle_root) && !page.contains("<script"), "{page}");
    let again = installation.run_refused(&["supplier", "certificate", "ACME", "--out", &json]);
    assert!(again.contains("exists already"), "{again}");
    assert_eq!(client.get(PATH).json()["id"], issued.certificate.id, "nothing was issued");
    assert!(installation.run_refused(&["supplier", "certificate", "NOBODY"]).contains("NOBODY"));
    let trail = installation.run_json(&["audit", "--action", "supplier.certificate"]);
    assert_eq!((items(&trail).len(), &trail[0]["detail"]["certificate"]), (1, &json!(issued.certificate.id)));
}

/// Certificates that suppliers and readers ask for are limited in rate, and take no leaves of the operator's.
#[test]
fn leaves_are_kept_until_an_operator_removes_them() {
    let (installation, server, client) = Installation::with_accounts(&[small("A-1")]);
    let night = installation.run_json(&["supplier", "certificate", "ACME"]);
    let id = night["id"].as_str().unwrap();
    let reader = server.client(&installation.reader_key());
    let refused = (0..1_000).find_map(|n| {
        let answer = if n % 2 == 0 { &client } else { &reader }.post(PATH, "");
        (answer.status != 201).then_some(answer)
    });
    let refused = refused.expect("there is a limit");
    assert_eq!(refused.code(), (429, "throttled".to_owned()));
    assert!(refused.header("Retry-After").unwrap().parse::<u32>().unwrap() >= 1);
    let path = format!("{PATH}{id}/");
    verified(&client, &client.get(&path).text());
    installation.run_json(&["supplier", "certificate", "ACME"]);
    assert!(proof(&client, id, "A-1").proves(&serde_json::from_value(night.clone()).unwrap()));

    let listed = installation.run_json(&["certificate", "list", "ACME"]);
    let own = items(&listed).iter().find(|listed| listed["id"] == id).unwrap();
    assert_eq!((&own["by_operator"], &own["has_leaves"]), (&json!(true), &json!(true)));
    let remove = ["certificate", "remove-leaves", "ACME", id];
    assert_eq!(installation.run_json(&remove), json!({"certificates": 1, "removed": false}));
    assert_eq!(client.get(&format!("{path}leaves/")).status, 200);
    let removed = installation.run_json(&[&remove[..], &["--yes"]].concat());
    assert_eq!(removed, json!({"certificates": 1, "removed": true}));
    for rest in ["leaves/", "proof/A-1/"] {
        let gone = client.get(&format!("{path}{rest}"));
        assert_eq!(gone.code(), (410, "certificate_leaves_removed".to_owned()));
    }
    assert_eq!(client.get(&path).status, 200);
    let trail = installation.run_json(&["audit", "--action", "certificate.remove-leaves"]);
    assert_eq!((items(&trail).len(), &trail[0]["detail"]["certificate"]), (1, &json!(id)));
    let before = ["certificate", "remove-leaves", "ACME", "--before", "2999-01-01", "--yes"];
    assert!(installation.run_json(&before)["certificates"].as_u64() > Some(1));
    assert_eq!(installation.run_json(&before)["certificates"], 0);
    let unknown = ["certificate", "remove-leaves", "ACME", "nobody", "--yes"];
    assert!(installation.run_refused(&unknown).contains("nobody"));
}
