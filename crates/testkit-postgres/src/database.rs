use crate::instance::random;
use crate::psql;
use crate::server::{RUNNING_ROLE, Server};
use crate::url::parse;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// A database of the test's own. Dropping the value drops the database, even if others are connected.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    maintenance: String,
}

impl TestDatabase {
    /// Creates an empty database.
    ///
    /// # Errors
    /// If there is no `psql`, or the server cannot be reached or refuses.
    pub fn create(server: &Server) -> io::Result<Self> {
        Self::create_from_template(server, "template0")
    }

    /// Creates a copy of another database, to which nobody may be connected.
    ///
    /// # Errors
    /// Those of [`create`](Self::create), and if the other database does not exist or somebody is connected
    /// to it.
    pub fn create_from_template(server: &Server, template: &str) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cutover_test_{}_{number}_{:08x}", std::process::id(), random() >> 32);
        let maintenance = server.url().to_owned();
        psql::sql(
            &maintenance,
            &format!("CREATE DATABASE {name} TEMPLATE \"{template}\"{}", server.strategy()),
        )?;
        Ok(Self { url: server.url_of(&name)?, name, maintenance })
    }

    /// Returns its name, `cutover_test_…`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns its URL for sessions that act as [`RUNNING_ROLE`].
    ///
    /// # Errors
    /// If the URL is invalid.
    pub fn running_url(&self) -> io::Result<String> {
        let mut url = parse(&self.url)?;
        let parameters = url.query().map(|query| format!("{query}&")).unwrap_or_default();
        url.set_query(Some(&format!("{parameters}options=-c%20role%3D{RUNNING_ROLE}")));
        Ok(url.into())
    }

    /// Runs a statement with `psql`. Returns a line for each row, with `|` between columns.
    ///
    /// # Errors
    /// If it fails, with its output.
    pub fn sql(&self, sql: &str) -> io::Result<String> {
        psql::sql(&self.url, sql)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // The test may have stopped the server.
        psql::sql(&self.maintenance, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)).ok();
    }
}
