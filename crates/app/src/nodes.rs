//! Which processes serve the database: each records itself, and removes those that ended without a word.

use crate::App;
use crate::port::{Node, StoreError, read, write};
use chrono::Duration;

/// How often a node records that it runs.
pub const HEARTBEAT: std::time::Duration = std::time::Duration::from_secs(10);
/// How long after its last record a node counts as running: two may fail.
const EXPIRY: Duration = Duration::seconds(30);

/// What a process says of itself.
#[derive(Debug, Clone)]
pub struct NodeDescription {
    /// Which part of the work it does.
    pub role: String,
    /// The version of its program.
    pub version: String,
    /// The names of its encryption keys. It seals with the first.
    pub encryption_keys: Vec<String>,
}

impl App {
    /// Records that this process begins to serve. It has to call [`renew_node`](Self::renew_node) every [`HEARTBEAT`].
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written.
    pub fn add_node(&self, description: NodeDescription) -> Result<Node, StoreError> {
        let NodeDescription { role, version, encryption_keys } = description;
        let (id, now) = (format!("{:016x}", self.random.number()), self.clock.now());
        let node = Node { id, role, version, encryption_keys, started_at: now, seen_at: now };
        self.renew_node(&node)?;
        Ok(node)
    }

    /// Records that a node still runs, and removes those that have not for a while.
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written.
    pub fn renew_node(&self, node: &Node) -> Result<(), StoreError> {
        let now = self.clock.now();
        let node = Node { seen_at: now, ..node.clone() };
        write(&*self.store, move |tx| {
            tx.remove_nodes_seen_before(now - EXPIRY)?;
            tx.put_node(&node)
        })
    }

    /// Removes a node that ends.
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written; it counts as running for a while then.
    pub fn remove_node(&self, node: &Node) -> Result<(), StoreError> {
        let id = node.id.clone();
        write(&*self.store, move |tx| tx.remove_node(&id))
    }

    /// The processes that serve the database, the oldest first. One that was killed is among them for 30 s.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn running_nodes(&self) -> Result<Vec<Node>, StoreError> {
        let since = self.clock.now() - EXPIRY;
        read(&*self.store, |tx| tx.nodes_seen_since(since))
    }
}
