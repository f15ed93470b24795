//! How the files of a release were made: an in-toto statement with the provenance of SLSA 1.0.

use serde_json::{Value, json};

use super::release::Release;
use super::{CLIENT, SERVICE, features, sums};
use crate::cargo;
use crate::error::Error;

/// The page that describes the parameters.
const BUILD_TYPE: &str = "docs/decisions/0035-packages.md";

/// States the sources, the parameters and the tools of these files. It has no date, so that equal builds state the same.
pub(super) fn of(release: &Release, files: &[(&str, &[u8])]) -> Result<Vec<u8>, Error> {
    let path = cargo::root().join("Cargo.lock");
    let lock = std::fs::read(&path).map_err(Error::file("read", &path))?;
    let statement = statement(release, files, &sums::sum(&lock), rustc().as_deref());
    let mut text = serde_json::to_vec_pretty(&statement)?;
    text.push(b'\n');
    Ok(text)
}

fn statement(release: &Release, files: &[(&str, &[u8])], lock: &str, rustc: Option<&str>) -> Value {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let subject: Vec<Value> = files
        .iter()
        .map(|(name, bytes)| json!({"name": name, "digest": {"sha256": sums::sum(bytes)}}))
        .collect();
    let mut dependencies = vec![json!({"uri": "Cargo.lock", "digest": {"sha256": lock}})];
    if let Some(commit) = &release.commit {
        let uri = format!("git+{repository}@{commit}");
        dependencies.push(json!({"uri": uri, "digest": {"gitCommit": commit}}));
    }
    json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": format!("{repository}/blob/main/{BUILD_TYPE}"),
                "externalParameters": {
                    "command": "cargo xtask package",
                    "profile": release.profile,
                    "features": {SERVICE: features(SERVICE), CLIENT: features(CLIENT)},
                },
                "internalParameters": {
                    "target": release.triple,
                    "rustc": rustc,
                    "source_date_epoch": release.date,
                    "working_tree_changed": release.is_changed,
                },
                "resolvedDependencies": dependencies,
            },
            "runDetails": {"builder": {"id": format!("{repository}#cargo-xtask-package")}},
        },
    })
}

/// The version of the compiler.
fn rustc() -> Option<String> {
    let mut rustc = cargo::command("rustc");
    rustc.arg("--version");
    cargo::output(rustc).map(|version| version.trim().to_owned())
}
