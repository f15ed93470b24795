//! The targets, a file each.

mod agree;
mod body;
mod decode;
mod framing;
mod graphql;
mod growth;
mod laws;
mod paths;
mod queries;
mod rules;
mod tokens;

/// What is fuzzed: one way in, and its laws.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// How it is called on the command line, and its folder in the corpus.
    pub name: &'static str,
    /// What is sent, and which laws hold.
    pub what: &'static str,
    /// Takes an input; panics if a law is broken.
    pub run: fn(&[u8]),
    /// Inputs to begin with, made of the fixtures.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What inputs are made of that seeds may lack.
    pub words: &'static [&'static str],
    /// The most bytes of an input.
    pub max: usize,
    /// How many changed seeds are a good check of a change: some nine seconds' worth in a build for tests.
    pub executions: u64,
}

/// Every target.
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
];

/// The target of a name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
