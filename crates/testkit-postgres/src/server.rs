use crate::cluster::{Cluster, ClusterOptions};
use crate::url::parse;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The variable of the environment that names the server for tests: the URL of a database on it by which
/// databases may be made.
pub const DATABASE_URL: &str = "CUTOVER_TEST_DATABASE_URL";

/// A server on which tests make databases of their own.
#[derive(Debug)]
pub struct Server {
    url: String,
    /// Kept for as long as the process lives.
    _cluster: Option<Cluster>,
}

impl Server {
    /// The one at this URL, of a database by which others may be made.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into(), _cluster: None }
    }

    /// The URL of the database by which others are made.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL of another database on it, there or not.
    ///
    /// # Errors
    /// If the server's own URL is none.
    pub fn url_of(&self, database: &str) -> io::Result<String> {
        let mut url = parse(&self.url)?;
        url.set_path(database);
        Ok(url.into())
    }
}

/// The server of this process: the one that [`DATABASE_URL`] names, else a cluster of its own, made at the first
/// call. None where there are no server programs: then `NOT RUN` is printed once, and the test is to pass.
///
/// # Panics
/// If there are programs and they fail: a test that could run must not pass unrun.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(find).as_ref()
}

fn find() -> Option<Server> {
    if let Some(url) = std::env::var(DATABASE_URL).ok().filter(|url| !url.is_empty()) {
        return Some(Server::at(url));
    }
    let cluster = Cluster::for_test(&ClusterOptions::fast())?;
    Some(Server { url: cluster.url("postgres"), _cluster: Some(cluster) })
}

/// Written past the test harness, which would keep it to itself; each reason once.
pub(crate) fn not_run(why: &'static str) {
    static TOLD: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(why) {
        io::stderr().write_all(format!("NOT RUN: {why}\n").as_bytes()).ok();
    }
}
