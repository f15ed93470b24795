//! Operators of two organisations under faults, while a supplier passes from one to the other: it is erased, and its code is
//! added again. Nobody changes or reveals what is the other's at that moment.

use crate::databases::{Database, Template};
use crate::flaky::{Calm, app, apps, flaky, number};
use crate::runs::{Wanted, find_none, found};
use crate::specs::code;
use chrono::Duration;
use cutover_app::App;
use cutover_app::auth::Caller;
use cutover_app::operator::{
    AuditScope, FailedAccounts, FailedFormat, Operations, OperatorError, Release, Scope, Services,
    SupplierChange,
};
use cutover_app::port::{Operator, Random};
use cutover_core::SupplierStatus;
use cutover_testkit::{FakeClock, SeededRandom, create_account};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of a run.
const STEPS: usize = 60;
/// Accounts of the supplier.
const ACCOUNTS: u64 = 3;

/// A bug that is planted in the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// The organisation of the supplier is checked in an earlier transaction than the one that acts.
    LooksEarlier,
}

struct Run {
    truth: Arc<App>,
    callers: [Caller; 2],
    /// The names of their organisations.
    names: [String; 2],
    random: SeededRandom,
    /// The organisation that has the supplier.
    owner: AtomicUsize,
}

impl Run {
    fn below(&self, bound: u64) -> u64 {
        self.random.number() % bound
    }

    fn owner(&self) -> usize {
        self.owner.load(Ordering::SeqCst)
    }

    fn fill(&self) {
        for n in 0..ACCOUNTS {
            let body = format!(
                r#"{{"import_supplier":"{}","external_account_number":"{}","customers":[{{"family_name":"B"}}]}}"#,
                code(0),
                number(n)
            );
            create_account(&self.truth, &self.callers[self.owner()], None, body.as_bytes()).unwrap();
        }
    }

    /// Erases the supplier and adds it again as one of the other organisation.
    fn pass(&self) {
        let (by, status) = (self.truth.as_command(), Some(SupplierStatus::Paused));
        by.set_supplier(&code(0), SupplierChange { status, ..SupplierChange::default() }).unwrap();
        let (job, claim) = by.begin_supplier_erasure(&code(0), "asked for").unwrap();
        by.run_job(&job.name, claim, |_| {}).unwrap();
        let owner = 1 - self.owner();
        by.add_supplier(&code(0), &self.names[owner], SupplierChange::default()).unwrap();
        self.owner.store(owner, Ordering::SeqCst);
        self.fill();
    }

    /// Performs an operation of one of the callers.
    fn operate(&self, app: &App, caller: &Caller, bug: Bug) -> Result<(), OperatorError> {
        let mut by = app.as_caller(caller);
        if bug == Bug::LooksEarlier {
            by.show_supplier(&code(0))?;
            by = app.operate(Operator::Key { prefix: caller.key_prefix.clone() }, Scope::Installation);
        }
        self.act(&by)
    }

    fn act(&self, by: &Operations<'_>) -> Result<(), OperatorError> {
        let (supplier, account) = (code(0), number(self.below(ACCOUNTS)));
        match self.below(9) {
            0 => by.hold_supplier(&supplier, None).map(drop),
            1 => {
                let hold = by.show_hold(&supplier)?;
                let release =
                    Release { because: Some("seen".into()), is_forced: true, ..Release::of(hold.as_ref()) };
                by.release_supplier(&supplier, &release, &Services::default()).map(drop)
            }
            2 => by.set_supplier(&supplier, SupplierChange::default()).map(drop),
            3 => by.cancel_process(&supplier, &account).map(drop),
            4 => by.retry_process(&supplier, &account).map(drop),
            5 => by.start_run(&supplier, &format!("night {}", self.random.number())).map(drop),
            6 => by.end_run(&supplier).map(drop),
            7 => by.reveal_account(&supplier, &account).map(drop),
            _ => {
                let wanted = FailedAccounts { supplier, status: None, error_code: None };
                by.begin_failed_export(&wanted, FailedFormat::Csv).map(drop)
            }
        }
    }

    /// Returns an action of a caller on another organisation.
    fn fault(&self) -> Option<String> {
        let scope = AuditScope { limit: 10_000, ..AuditScope::default() };
        let trail = self.truth.as_command().audit(&scope).unwrap();
        let by = [0, 1].map(|n| format!("key:{}", self.callers[n].key_prefix));
        let own = |n: usize| trail.iter().filter(|record| record.by == by[n]).collect::<Vec<_>>();
        let foreign = [0, 1].into_iter().find_map(|n| {
            own(n).into_iter().find(|record| record.organisation.as_ref() != Some(&self.names[n])).cloned()
        });
        match foreign {
            Some(record) => Some(format!("an action on another organisation: {record:?}")),
            None => [0, 1].iter().all(|n| own(*n).is_empty()).then(|| "nothing was done".into()),
        }
    }
}

/// Performs a run; returns the fault that it found.
fn run(seed: u64, database: &Database, bug: Bug) -> Option<String> {
    let (clock, is_calm) = (Arc::new(FakeClock::of_fixtures()), Calm::default());
    let truth = app(database.truth(), &clock, seed ^ 32);
    let callers = database.credentials.callers.clone();
    let all = truth.as_command().organisations().unwrap();
    let name = |n: usize| all.iter().find(|one| one.id == callers[n].organisation_id).unwrap().name.clone();
    let names = [name(0), name(1)];
    let random = SeededRandom::new(seed);
    let run = Arc::new(Run { truth, callers, names, random, owner: AtomicUsize::new(0) });
    run.fill();
    let beside = run.clone();
    let stores = flaky(database.stores(), seed, &is_calm, move |store, job, draw| {
        if draw == 2 {
            beside.pass();
        }
        store.write(job)
    });
    let nodes = apps(stores, &clock, seed);
    for _ in 0..STEPS {
        clock.advance(Duration::seconds(1));
        let node = &nodes[run.below(nodes.len() as u64) as usize];
        // The operator whose supplier it is at the beginning, more often than the other.
        let caller = if run.below(4) == 0 { 1 - run.owner() } else { run.owner() };
        drop(run.operate(node, &run.callers[caller], bug));
    }
    run.fault()
}

#[test]
fn operators_keep_to_their_organisation_on_sqlite() {
    let template = Template::sqlite();
    find_none(Wanted::of_environment(10, 1_000), |seed| run(seed, &template.open(), Bug::None));
}

#[test]
fn operators_keep_to_their_organisation_on_postgres() {
    let Some(template) = Template::postgres() else { return };
    find_none(Wanted::of_environment(3, 50), |seed| run(seed, &template.open(), Bug::None));
}

/// The supplier passes between the look at its owner and the action.
#[test]
fn a_scope_of_an_earlier_transaction_is_found() {
    let template = Template::sqlite();
    found(5, 40, |seed| run(seed, &template.open(), Bug::LooksEarlier).is_some());
}
