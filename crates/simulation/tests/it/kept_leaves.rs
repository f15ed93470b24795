//! Certificates of operators and of suppliers under faults: stores that fail or lose answers, accounts that another command erases
//! between two transactions of an issue, holds beside releases. In the end each certificate that an operator has, and the last
//! one of each day, has all leaves; those of erased accounts are hashes, and nothing else is left.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky, number};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::{Duration, NaiveDate};
use cutover_app::App;
use cutover_app::auth::Caller;
use cutover_app::certificate::LeavesOf;
use cutover_app::operator::{Release, Services};
use cutover_app::port::{Random, Store, StoreError, Tx, WriteJob, read};
use cutover_app::worker::{Worked, Worker};
use cutover_core::Zone;
use cutover_model::certificate::{Certificate, MerkleRoot, hash_of_line, to_hex};
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Steps of a run.
const STEPS: usize = 60;
/// Accounts at its beginning.
const ACCOUNTS: u64 = 4;
/// Replaceable certificates that keep their leaves besides the last of each day.
const LATEST: usize = 10;

/// A bug that is planted in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// Only the latest ten certificates keep their leaves, whoever asked for them.
    KeepsTen,
    /// It forgets accounts that are erased while a certificate is issued.
    ForgetsErasures,
}

impl Bug {
    fn spoil(self, tx: &mut dyn Tx) {
        let supplier = tx.supplier(&code(0).parse().unwrap()).unwrap().unwrap();
        let (issued, begun): (Vec<_>, Vec<_>) =
            tx.certificates(supplier.id, 100).unwrap().into_iter().partition(|one| one.document.is_some());
        match self {
            Self::None => {}
            Self::KeepsTen => issued.iter().skip(LATEST).filter(|one| one.has_leaves).for_each(|old| {
                tx.remove_certificate_leaves(old.id, 100).unwrap();
            }),
            Self::ForgetsErasures => begun.iter().for_each(|one| {
                tx.take_certificate_erasures(one.id).unwrap();
            }),
        }
    }
}

/// The state that a run has brought about so far.
#[derive(Default)]
struct Known {
    /// Number of accounts that were ever created.
    created: u64,
    erased: BTreeSet<String>,
    /// Certificates of operators with leaves, each with the accounts that were there before it.
    kept: BTreeMap<String, Vec<String>>,
}

struct Run {
    truth: Arc<App>,
    caller: Caller,
    random: SeededRandom,
    known: Mutex<Known>,
}

impl Run {
    fn below(&self, bound: u64) -> u64 {
        self.random.number() % bound
    }

    fn create(&self) {
        let mut known = self.known.lock().unwrap();
        let (supplier, number) = (code(0), number(known.created));
        let body = format!(
            r#"{{"import_supplier":"{supplier}","external_account_number":"{number}",
            "customers":[{{"family_name":"B"}}],"ledgers":[{{"ledger_balance":"1.50"}}]}}"#
        );
        create_account(&self.truth, &self.caller, None, body.as_bytes()).unwrap();
        known.created += 1;
    }

    /// Erases an account by another command. Its answer is not lost.
    fn erase_one(&self) {
        let mut known = self.known.lock().unwrap();
        let number = number(self.below(known.created));
        if self.truth.as_command().erase_account(&code(0), &number, "asked for").is_ok() {
            known.erased.insert(number);
        }
    }

    fn accounts(&self) -> Vec<String> {
        let known = self.known.lock().unwrap();
        (0..known.created).map(number).filter(|number| !known.erased.contains(number)).collect()
    }

    fn issue_by_command(&self, node: &App) {
        let accounts = self.accounts();
        if let Ok(issued) = node.as_command().issue_certificate(&code(0)) {
            self.known.lock().unwrap().kept.insert(issued.certificate.id, accounts);
        }
    }

    fn remove_one(&self) {
        let mut known = self.known.lock().unwrap();
        let at = self.below(known.kept.len().max(1) as u64) as usize;
        let Some(id) = known.kept.keys().nth(at).cloned() else { return };
        // Leaves that are gone already stay known, and are found to be lost.
        if self.truth.as_command().remove_leaves(&code(0), &LeavesOf::One(id.clone())).unwrap() == 1 {
            known.kept.remove(&id);
        }
    }

    /// Returns what is wrong with the leaves of a certificate, which should cover these accounts.
    fn fault_of(&self, id: &str, accounts: &[String]) -> Option<String> {
        let stored = match self.truth.certificate_with_leaves(&self.caller, &code(0), id) {
            Ok(stored) => stored,
            Err(error) => return Some(format!("{id}: {error}")),
        };
        let certificate: Certificate = serde_json::from_str(stored.document.as_ref().unwrap()).unwrap();
        let lines = self.truth.certificate_leaves(&stored, 0).unwrap().lines;
        let (mut root, mut named) = (MerkleRoot::default(), BTreeSet::new());
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let (hash, leaf) = hash_of_line(line).unwrap();
            root.push(hash);
            named.extend(leaf.map(|leaf| leaf.external_account_number));
        }
        if (root.leaves(), to_hex(&root.root())) != (certificate.accounts, certificate.merkle_root) {
            return Some(format!("{id} has other leaves than it was signed for"));
        }
        let known = self.known.lock().unwrap();
        let erased = &known.erased;
        let left: Vec<_> = named.intersection(erased).collect();
        let missing: Vec<_> =
            accounts.iter().filter(|n| !named.contains(*n) && !erased.contains(*n)).collect();
        let is_well = left.is_empty() && missing.is_empty();
        (!is_well).then(|| format!("{id} has the erased {left:?} and lacks {missing:?}"))
    }

    fn check(&self, store: &dyn Store) -> Option<String> {
        let kept: Vec<_> = self.known.lock().unwrap().kept.clone().into_iter().collect();
        let faults = kept.iter().find_map(|(id, accounts)| self.fault_of(id, accounts));
        let supplier = self.truth.as_command().show_supplier(&code(0)).unwrap();
        let stored = read(store, |tx| tx.certificates(supplier.id, 1_000)).unwrap();
        let zone: Zone = supplier.settings.time_zone;
        let mut days: BTreeSet<NaiveDate> = BTreeSet::new();
        let mut with_leaves = 0;
        for one in &stored {
            if one.document.is_none() {
                return Some(format!("{} was left when its issue was interrupted", one.name));
            }
            with_leaves += usize::from(one.is_replaceable && one.has_leaves);
            if one.is_replaceable
                && days.insert(zone.local(one.begun_at).date_naive())
                && let Some(fault) = self.fault_of(&one.name, &[])
            {
                return Some(format!("the last of its day: {fault}"));
            }
        }
        let is_bounded = with_leaves <= LATEST + days.len();
        faults.or_else(|| (!is_bounded).then(|| format!("{with_leaves} certificates have leaves")))
    }
}

