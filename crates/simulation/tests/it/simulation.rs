//! Nodes over one database, and the operations in progress on them. Everything runs on one thread: concurrent
//! operations run at a call through a port, before or after it.

use crate::answer::Answer;
use crate::coverage::Coverage;
use crate::databases::Database;
use crate::faulty_ports::FaultyPorts;
use crate::oracle::Oracle;
use crate::plan::{Action, Fault, Op, Part};
use crate::running_op::RunningOp;
use crate::specs::{InstructionSpec, VERIFYING, code};
use chrono::{DateTime, Duration, Utc};
use cutover_app::port::{
    Clock, DocumentState, FeedEvent, InstructionDetails, Store, SuspendedJobs, VendorError,
};
use cutover_app::worker::{Worker, WorkerMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Effect of the plan on a call through a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallEffect {
    Go,
    Fail,
    Conflict,
    /// The callee is to panic.
    Panic,
}

/// Payload of a planned panic.
struct PlannedPanic;

/// Panics without a message, because it is planned.
pub(crate) fn panics() -> ! {
    resume_unwind(Box::new(PlannedPanic))
}

/// Clock of a node: the simulated time plus its skew.
struct NodeClock {
    simulated: Arc<FakeClock>,
    skew: AtomicI64,
}

impl Clock for NodeClock {
    fn now(&self) -> DateTime<Utc> {
        self.simulated.now() + Duration::seconds(self.skew.load(Ordering::SeqCst))
    }
}

/// A process of the service.
struct Node {
    app: Mutex<Arc<App>>,
    ports: Ports,
    settings: Settings,
    clock: Arc<NodeClock>,
    metrics: Arc<WorkerMetrics>,
    stop: Arc<AtomicBool>,
}

/// The simulated system.
pub(crate) struct Simulation {
    nodes: Vec<Node>,
    /// The database without disturbances.
    pub(crate) truth: Arc<dyn Store>,
    pub(crate) database: Database,
    pub(crate) clock: Arc<FakeClock>,
    documents: Arc<FakeDocuments>,
    away: [AtomicBool; 3],
    requests: AtomicU64,
    /// Number of open transactions.
    open: AtomicU64,
    /// Latest time of any node's clock, in microseconds.
    latest: AtomicI64,
    frames: Mutex<Vec<RunningOp>>,
    oracle: Mutex<Oracle>,
    coverage: Mutex<Coverage>,
    /// Events that were read from the feed of each organisation during the run.
    pub(crate) received: Mutex<Vec<Vec<FeedEvent>>>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Simulation {
    /// Creates nodes over a database.
    pub(crate) fn new(database: Database, seed: u64) -> Arc<Self> {
        Self::with(database, seed, settings())
    }

    /// Creates nodes with these settings over a database.
    pub(crate) fn with(database: Database, seed: u64, settings: Settings) -> Arc<Self> {
        let clock = Arc::new(FakeClock::of_fixtures());
        let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::new(vendors()));
        let stores = database.stores();
        let simulation = Arc::new_cyclic(|simulation| Self {
            nodes: (0..)
                .zip(&stores)
                .map(|(n, store)| {
                    let faulty = Arc::new(FaultyPorts {
                        simulation: Weak::clone(simulation),
                        store: store.clone(),
                        documents: documents.clone(),
                        vendors: vendors.clone(),
                        is_shared: database.is_shared(),
                    });
                    node(faulty, clock.clone(), seed.wrapping_mul(8).wrapping_add(n), settings.clone())
                })
                .collect(),
            truth: database.truth(),
            database,
            clock,
            documents,
            away: [const { AtomicBool::new(false) }; 3],
            requests: AtomicU64::new(0),
            open: AtomicU64::new(0),
            latest: AtomicI64::new(0),
            frames: Mutex::default(),
            oracle: Mutex::default(),
            coverage: Mutex::default(),
            received: Mutex::new(vec![Vec::new(); 2]),
        });
        simulation.set_documents(true);
        simulation
    }

    pub(crate) fn oracle(&self) -> MutexGuard<'_, Oracle> {
        lock(&self.oracle)
    }

    pub(crate) fn coverage(&self) -> MutexGuard<'_, Coverage> {
        lock(&self.coverage)
    }

    pub(crate) fn app(&self, node: usize) -> Arc<App> {
        lock(&self.nodes[node].app).clone()
    }

    pub(crate) fn metrics(&self, node: usize) -> &WorkerMetrics {
        &self.nodes[node].metrics
    }

    pub(crate) fn now(&self, node: usize) -> DateTime<Utc> {
        self.nodes[node].clock.now()
    }

    pub(crate) fn skew(&self, node: usize, seconds: i64) {
        self.nodes[node].clock.skew.store(seconds, Ordering::SeqCst);
    }

    pub(crate) fn stop(&self, node: usize) {
        self.nodes[node].stop.store(true, Ordering::SeqCst);
    }

    pub(crate) fn turn(&self, node: usize, worker: u8) -> Answer {
        let Node { metrics, stop, .. } = &self.nodes[node];
        let name = format!("n{node}w{worker}");
        let turned = Worker::new(self.app(node), name, metrics.clone(), stop.clone()).run_once();
        // Stopped workers are started again.
        stop.store(false, Ordering::SeqCst);
        turned.map_or_else(Answer::from, |_| Answer::done())
    }

    pub(crate) fn set_away(&self, part: Part) {
        self.away[part as usize].store(true, Ordering::SeqCst);
    }

    pub(crate) fn set_back(&self) {
        self.away.iter().for_each(|is_away| is_away.store(false, Ordering::SeqCst));
    }

    pub(crate) fn set_documents(&self, are_there: bool) {
        let state = if are_there { DocumentState::Pdf } else { DocumentState::Missing };
        self.documents.set(&format!("/{}", code(VERIFYING)), crate::payloads::DOCUMENT, state);
    }

    /// Performs what is planned for this moment, before or after a call through a port.
    pub(crate) fn reach(&self, part: Part, is_before: bool) -> CallEffect {
        let due = {
            let mut frames = lock(&self.frames);
            let Some(frame) = frames.last_mut() else { return CallEffect::Go };
            if frame.is_dead {
                drop(frames);
                panics();
            }
            frame.next()
        };
        let mut effect = CallEffect::Go;
        for what in due {
            match what {
                Fault::Fail => effect = CallEffect::Fail,
                Fault::Conflict => effect = CallEffect::Conflict,
                Fault::Panic if is_before && part == Part::Store => effect = CallEffect::Panic,
                Fault::Panic | Fault::Die => panics(),
                Fault::Within(ops) if is_before && part == Part::Store => {
                    self.with_frame(|frame| frame.within = ops);
                }
                Fault::Meanwhile(ops) | Fault::Within(ops) => ops.iter().for_each(|op| self.perform(op)),
            }
        }
        if is_before && self.away[part as usize].load(Ordering::SeqCst) {
            self.with_frame(|frame| frame.is_disturbed = true);
            effect = CallEffect::Fail;
        }
        effect
    }

    fn with_frame(&self, change: impl FnOnce(&mut RunningOp)) {
        if let Some(frame) = lock(&self.frames).last_mut() {
            change(frame);
        }
    }

    /// Operations to perform within the transaction that begins.
    pub(crate) fn within(&self) -> Vec<Op> {
        let mut frames = lock(&self.frames);
        let Some(frame) = frames.last_mut() else { return Vec::new() };
        let elsewhere = (frame.node + 1) % self.nodes.len();
        let ops = std::mem::take(&mut frame.within);
        ops.into_iter().map(|op| Op { node: elsewhere, ..op }).collect()
    }

    /// Performs operations while a transaction is open; they may time out waiting for its end.
    pub(crate) fn perform_within(&self, ops: &[Op]) {
        self.open.fetch_add(1, Ordering::SeqCst);
        let _others = SuspendedJobs::enter();
        ops.iter().for_each(|op| self.perform(op));
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// Records a commit of the current operation.
    pub(crate) fn committed(&self) {
        let frame = |frame: &RunningOp| (frame.act.clone(), frame.request.clone());
        let under_way = lock(&self.frames).last().map(frame);
        let Some((act, request)) = under_way else { return };
        let (expected, submitted) = self.note_commit(&act, &request);
        self.with_frame(|frame| {
            frame.commits += 1;
            (frame.expected, frame.submitted) = (expected, submitted);
        });
    }

    /// Performs an operation with its disturbances.
    pub(crate) fn perform(&self, op: &Op) {
        self.clock.advance(Duration::milliseconds(1));
        self.latest.fetch_max(self.now(op.node).timestamp_micros(), Ordering::SeqCst);
        let Some((act, body)) = self.oracle().to_send(&op.act, self.now(op.node)) else { return };
        let request = format!("r{}", self.requests.fetch_add(1, Ordering::SeqCst));
        self.oracle().sent(&request, &act, &body);
        let mut frame = RunningOp::new(op.node, act.clone(), request.clone(), &op.disturbances);
        frame.is_disturbed = self.open.load(Ordering::SeqCst) > 0;
        let depth = {
            let mut frames = lock(&self.frames);
            frames.push(frame);
            frames.len()
        };
        let acted = catch_unwind(AssertUnwindSafe(|| self.act(op.node, &act, &body, &request)));
        let answer = acted.unwrap_or_else(|panic| match panic.downcast::<PlannedPanic>() {
            Ok(_) => Answer::Silence,
            Err(panic) => Answer::Wrong(format!("it panicked: {:?}", panic.downcast_ref::<String>())),
        });
        let frame = {
            let mut frames = lock(&self.frames);
            assert_eq!(frames.len(), depth, "frames are nested");
            frames.pop().unwrap()
        };
        if frame.is_dead {
            self.restart(op.node);
        }
        self.coverage().count(op.act.kind(), act.kind(), &answer, frame.commits > 0);
        self.settle(&frame, answer);
        self.follow_feed();
    }

    /// Restarts a node that died, with empty memory.
    fn restart(&self, node: usize) {
        let Node { app, ports, settings, .. } = &self.nodes[node];
        *lock(app) = Arc::new(App::new(ports.clone(), settings.clone()));
    }

    /// Ends all disturbances. The clock is set to the latest time of any node.
    pub(crate) fn calm(&self) {
        self.set_back();
        for (number, node) in self.nodes.iter().enumerate() {
            self.skew(number, 0);
            node.stop.store(false, Ordering::SeqCst);
        }
        let latest = DateTime::from_timestamp_micros(self.latest.load(Ordering::SeqCst)).unwrap();
        self.clock.set(self.clock.now().max(latest));
    }

    /// Performs an action without disturbances.
    pub(crate) fn calmly(&self, act: Action) {
        self.perform(&Op { node: 0, act, disturbances: Vec::new() });
    }
}

