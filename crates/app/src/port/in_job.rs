//! Guards against calls to external services inside a job of the store: the transaction would hold its locks
//! and its connection until they answer. Builds with debug assertions, such as tests, panic on such a call.

use super::{
    Answer, DocumentDigest, DocumentState, DocumentUpload, Documents, DocumentsUnavailable, NotStored,
    PaymentVendors, Vendor, VendorError, VendorInstruction, WantedDocument, WebhookDone, WebhookRequest,
    WebhookSender,
};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

thread_local! {
    /// Depth of nested jobs on this thread.
    static JOBS: Cell<u32> = const { Cell::new(0) };
}

/// Marks this thread as running a job of the store until it is dropped. Every store creates one per
/// transaction.
#[derive(Debug)]
pub struct JobGuard {
    /// Makes it `!Send`: the count is per thread.
    _here: PhantomData<*const ()>,
}

impl JobGuard {
    /// Marks the begin of a job.
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

/// Suspends the jobs of this thread until it is dropped: a simulation runs other nodes on its only thread
/// while a transaction is open.
#[derive(Debug)]
pub struct SuspendedJobs {
    jobs: u32,
    /// Makes it `!Send`: the count is per thread.
    _here: PhantomData<*const ()>,
}

impl SuspendedJobs {
    /// Suspends the jobs of this thread.
    pub fn enter() -> Self {
        Self { jobs: JOBS.replace(0), _here: PhantomData }
    }
}

impl Drop for SuspendedJobs {
    fn drop(&mut self) {
        JOBS.set(self.jobs);
    }
}

/// A port to an external service that panics if it is called inside a job.
pub struct RefusedInJobs<P: ?Sized>(pub Arc<P>);

impl<P: ?Sized> RefusedInJobs<P> {
    /// Returns the port, for a call to be made now.
    ///
    /// # Panics
    /// With debug assertions, inside a job.
    fn port(&self) -> &P {
        debug_assert_eq!(JOBS.get(), 0, "an external service is called inside a job of the store");
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

    fn upload<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
    ) -> Answer<'a, Result<Box<dyn DocumentUpload>, NotStored>> {
        self.port().upload(root, path)
    }

    fn has_content<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
        content: DocumentDigest,
    ) -> Answer<'a, Result<bool, DocumentsUnavailable>> {
        self.port().has_content(root, path, content)
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
        // Calls no service.
        self.0.check_base_url(base_url)
    }

    fn open_circuits(&self) -> usize {
        // Calls no service.
        self.0.open_circuits()
    }

    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        self.port().probe(vendor)
    }
}

impl WebhookSender for RefusedInJobs<dyn WebhookSender> {
    fn check_url(&self, url: &str) -> Result<(), String> {
        // Calls no service.
        self.0.check_url(url)
    }

    fn send(&self, request: WebhookRequest, done: WebhookDone) {
        self.port().send(request, done);
    }
}
