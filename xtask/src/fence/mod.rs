//! The fence: crates depend only on crates below them, and not on outside crates of a forbidden kind; the modules of a
//! crate do not import each other in cycles.
//!
//! Checks direct dependencies by `cargo metadata`, and modules by parsing their files, so it needs no tool and no
//! network.

mod cycles;
mod table;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cargo;
use crate::error::Error;
use crate::files;
use cycles::Cycle;
use table::{CYCLES_LEFT, LAYERS, Layer, TESTS_ONLY};

/// Returns every forbidden dependency of the workspace, and every cycle of modules.
pub(crate) fn check() -> Result<Vec<String>, Error> {
    let metadata = metadata()?;
    let mut faults = wrong_arrows(&metadata, LAYERS);
    faults.extend(failpoints_of_releases(&metadata));
    faults.extend(cycles_of_modules(&metadata));
    Ok(faults)
}

/// Returns a line for each import cycle between the modules of a crate, or for a crate that cannot be read.
fn cycles_of_modules(metadata: &Metadata) -> Vec<String> {
    let read = |path: &Path| files::read(path).map_err(|error| error.to_string());
    let mut faults = Vec::new();
    for package in &metadata.packages {
        let roots = package.targets.iter().filter(|target| target.is_used()).map(|target| &target.src_path);
        let roots = roots.map(|root| root.strip_prefix(cargo::root()).unwrap_or(root));
        match roots.map(|root| cycles::cycles(root, &read)).collect::<Result<Vec<_>, _>>() {
            Ok(cycles) => faults.extend(more_cycles_than_left(&package.name, &cycles.concat(), CYCLES_LEFT)),
            Err(fault) => faults.push(format!("{}: {fault}", package.name)),
        }
    }
    faults
}

/// Compares the cycles of a crate with those that it may still have.
fn more_cycles_than_left(name: &str, cycles: &[Cycle], left: &[(&str, usize)]) -> Vec<String> {
    let modules = cycles.iter().map(|cycle| cycle.modules.len()).sum::<usize>();
    let left = left.iter().find(|(of, _)| *of == name).map_or(0, |(_, modules)| *modules);
    match modules.cmp(&left) {
        Ordering::Greater => cycles.iter().map(|cycle| format!("{name}: {cycle}")).collect(),
        Ordering::Equal => Vec::new(),
        Ordering::Less => {
            vec![format!("{name}: only {modules} modules are in cycles: say so in CYCLES_LEFT")]
        }
    }
}