fn import_all(app: &Arc<App>) {
    let worker = Worker::new(app.clone(), "w".into(), Arc::default(), Arc::default());
    while worker.run_once().unwrap() != Worked::Nothing {}
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, bug: Bug) -> Option<String> {
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let run = Arc::new(Run {
        truth: app(database.truth(), &clock, seed ^ 32),
        caller: database.credentials.callers[0].clone(),
        random: SeededRandom::new(seed),
        known: Mutex::default(),
    });
    (0..ACCOUNTS).for_each(|_| run.create());
    import_all(&run.truth);
    let beside = run.clone();
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, draw| {
        // Another command between two transactions.
        match draw {
            2 if beside.below(3) == 0 => beside.erase_one(),
            3 if beside.below(3) == 0 => drop(beside.truth.as_command().hold_supplier(&code(0), None)),
            _ => {}
        }
        write(store, job, bug)
    });
    let nodes = apps(stores, &clock, seed);
    for _ in 0..STEPS {
        clock.advance(Duration::seconds(1));
        let node = &nodes[run.below(nodes.len() as u64) as usize];
        match run.below(16) {
            0..5 => drop(ask(node, &run.caller)),
            5..8 => run.issue_by_command(node),
            8 => run.create(),
            9 => run.erase_one(),
            10 => {
                let hold = node.as_command().show_hold(&code(0)).ok().flatten();
                let release =
                    Release { because: Some("seen".into()), is_forced: true, ..Release::of(hold.as_ref()) };
                drop(node.as_command().release_supplier(&code(0), &release, &Services::default()));
            }
            11 => import_all(&run.truth),
            12 => run.remove_one(),
            _ => clock.advance(Duration::hours(1 + run.below(12) as i64)),
        }
    }
    is_calm.store(true, Ordering::SeqCst);
    // After this time an interrupted issue is removed with the next certificate.
    clock.advance(Duration::hours(7));
    ask(&nodes[0], &run.caller).unwrap();
    run.check(&*database.truth())
}

fn ask(app: &App, caller: &Caller) -> Result<(), String> {
    let supplier = app.supplier_to_certify(caller, &code(0)).map_err(|error| error.to_string())?;
    app.issue_certificate(&supplier).map(drop).map_err(|error| error.to_string())
}

fn write(store: &dyn Store, job: WriteJob, bug: Bug) -> Result<(), StoreError> {
    if bug == Bug::None {
        return store.write(job);
    }
    store.write(Box::new(move |tx: &mut dyn Tx| {
        let verdict = job(tx);
        bug.spoil(tx);
        verdict
    }))
}

#[test]
fn certificates_keep_their_leaves_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(20, 1_000), |seed| run(seed, &template.open(), Bug::None));
}

#[test]
fn certificates_keep_their_leaves_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(3, 50), |seed| run(seed, &template.open(), Bug::None));
}

/// Certificates that suppliers request replace the leaves of an operator's.
#[test]
fn lost_leaves_are_found() {
    let template = Template::sqlite();
    found(3, 40, |seed| run(seed, &template.open(), Bug::KeepsTen).is_some());
}

/// An account that is erased while a certificate is issued stays in it.
#[test]
fn forgotten_erasures_are_found() {
    let template = Template::sqlite();
    found(3, 40, |seed| run(seed, &template.open(), Bug::ForgetsErasures).is_some());
}
