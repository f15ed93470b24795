use crate::error::Error;
use crate::lock::{Lock, LockState};
use crate::settings::{Database, Settings};
use cutover_app::App;
use cutover_app::port::Node;

/// Returns the processes that serve the database now. On PostgreSQL a process that was killed is listed for another 30 s;
/// a SQLite file is unlocked at once.
///
/// # Errors
/// [`Error`] if the database or the lock cannot be read.
pub(crate) fn running(app: &App, settings: &Settings) -> Result<Vec<Node>, Error> {
    match &settings.database {
        Database::Sqlite(file) if Lock::probe(file)? == LockState::Free => Ok(Vec::new()),
        _ => Ok(app.running_nodes()?),
    }
}

/// Returns the nodes that lack an encryption key.
pub(crate) fn without_key<'n>(nodes: &'n [Node], key: &str) -> Vec<&'n Node> {
    nodes.iter().filter(|node| !node.encryption_keys.iter().any(|name| name == key)).collect()
}

/// Describes a node in a line of text.
pub(crate) fn describe(node: &Node) -> String {
    let Node { id, role, version, encryption_keys, started_at, .. } = node;
    let keys = if encryption_keys.is_empty() {
        "no encryption key".to_owned()
    } else {
        format!("the encryption keys {}", encryption_keys.join(", "))
    };
    format!("{id} ({role}, version {version}, since {}, {keys})", started_at.format("%Y-%m-%d %H:%M:%SZ"))
}
