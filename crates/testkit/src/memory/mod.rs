//! The ports of the store in memory, for tests of the layers above it. It keeps the promises of the ports
//! except durability.

mod accounts;
mod archive;
mod audit;
mod businesses;
mod certificates;
mod erasure;
mod feed;
mod figures;
mod gates;
mod identity;
mod instructions;
mod jobs;
mod kept;
mod ledgers;
mod nodes;
mod notes;
mod numbers;
mod processes;
mod refusals;
mod runs;
mod search;
mod statements;
mod suppliers;
mod timeline;
mod undo;
mod vendors;
mod webhooks;

use accounts::Imported;
use businesses::Business;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    ActivityKind, ApiKey, AuditEntry, DatabaseFault, Encryption, ErasureMark, FeedPosition, Gate, Inspection,
    JobGuard, Manifest, Node, Organisation, RefreshToken, RefusedCreate, ServerFigures, ServiceHold,
    SigningKey, Store, StoreError, Supplier, SupplierNote, Tx, Vendor, Verdict, WriteJob,
};
use cutover_model::Totals;
use feed::Published;
use instructions::BusinessInstruction;
use jobs::JobRow;
use numbers::NumberRow;
use processes::Row;
use runs::RunRow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use webhooks::WebhookRow;

/// A fault of a [`MemoryStore`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Every transaction fails with this error.
    Error(StoreError),
    /// Every transaction that only reads fails with this error.
    OfReads(StoreError),
    /// Every transaction that may write fails with this error. There is no room either.
    OfWrites(StoreError),
    /// There is no room for more data, with this error. Transactions succeed, as small ones may on a full disk.
    OfRoom(StoreError),
    /// Every transaction panics.
    Panic,
}

/// A store in memory. Transactions run one after another on a copy that replaces the state at the commit.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    fault: Mutex<Option<Fault>>,
    missing_keys: Mutex<Vec<String>>,
    encryption: Mutex<Option<Encryption>>,
    free_space: Mutex<Option<u64>>,
    server: Mutex<Option<ServerFigures>>,
    faults: Mutex<Vec<DatabaseFault>>,
}

/// All rows. Large ones are shared with copies of the state until they change.
#[derive(Debug, Clone, Default)]
struct State {
    organisations: Vec<Organisation>,
    api_keys: Vec<ApiKey>,
    refresh_tokens: HashMap<[u8; 32], RefreshToken>,
    signing_keys: Vec<SigningKey>,
    suppliers: Vec<Supplier>,
    /// Numbers of rows that were removed: their ids are not used again.
    erased_suppliers: usize,
    erased_businesses: usize,
    erased_jobs: usize,
    processes: Vec<Arc<Row>>,
    /// Number of claimed processes, and that number at the last claim of each supplier.
    claims: u64,
    served: HashMap<i64, u64>,
    /// Accounts by the key of their process.
    accounts: BTreeMap<i64, Arc<Imported>>,
    /// Numbers of accounts whose import was undone.
    retired_numbers: BTreeSet<String>,
    erased: BTreeSet<(i64, ErasureMark)>,
    businesses: Vec<Business>,
    /// The last number of each organisation.
    business_numbers: HashMap<i64, i64>,
    /// The organisation and the contract that the account of a process names.
    contracts_named: BTreeMap<i64, (i64, String)>,
    business_instructions: Vec<BusinessInstruction>,
    /// Refused creates by supplier and number, and how many payloads had no number.
    refused: BTreeMap<(i64, String), RefusedCreate>,
    refused_without_number: HashMap<i64, u64>,
    vendors: BTreeMap<(i64, String), Vendor>,
    totals: BTreeMap<i64, Totals>,
    manifests: BTreeMap<i64, Manifest>,
    number_lists: BTreeMap<i64, NumberRow>,
    audit: Vec<AuditEntry>,
    nodes: Vec<Node>,
    feed: Vec<Arc<Published>>,
    last_event: i64,
    /// The last expired event of each organisation.
    expired_events: HashMap<i64, FeedPosition>,
    jobs: Vec<JobRow>,
    webhooks: Vec<WebhookRow>,
    /// Gates by supplier.
    gates: BTreeMap<i64, Gate>,
    certificates: certificates::CertificateRows,
    /// Accounts of waves: their supplier, and true for an open one.
    wave_accounts: BTreeMap<i64, (i64, bool)>,
    /// Waves in the order in which they began: supplier, number and time.
    waves: Vec<(i64, u32, DateTime<Utc>)>,
    /// What happened: the supplier, the minute, and the kind.
    activity: Vec<(i64, DateTime<Utc>, ActivityKind)>,
    service_holds: Vec<(i64, ServiceHold)>,
    supplier_notes: Vec<(i64, SupplierNote)>,
    runs: Vec<RunRow>,
    last_run: i64,
}

