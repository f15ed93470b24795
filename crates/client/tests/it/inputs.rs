//! Whatever form accounts come in, they are the same accounts.

use crate::harness::{Ran, Site, account, fixture_text, gzip, line, names, ndjson, zstd};

const FAULTY: &str = "faulty/CUS-01-not-a-phone-number";

/// Two valid accounts and a faulty one.
const THREE: &[&str] = &["valid/gas", FAULTY, "valid/electricity"];

fn is_three(ran: &Ran) {
    assert_eq!(ran.err, "");
    assert_eq!(ran.counts(), (3, 1));
    assert_eq!(ran.code, Some(1));
}

#[test]
fn lines_plain_and_packed() {
    let site = Site::new();
    let text = ndjson(THREE);
    for (name, content) in [
        ("a.ndjson", text.clone()),
        ("a.jsonl", text.clone()),
        ("a.ndjson.gz", gzip(&text)),
        ("a.jsonl.zst", zstd(&text)),
        ("parts.ndjson.gz", [gzip(&text[..5_000]), gzip(&text[5_000..])].concat()),
        ("by-content", text.clone()),
        ("by-content.gz", gzip(&text)),
        ("packed-in-truth.ndjson", zstd(&text)),
    ] {
        site.write(name, content);
        is_three(&site.validate(&[name, "--json"]));
    }
}

#[test]
fn standard_input_plain_and_packed() {
    let site = Site::new();
    let text = ndjson(THREE);
    for input in [text.clone(), gzip(&text), zstd(&text)] {
        is_three(&site.validate_input(&input, &["-", "--json"]));
    }
}

#[test]
fn a_file_that_is_one_account() {
    let site = Site::new();
    let text = fixture_text("valid/electricity");
    assert!(text.contains(&b'\n'));
    let names = ["a.json", "a.json.gz", "a.json.zst", "by-content.txt"];
    for (name, content) in names.iter().zip([text.clone(), gzip(&text), zstd(&text), text]) {
        site.write(name, content);
        let ran = site.validate(&[name, "--json"]);
        assert_eq!((ran.counts(), ran.code), ((1, 0), Some(0)), "{name}: {}", ran.out);
    }
}

#[test]
fn a_folder_with_all_valid_accounts() {
    let site = Site::new();
    for name in names("valid") {
        site.write(&format!("in/{name}.json"), fixture_text(&format!("valid/{name}")));
    }
    site.write("in/deeper/more.ndjson", [account("N-1"), account("N-2")].join(&b'\n'));
    site.write("in/readme.txt", "no account");
    let ran = site.validate(&["in", "--json", "--report", "in/report.json"]);
    assert_eq!((ran.counts(), ran.code), ((11, 0), Some(0)), "{}{}", ran.out, ran.err);
    assert_eq!(ran.summary()["files"], 10);
    assert_eq!(ran.summary()["warnings"], 0);
    // The report is no input the second time.
    assert_eq!(site.validate(&["in", "--json", "--report", "in/report.json"]).counts(), (11, 0));
}

#[test]
fn blank_lines_are_no_accounts_and_broken_ones_do_not_end_it() {
    let site = Site::new();
    let valid = account("N-1");
    let text = [b"\n \t\r\n", &valid[..], b"\r\n{\"a\": \n[1]\n\xff\n\n", &line(FAULTY)].concat();
    site.write("a.ndjson", text);
    let ran = site.validate(&["a.ndjson", "--json", "--report", "r.json"]);
    assert_eq!((ran.counts(), ran.code), ((5, 4), Some(1)));
    let found: Vec<String> = site
        .rows("r.json")
        .iter()
        .map(|row| format!("{} {} {} {}", row["line"], row["attr"], row["code"], row["detail"]))
        .collect();
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn a_line_that_is_too_long_is_a_fault_of_its_own() {
    let site = Site::new();
    let long = format!("{{\"import_supplier\": \"{}\"}}", "x".repeat(8 * 1024 * 1024));
    let text = [&account("N-1")[..], b"\n", long.as_bytes(), b"\n", &account("N-2")].concat();
    site.write("a.ndjson.zst", zstd(&text));
    site.write("b.json", &long);
    let ran = site.validate(&["a.ndjson.zst", "b.json", "--json", "--report", "r.json"]);
    assert_eq!((ran.counts(), ran.code), ((4, 2), Some(1)));
    let rows = site.rows("r.json");
    let places: Vec<String> = rows.iter().map(|row| format!("{} {}", row["file"], row["line"])).collect();
    assert_eq!(places, ["\"a.ndjson.zst\" 2", "\"b.json\" 1"]);
    assert!(rows.iter().all(|row| row["code"] == "payload_too_large"), "{rows:?}");
}

#[test]
fn what_cannot_be_read_is_told_and_the_others_are_checked() {
    let site = Site::new();
    let packed = gzip(&ndjson(THREE));
    site.write("a.ndjson.gz", &packed[..packed.len() - 4]);
    site.write("b.json.gz", "{}");
    site.write("c.ndjson", ndjson(THREE));
    let ran = site.validate(&["a.ndjson.gz", "b.json.gz", "c.ndjson", "--json", "--report", "r.json"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.counts(), (6, 2));
    assert_eq!((&ran.summary()["files"], &ran.summary()["unreadable_files"]), (&2.into(), &2.into()));
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(lines[0].starts_with("error: a.ndjson.gz cannot be read: "), "{}", ran.err);
    assert!(lines[1].starts_with("error: b.json.gz cannot be read: by its name it is packed"), "{}", ran.err);
    assert_eq!(lines.len(), 2);
    let unreadable = site.rows("r.json").into_iter().filter(|row| row["code"] == "unreadable_input");
    let files: Vec<_> = unreadable.map(|row| row["file"].clone()).collect();
    assert_eq!(files, ["a.ndjson.gz", "b.json.gz"]);
}

#[test]
fn an_account_that_comes_again_is_a_warning() {
    let site = Site::new();
    let lines = [account("N-1"), account("N-2"), account(" N-1 ")].join(&b'\n');
    site.write("a.ndjson", lines);
    site.write("b.json", account("N-2"));
    let ran = site.validate(&["a.ndjson", "b.json", "--report", "r.json", "--json"]);
    assert_eq!((ran.counts(), ran.code), ((4, 0), Some(0)));
    assert_eq!(ran.summary()["with_warnings"], 2);
    insta::assert_snapshot!(site.read("r.json"));
}
