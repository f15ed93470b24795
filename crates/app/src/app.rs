use crate::Wake;
use crate::account::KnownSuppliers;
use crate::auth::KeyRing;
use crate::port::{Clock, Documents, Operator, PaymentVendors, Random, RefusedInJobs, Store, StoreError};
use crate::worker::Interrupted;
use chrono::{DateTime, Duration, Utc};
use cutover_model::Limits;
use cutover_process::RETRY_TIME;
use std::sync::{Arc, Mutex};

/// What the operator sets for the whole installation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long an access token is good (contract D2).
    pub access_token_lifetime: Duration,
    /// How long a refresh token is good (contract D2).
    pub refresh_token_lifetime: Duration,
    /// How many items a request may have (contract D3).
    pub limits: Limits,
    /// For how long an import is retried while outages make it fail; then it ends in an error.
    pub import_retry_time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            access_token_lifetime: Duration::minutes(60),
            refresh_token_lifetime: Duration::days(7),
            limits: Limits::default(),
            import_retry_time: RETRY_TIME,
        }
    }
}

/// What the use cases need of the world.
#[derive(Clone)]
pub struct Ports {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// The documents that payloads name.
    pub documents: Arc<dyn Documents>,
    /// Those who know payment instructions.
    pub vendors: Arc<dyn PaymentVendors>,
}

/// The use cases, with the ports they speak through. Each use case is a method, in a file of its own.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) documents: Arc<dyn Documents>,
    pub(crate) vendors: Arc<dyn PaymentVendors>,
    pub(crate) settings: Settings,
    /// Who gives commands.
    pub(crate) operator: Operator,
    pub(crate) keys: KeyRing,
    pub(crate) suppliers: KnownSuppliers,
    pub(crate) wake: Arc<Wake>,
    /// Held by the worker that looks out for work.
    pub(crate) lookout: Mutex<()>,
    /// Claims that the database was not there to end.
    pub(crate) interrupted: Mutex<Vec<Interrupted>>,
}

impl App {
    /// The use cases over these ports.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        let Ports { store, clock, random, documents, vendors } = ports;
        let documents = Arc::new(RefusedInJobs(documents));
        let vendors = Arc::new(RefusedInJobs(vendors));
        let (keys, suppliers, wake, lookout): (_, _, Arc<Wake>, _) = Default::default();
        let told = wake.clone();
        store.on_work(Box::new(move || told.call_one()));
        Self {
            store,
            clock,
            random,
            documents,
            vendors,
            settings,
            operator: Operator::Command { user: None },
            keys,
            suppliers,
            wake,
            lookout,
            interrupted: Mutex::default(),
        }
    }

    /// The same, whose commands are those of a user of the system: the audit trail names it.
    #[must_use]
    pub fn commanded_by(mut self, user: Option<String>) -> Self {
        self.operator = Operator::Command { user };
        self
    }

    /// What wakes the workers of this process.
    pub fn wake(&self) -> &Arc<Wake> {
        &self.wake
    }

    /// A random number, for ids that are to differ between runs and nodes.
    pub fn random_number(&self) -> u64 {
        self.random.number()
    }

    /// The time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Whether use cases that only read a little may be called now where nothing must block.
    pub fn reads_at_once(&self) -> bool {
        self.store.reads_at_once()
    }

    /// Whether the database answers, and tokens can be verified.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if a signing key is sealed with an encryption key that this process lacks; another
    /// [`StoreError`] if the database does not answer.
    pub fn ready(&self) -> Result<(), StoreError> {
        self.store.ping()?;
        self.check_signing_keys()
    }

    /// The names of encryption keys that this process lacks and needed within the last minute, for a request or an import.
    pub fn missing_encryption_keys(&self) -> Vec<String> {
        self.store.missing_keys()
    }

    /// How many connections to the database are open, and how many of them lie ready; `None` where it is no
    /// server.
    pub fn database_connections(&self) -> Option<(u32, u32)> {
        self.store.connections()
    }

    /// Maximum number of database connections that use cases share; `None` for an embedded database.
    pub fn connection_limit(&self) -> Option<u32> {
        self.store.connection_limit()
    }

    /// The documents that payloads name.
    pub fn documents(&self) -> &Arc<dyn Documents> {
        &self.documents
    }
}