fn metadata() -> Result<Metadata, Error> {
    let mut command = cargo::cargo(["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().map_err(|source| cargo::start_error(&command, source))?;
    if !output.status.success() {
        return Err(Error::Metadata(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
    /// The features that each feature enables.
    #[serde(default)]
    features: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    targets: Vec<Target>,
}

/// A library, a program, a test or another thing that cargo builds of a package.
#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    /// The file of its root module.
    src_path: PathBuf,
}

impl Target {
    /// True for what programs consist of.
    fn is_used(&self) -> bool {
        self.kind.iter().any(|kind| ["bin", "cdylib", "lib"].contains(&kind.as_str()))
    }
}

#[derive(Deserialize)]
struct Dependency {
    /// Name of the package, even if it is renamed in the code.
    name: String,
    /// `dev`, `build`, or `None`.
    kind: Option<String>,
    #[serde(default)]
    features: Vec<String>,
}

impl Dependency {
    fn is_for_tests(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

fn wrong_arrows(metadata: &Metadata, layers: &[Layer]) -> Vec<String> {
    let ours: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let mut faults: Vec<String> = layers
        .iter()
        .filter(|layer| !ours.contains(layer.name))
        .map(|layer| format!("{} has a row in the fence, but there is no such crate", layer.name))
        .collect();
    for package in &metadata.packages {
        match layers.iter().find(|layer| layer.name == package.name) {
            Some(layer) => {
                faults.extend(package.dependencies.iter().filter_map(|to| wrong_arrow(layer, to, &ours)));
            }
            None => faults.push(format!(
                "{} has no row in the fence: say in xtask/src/fence/table.rs what it may use",
                package.name
            )),
        }
    }
    faults
}

/// The crate and the feature that compile failpoints in.
const POINTS: (&str, &str) = ("fail", "failpoints");

/// Returns a line for each package with failpoints in a release: only dev-dependencies may enable them, and
/// no feature.
fn failpoints_of_releases(metadata: &Metadata) -> Vec<String> {
    let (name, feature) = POINTS;
    let asks =
        |to: &Dependency| to.name == name && !to.is_for_tests() && to.features.iter().any(|f| f == feature);
    let by_feature =
        |on: &String| on.starts_with(&format!("{name}/")) || on.starts_with(&format!("{name}?/"));
    let packages = metadata.packages.iter();
    let has = packages.filter(|package| {
        package.dependencies.iter().any(asks) || package.features.values().flatten().any(by_feature)
    });
    has.map(|package| format!("{} → {name}/{feature}: a release would contain failpoints", package.name))
        .collect()
}

fn wrong_arrow(from: &Layer, to: &Dependency, ours: &BTreeSet<&str>) -> Option<String> {
    let arrow = format!("{} → {}", from.name, to.name);
    if ours.contains(to.name.as_str()) {
        return wrong_arrow_between_ours(from, to).map(|why| format!("{arrow}: {why}"));
    }
    let family = from.never.iter().find(|family| family.crates.contains(&to.name.as_str()))?;
    (!to.is_for_tests()).then(|| format!("{arrow}: it must not depend on {}", family.what))
}

fn wrong_arrow_between_ours(from: &Layer, to: &Dependency) -> Option<String> {
    if from.may.contains(&to.name.as_str()) {
        return None;
    }
    if TESTS_ONLY.contains(&to.name.as_str()) {
        return (!to.is_for_tests()).then(|| "it is for tests only, make it a dev-dependency".to_owned());
    }
    let may = if from.may.is_empty() { "nothing".to_owned() } else { from.may.join(", ") };
    Some(format!("of our crates, {} may use {may}", from.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A workspace of `cutover-core` and `cutover-model`, with one more dependency.
    fn faults_of(from: &str, to: &str, kind: Option<&str>) -> Vec<String> {
        const NEVER: &table::Family = &table::Family { what: "a database", crates: &["diesel"] };
        let layers = [
            Layer { name: "cutover-core", may: &[], never: &[NEVER] },
            Layer { name: "cutover-model", may: &["cutover-core"], never: &[] },
            Layer { name: "cutover-testkit", may: &["cutover-core"], never: &[] },
        ];
        let package = |name: &str| {
            let mut dependencies = vec![json!({"name": "serde", "kind": null, "rename": null})];
            if name == from {
                dependencies.push(json!({"name": to, "kind": kind, "rename": "harmless"}));
            }
            json!({"name": name, "dependencies": dependencies})
        };
        let packages: Vec<_> = layers.iter().map(|layer| package(layer.name)).collect();
        wrong_arrows(&serde_json::from_value(json!({ "packages": packages })).unwrap(), &layers)
    }

    #[test]
    fn dependencies_on_lower_crates_are_allowed() {
        assert_eq!(faults_of("cutover-model", "cutover-core", None), [""; 0]);
        assert_eq!(faults_of("cutover-model", "diesel", None), [""; 0]);
    }

    #[test]
    fn dependencies_on_higher_crates_are_refused_in_builds_and_tests() {
        let fault = ["cutover-core → cutover-model: of our crates, cutover-core may use nothing"];
        for kind in [None, Some("build"), Some("dev")] {
            assert_eq!(faults_of("cutover-core", "cutover-model", kind), fault);
        }
    }

    #[test]
    fn outside_crates_of_a_forbidden_kind_are_refused_except_in_tests() {
        let fault = ["cutover-core → diesel: it must not depend on a database"];
        assert_eq!(faults_of("cutover-core", "diesel", None), fault);
        assert_eq!(faults_of("cutover-core", "diesel", Some("build")), fault);
        assert_eq!(faults_of("cutover-core", "diesel", Some("dev")), [""; 0]);
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        let fault = ["cutover-model → cutover-testkit: it is for tests only, make it a dev-dependency"];
        assert_eq!(faults_of("cutover-model", "cutover-testkit", None), fault);
        assert_eq!(faults_of("cutover-model", "cutover-testkit", Some("dev")), [""; 0]);
    }

    #[test]
    fn only_testing_programs_depend_on_a_testkit() {
        let with = |layer: &&Layer| {
            !TESTS_ONLY.contains(&layer.name) && layer.may.iter().any(|name| TESTS_ONLY.contains(name))
        };
        let layers: Vec<_> = LAYERS.iter().filter(with).map(|layer| layer.name).collect();
        assert_eq!(layers, ["cutover-fuzz", "cutover-bench", "xtask"]);
        let (postgres, s3) = ("cutover-testkit-postgres", "cutover-testkit-s3");
        let metadata = json!({"packages": [
            {"name": postgres, "dependencies": []},
            {"name": s3, "dependencies": []},
            {"name": "xtask", "dependencies": [{"name": postgres, "kind": null}, {"name": s3, "kind": null}]},
        ]});
        let rows: Vec<_> =
            LAYERS.iter().filter(|layer| [postgres, s3, "xtask"].contains(&layer.name)).copied().collect();
        let fault = ["xtask → cutover-testkit-s3: it is for tests only, make it a dev-dependency"];
        assert_eq!(wrong_arrows(&serde_json::from_value(metadata).unwrap(), &rows), fault);
    }

    #[test]
    fn failpoints_are_for_tests_only() {
        let faults = |kind: Option<&str>, features: &[&str], own: serde_json::Value| {
            let dependency = json!({"name": "fail", "kind": kind, "features": features});
            let package = json!({"name": "cutover-app", "dependencies": [dependency], "features": own});
            failpoints_of_releases(&serde_json::from_value(json!({"packages": [package]})).unwrap()).len()
        };
        assert_eq!(faults(None, &[], json!({})), 0);
        assert_eq!(faults(Some("dev"), &["failpoints"], json!({})), 0);
        assert_eq!(faults(None, &["failpoints"], json!({})), 1);
        assert_eq!(faults(None, &[], json!({"chaos": ["fail/failpoints"]})), 1);
    }

    #[test]
    fn a_crate_may_have_the_cycles_that_are_left_and_no_more() {
        let cycle = Cycle { modules: vec!["a".to_owned(), "b".to_owned()], way: vec!["a → b".to_owned()] };
        let faults = |left: &[(&str, usize)]| more_cycles_than_left("x", std::slice::from_ref(&cycle), left);
        assert_eq!(faults(&[("x", 2)]), [""; 0]);
        assert_eq!(faults(&[("y", 2)]), ["x: import cycle between a, b: a → b"]);
        assert_eq!(faults(&[("x", 1)]), ["x: import cycle between a, b: a → b"]);
        assert_eq!(faults(&[("x", 3)]), ["x: only 2 modules are in cycles: say so in CYCLES_LEFT"]);
    }

    #[test]
    fn rows_and_crates_are_the_same() {
        let metadata =
            serde_json::from_value(json!({"packages": [{"name": "new", "dependencies": []}]})).unwrap();
        let layers = [Layer { name: "gone", may: &[], never: &[] }];
        let faults = wrong_arrows(&metadata, &layers);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(
            faults[0].starts_with("gone has a row") && faults[1].starts_with("new has no row"),
            "{faults:?}"
        );
    }

    #[test]
    fn rows_stand_above_what_they_may_use() {
        for (i, layer) in LAYERS.iter().enumerate() {
            for name in layer.may {
                assert!(LAYERS[..i].iter().any(|below| below.name == *name), "{} → {name}", layer.name);
            }
        }
    }
}
