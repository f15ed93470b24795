//! Programs of others that a step needs, by cargo: found on the machine, or compiled into `target/tools`.

use super::Tools;
use crate::cargo;
use std::path::PathBuf;

/// A program that cargo installs.
pub(super) struct Program {
    /// What is called.
    pub(super) name: &'static str,
    /// Whether what it answers to `--version` is a version that will do.
    pub(super) is_good: fn(&str) -> bool,
    /// How cargo installs it, but for the place.
    pub(super) install: &'static [&'static str],
}

impl Program {
    /// Where it is; it is compiled if it is missing, that is wanted, and works.
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
        // Nobody debugs them.
        command.env("CARGO_PROFILE_DEV_DEBUG", "0");
        let succeeded = cargo::succeeds(command).ok()?;
        self.find().filter(|_| succeeded)
    }
}

fn folder() -> PathBuf {
    cargo::root().join("target/tools")
}