impl MemoryStore {
    /// Sets or removes a fault.
    pub fn set_fault(&self, fault: Option<Fault>) {
        *lock(&self.fault) = fault;
    }

    /// Sets the encryption keys that are reported as missing.
    pub fn set_missing_keys(&self, names: &[&str]) {
        *lock(&self.missing_keys) = names.iter().map(|&name| name.to_owned()).collect();
    }

    /// Sets how values are encrypted; `None`: as by default.
    pub fn set_encryption(&self, encryption: Option<Encryption>) {
        *lock(&self.encryption) = encryption;
    }

    /// Sets the bytes that are free for the database to grow.
    pub fn set_free_space(&self, bytes: Option<u64>) {
        *lock(&self.free_space) = bytes;
    }

    /// Sets what an inspection finds.
    pub fn set_faults(&self, faults: Vec<DatabaseFault>) {
        *lock(&self.faults) = faults;
    }

    /// Sets the figures of the database server.
    pub fn set_server_figures(&self, figures: Option<ServerFigures>) {
        *lock(&self.server) = figures;
    }

    fn check(&self, reads: bool) -> Result<(), StoreError> {
        match lock(&self.fault).clone() {
            None => Ok(()),
            Some(Fault::OfReads(_)) if !reads => Ok(()),
            Some(Fault::OfWrites(_)) if reads => Ok(()),
            Some(Fault::OfRoom(_)) => Ok(()),
            Some(Fault::Error(error) | Fault::OfReads(error) | Fault::OfWrites(error)) => Err(error),
            Some(Fault::Panic) => panic!("the store panics on purpose"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for MemoryStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.check(true)?;
        let mut copy = lock(&self.state).clone();
        let _inside = JobGuard::enter();
        job(&mut copy)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.check(false)?;
        let mut state = lock(&self.state);
        let mut copy = state.clone();
        let _inside = JobGuard::enter();
        let verdict = catch_unwind(AssertUnwindSafe(|| job(&mut copy)));
        if verdict.map_err(|_| StoreError::Failed("the job panicked".into()))? == Verdict::Commit {
            *state = copy;
        }
        Ok(())
    }

    fn encryption(&self) -> Result<Encryption, StoreError> {
        let missing = self.missing_keys();
        let encrypted = Encryption { is_configured: true, missing, ..Encryption::default() };
        Ok(lock(&self.encryption).clone().unwrap_or(encrypted))
    }

    fn free_space(&self) -> Result<Option<u64>, StoreError> {
        Ok(*lock(&self.free_space))
    }

    fn inspect(&self) -> Result<Inspection, StoreError> {
        Ok(Inspection { faults: lock(&self.faults).clone(), unread: None })
    }

    fn server_figures(&self) -> Result<Option<ServerFigures>, StoreError> {
        Ok(*lock(&self.server))
    }

    fn missing_keys(&self) -> Vec<String> {
        lock(&self.missing_keys).clone()
    }

    fn check_room(&self) -> Result<(), StoreError> {
        match lock(&self.fault).clone() {
            Some(Fault::OfRoom(error) | Fault::OfWrites(error)) => Err(error),
            _ => Ok(()),
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        let only_writes_fail = matches!(&*lock(&self.fault), Some(Fault::OfWrites(_)));
        if only_writes_fail { Ok(()) } else { self.check(false) }
    }
}

/// Returns the id of the next row.
fn next_id(rows: usize) -> i64 {
    rows as i64 + 1
}
