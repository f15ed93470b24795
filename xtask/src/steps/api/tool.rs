//! Finds schemathesis, or installs it in a virtual environment of Python in `target/tools`.

use std::path::PathBuf;

use crate::cargo;
use crate::steps::{Tools, python};

/// Pinned versions of the tool and its dependencies. The first line that names the tool has its version.
const REQUIREMENTS: &str = "xtask/schemathesis/requirements.txt";

/// The program in the right version; installed if allowed and needed.
pub(super) fn find(tools: Tools) -> Option<PathBuf> {
    there().or_else(|| {
        let installed = tools == Tools::Install && python::install(&folder(), REQUIREMENTS);
        there().filter(|_| installed)
    })
}

/// Message if the tool is missing.
pub(super) fn missing() -> String {
    format!("no schemathesis {}: --install installs it, with python3 and its venv", version())
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools/schemathesis")
}

fn there() -> Option<PathBuf> {
    let wanted = version();
    [folder().join("bin/schemathesis"), PathBuf::from("schemathesis")].into_iter().find(|program| {
        let mut command = cargo::command(program);
        command.arg("--version");
        cargo::output(command).is_some_and(|answer| is_version(&answer, &wanted))
    })
}

fn is_version(answer: &str, wanted: &str) -> bool {
    answer.split_whitespace().last() == Some(wanted)
}

fn version() -> String {
    let text = std::fs::read_to_string(cargo::root().join(REQUIREMENTS)).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("schemathesis==")).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_wanted_version_counts() {
        assert!(is_version("st, version 4.32.5\n", "4.32.5"));
        for answer in ["st, version 4.32.50", "st 0.9.2", ""] {
            assert!(!is_version(answer, "4.32.5"), "{answer}");
        }
    }

    #[test]
    fn the_wanted_version_is_pinned() {
        assert!(version().split('.').all(|part| part.parse::<u32>().is_ok()), "{}", version());
    }
}
