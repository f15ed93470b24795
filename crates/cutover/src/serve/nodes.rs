use super::{Lock, Taken};
use crate::error::Error;
use crate::settings::{Database, Settings};
use cutover_app::App;
use cutover_app::nodes::{HEARTBEAT, NodeDescription};
use cutover_app::port::Node;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

/// Records in the database that this process serves, for as long as it lives.
pub(super) struct Heartbeat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts it; when this returns, the process is recorded.
    ///
    /// # Errors
    /// [`Error`] if it could not be recorded.
    pub(super) fn start(app: Arc<App>, settings: &Settings, keys: Vec<String>) -> Result<Self, Error> {
        let node = app.add_node(NodeDescription {
            role: settings.serve.role.as_str().to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            encryption_keys: keys,
        })?;
        let (stop, stopped) = channel::<()>();
        let beat = move || {
            while stopped.recv_timeout(HEARTBEAT) == Err(RecvTimeoutError::Timeout) {
                if let Err(error) = app.renew_node(&node) {
                    tracing::warn!(%error, "it could not be recorded that this process serves");
                }
            }
            if let Err(error) = app.remove_node(&node) {
                tracing::warn!(%error, "it could not be recorded that this process ends");
            }
        };
        let thread = thread::Builder::new().name("heartbeat".into()).spawn(beat)?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // What it had to say is in the log.
            let _ = thread.join();
        }
    }
}

/// The processes that serve the database now. On PostgreSQL one that was killed is among them for 30 s; of a SQLite file
/// the lock tells at once.
///
/// # Errors
/// [`Error`] if that cannot be found out.
pub(crate) fn running(app: &App, settings: &Settings) -> Result<Vec<Node>, Error> {
    match &settings.database {
        Database::Sqlite(file) if Lock::probe(file)? == Taken::Free => Ok(Vec::new()),
        _ => Ok(app.running_nodes()?),
    }
}

/// Those of the nodes that cannot open what is sealed with a key.
pub(crate) fn without_key<'n>(nodes: &'n [Node], key: &str) -> Vec<&'n Node> {
    nodes.iter().filter(|node| !node.encryption_keys.iter().any(|name| name == key)).collect()
}

/// A node for people: what it is, since when, and its keys.
pub(crate) fn shown(node: &Node) -> String {
    let Node { id, role, version, encryption_keys, started_at, .. } = node;
    let keys = if encryption_keys.is_empty() {
        "no encryption key".to_owned()
    } else {
        format!("the encryption keys {}", encryption_keys.join(", "))
    };
    format!("{id} ({role}, version {version}, since {}, {keys})", started_at.format("%Y-%m-%d %H:%M:%SZ"))
}
