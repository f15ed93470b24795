//! `certificate` and `verify`.

use crate::harness::{RunResult, Sandbox, account};
use crate::stub::Stub;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use cutover_model::certificate::{
    Addition, CERTIFICATE_TYPE, Certificate, CertificateManifest, InclusionProof, Leaf, LeafTotals,
    MerkleRoot, account_content, addition_contents, certified_content, erased_line, hash_of_line,
    inclusion_path, key_id, to_hex,
};
use cutover_model::{ControlTotals, StatusCounts, Totals, Zone, decode_account};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::Command;

const NUMBERS: [&str; 4] = ["N-0", "N-1", "N-2", "N-3"];
const NOTES: &str = r#"{"import_supplier":"ACME_ENERGY","external_account_number":"N-1","notes":[{"body":"Hello"},{"body":"Hello"}]}"#;
/// The second is in the payload already.
const TRANSACTIONS: &str = r#"{"import_supplier":"ACME_ENERGY","external_account_number":"N-1","transactions":[
    {"transaction_id":"X-9","transaction_date":"2026-10-05","amount":1.50,"type":"CREDIT"}]}"#;

fn pair() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

fn public_key() -> String {
    BASE64_STANDARD.encode(pair().public_key())
}

fn totals(body: &[u8]) -> Totals {
    let (account, _) = decode_account(body, Zone::UTC).unwrap().draft.unwrap().into_valid().unwrap();
    Totals::of(&account, Zone::UTC)
}

/// The leaves of four accounts, of which one is not imported and one has additions.
fn leaves() -> Vec<Leaf> {
    let leaf = |(n, number): (usize, &&str)| {
        let body = account(number);
        let mut added = Vec::new();
        if *number == "N-1" {
            added.extend(&addition_contents(Addition::Note, NOTES.as_bytes()).unwrap()[..1]);
            added.extend(addition_contents(Addition::Transaction, TRANSACTIONS.as_bytes()).unwrap());
        }
        let content = certified_content(account_content(&body).unwrap(), added);
        let status = if *number == "N-3" { "PENDING" } else { "PROCESSED" };
        Leaf {
            import_supplier: "ACME_ENERGY".into(),
            external_account_number: (*number).into(),
            status: status.into(),
            totals: (status == "PROCESSED").then(|| LeafTotals::from(totals(&body))),
            content: Some(content.to_string()),
            salt: format!("{n:032x}"),
        }
    };
    NUMBERS.iter().enumerate().map(leaf).collect()
}

fn lines(leaves: &[Leaf]) -> Vec<Vec<u8>> {
    leaves.iter().map(|leaf| leaf.to_line().unwrap()).collect()
}

fn certificate(leaves: &[Leaf]) -> String {
    let mut root = MerkleRoot::default();
    lines(leaves).iter().for_each(|line| root.push(hash_of_line(line).unwrap().0));
    let sum = leaves.iter().filter(|leaf| leaf.totals.is_some()).fold(Totals::default(), |sum, leaf| {
        sum.checked_add(totals(&account(&leaf.external_account_number))).unwrap()
    });
    let count = |status: cutover_core::State| {
        leaves.iter().filter(|leaf| leaf.status == status.as_str()).count() as u64
    };
    let unsigned = Certificate {
        kind: CERTIFICATE_TYPE.into(),
        id: "c1".into(),
        installation: "i1".into(),
        import_supplier: "ACME_ENERGY".into(),
        issued_at: "2026-11-24T20:00:00Z".into(),
        accounts: leaves.len() as u64,
        counts: StatusCounts::new(count),
        manifest: CertificateManifest { declared: None, sent: None, imported: ControlTotals::from(sum) },
        failed: Vec::new(),
        refused_as_of: None,
        refused_accounts: 0,
        refused_without_number: 0,
        refused: Vec::new(),
        merkle_root: to_hex(&root.root()),
        key_id: key_id(pair().public_key().as_ref()),
        signature: String::new(),
    };
    String::from_utf8(unsigned.signed(|bytes| pair().sign(bytes).as_ref().to_vec()).unwrap()).unwrap()
}

/// The files of the supplier and the certificate about them.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("in/a.ndjson", NUMBERS.map(account).join(&b'\n'));
    sandbox.write("notes.ndjson", NOTES);
    sandbox.write("transactions.json", TRANSACTIONS);
    sandbox.write("leaves.ndjson", lines(&leaves()).join(&b'\n'));
    sandbox.write("certificate.json", certificate(&leaves()));
    sandbox.write("key.txt", public_key() + "\n");
    sandbox
}

