//! Layouts and compressions of inputs.

use crate::harness::{RunResult, Sandbox, account, fixture_text, gzip, line, names, ndjson, zstd};
use serde_json::Value;

const FAULTY: &str = "faulty/CUS-01-not-a-phone-number";

/// Two valid accounts and a faulty one.
const THREE: &[&str] = &["valid/gas", FAULTY, "valid/electricity"];

fn is_three(ran: &RunResult) {
    assert_eq!(ran.err, "");
    assert_eq!(ran.counts(), (3, 1));
    assert_eq!(ran.code, Some(1));
}

#[test]
fn arrays_pretty_printed_json_and_a_mark_are_read() {
    let sandbox = Sandbox::new();
    let one = |number: &str| serde_json::from_slice::<Value>(&account(number)).unwrap();
    let array = Value::from(vec![one("N-1"), one("N-2")]);
    sandbox.write("in/a.json", serde_json::to_string_pretty(&array).unwrap());
    sandbox.write("in/b.ndjson", array.to_string().replace("N-1", "N-3").replace("N-2", "N-4"));
    let pretty = |number| serde_json::to_string_pretty(&one(number)).unwrap();
    sandbox.write("in/c.jsonl", format!("\u{feff}{}\n{}\n", pretty("N-5"), pretty("N-6")));
    sandbox.write("in/d.json", format!("\u{feff}{}", pretty("N-7")));
    sandbox.write("in/readme.txt", "");
    let ran = sandbox.validate(&["in", "--json"]);
    assert_eq!(ran.counts(), (7, 0), "{}", ran.out);
    assert_eq!(ran.code, Some(0));
    assert!(ran.err.ends_with("in/readme.txt\n") && ran.err.starts_with("note: skipped"), "{}", ran.err);
}

#[test]
fn other_formats_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write("a.ndjson", "import_supplier,external_account_number\nACME,1\n");
    sandbox.write("b.json", [&[0xff, 0xfe][..], b"{\0}\0"].concat());
    sandbox.write("c.json", b"PK\x03\x04...");
    for (name, what) in [("a.ndjson", "CSV"), ("b.json", "UTF-16"), ("c.json", "ZIP")] {
        let ran = sandbox.validate(&[name]);
        assert_eq!(ran.code, Some(2), "{name}");
        assert!(
            ran.err.contains(&format!("{name} cannot be read: it is ")) && ran.err.contains(what),
            "{}",
            ran.err
        );
    }
}

#[test]
fn lines_plain_and_compressed() {
    let sandbox = Sandbox::new();
    let text = ndjson(THREE);
    for (name, content) in [
        ("a.ndjson", text.clone()),
        ("a.jsonl", text.clone()),
        ("a.ndjson.gz", gzip(&text)),
        ("a.jsonl.zst", zstd(&text)),
        ("parts.ndjson.gz", [gzip(&text[..5_000]), gzip(&text[5_000..])].concat()),
        ("by-content", text.clone()),
        ("by-content.gz", gzip(&text)),
        ("compressed-without-extension.ndjson", zstd(&text)),
    ] {
        sandbox.write(name, content);
        is_three(&sandbox.validate(&[name, "--json"]));
    }
}

#[test]
fn standard_input_plain_and_compressed() {
    let sandbox = Sandbox::new();
    let text = ndjson(THREE);
    for input in [text.clone(), gzip(&text), zstd(&text)] {
        is_three(&sandbox.validate_input(&input, &["-", "--json"]));
    }
}

#[test]
fn a_file_that_is_one_account() {
    let sandbox = Sandbox::new();
    let text = fixture_text("valid/electricity");
    assert!(text.contains(&b'\n'));
    let names = ["a.json", "a.json.gz", "a.json.zst", "by-content.txt"];
    for (name, content) in names.iter().zip([text.clone(), gzip(&text), zstd(&text), text]) {
        sandbox.write(name, content);
        let ran = sandbox.validate(&[name, "--json"]);
        assert_eq!((ran.counts(), ran.code), ((1, 0), Some(0)), "{name}: {}", ran.out);
    }
}

