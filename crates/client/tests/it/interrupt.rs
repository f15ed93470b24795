//! Ctrl-C.
#![cfg(unix)]

use crate::harness::{NOW, RunResult, Sandbox, account};
use std::io::Write;
use std::process::{Child, Command};

/// More than a pipe holds: once it is written, the program has read some of it, and handles signals.
const ENOUGH: usize = 2 * 1024 * 1024;

/// Starts a run that has read some accounts and waits for more input.
fn waiting(sandbox: &Sandbox, arguments: &[&str]) -> (Child, u64) {
    let start = &["validate", "-", "--now", NOW];
    let mut child = sandbox.start(&[start, arguments].concat());
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

/// Waits for the end of a run, with its input open until then.
fn end(mut child: Child) -> RunResult {
    let input = child.stdin.take();
    let ran = child.wait_with_output().unwrap().into();
    drop(input);
    ran
}

#[test]
fn an_interrupted_run_ends_with_a_summary() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = Sandbox::new();
        let reports = ["--report", "r.json", "--report", "r.csv", "--report", "r.html"];
        let (child, written) = waiting(&sandbox, &[&["--json"], &reports[..]].concat());
        interrupt(&child, signal);
        let ran = end(child);
        assert_eq!((ran.code, ran.err.as_str()), (Some(130), ""));
        assert_eq!(ran.summary()["interrupted"], true);
        let (accounts, faulty) = ran.counts();
        assert!(0 < accounts && accounts < written && faulty == 0, "{accounts} of {written}");
        // The accounts share a date of birth, which is a warning.
        let mut rows = sandbox.rows("r.json");
        rows.retain(|row| row["level"] == "error");
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0]["code"], "run_interrupted");
        assert!(sandbox.read("r.csv").lines().last().unwrap().contains("run_interrupted"));
        assert!(sandbox.read("r.html").contains("The run was interrupted"));
    }
}

#[test]
fn the_text_says_that_the_run_was_interrupted() {
    let sandbox = Sandbox::new();
    let (child, _) = waiting(&sandbox, &[]);
    interrupt(&child, "-INT");
    let ran = end(child);
    assert_eq!(ran.code, Some(130));
    assert!(ran.out.contains("\nInterrupted: "), "{}", ran.out);
}
