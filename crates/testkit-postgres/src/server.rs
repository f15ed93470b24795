use crate::cluster::{Cluster, ClusterOptions};
use crate::psql;
use crate::url::parse;
use std::io;
use std::sync::OnceLock;

/// The environment variable with the server for tests: the URL of one of its databases, in which databases
/// may be created.
pub const DATABASE_URL: &str = "CUTOVER_TEST_DATABASE_URL";

/// A role on every server for tests that owns nothing and has no rights by itself: the one that stores run as.
pub const RUNNING_ROLE: &str = "cutover_run";

/// A server on which tests create their own databases.
#[derive(Debug)]
pub struct Server {
    url: String,
    /// An option of `CREATE DATABASE`.
    strategy: OnceLock<&'static str>,
    /// Kept until the process ends.
    _cluster: Option<Cluster>,
}

impl Server {
    /// Creates a server from the URL of a database in which others may be created.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into(), strategy: OnceLock::new(), _cluster: None }
    }

    /// Returns the URL of the database in which others are created.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the way to copy databases. A copy of the files takes a third of the time of one that is logged, but needs
    /// checkpoints, which are fast only without fsync. PostgreSQL has the choice since 15.
    pub(crate) fn strategy(&self) -> &'static str {
        self.strategy.get_or_init(|| {
            let copies = "SELECT current_setting('fsync') = 'off' \
                          AND current_setting('server_version_num')::int >= 150000";
            let copies = psql::sql(&self.url, copies).is_ok_and(|answer| answer == "t");
            if copies { " STRATEGY file_copy" } else { "" }
        })
    }

    /// Returns the URL of another database on the server, which need not exist.
    ///
    /// # Errors
    /// If the server's own URL is invalid.
    pub fn url_of(&self, database: &str) -> io::Result<String> {
        let mut url = parse(&self.url)?;
        url.set_path(database);
        Ok(url.into())
    }
}

/// Returns the server of this process: the one in [`DATABASE_URL`], otherwise a cluster that the first call
/// starts. Prints `NOT RUN` once and returns `None` if there are no server programs; tests then pass.
///
/// # Panics
/// If there are programs and they fail: a test that could run must not pass without running.
pub fn server() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(find).as_ref()
}

fn find() -> Option<Server> {
    let server = match std::env::var(DATABASE_URL).ok().filter(|url| !url.is_empty()) {
        Some(url) => Server::at(url),
        None => {
            let cluster = Cluster::for_test(&ClusterOptions::fast())?;
            let server = Server::at(cluster.url("postgres"));
            Server { _cluster: Some(cluster), ..server }
        }
    };
    if let Err(e) = psql::sql(&server.url, &create_role(RUNNING_ROLE)) {
        panic!("PostgreSQL for tests refuses a role: {e}");
    }
    Some(server)
}

/// Returns the statement that creates a role unless it exists, also while another process creates it. It sees the sessions
/// of others, as operators are told to allow it.
fn create_role(name: &str) -> String {
    format!(
        "DO $$ BEGIN CREATE ROLE {name} IN ROLE pg_read_all_stats; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    )
}
