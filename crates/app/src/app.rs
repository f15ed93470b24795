use crate::Wake;
use crate::account::{Markers, RefusedLog, SupplierCache};
use crate::auth::{AttemptLog, KeyRing};
use crate::documents::{DocumentsWanted, FoundDocuments};
use crate::nodes::LastRecord;
use crate::operator::{Inspected, Probed, Sampled};
use crate::port::{
    Clock, Documents, DocumentsUnavailable, FairShares, Operator, PaymentVendors, Random, RefusedInJobs,
    ServerCertificate, Store, StoreError, WebhookSender,
};
use crate::run::RunHints;
use crate::search::{SearchKeys, Terms};
use crate::worker::Interrupted;
use crate::writes::{NotedStore, Writes};
use chrono::{DateTime, Duration, Utc};
use cutover_model::Limits;
use cutover_process::RETRY_TIME;
use std::sync::{Arc, Mutex};

/// Settings of the whole installation.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Lifetime of an access token (contract D2).
    pub access_token_lifetime: Duration,
    /// Lifetime of a refresh token (contract D2).
    pub refresh_token_lifetime: Duration,
    /// Maximum number of items in a request (contract D3).
    pub limits: Limits,
    /// Time for which events are kept (contract D19).
    pub event_retention: Duration,
    /// Bytes of payloads after which imported accounts are written. An account with more is imported alone in the process.
    pub import_batch: usize,
    /// Time for which an import is retried while outages make it fail. Then it ends in an error.
    pub import_retry_time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            access_token_lifetime: Duration::minutes(60),
            refresh_token_lifetime: Duration::days(7),
            limits: Limits::default(),
            event_retention: Duration::days(30),
            import_batch: 4 << 20,
            import_retry_time: RETRY_TIME,
        }
    }
}

/// The adapters that the use cases run on.
#[derive(Clone)]
pub struct Ports {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The source of randomness.
    pub random: Arc<dyn Random>,
    /// The storage of the documents that payloads name.
    pub documents: Arc<dyn Documents>,
    /// The payment vendors.
    pub vendors: Arc<dyn PaymentVendors>,
    /// The sender of webhooks.
    pub webhooks: Arc<dyn WebhookSender>,
}

/// The use cases, each a method in a file of its own, with the ports that they use.
pub struct App {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) documents: Arc<dyn Documents>,
    pub(crate) vendors: Arc<dyn PaymentVendors>,
    pub(crate) webhooks: Arc<dyn WebhookSender>,
    /// `None` if the API is served without TLS, or not by this installation's settings.
    pub(crate) server_certificate: Option<Arc<dyn ServerCertificate>>,
    pub(crate) settings: Settings,
    /// The operator that the audit trail names for commands.
    pub(crate) operator: Operator,
    pub(crate) keys: KeyRing,
    pub(crate) attempts: AttemptLog,
    pub(crate) suppliers: SupplierCache,
    /// The keys of the marks of erased accounts.
    pub(crate) markers: Markers,
    /// The key of the words of accounts.
    pub(crate) search_keys: SearchKeys,
    /// The suppliers with an open run.
    pub(crate) run_hints: Arc<RunHints>,
    /// Refused creates that are not written yet.
    pub(crate) refused: Arc<RefusedLog>,
    /// The last answers of services.
    pub(crate) probed: Probed,
    pub(crate) sampled: Sampled,
    pub(crate) inspected: Inspected,
    /// The last record of this process as a node.
    pub(crate) last_record: Mutex<Option<LastRecord>>,
    /// The last write that the database refused.
    pub(crate) writes: Arc<Writes>,
    pub(crate) wake: Arc<Wake>,
    /// The division of the workers' time among suppliers.
    pub(crate) shares: Arc<FairShares>,
    /// Held by the worker that polls the store for due processes.
    pub(crate) poller: Mutex<()>,
    /// Claims that could not be ended during an outage of the database.
    pub(crate) interrupted: Mutex<Vec<Interrupted>>,
    /// Held while a certificate is issued.
    pub(crate) issuing: Mutex<()>,
    /// Held while a large account is imported: see [`Settings::import_batch`].
    pub(crate) large_import: Mutex<()>,
}