fn verify(sandbox: &Sandbox, more: &[&str]) -> RunResult {
    let words = ["verify", "certificate.json", "in", "--leaves", "leaves.ndjson", "--public-key", "key.txt"];
    let additions = ["--additions", "notes.ndjson", "--additions", "transactions.json"];
    sandbox.run(&[&words[..], &additions, more].concat())
}

#[track_caller]
fn summary(ran: &RunResult, code: i32) -> Value {
    assert_eq!((ran.code, ran.err.as_str()), (Some(code), ""), "{}", ran.out);
    ran.summary()
}

#[test]
fn everything_agrees() {
    let sandbox = sandbox();
    let ran = verify(&sandbox, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    insta::assert_snapshot!(ran.out);
    assert_eq!(summary(&verify(&sandbox, &["--json"]), 0)["agrees"], true);
    // The key itself, and the certificate in another form.
    let pretty: Value = serde_json::from_str(&sandbox.read("certificate.json")).unwrap();
    sandbox.write("certificate.json", format!("{pretty:#}"));
    let key = public_key();
    let words = ["verify", "certificate.json", "in", "--leaves", "leaves.ndjson", "--public-key", &key];
    let additions = ["--additions", "notes.ndjson", "--additions", "transactions.json"];
    assert_eq!(sandbox.run(&[&words[..], &additions].concat()).code, Some(0));
}

#[test]
fn a_changed_digit_names_its_account() {
    let sandbox = sandbox();
    let text = String::from_utf8(NUMBERS.map(account).join(&b'\n')).unwrap();
    let begin = text.find("N-2").unwrap();
    let digit = begin + text[begin..].find("25").unwrap();
    sandbox.write("in/a.ndjson", format!("{}35{}", &text[..digit], &text[digit + 2..]));
    let ran = verify(&sandbox, &[]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran.out);
    let found = summary(&verify(&sandbox, &["--json"]), 1);
    assert_eq!(found["differing"], json!([{"external_account_number": "N-2", "what": "content"}]));
}

#[test]
fn missing_and_extra_accounts_are_named() {
    let sandbox = sandbox();
    sandbox.write("in/a.ndjson", ["N-1", "N-2", "N-3", "N-7"].map(account).join(&b'\n'));
    sandbox.write("in/b.json", String::from_utf8(account("N-9")).unwrap().replace("ACME_ENERGY", "OTHER"));
    let found = summary(&verify(&sandbox, &["--json"]), 1);
    assert_eq!((&found["missing"], &found["extra"]), (&json!(["N-7"]), &json!(["N-0"])));
    assert_eq!((&found["differing"], &found["of_others"]), (&json!([]), &json!(1)));
    // Without its additions, an account is not as certified.
    let words = ["verify", "certificate.json", "in", "--leaves", "leaves.ndjson", "--public-key", "key.txt"];
    let found = summary(&sandbox.run(&[&words[..], &["--json"]].concat()), 1);
    assert_eq!(found["differing"][0]["external_account_number"], "N-1");
}

/// The payload was sent, and something else was imported.
#[test]
fn other_totals_are_named() {
    let sandbox = sandbox();
    let mut changed = leaves();
    changed[2].totals.as_mut().unwrap().readings += 1;
    sandbox.write("leaves.ndjson", lines(&changed).join(&b'\n'));
    sandbox.write("certificate.json", certificate(&changed));
    let found = summary(&verify(&sandbox, &["--json"]), 1);
    assert_eq!(found["differing"], json!([{"external_account_number": "N-2", "what": "totals"}]));
    assert_eq!(found["problems"].as_array().unwrap().len(), 1, "{found}");
}

#[test]
fn changed_leaves_and_certificates_are_found() {
    let sandbox = sandbox();
    let whole = sandbox.read("leaves.ndjson");
    for (changed, part) in [
        (whole.replace("\"PENDING\"", "\"ERRORED\""), "do not come to the root"),
        (whole.lines().take(3).collect::<Vec<_>>().join("\n"), "there are 3 leaves"),
        (whole.lines().rev().collect::<Vec<_>>().join("\n"), "not in the order"),
        (whole.replace('{', "["), "line 1 of the leaves"),
    ] {
        sandbox.write("leaves.ndjson", changed);
        let found = summary(&verify(&sandbox, &["--json"]), 1);
        assert!(found["problems"].to_string().contains(part), "{found}");
    }
    sandbox.write("leaves.ndjson", &whole);
    let signed = sandbox.read("certificate.json");
    sandbox.write("certificate.json", signed.replace("\"accounts\":4", "\"accounts\":5"));
    let found = summary(&verify(&sandbox, &["--json"]), 1);
    assert_eq!((&found["signature"], &found["agrees"]), (&json!(false), &json!(false)));
    sandbox.write("certificate.json", &signed);
    let other = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).unwrap();
    sandbox.write("key.txt", BASE64_STANDARD.encode(other.public_key()));
    assert_eq!(summary(&verify(&sandbox, &["--json"]), 1)["signature"], false);
}