/// Time for which imports are retried during outages: shorter than the default, so that runs reach its end.
pub(crate) const RETRY_TIME: Duration = Duration::minutes(30);

/// Settings of the nodes.
pub(crate) fn settings() -> Settings {
    Settings { import_retry_time: RETRY_TIME, ..Settings::default() }
}

fn node(faulty: Arc<FaultyPorts>, simulated: Arc<FakeClock>, seed: u64, settings: Settings) -> Node {
    let clock = Arc::new(NodeClock { simulated, skew: AtomicI64::new(0) });
    let ports = Ports {
        store: faulty.clone(),
        clock: clock.clone(),
        random: Arc::new(SeededRandom::new(seed)),
        documents: faulty.clone(),
        vendors: faulty,
        webhooks: Arc::<FakeWebhooks>::default(),
    };
    let app = Arc::new(App::new(ports.clone(), settings.clone()));
    Node { app: Mutex::new(app), ports, settings, clock, metrics: Arc::default(), stop: Arc::default() }
}

/// The vendor's answers.
fn vendors() -> FakeVendors {
    let vendors = FakeVendors::default();
    for n in 0..InstructionSpec::ALL {
        let spec = InstructionSpec(n);
        match n {
            InstructionSpec::UNKNOWN => {}
            InstructionSpec::REJECTED => {
                vendors.answer(&spec.reference(), Err(VendorError::Rejected("on purpose".into())));
            }
            InstructionSpec::OTHERWISE => {
                vendors.has(&spec.reference(), "PAYPAL", InstructionDetails::default());
            }
            _ => vendors.has(&spec.reference(), spec.kind(), InstructionDetails::default()),
        }
    }
    vendors
}
