//! Chromium and its driver, as distributions package them: one driver for all tests of a run, a browser for
//! each page.

use crate::harness::wait_until;
use std::fs::Metadata;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// The names of the programs on different distributions. The first ones, without a user interface, take half of the time.
const BROWSERS: [&str; 5] =
    ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const DRIVERS: [&str; 2] = ["chromedriver", "chromium.chromedriver"];

/// Ends the process group of the driver, which its browsers join, and removes their files at the end of
/// input. The input ends when the test process ends, in whatever way.
const WATCHDOG: &str = r#"read -r _; kill -9 "-$1"; rm -rf -- "$2" || rm -rf -- "$2""#;

/// A running driver.
pub(super) struct Driver {
    pub(super) url: String,
    /// The browser to start.
    pub(super) browser: PathBuf,
    /// True if run as root: the browser then starts only without its sandbox.
    pub(super) is_root: bool,
    /// The pipe whose end the watchdog waits for.
    _watchdog: Child,
}

/// The driver of this run; `None` without a browser: this is reported once, and the tests pass.
pub(super) fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(start).as_ref()
}

fn start() -> Option<Driver> {
    let (Some(browser), Some(driver)) = (find(&BROWSERS), find(&DRIVERS)) else {
        // Written directly: the test harness would capture it.
        let reported =
            std::io::stderr().write_all(b"NOT RUN: in a browser: there is no chromium and chromedriver\n");
        reported.unwrap();
        return None;
    };
    // The HTTP client of the library needs a crypto provider, even without encryption. One may be installed
    // already.
    rustls::crypto::ring::default_provider().install_default().ok();
    // The watchdog removes the browser's files.
    let folder = TempDir::new().unwrap().keep();
    let is_root = folder.metadata().as_ref().map(Metadata::uid).unwrap() == 0;
    let mut driver = run(&folder, &driver);
    let watchdog = watch(driver.id(), &folder);
    let port = port(&mut driver);
    Some(Driver { url: format!("http://127.0.0.1:{port}"), browser, is_root, _watchdog: watchdog })
}

fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut places = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.find(|place| place.is_file())
}

fn run(folder: &Path, driver: &Path) -> Child {
    let mut command = Command::new(driver);
    command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Profiles, caches and other files of browsers.
    command.env("TMPDIR", folder).env("HOME", folder).process_group(0).spawn().unwrap()
}

fn watch(driver: u32, folder: &Path) -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHDOG, "watchdog", &driver.to_string()]).arg(folder);
    // A process group of its own survives a Ctrl-C that ends the test, and cleans up.
    command.process_group(0).stdin(Stdio::piped()).spawn().unwrap()
}

/// Parses the port that the driver prints.
fn port(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let mut port = None;
    wait_until("the driver of the browser is up", || {
        let line = lines.next().expect("the driver of the browser does not start").unwrap();
        let reported =
            line.split_once("successfully on port ").map(|(_, rest)| rest.trim_end_matches('.').to_owned());
        port = reported.and_then(|port| port.parse().ok());
        port.is_some()
    });
    port.unwrap()
}
