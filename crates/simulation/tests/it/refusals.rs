//! Refused creates of two nodes that write them as their heartbeats do, while stores fail or lose answers and nodes are killed.
//! Every answer counts what was refused before the time that it names, a kill loses the last second at most, and in the end
//! an account is listed if its last create was refused.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, flaky, now, number};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::{DateTime, Duration, Utc};
use cutover_app::App;
use cutover_app::account::{CreateRefused, Refused};
use cutover_app::nodes::{HEARTBEAT, NodeDescription, REFUSED_INTERVAL, RETRY};
use cutover_app::operator::{Checks, Services};
use cutover_app::port::{Node, Random, RefusedCreate, Store, StoreError, Tx, WriteJob, read};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Steps of a run.
const STEPS: usize = 60;
/// Accounts that are sent.
const ACCOUNTS: u64 = 8;
/// Time that a kill may take away, if the store does not fail.
const LOST_AT_MOST: Duration = Duration::seconds(1);

/// A planted bug.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    /// Those of one account are not written, although their transaction commits.
    Forgets,
    /// A node says that it has written everything when it has not.
    Promises,
    /// A node writes with its heartbeat only, every 10 s.
    Waits,
}

/// A process that serves.
struct Process {
    app: Arc<App>,
    /// `None` until it is recorded: it serves nothing before.
    node: Option<Node>,
    /// Time of the next turn of its heartbeat, and of the next record.
    turn: DateTime<Utc>,
    due: DateTime<Utc>,
    /// False since a turn failed.
    is_well: bool,
}

/// The last create of an account.
#[derive(Debug, Clone, Copy)]
struct Last {
    at: DateTime<Utc>,
    by: usize,
    is_refused: bool,
}

struct Run<'d> {
    database: &'d Database,
    clock: Arc<FakeClock>,
    random: SeededRandom,
    stores: Vec<Arc<dyn Store>>,
    processes: Vec<Process>,
    /// A command beside the nodes, whose store does not fail.
    command: Arc<App>,
    supplier: String,
    supplier_id: i64,
    /// Accounts whose last create is known and not lost.
    accounts: BTreeMap<String, Last>,
    /// Accounts that were sent without faults. Accepting one again leaves no trace that a node could compare an earlier
    /// refusal with (decision 0041).
    valid: BTreeSet<String>,
    is_calm: bool,
    bug: Option<Bug>,
}

fn stored(tx: &mut dyn Tx, supplier_id: i64) -> Result<Vec<RefusedCreate>, StoreError> {
    tx.refused_after(supplier_id, "", 1_000)
}

fn write_with(store: &dyn Store, job: WriteJob, bug: Option<Bug>) -> Result<(), StoreError> {
    if bug.is_none() || bug == Some(Bug::Waits) {
        return store.write(job);
    }
    store.write(Box::new(move |tx: &mut dyn Tx| {
        let supplier_id = tx.supplier(&code(0).parse().unwrap()).unwrap().unwrap().id;
        let before = stored(tx, supplier_id).unwrap();
        let verdict = job(tx);
        match bug {
            Some(Bug::Forgets) => {
                let after = stored(tx, supplier_id).unwrap();
                let is_new = |refused: &RefusedCreate| !before.contains(refused);
                let new = after.into_iter().filter(|refused| is_new(refused) && refused.number == number(0));
                tx.change_refusals(supplier_id, &new.collect::<Vec<_>>(), &[], 0).unwrap();
            }
            Some(Bug::Promises) => {
                for node in tx.nodes_seen_since(DateTime::UNIX_EPOCH).unwrap() {
                    let refused_as_of = Some(node.seen_at + Duration::seconds(5));
                    tx.put_node(&Node { refused_as_of, ..node }).unwrap();
                }
            }
            _ => {}
        }
        verdict
    }))
}

