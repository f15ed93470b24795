//! The browser for tests of pages, which find it by the same names.

use std::path::Path;

use super::Tools;
use crate::cargo;

/// Script that installs what is missing, without starting anything.
const INSTALL: &str = ".ci/install-chromium";

/// Names of the browser, and of its driver below.
const BROWSERS: &[&str] =
    &["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const DRIVERS: &[&str] = &["chromedriver", "chromium.chromedriver"];

/// Availability of each program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Browser {
    browser: bool,
    driver: bool,
}

impl Browser {
    /// Looks for the browser, and installs it if that is wanted.
    pub(super) fn find(tools: Tools) -> Self {
        let found = Self::now();
        if tools == Tools::AsTheyAre || found.not_run().is_none() {
            return found;
        }
        // The script prints why it fails, and the summary names what is missing.
        cargo::succeeds(cargo::command(cargo::root().join(INSTALL))).ok();
        Self::now()
    }

    fn now() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has = |names: &[&str]| std::env::split_paths(&path).any(|folder| is_in(&folder, names));
        Self { browser: has(BROWSERS), driver: has(DRIVERS) }
    }

    /// Message about the tests that did not run; `None` if all did.
    pub(super) fn not_run(self) -> Option<String> {
        let missing = match self {
            Self { browser: true, driver: true } => return None,
            Self { browser: false, .. } => "no chromium",
            Self { driver: false, .. } => "no chromedriver",
        };
        Some(format!("NOT RUN in a browser: {missing}; install chromium and chromium-driver"))
    }
}

fn is_in(folder: &Path, names: &[&str]) -> bool {
    names.iter().any(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_are_reported() {
        let not_run = |browser, driver| Browser { browser, driver }.not_run().unwrap_or_default();
        assert_eq!(not_run(true, true), "");
        assert!(not_run(false, true).starts_with("NOT RUN in a browser: no chromium; install"));
        assert!(not_run(true, false).starts_with("NOT RUN in a browser: no chromedriver; install"));
    }

    #[test]
    fn the_installer_is_there_and_knows_the_same_names() {
        let installer = std::fs::read_to_string(cargo::root().join(INSTALL)).unwrap();
        let asked = installer.split("has ").filter_map(|rest| rest.split([' ', ';', '\n']).next());
        let asked: Vec<&str> = asked.collect();
        for name in BROWSERS.iter().chain(DRIVERS) {
            assert!(asked.contains(name), "{name}");
        }
    }
}
