//! Reads how a release build optimises each crate, without building: a profile's override is easily inherited, and
//! nothing else shows that a crate is slow.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Outcome, of_faults};
use crate::cargo;
use crate::error::Error;

/// The level that every crate of a release must have.
const FULL: &str = "3";

/// How to fix a fault.
const FIX: &str = "see [profile.release] in Cargo.toml";

pub(super) fn run() -> Result<Outcome, Error> {
    let levels = levels(&[])?;
    let faults: Vec<String> = weak(&levels).collect();
    Ok(match of_faults(&faults, FIX) {
        Outcome::Ok(_) => Outcome::Ok(format!("{} crates at opt-level {FULL}", levels.len())),
        failed => failed,
    })
}

/// The crates of a release, by name and version, with their lowest level.
type Levels = BTreeMap<String, String>;

/// Returns a sentence about each crate that is not fully optimised.
fn weak(levels: &Levels) -> impl Iterator<Item = String> {
    levels
        .iter()
        .filter(|(_, level)| *level != FULL)
        .map(|(name, level)| format!("{name} has opt-level {level}"))
}

/// Reads the levels of all crates of the workspace and their dependencies. `options` are further ones of cargo.
fn levels(options: &[&str]) -> Result<Levels, Error> {
    let target = cargo::host_triple()?;
    let mut command = cargo::cargo(["build", "--release", "--workspace", "--locked", "--target", &target]);
    command.args(["--unit-graph", "-Z", "unstable-options"]).args(options);
    // The graph is unstable; this variable makes a stable cargo print it.
    command.env("RUSTC_BOOTSTRAP", "1");
    let output = command.output().map_err(|source| cargo::start_error(&command, source))?;
    if !output.status.success() {
        return Err(Error::Metadata(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(of_target(serde_json::from_slice(&output.stdout)?, &target))
}

/// Leaves out what runs at the build only: procedural macros, build scripts, and what these depend on.
fn of_target(graph: Graph, target: &str) -> Levels {
    let mut levels = Levels::new();
    let is_of_target = |unit: &Unit| unit.mode == "build" && unit.platform.as_deref() == Some(target);
    for unit in graph.units.into_iter().filter(is_of_target) {
        let lowest = levels.entry(name(&unit.pkg_id)).or_insert_with(|| unit.profile.opt_level.clone());
        if unit.profile.opt_level != FULL {
            *lowest = unit.profile.opt_level;
        }
    }
    levels
}

/// The end of a package's id: `serde@1.0.229`, or `crates/http#cutover-http@0.1.0`.
fn name(id: &str) -> String {
    id.rsplit('/').next().unwrap_or(id).to_owned()
}

#[derive(Deserialize)]
struct Graph {
    units: Vec<Unit>,
}

/// A call of the compiler.
#[derive(Deserialize)]
struct Unit {
    pkg_id: String,
    mode: String,
    /// `None` for what runs at the build.
    platform: Option<String>,
    profile: Profile,
}

#[derive(Deserialize)]
struct Profile {
    opt_level: String,
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn an_override_of_the_release_profile_is_a_fault() {
        let weakened = |key: &str| -> Vec<String> {
            weak(&levels(&["--config", &format!("profile.release{key}")]).unwrap()).collect()
        };
        let [http] = &weakened(".package.cutover-http.opt-level=0")[..] else { panic!("not found") };
        assert!(http.contains("cutover-http") && http.ends_with("has opt-level 0"), "{http}");
        let sqlite = weakened(".package.libsqlite3-sys.opt-level=\"s\"");
        assert!(sqlite.len() == 1 && sqlite[0].contains("libsqlite3-sys"), "{sqlite:?}");
        assert!(weakened(".opt-level=2").len() > 100);
        assert_eq!(weakened(".build-override.opt-level=1"), [""; 0]);
    }
}
