//! The store's ports in memory: for tests of what lies above the store, which need no database to fail, to
//! be empty or to be slow. It keeps the promises of the ports except durability, and gives accounts back as
//! they were written instead of normalised.

mod accounts;
mod identity;
mod processes;
mod suppliers;

use cutover_app::port::{
    ApiKey, NewAccount, Organisation, RefreshToken, SigningKey, Store, StoreError, Supplier, Tx, Verdict,
    WriteJob,
};
use processes::Row;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a [`MemoryStore`] does instead of its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Every transaction fails so.
    Error(StoreError),
    /// Every transaction panics.
    Panic,
}

/// A store in memory. Transactions run one after another on a copy that replaces the state at the commit.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    fault: Mutex<Option<Fault>>,
}

/// All rows.
#[derive(Debug, Clone, Default)]
struct State {
    organisations: Vec<Organisation>,
    api_keys: Vec<ApiKey>,
    refresh_tokens: HashMap<[u8; 32], RefreshToken>,
    signing_keys: Vec<SigningKey>,
    suppliers: Vec<Supplier>,
    processes: Vec<Row>,
    accounts: Vec<NewAccount>,
}

impl MemoryStore {
    /// Fails from now on, or works again.
    pub fn set_fault(&self, fault: Option<Fault>) {
        *lock(&self.fault) = fault;
    }

    fn check(&self) -> Result<(), StoreError> {
        match lock(&self.fault).clone() {
            None => Ok(()),
            Some(Fault::Error(error)) => Err(error),
            Some(Fault::Panic) => panic!("the store panics on purpose"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for MemoryStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.check()?;
        let mut copy = lock(&self.state).clone();
        job(&mut copy)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.check()?;
        let mut state = lock(&self.state);
        let mut copy = state.clone();
        if job(&mut copy) == Verdict::Commit {
            *state = copy;
        }
        Ok(())
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.check()
    }
}

/// The id of a new row behind so many.
fn next_id(rows: usize) -> i64 {
    rows as i64 + 1
}
