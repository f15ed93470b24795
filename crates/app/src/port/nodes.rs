use super::StoreError;
use chrono::{DateTime, Utc};

/// A node, as it describes itself. Holds no secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// A random id of this run of the process.
    pub id: String,
    /// The part of the work that it does.
    pub role: String,
    /// The version of the program.
    pub version: String,
    /// The names of the encryption keys that it decrypts with. It encrypts with the first.
    pub encryption_keys: Vec<String>,
    /// Time at which it began to serve.
    pub started_at: DateTime<Utc>,
    /// Time of its last record.
    pub seen_at: DateTime<Utc>,
    /// Time before which all creates that it refused are written; `None` if an older version recorded it.
    pub refused_as_of: Option<DateTime<Utc>>,
}

/// Queries of the installation and its running nodes. No other row refers to theirs.
pub trait Nodes {
    /// Returns the id of the installation: random, made with the database, and kept by backups.
    fn installation(&mut self) -> Result<String, StoreError>;

    /// Returns the id of the database's history. While it stays the same, nothing that was committed is lost. It
    /// changes with a restore or a failover, and also with a restart, after which the database cannot tell.
    fn database_history(&mut self) -> Result<String, StoreError>;

    /// Records that a node runs. Replaces its last record.
    fn put_node(&mut self, node: &Node) -> Result<(), StoreError>;

    /// Returns nodes that were seen at this time or later, the oldest first.
    fn nodes_seen_since(&mut self, since: DateTime<Utc>) -> Result<Vec<Node>, StoreError>;

    /// Removes a node.
    fn remove_node(&mut self, id: &str) -> Result<(), StoreError>;

    /// Removes nodes that were last seen before the time. Returns their number.
    fn remove_nodes_seen_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError>;
}