impl App {
    /// Returns the use cases over these ports.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        crate::auth::install_signatures();
        let Ports { store, clock, random, documents, vendors, webhooks } = ports;
        let documents = Arc::new(RefusedInJobs(documents));
        let vendors = Arc::new(RefusedInJobs(vendors));
        let webhooks = Arc::new(RefusedInJobs(webhooks));
        let (keys, suppliers, wake, poller): (_, _, Arc<Wake>, _) = Default::default();
        let writes = Arc::new(Writes::new(clock.clone()));
        let store: Arc<dyn Store> = Arc::new(NotedStore { store, writes: writes.clone() });
        let notified = wake.clone();
        store.on_work(Box::new(move || notified.notify_one()));
        Self {
            store,
            clock,
            random,
            documents,
            vendors,
            webhooks,
            server_certificate: None,
            settings,
            operator: Operator::Command { user: None },
            keys,
            attempts: AttemptLog::default(),
            suppliers,
            markers: Markers::default(),
            search_keys: SearchKeys::default(),
            run_hints: Arc::default(),
            refused: Arc::default(),
            probed: Probed::default(),
            sampled: Sampled::default(),
            inspected: Inspected::default(),
            last_record: Mutex::default(),
            writes,
            wake,
            shares: Arc::default(),
            poller,
            interrupted: Mutex::default(),
            issuing: Mutex::default(),
            large_import: Mutex::default(),
        }
    }

    /// Sets the operating system's user whom the audit trail names for commands.
    #[must_use]
    pub fn commanded_by(mut self, user: Option<String>) -> Self {
        self.operator = Operator::Command { user };
        self
    }

    /// Sets the certificate with which the API is served, which readiness checks.
    #[must_use]
    pub fn served_with(mut self, certificate: Option<Arc<dyn ServerCertificate>>) -> Self {
        self.server_certificate = certificate;
        self
    }

    /// Returns what makes the terms of words, for no supplier yet.
    ///
    /// # Errors
    /// As [`SearchKeys::terms`].
    pub(crate) fn search_terms(&self) -> Result<Terms, StoreError> {
        self.search_keys.terms(&*self.store, &*self.random)
    }

    /// Returns the signal that wakes the workers of this process.
    pub fn wake(&self) -> &Arc<Wake> {
        &self.wake
    }

    /// Returns the limits of what a request may contain.
    pub fn limits(&self) -> Limits {
        self.settings.limits
    }

    /// Returns a random number, for ids that have to differ between runs and nodes.
    pub fn random_number(&self) -> u64 {
        self.random.number()
    }

    /// Returns the current time.
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Returns true if use cases that read little may be called now on a thread that must not block.
    pub fn reads_at_once(&self) -> bool {
        self.store.reads_at_once()
    }

    /// Checks that the database answers and that tokens can be verified.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if a signing key is encrypted with a key that this process lacks; another
    /// [`StoreError`] if the database does not answer.
    pub fn ready(&self) -> Result<(), StoreError> {
        self.store.ping()?;
        self.check_signing_keys()
    }

    /// Returns why the database refused a write within the last minute, if it did: its disk is full or fails, or it only
    /// reads. It may answer reads meanwhile.
    pub fn refused_write(&self) -> Option<StoreError> {
        self.writes.refused()
    }

    /// Returns the names of encryption keys that this process lacks and has needed within the last minute.
    pub fn missing_encryption_keys(&self) -> Vec<String> {
        self.store.missing_keys()
    }

    /// Returns the numbers of open and of idle connections to the database server; `None` for an embedded
    /// database.
    pub fn database_connections(&self) -> Option<(u32, u32)> {
        self.store.connections()
    }

    /// Returns the maximum number of database connections that use cases share; `None` for an embedded
    /// database.
    pub fn connection_limit(&self) -> Option<u32> {
        self.store.connection_limit()
    }

    /// Looks documents up under the root of their supplier (contract D10).
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if the storage did not answer in time: a passing fault.
    pub async fn look_up(&self, wanted: &DocumentsWanted) -> Result<FoundDocuments, DocumentsUnavailable> {
        wanted.look_up(&*self.documents).await
    }

    /// Returns the storage of the documents that payloads name.
    pub fn documents(&self) -> &Arc<dyn Documents> {
        &self.documents
    }
}
