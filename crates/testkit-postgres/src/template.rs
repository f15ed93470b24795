use crate::database::TestDatabase;
use crate::server::Server;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A database that is filled once and then copied, which is faster than filling each. It is dropped with its last copy.
#[derive(Debug, Default)]
pub struct Template {
    filled: Mutex<Weak<TestDatabase>>,
}

/// A copy of a [`Template`].
#[derive(Debug)]
pub struct TemplateCopy {
    database: TestDatabase,
    _template: Arc<TestDatabase>,
}

impl Template {
    /// Creates a template without a database.
    pub const fn new() -> Self {
        Self { filled: Mutex::new(Weak::new()) }
    }

    /// Returns a copy. If there is no other, `fill` fills the original, and closes its connections.
    ///
    /// # Errors
    /// If a database cannot be created, or a connection to the original is not closed within seconds.
    pub fn copy(&self, server: &Server, fill: impl FnOnce(&TestDatabase)) -> io::Result<TemplateCopy> {
        let template = self.filled(server, fill)?;
        let database = TestDatabase::create_from_template(server, template.name())?;
        Ok(TemplateCopy { database, _template: template })
    }

    fn filled(&self, server: &Server, fill: impl FnOnce(&TestDatabase)) -> io::Result<Arc<TestDatabase>> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = filled.upgrade() {
            return Ok(template);
        }
        let template = Arc::new(TestDatabase::create(server)?);
        fill(&template);
        *filled = Arc::downgrade(&template);
        Ok(template)
    }
}

impl std::ops::Deref for TemplateCopy {
    type Target = TestDatabase;

    fn deref(&self) -> &TestDatabase {
        &self.database
    }
}
