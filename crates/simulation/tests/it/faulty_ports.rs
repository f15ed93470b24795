//! Ports of the use cases with faults: calls may fail, lose answers, and let other operations run first.

use crate::plan::{Op, Part};
use crate::simulation::{CallEffect, Simulation, panics};
use cutover_app::fault::Point;
use cutover_app::port::{
    Answer, Creation, DocumentState, Documents, DocumentsUnavailable, PaymentVendors, Staging, StagingDone,
    Store, StoreError, Tx, Vendor, VendorError, VendorInstruction, Verdict, WantedDocument, WriteJob, stage,
};
use cutover_testkit::{FakeDocuments, FakeVendors};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, Weak};

/// The ports of one node.
pub(crate) struct FaultyPorts {
    pub(crate) simulation: Weak<Simulation>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) documents: Arc<FakeDocuments>,
    pub(crate) vendors: Arc<FakeVendors>,
    /// True if transactions of others may be open at the same time.
    pub(crate) is_shared: bool,
}

thread_local! {
    /// The operations to perform within the open transaction of this thread.
    static WITHIN: Cell<Option<(Arc<Simulation>, Vec<Op>)>> = const { Cell::new(None) };
}

/// Performs the operations within the open transaction, unless that has happened.
fn perform_within() {
    if let Some((simulation, ops)) = WITHIN.take() {
        simulation.perform_within(&ops);
    }
}

/// Has them performed between the reads of a job that has a point there.
fn interrupt_jobs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| fail::cfg_callback(Point::BusinessSought.name(), perform_within).unwrap());
}

fn lost() -> StoreError {
    StoreError::Unavailable("on purpose".into())
}

/// Fails if the call is not to be made.
fn allowed(effect: CallEffect) -> Result<(), StoreError> {
    match effect {
        CallEffect::Go | CallEffect::Panic => Ok(()),
        CallEffect::Conflict => Err(StoreError::Conflict("on purpose".into())),
        CallEffect::Fail => Err(lost()),
    }
}

impl FaultyPorts {
    fn effect(&self, part: Part, is_before: bool) -> CallEffect {
        self.simulation.upgrade().map_or(CallEffect::Go, |simulation| simulation.reach(part, is_before))
    }

    fn before(&self) -> Result<(), StoreError> {
        match self.effect(Part::Store, true) {
            CallEffect::Panic => panics(),
            effect => allowed(effect),
        }
    }

    /// Operations to perform within a transaction.
    fn within(&self) -> Vec<Op> {
        self.simulation.upgrade().map(|simulation| simulation.within()).unwrap_or_default()
    }

    fn perform(&self, ops: &[Op]) {
        if let Some(simulation) = self.simulation.upgrade() {
            ops.iter().for_each(|op| simulation.perform(op));
        }
    }

    fn after<T>(&self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        match self.effect(Part::Store, false) {
            CallEffect::Go => result,
            _ => Err(lost()),
        }
    }

    fn committed(&self) {
        if let Some(simulation) = self.simulation.upgrade() {
            simulation.committed();
        }
    }

    /// Stages an account. A store that lost the answer to its commit may repeat it by itself.
    fn staged(&self, creation: &Arc<Creation>) -> Result<Staging, StoreError> {
        self.before()?;
        let staging = stage(&*self.store, creation.clone());
        if staging == Ok(Staging::Staged) {
            self.committed();
        }
        match self.effect(Part::Store, false) {
            CallEffect::Go => staging,
            CallEffect::Conflict => stage(&*self.store, creation.clone()),
            _ => Err(lost()),
        }
    }

    /// Calls a part of the environment. Fails if the part is away or the answer is lost.
    fn outside<T, E>(
        &self,
        part: Part,
        failed: impl Fn() -> E,
        call: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if self.effect(part, true) != CallEffect::Go {
            return Err(failed());
        }
        let answer = call();
        if self.effect(part, false) == CallEffect::Go { answer } else { Err(failed()) }
    }
}

impl Store for FaultyPorts {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.before()?;
        self.after(self.store.read(job))
    }

    fn read_committed(
        &self,
        job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.before()?;
        self.after(self.store.read_committed(job))
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let effect = self.effect(Part::Store, true);
        let mut within = self.within();
        if !self.is_shared {
            self.perform(&std::mem::take(&mut within));
        }
        allowed(effect)?;
        let simulation = self.simulation.clone();
        let commits = Arc::new(AtomicBool::new(false));
        let told = commits.clone();
        interrupt_jobs();
        let written = self.store.write(Box::new(move |tx| {
            let simulation = simulation.upgrade().filter(|_| !within.is_empty());
            WITHIN.set(simulation.map(|simulation| (simulation, within)));
            let verdict = job(tx);
            perform_within();
            if effect == CallEffect::Panic {
                panics();
            }
            told.store(verdict == Verdict::Commit, Ordering::SeqCst);
            verdict
        }));
        if written.is_ok() && commits.load(Ordering::SeqCst) {
            self.committed();
        }
        self.after(written)
    }

    fn stage(&self, creation: Arc<Creation>, done: StagingDone) {
        done(self.staged(&creation));
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

impl Documents for FaultyPorts {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        self.documents.ready()
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        let failed = || DocumentsUnavailable("on purpose".into());
        let look = || pollster::block_on(self.documents.look_up(root, wanted));
        Box::pin(std::future::ready(self.outside(Part::Documents, failed, look)))
    }
}

impl PaymentVendors for FaultyPorts {
    fn look_up<'a>(
        &'a self,
        vendor: &'a Vendor,
        reference: &'a str,
    ) -> Answer<'a, Result<Option<VendorInstruction>, VendorError>> {
        let failed = || VendorError::Unavailable("on purpose".into());
        let look = || pollster::block_on(self.vendors.look_up(vendor, reference));
        Box::pin(std::future::ready(self.outside(Part::Vendors, failed, look)))
    }

    fn check_base_url(&self, base_url: &str) -> Result<(), String> {
        self.vendors.check_base_url(base_url)
    }

    fn probe<'a>(&'a self, vendor: &'a Vendor) -> Answer<'a, Result<(), VendorError>> {
        self.vendors.probe(vendor)
    }
}
