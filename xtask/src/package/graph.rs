//! The crates in a program, by cargo.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::features;
use crate::cargo;
use crate::error::Error;

/// Name and version of a crate.
pub(super) type Id = (String, String);

/// Each crate in a program with the crates that it depends on.
pub(super) type Graph = BTreeMap<Id, BTreeSet<Id>>;

/// The part of `cargo metadata` that is needed.
#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(super) struct Package {
    name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) repository: Option<String>,
}

impl Metadata {
    /// Asks cargo about all crates that a target needs.
    pub(super) fn read(triple: &str) -> Result<Self, Error> {
        let mut command = cargo::cargo(["metadata", "--locked", "--format-version", "1"]);
        command.args(["--filter-platform", triple]);
        let output = command.output().map_err(|source| cargo::start_error(&command, source))?;
        if !output.status.success() {
            return Err(Error::Metadata(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// A package of the workspace.
    pub(super) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// A package by name and version.
    pub(super) fn find(&self, (name, version): &Id) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == *name && package.version == *version)
    }
}

/// The crates that are linked into a packaged program.
///
/// `cargo metadata` combines the features of the whole workspace, tests included; `cargo tree` takes those of
/// one program. Macros run at the build and are left out.
pub(super) fn of(program: &str) -> Result<Graph, Error> {
    let mut command = cargo::cargo(["tree", "--locked", "--package", program]);
    command.args(["--features", features(program)]);
    command.args(["--edges", "normal,no-proc-macro", "--prefix", "depth", "--format", " {p}"]);
    let output = cargo::output(command).ok_or_else(|| Error::Package("`cargo tree` failed".to_owned()))?;
    parse(&output).ok_or_else(|| Error::Package("cannot understand the answer of `cargo tree`".to_owned()))
}

/// Reads lines of depth, name and version; those of a crate's dependencies follow with a greater depth.
fn parse(tree: &str) -> Option<Graph> {
    let (mut graph, mut above) = (Graph::new(), Vec::<Id>::new());
    for line in tree.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let depth: usize = words.next()?.parse().ok()?;
        let id = (words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned());
        above.truncate(depth);
        if let Some(parent) = above.last() {
            graph.entry(parent.clone()).or_default().insert(id.clone());
        }
        graph.entry(id.clone()).or_default();
        above.push(id);
    }
    Some(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Id {
        (name.to_owned(), "1.0.0".to_owned())
    }

    #[test]
    fn a_repeated_crate_has_the_dependencies_of_its_first_line() {
        let tree = "0 a v1.0.0 (/p/a)\n1 b v1.0.0\n2 c v1.0.0\n1 d v1.0.0\n2 b v1.0.0 (*)\n";
        let graph = parse(tree).unwrap();
        assert_eq!(graph[&id("a")], BTreeSet::from([id("b"), id("d")]));
        assert_eq!(graph[&id("b")], BTreeSet::from([id("c")]));
        assert_eq!(graph[&id("d")], BTreeSet::from([id("b")]));
        assert_eq!(graph[&id("c")], BTreeSet::new());
    }

    #[test]
    fn an_unknown_form_is_refused() {
        assert!(parse("a v1.0.0").is_none());
        assert!(parse("0 a 1.0.0").is_none());
    }
}
