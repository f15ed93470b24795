//! Finds the integration tests of one crate in the build of all tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::cargo;

/// The command that runs the integration tests of the crate in a folder, like cargo; `None` if they cannot be
/// built, which cargo reports.
pub(super) fn integration_tests(folder: &str) -> Option<Command> {
    // Selected alone, the crate would be built again with its own set of features.
    let mut build = cargo::cargo(["test", "--workspace", "--test", "it", "--no-run"]);
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let folder = cargo::root().join(folder);
    let file = executable(&cargo::output(build)?, &folder.join("Cargo.toml"))?;
    let mut command = cargo::command(file);
    command.current_dir(folder);
    Some(command)
}

/// The part of cargo's build messages that is needed.
#[derive(Deserialize)]
struct Message {
    manifest_path: Option<PathBuf>,
    executable: Option<PathBuf>,
    target: Option<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

/// Returns the executable of a package's integration tests, from cargo's messages, one a line.
fn executable(messages: &str, manifest: &Path) -> Option<PathBuf> {
    messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok()).find_map(|message| {
        let is_it = message.manifest_path.as_deref() == Some(manifest) && message.target?.name == "it";
        message.executable.filter(|_| is_it)
    })
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn tests_are_found_by_their_package() {
        let messages = r#"
{"reason":"compiler-artifact","manifest_path":"/p/a/Cargo.toml","target":{"name":"it"},"executable":"/t/it-1"}
{"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"b"},"executable":"/t/b"}
{"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"b"},"executable":null}
{"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"it"},"executable":"/t/it-2"}
{"reason":"build-finished","success":true}"#;
        let of = |manifest: &str| executable(messages, Path::new(manifest));
        assert_eq!(of("/p/b/Cargo.toml"), Some(PathBuf::from("/t/it-2")));
        assert_eq!(of("/p/c/Cargo.toml"), None);
    }
}
