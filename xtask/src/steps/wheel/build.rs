//! The tools that build the wheel and check it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::Fault;
use crate::cargo;
use crate::error::Error;
use crate::files;
use crate::steps::{Tools, python};

/// Pinned versions of maturin, of zig, which links for old systems, and of auditwheel.
const REQUIREMENTS: &str = "xtask/wheel/requirements.txt";
/// The crate of the wheel.
const MANIFEST: &str = "crates/python/Cargo.toml";
/// The oldest systems on which it runs: those with the glibc 2.17 of 2012, as all that are in use have.
const COMPATIBILITY: &str = "manylinux2014";

/// maturin, zig and auditwheel in a virtual environment of Python in `target/tools`.
pub(super) struct Maturin {
    environment: PathBuf,
}

impl Maturin {
    /// Finds them, or installs them if allowed and needed.
    pub(super) fn find(tools: Tools) -> Option<Self> {
        let environment = cargo::root().join("target/tools/wheel");
        let there = || Some(environment.clone()).filter(|environment| is_there(environment));
        let found = there().or_else(|| {
            let installed = tools == Tools::Install && python::install(&environment, REQUIREMENTS);
            there().filter(|_| installed)
        });
        found.map(|environment| Self { environment })
    }

    /// Message if they are missing.
    pub(super) fn missing() -> String {
        format!("no maturin {}: --install installs it, with python3 and its venv", version())
    }

    /// Builds the wheel into an empty folder. Returns its path.
    pub(super) fn build(&self, folder: &Path) -> Result<Result<PathBuf, Fault>, Error> {
        files::empty_folder(folder)?;
        let mut command = self.command("maturin");
        command.args(["build", "--locked", "--profile", "dev", "--strip", "--zig"]);
        command.args(["--compatibility", COMPATIBILITY, "--manifest-path", MANIFEST, "--out"]).arg(folder);
        let is_built = cargo::succeeds(command)?;
        let mut made = folder.read_dir().map_err(Error::file("list", folder))?.flatten();
        Ok(made.next().filter(|_| is_built).map(|file| file.path()).ok_or("the wheel cannot be built"))
    }

    /// Prints which symbols of the system the wheel needs, and compares them with what its name promises.
    pub(super) fn audit(&self, wheel: &Path) -> Result<(), Fault> {
        let mut command = self.command("auditwheel");
        command.args(["show", "--json"]).arg(wheel);
        let shown = cargo::output(command).unwrap_or_default();
        print!("{shown}");
        let audit: Audit = serde_json::from_str(&shown).map_err(|_| "auditwheel cannot read the wheel")?;
        if audit.is_compatible() { Ok(()) } else { Err("the wheel needs a newer system than its name says") }
    }

    fn command(&self, program: &str) -> std::process::Command {
        let mut command = cargo::command(self.environment.join("bin").join(program));
        // maturin looks for zig in the Python that it finds first.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.environment.join("bin")).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap_or(path));
        command
    }
}

/// What auditwheel says.
#[derive(Deserialize)]
struct Audit {
    /// The oldest systems that have all symbols, such as `manylinux_2_17_x86_64`.
    overall_tag: String,
}

impl Audit {
    /// True for the systems of [`COMPATIBILITY`], and older ones.
    fn is_compatible(&self) -> bool {
        let glibc = self.overall_tag.strip_prefix("manylinux_2_").and_then(|rest| rest.split('_').next());
        glibc.and_then(|minor| minor.parse::<u32>().ok()).is_some_and(|minor| minor <= 17)
    }
}

fn is_there(environment: &Path) -> bool {
    let mut command = cargo::command(environment.join("bin/maturin"));
    command.arg("--version");
    cargo::output(command).is_some_and(|answer| answer.trim() == format!("maturin {}", version()))
}

fn version() -> String {
    let text = std::fs::read_to_string(cargo::root().join(REQUIREMENTS)).unwrap_or_default();
    text.lines().find_map(|line| line.strip_prefix("maturin==")).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_systems_than_the_name_says_are_noticed() {
        let is_compatible = |tag: &str| Audit { overall_tag: tag.to_owned() }.is_compatible();
        assert!(is_compatible("manylinux_2_17_x86_64") && is_compatible("manylinux_2_5_x86_64"));
        for tag in ["manylinux_2_18_x86_64", "linux_x86_64", "musllinux_1_2_x86_64"] {
            assert!(!is_compatible(tag), "{tag}");
        }
    }

    #[test]
    fn the_wanted_version_is_pinned() {
        assert!(version().split('.').all(|part| part.parse::<u32>().is_ok()), "{}", version());
    }
}
