//! Nodes over one database, and what is under way on them. One thread: whatever happens at the same time happens at a
//! call through a port, before it is done or after.

use crate::answer::Answer;
use crate::coverage::Coverage;
use crate::databases::Database;
use crate::frame::Frame;
use crate::oracle::Oracle;
use crate::plan::{Act, Op, Part, What};
use crate::specs::{InstructionSpec, VERIFYING, code};
use crate::wire::Wire;
use chrono::{DateTime, Duration, Utc};
use cutover_app::port::{Clock, DocumentState, InstructionDetails, Store, SuspendedJobs, VendorError};
use cutover_app::worker::{Worker, WorkerMetrics};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, SeededRandom};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Whether a call through a port goes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hit {
    Go,
    Fail,
    Conflict,
    /// What is called is to panic.
    Panic,
}

/// What a planned panic carries.
struct OnPurpose;

/// Panics without a word: it is planned.
pub(crate) fn panics() -> ! {
    resume_unwind(Box::new(OnPurpose))
}

/// The clock of a node: that of the world, and what it is off by.
struct NodeClock {
    world: Arc<FakeClock>,
    skew: AtomicI64,
}

impl Clock for NodeClock {
    fn now(&self) -> DateTime<Utc> {
        self.world.now() + Duration::seconds(self.skew.load(Ordering::SeqCst))
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

/// All there is.
pub(crate) struct World {
    nodes: Vec<Node>,
    /// The database, past everything that disturbs it.
    pub(crate) truth: Arc<dyn Store>,
    pub(crate) database: Database,
    pub(crate) clock: Arc<FakeClock>,
    documents: Arc<FakeDocuments>,
    away: [AtomicBool; 3],
    requests: AtomicU64,
    /// How many transactions are open.
    open: AtomicU64,
    /// The latest time that any node has known, in microseconds.
    latest: AtomicI64,
    frames: Mutex<Vec<Frame>>,
    oracle: Mutex<Oracle>,
    coverage: Mutex<Coverage>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// Nodes over a database.
    pub(crate) fn new(database: Database, seed: u64) -> Arc<Self> {
        Self::with(database, seed, settings())
    }

    /// Nodes of these settings over a database.
    pub(crate) fn with(database: Database, seed: u64, settings: Settings) -> Arc<Self> {
        let clock = Arc::new(FakeClock::of_fixtures());
        let (documents, vendors) = (Arc::<FakeDocuments>::default(), Arc::new(vendors()));
        let stores = database.stores();
        let world = Arc::new_cyclic(|world| Self {
            nodes: (0..)
                .zip(&stores)
                .map(|(n, store)| {
                    let wire = Arc::new(Wire {
                        world: Weak::clone(world),
                        store: store.clone(),
                        documents: documents.clone(),
                        vendors: vendors.clone(),
                        is_shared: database.is_shared(),
                    });
                    node(wire, clock.clone(), seed.wrapping_mul(8).wrapping_add(n), settings.clone())
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
        });
        world.set_documents(true);
        world
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
        // Whoever was stopped is started again.
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

    /// A call through a port begins or has ended: what is planned for this moment happens.
    pub(crate) fn reach(&self, part: Part, is_before: bool) -> Hit {
        let due = {
            let mut frames = lock(&self.frames);
            let Some(frame) = frames.last_mut() else { return Hit::Go };
            if frame.is_dead {
                drop(frames);
                panics();
            }
            frame.next()
        };
        let mut hit = Hit::Go;
        for what in due {
            match what {
                What::Fail => hit = Hit::Fail,
                What::Conflict => hit = Hit::Conflict,
                What::Panic if is_before && part == Part::Store => hit = Hit::Panic,
                What::Panic | What::Die => panics(),
                What::Within(ops) if is_before && part == Part::Store => {
                    self.with_frame(|frame| frame.within = ops);
                }
                What::Meanwhile(ops) | What::Within(ops) => ops.iter().for_each(|op| self.perform(op)),
            }
        }
        if is_before && self.away[part as usize].load(Ordering::SeqCst) {
            self.with_frame(|frame| frame.is_disturbed = true);
            hit = Hit::Fail;
        }
        hit
    }

    fn with_frame(&self, change: impl FnOnce(&mut Frame)) {
        if let Some(frame) = lock(&self.frames).last_mut() {
            change(frame);
        }
    }

    /// What is to happen within the transaction that begins.
    pub(crate) fn within(&self) -> Vec<Op> {
        let mut frames = lock(&self.frames);
        let Some(frame) = frames.last_mut() else { return Vec::new() };
        let elsewhere = (frame.node + 1) % self.nodes.len();
        let ops = std::mem::take(&mut frame.within);
        ops.into_iter().map(|op| Op { node: elsewhere, ..op }).collect()
    }

    /// Does operations while a transaction is open: they may have to wait for its end in vain.
    pub(crate) fn perform_within(&self, ops: &[Op]) {
        self.open.fetch_add(1, Ordering::SeqCst);
        let _others = SuspendedJobs::enter();
        ops.iter().for_each(|op| self.perform(op));
        self.open.fetch_sub(1, Ordering::SeqCst);
    }

    /// What is under way has committed.
    pub(crate) fn committed(&self) {
        let frame = |frame: &Frame| (frame.act.clone(), frame.request.clone());
        let under_way = lock(&self.frames).last().map(frame);
        let Some((act, request)) = under_way else { return };
        let (expected, submitted) = self.note_commit(&act, &request);
        self.with_frame(|frame| {
            frame.commits += 1;
            (frame.expected, frame.submitted) = (expected, submitted);
        });
    }

    /// Does an operation, with all that disturbs it.
    pub(crate) fn perform(&self, op: &Op) {
        self.clock.advance(Duration::milliseconds(1));
        self.latest.fetch_max(self.now(op.node).timestamp_micros(), Ordering::SeqCst);
        let Some((act, body)) = self.oracle().to_send(&op.act, self.now(op.node)) else { return };
        let request = format!("r{}", self.requests.fetch_add(1, Ordering::SeqCst));
        self.oracle().sent(&request, &act, &body);
        let mut frame = Frame::new(op.node, act.clone(), request.clone(), &op.disturbances);
        frame.is_disturbed = self.open.load(Ordering::SeqCst) > 0;
        let depth = {
            let mut frames = lock(&self.frames);
            frames.push(frame);
            frames.len()
        };
        let acted = catch_unwind(AssertUnwindSafe(|| self.act(op.node, &act, &body, &request)));
        let answer = acted.unwrap_or_else(|panic| match panic.downcast::<OnPurpose>() {
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
    }

    /// A process that died comes back, and remembers nothing.
    fn restart(&self, node: usize) {
        let Node { app, ports, settings, .. } = &self.nodes[node];
        *lock(app) = Arc::new(App::new(ports.clone(), settings.clone()));
    }

    /// Nothing disturbs anything any more. No node is behind what any of them has said the time was.
    pub(crate) fn calm(&self) {
        self.set_back();
        for (number, node) in self.nodes.iter().enumerate() {
            self.skew(number, 0);
            node.stop.store(false, Ordering::SeqCst);
        }
        let latest = DateTime::from_timestamp_micros(self.latest.load(Ordering::SeqCst)).unwrap();
        self.clock.set(self.clock.now().max(latest));
    }

    /// Does an operation that is not disturbed.
    pub(crate) fn calmly(&self, act: Act) {
        self.perform(&Op { node: 0, act, disturbances: Vec::new() });
    }
}

/// How long an import is retried here that outages fail: shorter than usual, so that runs reach it.
pub(crate) const RETRY_TIME: Duration = Duration::minutes(30);

/// What the operator has set.
pub(crate) fn settings() -> Settings {
    Settings { import_retry_time: RETRY_TIME, ..Settings::default() }
}

fn node(wire: Arc<Wire>, world: Arc<FakeClock>, seed: u64, settings: Settings) -> Node {
    let clock = Arc::new(NodeClock { world, skew: AtomicI64::new(0) });
    let ports = Ports {
        store: wire.clone(),
        clock: clock.clone(),
        random: Arc::new(SeededRandom::new(seed)),
        documents: wire.clone(),
        vendors: wire,
    };
    let app = Arc::new(App::new(ports.clone(), settings.clone()));
    Node { app: Mutex::new(app), ports, settings, clock, metrics: Arc::default(), stop: Arc::default() }
}

/// What the vendor knows.
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
