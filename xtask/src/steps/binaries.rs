//! Integration tests of one crate, in the build that the tests of all have.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::cargo;

/// What runs the integration tests of the crate in a folder, as cargo does; nothing if they cannot be built, which
/// cargo has said.
pub(super) fn integration_tests(folder: &str) -> Option<Command> {
    // Chosen alone, the crate would be built anew, with the features that it needs itself.
    let mut build = cargo::cargo(["test", "--workspace", "--test", "it", "--no-run"]);
    build.args(["--message-format", "json-render-diagnostics"]).stderr(Stdio::inherit());
    let folder = cargo::root().join(folder);
    let file = executable(&cargo::output(build)?, &folder.join("Cargo.toml"))?;
    let mut command = cargo::command(file);
    command.current_dir(folder);
    Some(command)
}

/// What cargo says in the course of a build, as far as it is looked at.
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

/// Where the integration tests of a package are, by what cargo said, a line a message.
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
