//! Nothing outside is asked inside a job of the store: a transaction that waits for a vendor or the storage
//! holds its locks and its connection for as long as they please. Builds with debug assertions, as those of
//! tests, panic there.

use super::{
    Answer, DocumentState, Documents, DocumentsUnavailable, PaymentVendors, Vendor, VendorError,
    VendorInstruction, WantedDocument,
};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

thread_local! {
    /// How many jobs this thread is in.
    static JOBS: Cell<u32> = const { Cell::new(0) };
}

/// Says that this thread runs a job of the store, for as long as it lives. Every store makes one for each
/// transaction.
#[derive(Debug)]
pub struct JobGuard {
    /// It is of its thread.
    _here: PhantomData<*const ()>,
}

impl JobGuard {
    /// The job begins.
    pub fn enter() -> Self {
        if cfg!(debug_assertions) {
            JOBS.set(JOBS.get() + 1);
        }
        Self { _here: PhantomData }
    }
}

impl Drop for JobGuard {
    fn drop(&mut self) {
        if cfg!(debug_assertions) {
            JOBS.set(JOBS.get() - 1);
        }
    }
}

/// What is done while it lives is no part of the jobs that its thread is in: a simulation has other nodes act
/// while a transaction is open, on the one thread it has.
#[derive(Debug)]
pub struct SuspendedJobs {
    jobs: u32,
    /// It is of its thread.
    _here: PhantomData<*const ()>,
}

impl SuspendedJobs {
    /// Somebody else acts from here on.
    pub fn enter() -> Self {
        Self { jobs: JOBS.replace(0), _here: PhantomData }
    }
}

impl Drop for SuspendedJobs {
    fn drop(&mut self) {
        JOBS.set(self.jobs);
    }
}

/// A port to the outside that is not to be asked inside a job.
pub struct RefusedInJobs<P: ?Sized>(pub Arc<P>);

impl<P: ?Sized> RefusedInJobs<P> {
    /// The port, for a question that is asked now.
    ///
    /// # Panics
    /// With debug assertions, inside a job.
    fn port(&self) -> &P {
        debug_assert_eq!(JOBS.get(), 0, "something outside is asked inside a job of the store");
        &self.0
    }
}

impl Documents for RefusedInJobs<dyn Documents> {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        self.port().ready()
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        self.port().look_up(root, wanted)
    }

    fn is_circuit_open(&self) -> bool {
        self.0.is_circuit_open()
    }
}

impl PaymentVendors for RefusedInJobs<dyn PaymentVendors> {
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>> {
        self.port().look_up(vendor, reference)
    }

    fn check_base_url(&self, base_url: &str) -> Result<(), String> {
        // Nobody is asked.
        self.0.check_base_url(base_url)
    }

    fn open_circuits(&self) -> usize {
        // Nobody is asked.
        self.0.open_circuits()
    }

    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        self.port().probe(vendor)
    }
}
