use crate::database::TestDatabase;
use crate::server::Server;
use std::any::Any;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A database that is filled once and then copied, which is faster than filling each. It is dropped with its last copy.
/// `T` is the result of filling it, such as a key that was issued in it.
#[derive(Debug)]
pub struct Template<T = ()> {
    filled: Mutex<Weak<(TestDatabase, T)>>,
}

/// A copy of a [`Template`].
#[derive(Debug)]
pub struct TemplateCopy {
    database: TestDatabase,
    _template: Arc<dyn Any + Send + Sync>,
}

impl<T> Template<T> {
    /// Creates a template without a database.
    pub const fn new() -> Self {
        Self { filled: Mutex::new(Weak::new()) }
    }
}

impl<T> Default for Template<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Clone + Send + Sync + 'static> Template<T> {
    /// Returns a copy, and the result of the filling. If there is no other copy, `fill` fills the original, and closes
    /// its connections.
    ///
    /// # Errors
    /// If a database cannot be created, or a connection to the original is not closed within seconds.
    pub fn copy(
        &self,
        server: &Server,
        fill: impl FnOnce(&TestDatabase) -> T,
    ) -> io::Result<(TemplateCopy, T)> {
        let template = self.filled(server, fill)?;
        let database = TestDatabase::create_from_template(server, template.0.name())?;
        let result = template.1.clone();
        Ok((TemplateCopy { database, _template: template }, result))
    }

    fn filled(
        &self,
        server: &Server,
        fill: impl FnOnce(&TestDatabase) -> T,
    ) -> io::Result<Arc<(TestDatabase, T)>> {
        let mut filled = self.filled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = filled.upgrade() {
            return Ok(template);
        }
        let database = TestDatabase::create(server)?;
        let result = fill(&database);
        let template = Arc::new((database, result));
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
