//! Chromium and its driver, as distributions package them: one driver for all tests of a run, a browser of its own
//! for each page.

use crate::harness::wait_until;
use std::fs::Metadata;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

/// What the programs are called, here and there.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const DRIVERS: [&str; 2] = ["chromedriver", "chromium.chromedriver"];

/// Ends the group of the driver, which its browsers join, and removes what they have stored, at the end of input: that
/// comes with the end of the process that holds the other end, however it ends.
const WATCHDOG: &str = r#"read -r _; kill -9 "-$1"; rm -rf -- "$2" || rm -rf -- "$2""#;

/// A running driver.
pub(super) struct Driver {
    pub(super) url: String,
    /// The browser that it is to start.
    pub(super) browser: PathBuf,
    /// Whether we are root, as whom a browser starts only without its sandbox.
    pub(super) is_root: bool,
    /// Holds the pipe by which the watchdog knows that we live.
    _watchdog: Child,
}

/// The driver of this run; `None` where there is none to be had: that is told once, and the test is to pass.
pub(super) fn driver() -> Option<&'static Driver> {
    static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();
    DRIVER.get_or_init(start).as_ref()
}

fn start() -> Option<Driver> {
    let (Some(browser), Some(driver)) = (find(&BROWSERS), find(&DRIVERS)) else {
        // Past the test harness, which would keep it to itself.
        let told =
            std::io::stderr().write_all(b"NOT RUN: in a browser: there is no chromium and chromedriver\n");
        told.unwrap();
        return None;
    };
    // The HTTP client of the library wants one, though nothing here is encrypted; if there is one, that is good too.
    rustls::crypto::ring::default_provider().install_default().ok();
    // What the browser stores goes with the watchdog.
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
    // Profiles, caches and what else browsers leave.
    command.env("TMPDIR", folder).env("HOME", folder).process_group(0).spawn().unwrap()
}

fn watch(driver: u32, folder: &Path) -> Child {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", WATCHDOG, "watchdog", &driver.to_string()]).arg(folder);
    // In a group of its own: it is to outlive a Ctrl-C that ends us, and clean up.
    command.process_group(0).stdin(Stdio::piped()).spawn().unwrap()
}

/// The port that the driver says it listens on.
fn port(driver: &mut Child) -> u16 {
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let mut port = None;
    wait_until("the driver of the browser is up", || {
        let line = lines.next().expect("the driver of the browser does not start").unwrap();
        let told =
            line.split_once("successfully on port ").map(|(_, rest)| rest.trim_end_matches('.').to_owned());
        port = told.and_then(|port| port.parse().ok());
        port.is_some()
    });
    port.unwrap()
}
