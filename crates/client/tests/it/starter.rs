//! The starter kit for suppliers: its queries give its extract, and the extract valid accounts.
#![cfg(unix)]

use crate::harness::{NOW, Sandbox};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn kit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/supplier")
}

/// The files of a folder of the kit with an extension.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(kit().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths
}

/// Runs SQL with the program `sqlite3`; returns what it prints.
fn sqlite(database: &Path, options: &[&str], sql: &Path) -> String {
    let input = Stdio::from(std::fs::File::open(sql).unwrap());
    let ran = Command::new("sqlite3").args(options).arg(database).stdin(input).output().unwrap();
    assert!(ran.status.success(), "{}: {}", sql.display(), String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// A table without quotes: versions of the program differ in which cells have them, and in the ends of lines.
fn unquoted(text: &str) -> String {
    text.replace(['"', '\r'], "")
}

#[test]
fn the_queries_give_the_extract() {
    // Without the program nothing is compared; `cargo xtask test` says so.
    if Command::new("sqlite3").arg("--version").output().is_err() {
        return;
    }
    let sandbox = Sandbox::new();
    let database = sandbox.path("billing.db");
    for sql in ["schema.sql", "data.sql"] {
        assert_eq!(sqlite(&database, &[], &kit().join(sql)), "");
    }
    let stem = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    for (folder, given, options, extension) in
        [("queries", "extract", &["-csv", "-header"][..], "csv"), ("requests", "requests", &[], "ndjson")]
    {
        let queries = files(folder, "sql");
        let names: Vec<String> = queries.iter().map(|path| stem(path)).collect();
        assert_eq!(names, files(given, extension).iter().map(|path| stem(path)).collect::<Vec<_>>());
        for query in queries {
            let path = kit().join(given).join(format!("{}.{extension}", stem(&query)));
            let expected = std::fs::read_to_string(&path).unwrap();
            assert_eq!(
                unquoted(&sqlite(&database, options, &query)),
                unquoted(&expected),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn the_extract_gives_valid_accounts() {
    let (sandbox, kit) = (Sandbox::new(), kit());
    let (extract, mapping) = (kit.join("extract"), kit.join("mapping.toml"));
    let made = sandbox.run(&[
        "assemble",
        extract.to_str().unwrap(),
        "--mapping",
        mapping.to_str().unwrap(),
        "--out",
        "accounts.ndjson",
    ]);
    assert_eq!((made.code, made.out.as_str()), (Some(0), ""), "{}", made.err);
    let accounts = sandbox.read("accounts.ndjson");
    assert_eq!(accounts.lines().count(), 24);
    assert!(accounts.contains("\"meter_serial_number\":\"00045000\""), "zeros at the beginning are lost");
    let zone = "Australia/Melbourne";
    let ran = sandbox.run(&["validate", "accounts.ndjson", "--now", NOW, "--time-zone", zone, "--json"]);
    let summary = ran.summary();
    assert_eq!((&summary["faulty"], &summary["warnings"]), (&0.into(), &0.into()), "{summary}");
}
