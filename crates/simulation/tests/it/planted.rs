//! Tests of the simulation itself: it finds planted bugs.

use crate::databases::Template;
use crate::payloads::{OTHER_CONTRACT, WITH_CONTRACT};
use crate::plan::{Action, Op};
use crate::planner::plan;
use crate::quiet::accounts;
use crate::runs::{found, run, run_in};
use crate::simulation::{Simulation, settings};
use crate::specs::{AccountRef, CreateSpec, Payload, SUPPLIERS, When, code};
use chrono::{DateTime, Duration};
use cutover_app::Settings;
use cutover_app::port::{NewFeedEvent, Staged, Store, StoreError, Tx, Verdict, WriteJob};
use cutover_core::{FeedEventType, SupplierStatus};
use cutover_model::{EventData, Totals};
use cutover_process::State;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A store that reports a commit but rolls back, once in this many writes.
struct LosingStore {
    store: Arc<dyn Store>,
    writes: AtomicU64,
}

/// One in this many writes is lost.
const LOSS_INTERVAL: u64 = 9;

impl Store for LosingStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let forgets = self.writes.fetch_add(1, Ordering::SeqCst) % LOSS_INTERVAL == LOSS_INTERVAL - 1;
        self.store.write(Box::new(move |tx| match job(tx) {
            Verdict::Commit if forgets => Verdict::Rollback,
            verdict => verdict,
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A store that fails to write some accounts that the rules accept, as if a column refused them.
struct RefusingStore {
    store: Arc<dyn Store>,
}

/// Number of these accounts that are imported.
fn imported(tx: &mut dyn Tx) -> usize {
    let mut is_imported = |supplier: u8| {
        let Some(supplier) = tx.supplier(&code(supplier).parse().unwrap()).unwrap() else { return false };
        let stored = tx.process(supplier.id, &"A-1".parse().unwrap()).unwrap();
        stored.is_some_and(|stored| stored.process.state() == State::Processed)
    };
    (0..SUPPLIERS).filter(|supplier| is_imported(*supplier)).count()
}

impl Store for RefusingStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        let refused = Arc::new(AtomicBool::new(false));
        let refuses = refused.clone();
        let written = self.store.write(Box::new(move |tx| {
            let before = imported(tx);
            let verdict = job(tx);
            refuses.store(imported(tx) > before, Ordering::SeqCst);
            if refuses.load(Ordering::SeqCst) { Verdict::Rollback } else { verdict }
        }));
        match refused.load(Ordering::SeqCst) {
            true => Err(StoreError::Failed("a column refuses it on purpose".into())),
            false => written,
        }
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A dry run writes no account, so it cannot detect that a valid account is not writable.
#[test]
fn a_dry_run_that_disagrees_with_the_import_is_found() {
    let template = Template::sqlite();
    let refusing = |store| Arc::new(RefusingStore { store }) as Arc<dyn Store>;
    let finds = |seed: u64| {
        let database = template.open().with_stores(refusing);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("its dry run came to (true"))
    };
    found(5, 10, finds);
}

/// The job reports a commit, but its transaction is rolled back, as if a disk had lied.
#[test]
fn a_store_that_loses_writes_is_found() {
    let template = Template::sqlite();
    let forgetful = |store| Arc::new(LosingStore { store, writes: AtomicU64::new(0) }) as Arc<dyn Store>;
    let fails = |seed: u64| {
        let database = template.open().with_stores(forgetful);
        !run(seed, &plan(seed), database).violations.is_empty()
    };
    found(5, 10, fails);
}

/// A store that forgets which contracts accounts name.
struct ContractlessStore {
    store: Arc<dyn Store>,
}

impl Store for ContractlessStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(Box::new(move |tx| {
            let verdict = job(tx);
            for account in accounts() {
                let Some(supplier) = tx.supplier(&account.code().parse().unwrap()).unwrap() else { continue };
                if let Some(stored) = tx.process(supplier.id, &account.external().parse().unwrap()).unwrap() {
                    tx.set_contract_of(stored.process.id(), None).unwrap();
                }
            }
            verdict
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A business loses a contract that an account names. Few plans replace this business so late, so it is done at
/// the end of each.
#[test]
fn an_account_whose_contract_is_gone_is_found() {
    let template = Template::sqlite();
    let contractless = |store| Arc::new(ContractlessStore { store }) as Arc<dyn Store>;
    let account = AccountRef { supplier: 0, number: 0 };
    let payload = Payload { shape: WITH_CONTRACT, version: 0 };
    let create = CreateSpec { account, payload, dry_run: false, when: When::Later };
    let acts = [
        Action::Back,
        Action::SetStatus(0, SupplierStatus::Ongoing),
        Action::ReplaceBusiness(0, 0),
        Action::Create(create),
        Action::ReplaceBusiness(0, OTHER_CONTRACT),
    ];
    let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
    let finds = |seed: u64| {
        let ops: Vec<Op> = plan(seed).into_iter().chain(acts.clone().map(calm)).collect();
        let violations = run(seed, &ops, template.open().with_stores(contractless)).violations;
        violations.iter().any(|violation| violation.contains("an account names its contract"))
    };
    found(3, 10, finds);
}

/// A store that forgets the totals of accounts whose import is undone.
struct ForgetfulStore {
    store: Arc<dyn Store>,
}

/// Number of accounts that are imported.
fn all_imported(tx: &mut dyn Tx) -> u64 {
    let imported = |supplier: u8| {
        let supplier = tx.supplier(&code(supplier).parse().unwrap()).unwrap()?;
        let counts = tx.state_counts(supplier.id).unwrap();
        Some(counts.iter().filter(|c| c.state == State::Processed).map(|c| c.processes).sum::<u64>())
    };
    (0..SUPPLIERS).filter_map(imported).sum()
}

impl Store for ForgetfulStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(Box::new(|tx| {
            let before = all_imported(tx);
            let verdict = job(tx);
            if verdict == Verdict::Commit && all_imported(tx) < before {
                let supplier = tx.supplier(&code(0).parse().unwrap()).unwrap().unwrap();
                tx.add_totals(supplier.id, &Totals { accounts: 1, ..Totals::default() }).unwrap();
            }
            verdict
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// An undo leaves an account in the totals.
#[test]
fn an_undo_that_forgets_the_totals_is_found() {
    let template = Template::sqlite();
    let finds = |seed: u64| {
        let forgetful = |store| Arc::new(ForgetfulStore { store }) as Arc<dyn Store>;
        let database = template.open().with_stores(forgetful);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("its totals are"))
    };
    found(5, 30, finds);
}

/// A store that leaves what was sent as it is when an account is sent again.
struct FirstSentStore {
    store: Arc<dyn Store>,
}

/// The processes of all accounts with their payloads.
fn all_staged(tx: &mut dyn Tx) -> Vec<(i64, Staged)> {
    let staged = |account: AccountRef| {
        let supplier = tx.supplier(&account.code().parse().unwrap()).unwrap()?;
        let stored = tx.process(supplier.id, &account.external().parse().unwrap()).unwrap()?;
        Some((stored.process.id(), tx.staged(stored.process.id()).unwrap()?))
    };
    accounts().filter_map(staged).collect()
}

impl Store for FirstSentStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(Box::new(|tx| {
            let before = all_staged(tx);
            let verdict = job(tx);
            for (id, now) in all_staged(tx) {
                let was = before.iter().find(|(of, _)| *of == id);
                if let Some((_, was)) = was.filter(|(_, was)| was.payload != now.payload) {
                    tx.restage(id, &Staged { totals: was.totals, ..now }).unwrap();
                }
            }
            verdict
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// A resubmission does not change what was sent.
#[test]
fn a_resubmission_that_does_not_change_what_was_sent_is_found() {
    let template = Template::sqlite();
    let finds = |seed: u64| {
        let forgetful = |store| Arc::new(FirstSentStore { store }) as Arc<dyn Store>;
        let database = template.open().with_stores(forgetful);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("it has sent"))
    };
    found(5, 20, finds);
}

/// The hash of the first payload is never replaced.
const KEEPS_CONTENT: &str = "CREATE FUNCTION keep() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
    NEW.content = COALESCE(OLD.content, NEW.content); RETURN NEW; END $$; \
    CREATE TRIGGER keeps BEFORE UPDATE ON processes FOR EACH ROW EXECUTE FUNCTION keep()";

/// A certificate is about the content that was sent first.
#[test]
fn a_certificate_of_earlier_content_is_found() {
    let Some(template) = Template::postgres() else { return };
    let finds = |seed: u64| {
        let database = template.open().changed(KEEPS_CONTENT);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("a certificate covers"))
    };
    found(5, 20, finds);
}

/// Hashes of additions are not kept.
const FORGETS_CONTENT: &str = "CREATE FUNCTION forget() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$; \
    CREATE TRIGGER forgets BEFORE INSERT ON account_additions FOR EACH ROW EXECUTE FUNCTION forget()";

/// A certificate leaves out what was added since the import.
#[test]
fn a_certificate_without_additions_is_found() {
    let Some(template) = Template::postgres() else { return };
    let finds = |seed: u64| {
        let database = template.open().changed(FORGETS_CONTENT);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("a certificate covers"))
    };
    found(3, 20, finds);
}

/// Additions are not noted with the account.
const FORGETS_ADDITIONS: &str = "CREATE FUNCTION forget() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
    NEW.added_at := NULL; RETURN NEW; END $$; \
    CREATE TRIGGER forgets BEFORE UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION forget()";

/// An undo removes an account together with what was added to it.
#[test]
fn an_undo_of_an_account_that_was_added_to_is_found() {
    let Some(template) = Template::postgres() else { return };
    let finds = |seed: u64| {
        let database = template.open().changed(FORGETS_ADDITIONS);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("was undone although something was added"))
    };
    found(3, 20, finds);
}

/// A store that publishes an event of notes with some imports.
struct RepeatingStore {
    store: Arc<dyn Store>,
}

impl Store for RepeatingStore {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.store.write(Box::new(move |tx| {
            let before = imported(tx);
            let verdict = job(tx);
            if imported(tx) > before {
                let supplier = tx.supplier(&code(0).parse().unwrap()).unwrap().unwrap();
                let added = NewFeedEvent {
                    supplier_id: supplier.id,
                    event_type: FeedEventType::NotesAdded,
                    occurred_at: DateTime::UNIX_EPOCH,
                    external_account_number: Some("A-1".parse().unwrap()),
                    service_account_number: None,
                    data: Some(EventData::count(1)),
                };
                tx.publish(&added).unwrap();
            }
            verdict
        }))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// An event says that something was added which was not.
#[test]
fn an_event_of_nothing_is_found() {
    let template = Template::sqlite();
    let finds = |seed: u64| {
        let repeating = |store| Arc::new(RepeatingStore { store }) as Arc<dyn Store>;
        let database = template.open().with_stores(repeating);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("the feed has"))
    };
    found(5, 25, finds);
}

/// Steps that end a failure leave its causes as they are.
const FORGETS_CAUSES: &str = "CREATE FUNCTION forget() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
    IF NEW.error_code IS NULL THEN NEW.error_causes := OLD.error_causes; END IF; RETURN NEW; END $$; \
    CREATE TRIGGER forgets BEFORE UPDATE ON processes FOR EACH ROW EXECUTE FUNCTION forget()";

/// A retry does not take back what the failure was counted by.
#[test]
fn a_transition_that_forgets_to_take_back_its_causes_is_found() {
    let Some(template) = Template::postgres() else { return };
    let finds = |seed: u64| {
        let database = template.open().changed(FORGETS_CAUSES);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("its causes are kept as"))
    };
    found(5, 16, finds);
}

/// A business that is created while another transaction is open gets other content.
const DIFFERS: &str = "CREATE FUNCTION differ() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN \
    IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction') \
    THEN NEW.fingerprint := decode(repeat('00', 32), 'hex'); END IF; RETURN NEW; END $$; \
    CREATE TRIGGER differs BEFORE INSERT ON businesses FOR EACH ROW EXECUTE FUNCTION differ()";

/// Of two equal businesses that are created at once, one is refused.
#[test]
fn an_equal_business_that_is_refused_is_found() {
    let Some(template) = Template::postgres() else { return };
    let finds = |seed: u64| {
        let database = template.open().changed(DIFFERS);
        let violations = run(seed, &plan(seed), database).violations;
        violations.iter().any(|violation| violation.contains("an equal business was refused"))
    };
    found(3, 40, finds);
}

/// An import ends at the first fault of storage or database instead of being retried.
#[test]
fn a_worker_that_gives_up_in_an_outage_is_found() {
    let template = Template::sqlite();
    let fails = |seed: u64| {
        let settings = Settings { import_retry_time: Duration::zero(), ..settings() };
        let simulation = Simulation::with(template.open(), seed, settings);
        let violations = run_in(&simulation, &plan(seed)).violations;
        violations.iter().any(|violation| violation.contains("given up"))
    };
    found(5, 40, fails);
}
