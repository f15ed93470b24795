//! The bill of materials of a program: CycloneDX 1.5, JSON.

use std::collections::BTreeMap;

use chrono::DateTime;
use serde::Deserialize;
use serde_json::{Value, json};

use super::graph::{self, Graph, Id, Metadata};
use super::release::Release;
use crate::cargo;
use crate::error::Error;

/// Checksums of crates in `Cargo.lock`.
type Checksums = BTreeMap<Id, String>;

/// Lists the crates in a program as JSON text.
pub(super) fn of(release: &Release, program: &str) -> Result<Vec<u8>, Error> {
    let graph = graph::of(program)?;
    let path = cargo::root().join("Cargo.lock");
    let lock = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let checksums = checksums(&lock)?;
    let id = (program.to_owned(), release.version.clone());
    let component = |id: &Id, kind: &str| component(id, kind, &release.metadata, &checksums);
    let components: Vec<Value> =
        graph.keys().filter(|other| **other != id).map(|other| component(other, "library")).collect();
    let bill = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(release.date),
            "tools": {"components": [{"type": "application", "name": "cargo xtask package", "version": release.version}]},
            "component": component(&id, "application"),
        },
        "components": components,
        "dependencies": dependencies(&graph),
    });
    let mut text = serde_json::to_vec_pretty(&bill)?;
    text.push(b'\n');
    Ok(text)
}

fn timestamp(date: u64) -> String {
    let date = i64::try_from(date).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    date.unwrap_or_default().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn component(id: &Id, kind: &str, metadata: &Metadata, checksums: &Checksums) -> Value {
    let (name, version) = id;
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(id),
        "name": name,
        "version": version,
        "purl": purl(id),
    });
    if let Some(licence) = metadata.find(id).and_then(|package| package.license.as_deref()) {
        component["licenses"] = json!([{"expression": expression(licence)}]);
    }
    if let Some(checksum) = checksums.get(id) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}

fn dependencies(graph: &Graph) -> Vec<Value> {
    let entry = |(from, to): (&Id, &std::collections::BTreeSet<Id>)| json!({"ref": purl(from), "dependsOn": to.iter().map(purl).collect::<Vec<_>>()});
    graph.iter().map(entry).collect()
}

/// The package URL of a crate. A `+` in its version has to be escaped.
fn purl((name, version): &Id) -> String {
    format!("pkg:cargo/{name}@{}", version.replace('+', "%2B"))
}

/// An SPDX expression. Older crates separate alternatives by a slash.
fn expression(licence: &str) -> String {
    licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

fn checksums(lock: &str) -> Result<Checksums, Error> {
    let lock: Lock = toml::from_str(lock).map_err(|e| Error::Package(format!("Cargo.lock: {e}")))?;
    let of = |locked: Locked| Some(((locked.name, locked.version), locked.checksum?));
    Ok(lock.package.into_iter().filter_map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str, version: &str) -> Id {
        (name.to_owned(), version.to_owned())
    }

    #[test]
    fn a_crate_has_its_licence_and_its_checksum() {
        let package =
            json!({"name": "a", "version": "1.0.0", "license": "MIT/Apache-2.0", "repository": null});
        let metadata: Metadata = serde_json::from_value(json!({"packages": [package]})).unwrap();
        let lock = "[[package]]\nname = 'a'\nversion = '1.0.0'\nchecksum = 'ab'\n[[package]]\nname = 'b'\nversion = '2.0.0'";
        let checksums = checksums(lock).unwrap();
        let a = component(&id("a", "1.0.0"), "library", &metadata, &checksums);
        assert_eq!(a["licenses"], json!([{"expression": "MIT OR Apache-2.0"}]));
        assert_eq!(a["hashes"], json!([{"alg": "SHA-256", "content": "ab"}]));
        let b = component(&id("b", "2.0.0"), "library", &metadata, &checksums);
        assert_eq!((&b["licenses"], &b["hashes"]), (&Value::Null, &Value::Null));
    }

    #[test]
    fn versions_are_escaped_in_urls() {
        assert_eq!(purl(&id("zstd-sys", "2.0.16+zstd.1.5.7")), "pkg:cargo/zstd-sys@2.0.16%2Bzstd.1.5.7");
    }

    #[test]
    fn dates_are_in_utc() {
        assert_eq!(timestamp(86_400), "1970-01-02T00:00:00Z");
    }
}
