//! Ctrl-C.
#![cfg(unix)]

use crate::harness::{NOW, Ran, Site, account};
use std::io::Write;
use std::process::{Child, Command};

/// More than a pipe holds: once it is written, the program has read some of it, and hears signals.
const ENOUGH: usize = 2 * 1024 * 1024;

/// A run that waits for more input, having read some whole accounts.
fn waiting(site: &Site, arguments: &[&str]) -> (Child, u64) {
    let start = &["validate", "-", "--now", NOW];
    let mut child = site.start(&[start, arguments].concat());
    let mut input = child.stdin.take().unwrap();
    let (mut written, mut accounts) = (0, 0);
    while written < ENOUGH {
        let mut line = account(&format!("N-{accounts}"));
        line.push(b'\n');
        input.write_all(&line).unwrap();
        written += line.len();
        accounts += 1;
    }
    // Left open: the program must not see the end of its input.
    child.stdin = Some(input);
    (child, accounts)
}

fn interrupt(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// What it printed, with its input open until it has ended.
fn end(mut child: Child) -> Ran {
    let input = child.stdin.take();
    let ran = child.wait_with_output().unwrap().into();
    drop(input);
    ran
}

#[test]
fn it_ends_with_the_summary_of_what_was_done() {
    for signal in ["-INT", "-TERM"] {
        let site = Site::new();
        let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
        let (child, written) = waiting(&site, &[&["--json"], &reports[..]].concat());
        interrupt(&child, signal);
        let ran = end(child);
        assert_eq!((ran.code, ran.err.as_str()), (Some(130), ""));
        assert_eq!(ran.summary()["interrupted"], true);
        let (accounts, faulty) = ran.counts();
        assert!(0 < accounts && accounts < written && faulty == 0, "{accounts} of {written}");
        let rows = site.rows("r.json");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["code"], "run_interrupted");
        assert!(site.read("r.csv").lines().last().unwrap().contains("run_interrupted"));
        assert!(site.read("r.html").contains("The run was interrupted"));
    }
}

#[test]
fn people_read_that_it_was_interrupted() {
    let site = Site::new();
    let (child, _) = waiting(&site, &[]);
    interrupt(&child, "-INT");
    let ran = end(child);
    assert_eq!(ran.code, Some(130));
    assert!(ran.out.contains("\nInterrupted: "), "{}", ran.out);
}