impl<'d> Run<'d> {
    fn new(seed: u64, database: &'d Database, bug: Option<Bug>) -> (Self, Calm) {
        let (clock, calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
        // In every second run nothing fails, so that more can be asked of it.
        let is_calm = !seed.is_multiple_of(2);
        calm.store(is_calm, Ordering::SeqCst);
        let write = move |store: &dyn Store, job, _| write_with(store, job, bug);
        let stores = flaky(database.stores(), seed, &calm, write);
        let command = app(database.truth(), &clock, seed ^ 32);
        let supplier = command.as_command().show_supplier(&code(0)).unwrap();
        let at = now(&clock);
        let process = |(n, store): (u64, &Arc<dyn Store>)| Process {
            app: app(store.clone(), &clock, seed ^ (16 + n)),
            node: None,
            turn: at,
            due: at,
            is_well: true,
        };
        let processes = (0..).zip(&stores).map(process).collect();
        let run = Self {
            random: SeededRandom::new(seed),
            supplier: code(0),
            supplier_id: supplier.id,
            accounts: BTreeMap::new(),
            valid: BTreeSet::new(),
            database,
            clock,
            stores,
            processes,
            command,
            is_calm,
            bug,
        };
        (run, calm)
    }

    fn draw(&self, below: u64) -> u64 {
        self.random.number() % below
    }

    /// Lets time pass, in which the heartbeats of the nodes do their work.
    fn pass(&mut self, milliseconds: i64) {
        self.clock.advance(Duration::milliseconds(milliseconds));
        for n in 0..self.processes.len() {
            self.beat(n);
        }
    }

    /// A turn of the heartbeat of `serve`, if it is time.
    fn beat(&mut self, n: usize) {
        let (now, waits) = (now(&self.clock), self.bug == Some(Bug::Waits));
        let process = &mut self.processes[n];
        if now < process.turn {
            return;
        }
        let is_due = now >= process.due;
        let result = match &process.node {
            None => {
                let (role, version) = ("all".to_owned(), "1.2.3".to_owned());
                let node = NodeDescription { role, version, encryption_keys: Vec::new() };
                process.app.add_node(node).map(|node| process.node = Some(node))
            }
            Some(node) if is_due => process.app.renew_node(node),
            Some(_) if waits => Ok(()),
            Some(node) => process.app.record_refused_of(node),
        };
        let after = |time: std::time::Duration| now + Duration::from_std(time).unwrap();
        process.is_well = result.is_ok();
        process.turn = after(if process.is_well { REFUSED_INTERVAL } else { RETRY });
        match result {
            Ok(()) if is_due => process.due = after(HEARTBEAT),
            Ok(()) => {}
            Err(_) => process.due = now,
        }
    }

    fn create(&mut self, n: usize, is_faulty: bool) -> Option<String> {
        let account = number(self.draw(ACCOUNTS));
        if self.processes[n].node.is_none() || (!is_faulty && !self.valid.insert(account.clone())) {
            return None;
        }
        self.clock.advance(Duration::milliseconds(1));
        let name = if is_faulty { "7" } else { "\"B\"" };
        let body = format!(
            r#"{{"import_supplier":"{}","external_account_number":"{account}","customers":[{{"family_name":{name}}}]}}"#,
            self.supplier
        );
        let caller = &self.database.credentials.callers[0];
        let at = now(&self.clock);
        match create_account(&self.processes[n].app, caller, None, body.as_bytes()) {
            Err(CreateRefused::Payload(Refused::Faults(_))) if is_faulty => {
                self.accounts.insert(account, Last { at, by: n, is_refused: true });
            }
            Ok(()) if !is_faulty => {
                self.accounts.insert(account, Last { at, by: n, is_refused: false });
            }
            // Nobody knows if it was accepted.
            Err(_) if !self.is_calm => {
                self.accounts.remove(&account);
            }
            other => return Some(format!("{account} was answered {other:?}")),
        }
        None
    }

    fn stored(&self) -> Vec<RefusedCreate> {
        read(&*self.database.truth(), |tx| stored(tx, self.supplier_id)).unwrap()
    }

    /// Returns a refused create that is not stored as it was answered, among those that are asked for.
    fn missing(&self, is_asked: impl Fn(&Last) -> bool) -> Option<(&String, &Last)> {
        let stored = self.stored();
        let is_there = |number: &str, last: &Last| {
            stored.iter().any(|refused| refused.number == number && refused.refused_at == last.at)
        };
        let mut refused = self.accounts.iter().filter(|(_, last)| last.is_refused && is_asked(last));
        refused.find(|(number, last)| !is_there(number, last))
    }

    /// An answer of a node or of the command, with a fault that it has.
    fn ask(&self, n: usize) -> Option<String> {
        let (by_command, what) = (self.draw(2) == 0, self.draw(3));
        let app = if by_command { &self.command } else { &self.processes[n].app };
        let as_of = match what {
            0 => {
                let issued = app.as_command().issue_certificate(&self.supplier).ok()?.certificate;
                let stored = self.stored().len() as u64;
                if issued.refused_accounts != stored {
                    return Some(format!("a certificate counts {} of {stored}", issued.refused_accounts));
                }
                issued.refused_as_of.unwrap().parse().unwrap()
            }
            1 => app.as_command().readiness(&self.supplier, &Services::default(), Checks::All).ok()?.as_of,
            _ => {
                drop(app.as_command().start_run(&self.supplier, &format!("{}", self.random.number())));
                app.as_command().end_run(&self.supplier).ok()?;
                DateTime::UNIX_EPOCH
            }
        };
        if let Some(missing) = self.missing(|last| last.at < as_of) {
            return Some(format!("an answer as of {as_of} lacks {missing:?}"));
        }
        let own = self.missing(|last| self.is_calm && !by_command && last.by == n);
        own.map(|missing| format!("an answer right after it lacks {missing:?}"))
    }

    /// Kills a process, which loses what it has in memory, and starts it again.
    fn kill(&mut self, n: usize) -> Option<String> {
        let at = now(&self.clock);
        let lost: Vec<(String, Last)> = {
            let is_lost = |number: &str, last: &Last| {
                // The acceptance may be in memory too: then an earlier refusal stays listed until the account is sent again.
                let is_missing = || self.missing(|other| other.at == last.at).is_some();
                last.by == n && if last.is_refused { is_missing() } else { self.is_listed(number) }
            };
            let lost = self.accounts.iter().filter(|(number, last)| is_lost(number, last));
            lost.map(|(number, last)| (number.clone(), *last)).collect()
        };
        self.accounts.retain(|number, _| !lost.iter().any(|(gone, _)| gone == number));
        let process = &mut self.processes[n];
        let (is_well, seed) = (process.is_well, self.random.number());
        *process = Process {
            app: app(self.stores[n].clone(), &self.clock, seed),
            node: None,
            turn: at,
            due: at,
            is_well: true,
        };
        let mut old = lost.iter().filter(|(_, last)| is_well && self.is_calm && at - last.at > LOST_AT_MOST);
        old.next().map(|lost| format!("a kill at {at} has lost {lost:?}"))
    }

    fn is_listed(&self, number: &str) -> bool {
        self.stored().iter().any(|refused| refused.number == number)
    }

    fn step(&mut self) -> Option<String> {
        let n = self.draw(self.processes.len() as u64) as usize;
        match self.draw(16) {
            0..6 => self.create(n, true),
            6..8 => self.create(n, false),
            8..12 => {
                (0..=self.draw(6)).for_each(|_| self.pass(250));
                None
            }
            12..15 => self.ask(n),
            _ => self.kill(n),
        }
    }
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, bug: Option<Bug>) -> Option<String> {
    let (mut run, calm) = Run::new(seed, database, bug);
    run.pass(1);
    for _ in 0..STEPS {
        if let Some(fault) = run.step() {
            return Some(fault);
        }
    }
    calm.store(true, Ordering::SeqCst);
    (0..50).for_each(|_| run.pass(250));
    if let Some(missing) = run.missing(|_| true) {
        return Some(format!("in the end {missing:?} is not listed"));
    }
    let accepted = run.accounts.iter().filter(|(_, last)| !last.is_refused);
    let mut listed = accepted.filter(|(number, _)| run.is_listed(number));
    listed.next().map(|listed| format!("in the end {listed:?} is listed"))
}

#[test]
fn refused_creates_are_counted_as_answers_say_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(40, 2_000), |seed| run(seed, &template.open(), None));
}

#[test]
fn refused_creates_are_counted_as_answers_say_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(4, 100), |seed| run(seed, &template.open(), None));
}

#[test]
fn refused_creates_that_are_not_written_are_found() {
    let template = Template::sqlite();
    found(5, 10, |seed| run(seed, &template.open(), Some(Bug::Forgets)).is_some());
}

#[test]
fn a_node_that_promises_too_much_is_found() {
    let template = Template::sqlite();
    found(5, 20, |seed| run(seed, &template.open(), Some(Bug::Promises)).is_some());
}

#[test]
fn a_node_that_writes_with_its_heartbeat_only_is_found() {
    let template = Template::sqlite();
    found(5, 30, |seed| run(seed, &template.open(), Some(Bug::Waits)).is_some());
}