#[test]
fn the_rest_of_an_erased_account_agrees() {
    let sandbox = sandbox();
    let mut erased = lines(&leaves());
    erased[2] = erased_line(&hash_of_line(&erased[2]).unwrap().0);
    sandbox.write("leaves.ndjson", erased.join(&b'\n'));
    // Whether the supplier still has it or not.
    let found = summary(&verify(&sandbox, &["--json"]), 0);
    assert_eq!((&found["erased"], &found["maybe_erased"]), (&json!(1), &json!(["N-2"])));
    sandbox.write("in/a.ndjson", ["N-0", "N-1", "N-3"].map(account).join(&b'\n'));
    assert_eq!(summary(&verify(&sandbox, &["--json"]), 0)["agrees"], true);
    sandbox.write("in/a.ndjson", ["N-0", "N-1", "N-2", "N-3", "N-8"].map(account).join(&b'\n'));
    assert_eq!(summary(&verify(&sandbox, &["--json"]), 1)["missing"], json!(["N-2", "N-8"]));
}

/// The second program, in Python, which was written from docs/certificate.md. `None` if its library is not installed.
fn second(sandbox: &Sandbox, files: &[&str]) -> Option<(Option<i32>, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join("target/tools/python/bin/python3");
    if !python.exists() {
        // Written directly: the test harness would capture it.
        let reported = b"NOT RUN: the second verification of certificates: no library cryptography\n";
        std::io::stderr().write_all(reported).unwrap();
        return None;
    }
    let mut command = Command::new(python);
    command.arg(root.join("xtask/python/verify_certificate.py"));
    command.args(["certificate.json", "leaves.ndjson", &public_key()]).args(files);
    command.args(["--additions", "notes.ndjson", "--additions", "transactions.json"]);
    let output = command.current_dir(sandbox.path("")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    Some((output.status.code(), String::from_utf8(output.stdout).unwrap()))
}

#[test]
fn a_second_program_comes_to_the_same() {
    let sandbox = sandbox();
    let file = ["in/a.ndjson"];
    let Some(verified) = second(&sandbox, &file) else { return };
    assert_eq!(verified, (Some(0), "verified 4\n".to_owned()));
    let text = sandbox.read("in/a.ndjson");
    let digit = text.find("N-2").unwrap();
    let digit = digit + text[digit..].find("25").unwrap();
    sandbox.write("in/a.ndjson", format!("{}35{}", &text[..digit], &text[digit + 2..]));
    assert_eq!(second(&sandbox, &file), Some((Some(1), "differs N-2\n".to_owned())));
    sandbox.write("in/a.ndjson", ["N-1", "N-2", "N-3", "N-7"].map(account).join(&b'\n'));
    assert_eq!(second(&sandbox, &file), Some((Some(1), "extra N-0\nmissing N-7\n".to_owned())));
    sandbox.write("in/a.ndjson", text);
    let signed = sandbox.read("certificate.json");
    sandbox.write("certificate.json", signed.replace("\"accounts\":4", "\"accounts\":5"));
    assert_eq!(second(&sandbox, &file), Some((Some(1), "fault the signature does not match\n".to_owned())));
}

#[test]
fn a_proof_is_verified_alone() {
    let sandbox = sandbox();
    let hashes: Vec<_> = lines(&leaves()).iter().map(|line| hash_of_line(line).unwrap().0).collect();
    let proof = InclusionProof {
        certificate: "c1".into(),
        leaf_index: 2,
        tree_size: 4,
        leaf: leaves().swap_remove(2),
        path: inclusion_path(&hashes, 2).unwrap().iter().map(|hash| to_hex(hash)).collect(),
        merkle_root: "-".into(),
    };
    sandbox.write("proof.json", serde_json::to_string(&proof).unwrap());
    let words = ["verify", "certificate.json", "--public-key", "key.txt", "--proof", "proof.json", "--json"];
    assert_eq!(summary(&sandbox.run(&words), 0)["proven"], "N-2");
    let with_files = [&words[..2], &["in"], &words[2..]].concat();
    assert_eq!(summary(&sandbox.run(&with_files), 0)["agrees"], true);
    sandbox.write("in/a.ndjson", account("N-1"));
    assert_eq!(summary(&sandbox.run(&with_files), 1)["extra"], json!(["N-2"]));
    let other = InclusionProof { leaf_index: 1, ..proof };
    sandbox.write("proof.json", serde_json::to_string(&other).unwrap());
    assert_eq!(summary(&sandbox.run(&words), 1)["root"], false);
}

#[test]
fn what_cannot_be_verified_is_told() {
    let sandbox = sandbox();
    for (words, part) in [
        (vec!["verify", "certificate.json", "in", "--leaves", "leaves.ndjson"], "--public-key"),
        (vec!["verify", "certificate.json", "in", "--public-key", "key.txt"], "--leaves"),
        (
            vec!["verify", "none.json", "in", "--leaves", "leaves.ndjson", "--public-key", "key.txt"],
            "none.json",
        ),
        (vec!["verify", "certificate.json", "in", "--leaves", "none", "--public-key", "key.txt"], "none"),
        (
            vec!["verify", "certificate.json", "in", "--leaves", "leaves.ndjson", "--public-key", "AAAA"],
            "32 bytes",
        ),
    ] {
        let ran = sandbox.run(&words);
        assert_eq!(ran.code, Some(2), "{words:?}: {}", ran.out);
        assert!(ran.err.contains(part), "{}", ran.err);
    }
    sandbox.write("notes.ndjson", "{}");
    let ran = verify(&sandbox, &[]);
    assert!(ran.code == Some(2) && ran.err.contains("notes.ndjson:1 is no request"), "{}", ran.err);
    sandbox.write("notes.ndjson", NOTES);
    sandbox.write("in/c.ndjson", "{}\n");
    let found = summary(&verify(&sandbox, &["--json"]), 1);
    assert_eq!(found["unreadable"], 1);
}

#[test]
fn the_certificate_is_fetched_with_what_verifies_it() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let base = "/v2/data-import/import-suppliers/ACME_ENERGY/certificate/";
    let fetch = |more: &[&str]| {
        sandbox
            .run_with(&stub, &[&["certificate", "ACME_ENERGY", "--out", "evidence", "--json"], more].concat())
    };
    let ran = fetch(&[]);
    assert!(ran.code == Some(2) && ran.err.contains("knows no import supplier"), "{}", ran.err);
    stub.answers(base, [(404, json!({"detail": "x", "code": "certificate_not_issued"}))]);
    let ran = fetch(&[]);
    assert!(ran.code == Some(2) && ran.err.contains("--issue has one issued"), "{}", ran.err);
    let signed: Value = serde_json::from_str(&sandbox.read("certificate.json")).unwrap();
    stub.answers(base, [(503, json!({})), (200, signed)]);
    stub.answers("/v2/data-import/certificate-keys/", [(200, json!([]))]);
    stub.state().texts.insert(format!("{base}c1/leaves/"), sandbox.read("leaves.ndjson"));
    let ran = fetch(&[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert_eq!(ran.summary()["accounts"], 4);
    let words = ["verify", "evidence/certificate.json", "in", "--leaves", "evidence/leaves.ndjson"];
    let more = ["--public-key", "key.txt", "--additions", "notes.ndjson", "--additions", "transactions.json"];
    assert_eq!(sandbox.run(&[&words[..], &more].concat()).code, Some(0));
    assert_eq!(sandbox.read("evidence/certificate-keys.json"), "[]");
}

#[test]
fn copies_that_differ_are_named_with_both_lines() {
    let sandbox = sandbox();
    sandbox.write("in/b.json", account("N-0"));
    assert_eq!(verify(&sandbox, &[]).code, Some(0));
    let mut changed: Value = serde_json::from_slice(&account("N-0")).unwrap();
    changed["billing_name"] = "Other".into();
    sandbox.write("in/0.json", changed.to_string());
    let ran = verify(&sandbox, &[]);
    // The last one counts, which is the one of the certificate.
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out
            .contains("N-0 is in in/0.json:1 and, with other content, in in/a.ndjson:1; the last one counts"),
        "{}",
        ran.out
    );
    assert!(!ran.out.contains("Other than in the files"), "{}", ran.out);
}

#[test]
fn the_operators_output_is_a_key() {
    let sandbox = sandbox();
    let key = public_key();
    let shown = [
        format!("key         k1\npublic key  {key}\nalgorithm   Ed25519\nuse         signs and verifies\n"),
        json!({"key_id": "k1", "algorithm": "Ed25519", "public_key": key, "signs": true}).to_string(),
    ];
    for shown in shown {
        sandbox.write("key.txt", shown);
        let ran = verify(&sandbox, &[]);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    }
}

/// Tables make the same requests again, which the journal knows by their bytes.
#[test]
fn additions_and_accounts_may_be_tables() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    sandbox.write("m.toml", "[tables.accounts.constants]\nimport_supplier = \"ACME_ENERGY\"\n");
    sandbox.write("more/notes.csv", "external_account_number,body\nN-1,Hello\nN-1,Hello\n");
    for (what, path) in [("notes", "more"), ("transactions", "transactions.json")] {
        let words = ["send", what, path, "--mapping", "m.toml", "--now", crate::harness::NOW];
        let ran = sandbox.run_with(&stub, &words);
        assert_eq!(ran.code, Some(0), "{}{}", ran.err, ran.out);
    }
    let ran = sandbox.run(&["disassemble", "in", "--to", "tables"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let run = |accounts: &str, more: &[&str]| {
        let words = ["verify", "certificate.json", accounts, "--leaves", "leaves.ndjson"];
        let options = ["--public-key", "key.txt", "--json", "--mapping", "m.toml"];
        sandbox.run(&[&words[..], &options, more].concat())
    };
    let journals =
        ["--additions", "more.cutover-journal", "--additions", "transactions.json.cutover-journal"];
    assert_eq!(summary(&run("in", &journals), 0)["agrees"], true);
    let files = ["--additions", "more", "--additions", "transactions.json"];
    assert_eq!(summary(&run("in", &files), 0)["agrees"], true);
    // The certificate is about accounts as they were sent, which these were not.
    let found = summary(&run("tables", &files), 1);
    assert_eq!((&found["missing"], &found["extra"]), (&json!([]), &json!([])));
    // Another mapping makes other requests.
    sandbox.write("m.toml", "[tables.accounts.constants]\nimport_supplier = \"OTHER\"\n");
    let ran = run("in", &journals);
    assert!(ran.code == Some(2) && ran.err.contains("and the mapping of tables"), "{}", ran.err);
    // Without a journal nobody else says that a row is missing.
    sandbox.write("more/note_documents.csv", "external_account_number,document_path\nN-1,a.pdf\n");
    let ran = run("in", &files);
    assert!(ran.code == Some(2) && ran.err.contains("have 1 finding, which"), "{}", ran.err);
}

/// What was refused or is faulty does not count, and neither do requests about businesses.
#[test]
fn journals_name_what_was_added() {
    let (sandbox, stub) = (sandbox(), Stub::start());
    let sent = |what: &str, file: &str| {
        sandbox.run_with(&stub, &["send", what, file, "--now", crate::harness::NOW]).code
    };
    let refused = NOTES.replace("Hello", "Refused");
    sandbox.write("notes.ndjson", format!("{refused}\n{{\n{NOTES}\n").replace("\n{\n", "\n[7]\n"));
    stub.state()
        .sent_answers
        .insert("N-1".to_owned(), (404, json!({"detail": "x", "code": "account_not_found"})));
    assert_eq!(sent("notes", "notes.ndjson"), Some(1));
    stub.state().sent_answers.clear();
    sandbox.write("notes.ndjson", format!("{NOTES}\n[7]\n"));
    assert_eq!(sent("notes", "notes.ndjson"), Some(1));
    sandbox.write("notes.ndjson", format!("{refused}\n[7]\n{NOTES}\n"));
    assert_eq!(sent("transactions", "transactions.json"), Some(0));
    let words = ["verify", "certificate.json", "in", "--leaves", "leaves.ndjson", "--public-key", "key.txt"];
    let run = |additions: &[&str]| {
        let additions: Vec<&str> = additions.iter().flat_map(|path| ["--additions", path]).collect();
        sandbox.run(&[&words[..], &["--json"], &additions].concat())
    };
    let journals = ["notes.ndjson.cutover-journal", "transactions.json.cutover-journal"];
    assert_eq!(summary(&run(&journals), 0)["agrees"], true);
    std::fs::rename(sandbox.path("notes.ndjson"), sandbox.path("n.ndjson")).unwrap();
    std::fs::rename(sandbox.path("transactions.json"), sandbox.path("t.json")).unwrap();
    assert_eq!(run(&journals).code, Some(2));
    assert_eq!(summary(&run(&[&journals[..], &["n.ndjson", "t.json"]].concat()), 0)["agrees"], true);
    let ran = run(&[&journals[..], &["n.ndjson"]].concat());
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("lack 1 requests that the journals have as accepted"), "{}", ran.err);
    assert_eq!(sandbox.run_with(&stub, &["upload", "in"]).code, Some(0));
    let ran = run(&["in.cutover-journal"]);
    assert!(ran.err.contains("is a journal of accounts"), "{}", ran.err);
}
