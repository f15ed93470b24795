use crate::instance::random;
use crate::psql;
use crate::server::Server;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};

/// A database of a test's own. It is dropped, whoever is connected, when it goes out of scope.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    maintenance: String,
}

impl TestDatabase {
    /// An empty one.
    ///
    /// # Errors
    /// If there is no `psql`, or the server cannot be reached or refuses.
    pub fn create(server: &Server) -> io::Result<Self> {
        Self::create_from_template(server, "template0")
    }

    /// A copy of another database, to which nobody may be connected.
    ///
    /// # Errors
    /// As for an empty one, and if there is no such database or somebody is connected to it.
    pub fn create_from_template(server: &Server, template: &str) -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cutover_test_{}_{number}_{:08x}", std::process::id(), random() >> 32);
        let maintenance = server.url().to_owned();
        psql::sql(&maintenance, &format!("CREATE DATABASE {name} TEMPLATE \"{template}\""))?;
        Ok(Self { url: server.url_of(&name)?, name, maintenance })
    }

    /// Its name, `cutover_test_…`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What `psql` prints for a statement: a line a row, columns parted by `|`.
    ///
    /// # Errors
    /// If it fails: with what it says.
    pub fn sql(&self, sql: &str) -> io::Result<String> {
        psql::sql(&self.url, sql)
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // The server may be down or gone, on purpose.
        psql::sql(&self.maintenance, &format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)).ok();
    }
}