#[test]
fn a_folder_with_all_valid_accounts() {
    let sandbox = Sandbox::new();
    for name in names("valid") {
        sandbox.write(&format!("in/{name}.json"), fixture_text(&format!("valid/{name}")));
    }
    sandbox.write("in/deeper/more.ndjson", [account("N-1"), account("N-2")].join(&b'\n'));
    sandbox.write("in/readme.txt", "no account");
    let ran = sandbox.validate(&["in", "--json", "--report", "in/report.json"]);
    assert_eq!((ran.counts(), ran.code), ((11, 0), Some(0)), "{}{}", ran.out, ran.err);
    assert_eq!(ran.summary()["files"], 10);
    assert_eq!(ran.summary()["warnings"], 0);
    // The report is not read as an input the second time.
    assert_eq!(sandbox.validate(&["in", "--json", "--report", "in/report.json"]).counts(), (11, 0));
}

#[test]
fn blank_lines_are_skipped_and_broken_ones_are_reported() {
    let sandbox = Sandbox::new();
    let valid = account("N-1");
    let text = [b"\n \t\r\n", &valid[..], b"\r\n{\"a\": \n[1]\n\xff\n\n", &line(FAULTY)].concat();
    sandbox.write("a.ndjson", text);
    let ran = sandbox.validate(&["a.ndjson", "--json", "--report", "r.json"]);
    assert_eq!((ran.counts(), ran.code), ((5, 4), Some(1)));
    let found: Vec<String> = sandbox
        .rows("r.json")
        .iter()
        .map(|row| format!("{} {} {} {}", row["line"], row["attr"], row["code"], row["detail"]))
        .collect();
    insta::assert_snapshot!(found.join("\n"));
}

#[test]
fn a_line_that_is_too_long_does_not_affect_others() {
    let sandbox = Sandbox::new();
    let long = format!("{{\"import_supplier\": \"{}\"}}", "x".repeat(8 * 1024 * 1024));
    let text = [&account("N-1")[..], b"\n", long.as_bytes(), b"\n", &account("N-2")].concat();
    sandbox.write("a.ndjson.zst", zstd(&text));
    sandbox.write("b.json", &long);
    let ran = sandbox.validate(&["a.ndjson.zst", "b.json", "--json", "--report", "r.json"]);
    assert_eq!((ran.counts(), ran.code), ((4, 2), Some(1)));
    let rows = sandbox.rows("r.json");
    let locations: Vec<String> = rows.iter().map(|row| format!("{} {}", row["file"], row["line"])).collect();
    assert_eq!(locations, ["\"a.ndjson.zst\" 2", "\"b.json\" 1"]);
    assert!(rows.iter().all(|row| row["code"] == "payload_too_large"), "{rows:?}");
}

#[test]
fn unreadable_inputs_are_reported_and_the_others_checked() {
    let sandbox = Sandbox::new();
    let packed = gzip(&ndjson(THREE));
    sandbox.write("a.ndjson.gz", &packed[..packed.len() - 4]);
    sandbox.write("b.json.gz", "{}");
    sandbox.write("c.ndjson", ndjson(THREE));
    let ran = sandbox.validate(&["a.ndjson.gz", "b.json.gz", "c.ndjson", "--json", "--report", "r.json"]);
    assert_eq!(ran.code, Some(2));
    assert_eq!(ran.counts(), (6, 2));
    assert_eq!((&ran.summary()["files"], &ran.summary()["unreadable_files"]), (&2.into(), &2.into()));
    let lines: Vec<&str> = ran.err.lines().collect();
    assert!(lines[0].starts_with("error: a.ndjson.gz cannot be read: "), "{}", ran.err);
    assert!(lines[1].starts_with("error: b.json.gz cannot be read: its name says compressed"), "{}", ran.err);
    assert_eq!(lines.len(), 2);
    let unreadable = sandbox.rows("r.json").into_iter().filter(|row| row["code"] == "unreadable_input");
    let files: Vec<_> = unreadable.map(|row| row["file"].clone()).collect();
    assert_eq!(files, ["a.ndjson.gz", "b.json.gz"]);
}

#[test]
fn a_repeated_account_is_a_warning_and_a_differing_one_an_error() {
    let sandbox = Sandbox::new();
    let lines = [account("N-1"), account("N-2"), account(" N-1 ")].join(&b'\n');
    sandbox.write("a.ndjson", lines);
    sandbox.write("b.json", account("N-2"));
    let ran = sandbox.validate(&["a.ndjson", "b.json", "--report", "r.json", "--json"]);
    // The third line differs by the spaces.
    assert_eq!((ran.counts(), ran.code), ((4, 1), Some(1)));
    assert_eq!(ran.summary()["with_warnings"], 1);
    insta::assert_snapshot!(sandbox.read("r.json"));
}
