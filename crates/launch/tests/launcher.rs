//! The launcher with a cargo that only notes how it was called, and a program that says which arguments it got.
//!
//! The launcher names this target to cargo: of all test targets it is the one that needs no other crate.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A program cannot run while it is open for writing, also in a child that another test has just forked.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A folder of programs with the launcher, and a cargo that ends with this status.
struct Programs(PathBuf, #[expect(dead_code, reason = "held until it is dropped")] MutexGuard<'static, ()>);

impl Programs {
    fn new(test: &str, status: u8) -> Self {
        let one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(&folder).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_cutover-launch"), folder.join("launch")).unwrap();
        let programs = Self(folder, one);
        let note = "{ echo \"$@\"; env | grep ^CARGO_ | cut -d= -f1; } > \"$0.calls\"";
        programs.script("cargo", &format!("{note}\nexit {status}"));
        programs
    }

    fn script(&self, name: &str, lines: &str) {
        let file = self.0.join(name);
        fs::write(&file, format!("#!/bin/sh\n{lines}\n")).unwrap();
        fs::set_permissions(file, Permissions::from_mode(0o755)).unwrap();
    }

    fn launch<const N: usize>(&self, arguments: [&str; N]) -> Output {
        let mut launcher = Command::new(self.0.join("launch"));
        launcher.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        launcher
            .env("CARGO", self.0.join("cargo"))
            .envs([("CARGO_PKG_NAME", "x"), ("CARGO_MANIFEST_DIR", "x")]);
        launcher.args(arguments).output().unwrap()
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.0.join("cargo.calls")).unwrap()
    }
}

fn text(output: &[u8]) -> &str {
    std::str::from_utf8(output).unwrap()
}

#[test]
fn a_program_is_built_with_the_features_of_the_tests_and_run() {
    let programs = Programs::new("built", 0);
    programs.script("demo", "echo \"$@, $CARGO_INCREMENTAL\"\nexit 7");
    let output = programs.launch(["demo", "--exit", "a b"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(7), "--exit a b, 0\n"), "{output:?}");
    let calls = programs.calls();
    let mut lines = calls.lines();
    assert_eq!(lines.next(), Some("build --workspace --test launcher --bin demo --quiet"));
    let variables: Vec<&str> = lines.collect();
    assert_eq!(variables, ["CARGO_INCREMENTAL"], "cargo was told which package calls it");
}

#[test]
fn a_first_build_shows_its_progress() {
    let programs = Programs::new("first", 0);
    let output = programs.launch(["demo"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("error: cannot run "), "{output:?}");
    assert!(!programs.calls().contains("--quiet"), "{}", programs.calls());
}

#[test]
fn a_program_that_cannot_be_built_is_not_run() {
    let programs = Programs::new("broken", 101);
    programs.script("demo", "echo began");
    let output = programs.launch(["demo"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{output:?}");
}

/// Cargo would compile for the launcher whatever a target of this name needs in another crate.
#[test]
fn the_named_target_is_the_only_one_of_its_name() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let tests = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("tests"));
    let named: Vec<PathBuf> = tests
        .flat_map(|folder| [folder.join("launcher.rs"), folder.join("launcher")])
        .filter(|path| path.exists())
        .collect();
    assert_eq!(named.len(), 1, "{named:?}");
    assert!(named[0].starts_with(env!("CARGO_MANIFEST_DIR")), "{named:?}");
    assert_eq!(named[0].file_name(), Some(OsStr::new("launcher.rs")));
}
