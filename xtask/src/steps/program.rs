//! External programs that a step needs: found on the machine, or compiled into `target/tools` by cargo.

use super::Tools;
use crate::cargo;
use std::path::PathBuf;

/// A program that cargo installs.
pub(super) struct Program {
    /// Name of the program.
    pub(super) name: &'static str,
    /// Returns true if its answer to `--version` is a suitable version.
    pub(super) is_good: fn(&str) -> bool,
    /// Arguments of `cargo install`, except for the folder.
    pub(super) install: &'static [&'static str],
}

impl Program {
    /// Finds the program, or compiles it if that is allowed; `None` if there is none.
    pub(super) fn get(&self, tools: Tools) -> Option<PathBuf> {
        self.find().or_else(|| self.installed(tools))
    }

    fn find(&self) -> Option<PathBuf> {
        let places = [folder().join("bin").join(self.name), PathBuf::from(self.name)];
        places.into_iter().find(|program| {
            let mut command = cargo::command(program);
            command.arg("--version");
            cargo::output(command).is_some_and(|answer| (self.is_good)(&answer))
        })
    }

    fn installed(&self, tools: Tools) -> Option<PathBuf> {
        if tools == Tools::AsTheyAre {
            return None;
        }
        let mut command = cargo::cargo(["install", "--locked"]);
        command.args(self.install).arg("--root").arg(folder());
        // Debug information is not needed.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        let succeeded = cargo::succeeds(command).ok()?;
        self.find().filter(|_| succeeded)
    }
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools")
}
