use super::StoreError;
use chrono::{DateTime, Utc};

/// A process that serves, as it describes itself. Nothing of it is secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Random, of this run of the process.
    pub id: String,
    /// Which part of the work it does.
    pub role: String,
    /// The version of its program.
    pub version: String,
    /// The names of the encryption keys that it opens values with. It seals with the first.
    pub encryption_keys: Vec<String>,
    /// When it began to serve.
    pub started_at: DateTime<Utc>,
    /// When it last recorded that it runs.
    pub seen_at: DateTime<Utc>,
}

/// The processes that serve now. No other row refers to theirs.
pub trait Nodes {
    /// Records that a node runs; what it recorded before is replaced.
    fn put_node(&mut self, node: &Node) -> Result<(), StoreError>;

    /// Nodes that were seen at this time or later, the oldest first.
    fn nodes_seen_since(&mut self, since: DateTime<Utc>) -> Result<Vec<Node>, StoreError>;

    /// Removes a node.
    fn remove_node(&mut self, id: &str) -> Result<(), StoreError>;

    /// Removes nodes that were last seen before the time. Returns how many.
    fn remove_nodes_seen_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;
}
