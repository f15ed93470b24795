//! The registry of nodes: each process records itself, and removes processes that died.

use crate::App;
use crate::port::{Node, StoreError, Tx, read, write};
use chrono::{DateTime, Duration, Utc};
use std::sync::PoisonError;

/// Interval at which a node records that it runs.
pub const HEARTBEAT: std::time::Duration = std::time::Duration::from_secs(10);
/// Interval at which a node writes the creates that it has refused: with the write itself that is within a second.
pub const REFUSED_INTERVAL: std::time::Duration = std::time::Duration::from_millis(500);
/// Interval at which a node tries again after its record failed.
pub const RETRY: std::time::Duration = std::time::Duration::from_secs(1);
/// Age of the last record from which writes count as stalled: the next one is 10 s late.
const STALLED: Duration = Duration::seconds(20);
/// Time after its last record for which a node counts as running: two records may fail.
const EXPIRY: Duration = Duration::seconds(30);

/// The last record of this process as a node.
#[derive(Debug)]
pub(crate) struct LastRecord {
    node_id: String,
    at: DateTime<Utc>,
}

/// The description that a process records for itself.
#[derive(Debug, Clone)]
pub struct NodeDescription {
    /// The part of the work that it does.
    pub role: String,
    /// The version of the program.
    pub version: String,
    /// The names of its encryption keys. It encrypts with the first.
    pub encryption_keys: Vec<String>,
}

impl App {
    /// Records that this process begins to serve. The caller has to call [`renew_node`](Self::renew_node)
    /// every [`HEARTBEAT`], and [`RETRY`] after a failure, and between them [`record_refused_of`](Self::record_refused_of)
    /// every [`REFUSED_INTERVAL`].
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written.
    pub fn add_node(&self, description: NodeDescription) -> Result<Node, StoreError> {
        let NodeDescription { role, version, encryption_keys } = description;
        let (id, now) = (format!("{:016x}", self.random.number()), self.clock.now());
        let (started_at, seen_at, refused_as_of) = (now, now, Some(now));
        let node = Node { id, role, version, encryption_keys, started_at, seen_at, refused_as_of };
        self.record_node(&node)?;
        // A process starts on a full disk too: it answers what it can, and `/readyz` tells.
        if let Err(error) = self.has_room() {
            tracing::warn!(%error, "the database has no room");
        }
        Ok(node)
    }

    /// Records that a node still runs, writes the refused creates and reports the attempts to authenticate that it has
    /// gathered, and removes nodes that have not done so for a while. So that an idle process notices a full disk as well,
    /// it also checks whether the disk takes more than this small record.
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written, or if the disk takes no more.
    pub fn renew_node(&self, node: &Node) -> Result<(), StoreError> {
        self.record_node(node)?;
        self.has_room()
    }

    /// Fails if the disk of the database takes no more. That it could not be found out is no fault.
    fn has_room(&self) -> Result<(), StoreError> {
        match self.store.check_room() {
            Err(error) if error.refuses_writes() => Err(error),
            Err(error) => {
                tracing::debug!(%error, "it was not found out whether the database has room");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn record_node(&self, node: &Node) -> Result<(), StoreError> {
        self.try_to_record_refused();
        self.report_attempts();
        self.put_node(node)
    }

    /// Writes the refused creates that a node has gathered. If there are some, records as of when its refused creates are
    /// written, for the answers of other processes.
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written.
    pub fn record_refused_of(&self, node: &Node) -> Result<(), StoreError> {
        let has_refused = self.refused.has_refused();
        self.record_refused()?;
        if has_refused { self.put_node(node) } else { Ok(()) }
    }

    fn put_node(&self, node: &Node) -> Result<(), StoreError> {
        let refused_as_of = Some(self.refused.complete_until(None, &*self.clock));
        let now = self.clock.now();
        let node = Node { seen_at: now, refused_as_of, ..node.clone() };
        let node_id = node.id.clone();
        write(&*self.store, move |tx| -> Result<(), StoreError> {
            tx.remove_nodes_seen_before(now - EXPIRY)?;
            tx.put_node(&node)
        })?;
        self.writes.stored();
        let record = LastRecord { node_id, at: self.clock.now() };
        *self.last_record.lock().unwrap_or_else(PoisonError::into_inner) = Some(record);
        Ok(())
    }

    /// Returns true if the database has committed no record of this process for 20 s, although it may answer reads. A
    /// process that records nothing, such as a command, does not know.
    pub fn writes_stall(&self) -> bool {
        let last_record = self.last_record.lock().unwrap_or_else(PoisonError::into_inner);
        last_record.as_ref().is_some_and(|last| self.clock.now() - last.at >= STALLED)
    }

    /// Writes a row durably and removes it, then checks whether the disk takes more. The row is that of a process which ended
    /// long ago, so nobody takes it for one that runs.
    ///
    /// # Errors
    /// [`StoreError`] if the database or its disk does not take it.
    pub fn try_to_write(&self) -> Result<(), StoreError> {
        let (id, ended) = (format!("{:016x}", self.random.number()), DateTime::<Utc>::UNIX_EPOCH);
        let (role, version) = ("trial".to_owned(), String::new());
        let (started_at, seen_at, refused_as_of) = (ended, ended, None);
        let row = Node {
            id: id.clone(),
            role,
            version,
            encryption_keys: Vec::new(),
            started_at,
            seen_at,
            refused_as_of,
        };
        write(&*self.store, move |tx| tx.put_node(&row))?;
        write(&*self.store, move |tx| tx.remove_node(&id))?;
        self.has_room()
    }

    /// Removes a node that shuts down, after all that it has gathered is written.
    ///
    /// # Errors
    /// [`StoreError`] if that could not be written; the node counts as running for a while then.
    pub fn remove_node(&self, node: &Node) -> Result<(), StoreError> {
        self.try_to_record_all_refused();
        self.report_all_attempts();
        let id = node.id.clone();
        write(&*self.store, move |tx| tx.remove_node(&id))
    }

    /// Returns the nodes that are running, the oldest first. A killed node is listed for 30 s.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn running_nodes(&self) -> Result<Vec<Node>, StoreError> {
        let since = self.clock.now() - EXPIRY;
        read(&*self.store, |tx| tx.nodes_seen_since(since))
    }

    /// Returns the running nodes but this process.
    pub(crate) fn other_nodes(&self, tx: &mut dyn Tx) -> Result<Vec<Node>, StoreError> {
        let mut nodes = tx.nodes_seen_since(self.clock.now() - EXPIRY)?;
        let last_record = self.last_record.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.retain(|node| last_record.as_ref().is_none_or(|last| last.node_id != node.id));
        Ok(nodes)
    }
}
