//! `documents upload`.

use crate::harness::{RunResult, Sandbox};
use crate::stub::{Behavior, Stub};
use crate::upload::figures;
use cutover_testkit_machine::wait_until;
use serde_json::json;

fn upload(sandbox: &Sandbox, stub: &Stub, more: &[&str]) -> RunResult {
    let command = ["documents", "upload", "docs", "--supplier", "ACME", "--patience", "120"];
    sandbox.run_with(stub, &[&command[..], more].concat())
}

/// A sandbox with this many documents in `docs`.
fn documents(count: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    for n in 0..count {
        sandbox.write(&format!("docs/s/{n:03}.pdf"), format!("%PDF-1.7 {n}"));
    }
    sandbox
}

/// Ends of the paths that arrived, each with how often.
fn arrived(stub: &Stub) -> Vec<(String, usize)> {
    let mut paths = stub.state().document_requests.clone();
    paths.sort();
    let once = {
        let mut once = paths.clone();
        once.dedup();
        once
    };
    once.into_iter()
        .map(|path| {
            let n = paths.iter().filter(|other| **other == path).count();
            (path, n)
        })
        .collect()
}

#[test]
fn each_file_is_stored_under_its_path_once() {
    let (sandbox, stub) = (documents(2), Stub::start());
    sandbox.write("docs/50% of a#b?.pdf", vec![7; 300_000]);
    let ran = upload(&sandbox, &stub, &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    insta::assert_snapshot!("document_upload_people", ran.text());
    let stored: Vec<_> =
        stub.state().documents.iter().map(|(path, content)| (path.clone(), content.len())).collect();
    let named = [("50%25%20of%20a%23b%3F.pdf/", 300_000), ("s/000.pdf/", 10), ("s/001.pdf/", 10)];
    assert_eq!(stored, named.map(|(path, length)| (path.to_owned(), length)));
    // Another run has nothing to send, and one without its journal finds everything there.
    let again = upload(&sandbox, &stub, &["--json"]);
    assert_eq!((again.code, again.summary()["in_earlier_runs"]["accepted"].as_u64()), (Some(0), Some(3)));
    assert_eq!(stub.state().document_requests.len(), 3);
    let anew = upload(&sandbox, &stub, &["--json", "--journal", "other"]);
    assert_eq!(figures(&anew, ["requests", "accepted", "already_there", "refused"]), [3, 0, 3, 0]);
    assert_eq!(anew.code, Some(0));
}

#[test]
fn a_lost_answer_an_overload_and_a_kill_lose_nothing() {
    let (sandbox, stub) = (documents(12), Stub::start());
    stub.script([Behavior::Normal, Behavior::Cut(0), Behavior::Answer(503, Some(1))]);
    stub.state().hang_after = Some(7);
    let arguments = ["documents", "upload", "docs", "--supplier", "ACME", "--connections", "1"];
    let mut child = sandbox.command_for(&stub, &arguments).spawn().unwrap();
    wait_until("the upload hangs", || stub.state().hangs);
    child.kill().unwrap();
    child.wait().unwrap();
    stub.state().hang_after = None;
    let ran = upload(&sandbox, &stub, &["--json"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{}", ran.out);
    let [taken, before] = [&ran.summary(), &ran.summary()["in_earlier_runs"]]
        .map(|counts| counts["accepted"].as_u64().unwrap() + counts["already_there"].as_u64().unwrap());
    assert!(taken == 12 && before >= 6, "{before}");
    assert_eq!(stub.state().documents.len(), 12);
    // Only what had no answer came twice.
    let twice = arrived(&stub).into_iter().filter(|(_, times)| *times > 1).count();
    assert!((2..=3).contains(&twice), "{:?}", arrived(&stub));
}

#[test]
fn changed_and_refused_documents_are_named() {
    let (sandbox, stub) = (documents(3), Stub::start());
    assert_eq!(upload(&sandbox, &stub, &[]).code, Some(0));
    sandbox.write("docs/s/001.pdf", "%PDF-1.8 changed");
    sandbox.write("docs/s/big.pdf", "%PDF-1.8 big");
    let large = (413, json!({"detail": "It is too large.", "code": "payload_too_large"}));
    stub.state().document_answers.insert("s/big.pdf/".into(), large);
    let ran = upload(&sandbox, &stub, &["--report", "r.csv"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    let mut rows: Vec<_> = sandbox.read("r.csv").lines().map(str::to_owned).collect();
    rows[1..].sort();
    insta::assert_snapshot!("document_upload_report", rows.join("\n"));
    assert_eq!(stub.state().documents["s/001.pdf/"], b"%PDF-1.7 1");
    // The operator has removed the old one; too large is refused for good.
    stub.state().documents.remove("s/001.pdf/");
    let ran = upload(&sandbox, &stub, &["--json"]);
    assert_eq!(figures(&ran, ["accepted", "refused", "refused_again", "refused_before"]), [3, 1, 1, 1]);
}

#[test]
fn what_is_no_document_is_a_finding() {
    let (sandbox, stub) = (documents(1), Stub::start());
    sandbox.write("docs/empty.pdf", "");
    sandbox.write("docs/.hidden", "x");
    sandbox.write("docs/a b.pdf ", "x");
    sandbox.write("outside.pdf", "x");
    let mut faulty = 2;
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        symlink("../outside.pdf", sandbox.path("docs/out.pdf")).unwrap();
        symlink("s", sandbox.path("docs/folder")).unwrap();
        symlink("s/000.pdf", sandbox.path("docs/inside.pdf")).unwrap();
        symlink("none.pdf", sandbox.path("docs/broken.pdf")).unwrap();
        let name = std::ffi::OsStr::from_bytes(b"docs/\xff.pdf");
        std::fs::write(sandbox.path("").join(name), "x").unwrap();
        faulty += 4;
    }
    let ran = upload(&sandbox, &stub, &["--json", "--report", "r.json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.starts_with("note: skipped") && ran.err.contains(".hidden"), "{}", ran.err);
    assert_eq!(figures(&ran, ["faulty", "refused", "not_sent"]), [faulty, 0, 0]);
    let stored: Vec<_> = stub.state().documents.keys().cloned().collect();
    assert_eq!(stored, if faulty > 2 { &["inside.pdf/", "s/000.pdf/"][..] } else { &["s/000.pdf/"] });
    let rows = sandbox.rows("r.json");
    let found = rows
        .iter()
        .map(|row| format!("{} {} {}", row["external_account_number"], row["code"], row["detail"]));
    #[cfg(target_os = "linux")]
    insta::assert_snapshot!("document_upload_findings", found.collect::<Vec<_>>().join("\n"));
    #[cfg(not(target_os = "linux"))]
    assert_eq!(found.count(), 2);
}

#[test]
fn a_service_that_takes_none_ends_the_run() {
    for (status, code, why) in [
        (403, "document_uploads_refused", "takes no documents"),
        (404, "not_found", "the supplier is unknown there"),
    ] {
        let (sandbox, stub) = (documents(2), Stub::start());
        let answer = (status, json!({"detail": "x", "code": code}));
        stub.state().document_answers =
            ["s/000.pdf/", "s/001.pdf/"].map(|path| (path.to_owned(), answer.clone())).into();
        let ran = upload(&sandbox, &stub, &[]);
        assert_eq!(ran.code, Some(2), "{}", ran.out);
        assert!(ran.err.contains(why), "{}", ran.err);
    }
    let (sandbox, stub) = (Sandbox::new(), Stub::start());
    assert_eq!(upload(&sandbox, &stub, &[]).code, Some(2));
}
