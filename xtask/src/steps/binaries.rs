//! The test programs of the workspace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::cargo;

/// A test program that cargo has built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestProgram {
    /// The folder of its package, below the root.
    pub(super) folder: PathBuf,
    package: String,
    /// The name of its target: `it` for integration tests.
    pub(super) target: String,
    file: PathBuf,
}

impl TestProgram {
    /// A program for tests of this crate.
    #[cfg(test)]
    pub(super) fn at(folder: &str, target: &str) -> Self {
        Self {
            folder: folder.into(),
            package: String::new(),
            target: target.to_owned(),
            file: PathBuf::new(),
        }
    }

    /// Returns the command that runs it, like cargo.
    pub(super) fn command(&self) -> Command {
        self.described(cargo::command(&self.file))
    }

    /// The same at a lower priority.
    pub(super) fn command_with(&self, niceness: &str) -> Command {
        let mut command = cargo::command("nice");
        command.args(["-n", niceness]).arg(&self.file);
        self.described(command)
    }

    fn described(&self, mut command: Command) -> Command {
        let folder = cargo::root().join(&self.folder);
        command.env("CARGO_PKG_NAME", &self.package).env("CARGO_MANIFEST_DIR", &folder).current_dir(folder);
        command
    }
}

/// Builds all tests and returns their programs; `None` if they cannot be built, which cargo reports.
pub(super) fn test_programs() -> Option<Vec<TestProgram>> {
    let mut build = cargo::cargo(["test", "--workspace", "--no-run"]);
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    Some(programs(&cargo::output(build)?, cargo::root()))
}

/// The part of cargo's build messages that is needed.
#[derive(Deserialize)]
struct Message {
    manifest_path: Option<PathBuf>,
    executable: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

/// Returns the test programs in cargo's messages, one a line.
fn programs(messages: &str, root: &Path) -> Vec<TestProgram> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let program = |message: Message| {
        message.profile.filter(|profile| profile.test)?;
        let manifest = message.manifest_path?;
        let folder = manifest.parent()?.strip_prefix(root).ok()?.to_owned();
        let package = folder.file_name()?.to_string_lossy().into_owned();
        Some(TestProgram { folder, package, target: message.target?.name, file: message.executable? })
    };
    messages.filter_map(program).collect()
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn only_tests_are_run() {
        let messages = r#"
{"reason":"compiler-artifact","manifest_path":"/p/a/Cargo.toml","target":{"name":"it"},"profile":{"test":true},"executable":"/t/it-1"}
{"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"b"},"profile":{"test":false},"executable":"/t/b"}
{"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"b"},"profile":{"test":true},"executable":null}
{"reason":"build-finished","success":true}"#;
        let program = TestProgram {
            folder: "a".into(),
            package: "a".into(),
            target: "it".into(),
            file: "/t/it-1".into(),
        };
        assert_eq!(programs(messages, Path::new("/p")), [program]);
    }
}
