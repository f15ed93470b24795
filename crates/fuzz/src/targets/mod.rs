//! The fuzz targets, one per file.

mod agree;
mod assemble;
mod body;
mod csv;
mod decode;
mod framing;
mod graphql;
mod growth;
mod invariants;
mod lineage;
mod mapping;
mod paths;
mod postgres;
mod queries;
mod rules;
mod tokens;
mod urls;

/// A fuzz target: an entry point and its invariants.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Name on the command line and of the folder in the corpus.
    pub name: &'static str,
    /// Input and invariants.
    pub description: &'static str,
    /// Runs one input; panics if an invariant is violated.
    pub run: fn(&[u8]),
    /// Initial inputs built from the fixtures.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words for mutations that the seeds may lack.
    pub words: &'static [&'static str],
    /// Maximum size of an input in bytes.
    pub max: usize,
    /// Number of mutated inputs in the step `fuzz`: about nine seconds in a test build.
    pub executions: u64,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    decode::TARGET,
    rules::TARGET,
    agree::TARGET,
    growth::TARGET,
    paths::TARGET,
    tokens::TARGET,
    queries::TARGET,
    framing::TARGET,
    graphql::TARGET,
    postgres::TARGET,
    urls::TARGET,
    csv::TARGET,
    assemble::TARGET,
    lineage::TARGET,
    mapping::TARGET,
];

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
