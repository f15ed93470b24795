//! Every operation within a scope: what is outside does not exist for it, and what passes to another organisation meanwhile
//! is neither changed nor shown.

use crate::env::TestEnv;
use chrono::Days;
use cutover_app::account::NumberDifference;
use cutover_app::auth::{Caller, Credential};
use cutover_app::certificate::LeavesOf;
use cutover_app::operator::{
    Archive, ArchiveError, ArchiveScope, ArchivedProcess, AuditScope, BulkRequest, Checks, Difference,
    Differing, FailedAccounts, FailedFormat, JobOwner, Operations, OperatorError, Release, Scope, Services,
    SupplierChange, UndoRequest, UndoScope, WhatIfRequest,
};
use cutover_app::port::{
    ApiKeyRole, AuditAction, JobKind, Operator, ProcessFilter, Store, StoreError, Tx, VendorKind, WriteJob,
};
use cutover_app::worker::{Worked, Worker};
use cutover_app::{App, Ports, Settings};
use cutover_core::{Level, SupplierStatus};
use cutover_testkit::memory::MemoryStore;
use cutover_testkit::{SeededRandom, create_account};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::{fs, io};

/// The kind of thing that an operation acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// The supplier `ACME`, or what belongs to it.
    Supplier,
    /// The organisation `Acme`, or what belongs to it.
    Organisation,
    /// Everything in the scope.
    Everything,
}
use About::{Everything, Organisation, Supplier};

/// Ids that the service gave.
struct Ids {
    webhook: String,
    job: String,
    key: String,
    certificate: String,
    held_since: Option<chrono::DateTime<chrono::Utc>>,
}

/// Tries an operation and returns its answer as text.
type Try = fn(&Operations<'_>, &Ids) -> Result<String, OperatorError>;

/// Every operation.
const OPERATIONS: &[(&str, About, Try)] = &[
    ("add_supplier", Organisation, |by, _| text(by.add_supplier("NEW", "Acme", SupplierChange::default()))),
    ("add_vendor", Organisation, |by, _| {
        text(by.add_vendor("Acme", "NEW", VendorKind::Http, "https://pay.example", None))
    }),
    ("add_webhook", Organisation, |by, _| text(by.add_webhook("Acme", "https://new.example", &[], false))),
    ("api_keys", Everything, |by, _| text(by.api_keys())),
    ("archive_processes", Supplier, |by, _| {
        let mut archive = Shown::default();
        by.archive_processes(&archived(), &mut archive).map_err(|error| match error {
            ArchiveError::Operator(error) => error,
            error => OperatorError::Refused(error.to_string()),
        })?;
        Ok(archive.0)
    }),
    ("attempts", Supplier, |by, _| text(by.attempts("ACME", "F-1"))),
    ("audit", Supplier, |by, _| text(by.audit(&of_supplier()))),
    ("audit_page", Everything, |by, _| {
        let page = by.audit_page(&AuditScope { limit: 1_000, ..AuditScope::default() })?;
        let about = page.records.iter().filter(|record| record.supplier.as_deref() == Some("ACME"));
        text(Ok(about.collect::<Vec<_>>()))
    }),
    ("begin_bulk", Supplier, |by, _| text(by.begin_bulk(&bulk(JobKind::Cancel), JobOwner::Workers))),
    ("begin_bulk_erasure", Supplier, |by, _| {
        text(by.begin_bulk_erasure(&bulk(JobKind::Erase), "trial", JobOwner::Workers))
    }),
    ("begin_failed_export", Supplier, |by, _| {
        let wanted = FailedAccounts { supplier: "ACME".into(), status: None, error_code: None };
        text(by.begin_failed_export(&wanted, FailedFormat::Ndjson))
    }),
    ("begin_supplier_erasure", Supplier, |by, _| text(by.begin_supplier_erasure("ACME", "asked for"))),
    ("begin_table_export", Supplier, |by, _| text(by.begin_table_export("ACME", "csv", "full"))),
    ("begin_undo", Supplier, |by, _| text(by.begin_undo(&undo(), "wrong tariffs", JobOwner::Workers))),
    ("begin_webhook_test", Organisation, |by, ids| {
        text(by.begin_webhook_test(&ids.webhook, Box::new(|_| {})))
    }),
    ("bulk_outlook", Supplier, |by, _| text(by.bulk_outlook(&bulk(JobKind::Retry)))),
    ("cancel_process", Supplier, |by, _| text(by.cancel_process("ACME", "P-1"))),
    ("check_finished", Supplier, |by, _| text(by.check_finished("ACME"))),
    ("check_numbers", Supplier, |by, _| text(by.check_numbers("ACME", &["A-1".into()]))),
    ("common_zone", Everything, |by, _| text(by.common_zone(None))),
    ("count_archivable", Supplier, |by, _| text(by.count_archivable(&archived()))),
    ("count_bulk", Supplier, |by, _| text(by.count_bulk(&bulk(JobKind::Cancel)))),
    ("counted_suppliers", Everything, |by, _| text(by.counted_suppliers())),
    ("delivery_page", Organisation, |by, ids| text(by.delivery_page(&ids.webhook, None, 10))),
    ("diff_runs", Supplier, |by, _| text(by.diff_runs("ACME", "night", "night"))),
    ("disable_webhook", Organisation, |by, ids| text(by.disable_webhook(&ids.webhook))),
    ("each_business", Organisation, |by, _| {
        let mut all = Vec::new();
        by.each_business("Acme", |business| all.push(business))?;
        text(Ok(all))
    }),
    ("each_difference", Supplier, |by, _| {
        let mut all = Vec::new();
        let each = &mut |one: &Differing| {
            all.push(one.number.clone());
            Ok::<_, OperatorError>(())
        };
        by.each_difference(("ACME", "night", "night"), Difference::New, each)?;
        text(Ok(all))
    }),
    ("each_process", Supplier, |by, _| {
        let mut all = Vec::new();
        by.each_process("ACME", ProcessFilter::default(), |account| all.push(account.clone()))?;
        text(Ok(all))
    }),
    ("enable_webhook", Organisation, |by, ids| text(by.enable_webhook(&ids.webhook))),
    ("end_run", Supplier, |by, _| text(by.end_run("ACME"))),
    ("erasable", Supplier, |by, _| text(by.erasable("ACME", "A-1"))),
    ("erasable_supplier", Supplier, |by, _| text(by.erasable_supplier("ACME"))),
    ("erase_account", Supplier, |by, _| text(by.erase_account("ACME", "A-1", "asked for"))),
    ("erase_business", Organisation, |by, _| text(by.erase_business("Acme", "B-1"))),
    ("export_account", Supplier, |by, _| text(by.export_account("ACME", "A-1"))),
    ("forget_erasure", Supplier, |by, _| text(by.forget_erasure("ACME", "A-1", "withdrawn"))),
    ("hold_as_supplier", Supplier, |by, _| text(by.hold_as_supplier("ACME", Some("tariffs".into())))),
    ("hold_supplier", Supplier, |by, _| text(by.hold_supplier("ACME", Some("tariffs".into())))),
    ("holds", Everything, |by, _| text(by.holds())),
    ("is_erased", Supplier, |by, _| text(by.is_erased("ACME", "A-1"))),
    ("issue_api_key", Organisation, |by, _| by.issue_api_key("Acme", ApiKeyRole::Reader).map(|key| key.key)),
    ("issue_certificate", Supplier, |by, _| text(by.issue_certificate("ACME"))),
    ("jobs", Everything, |by, _| text(by.jobs(None))),
    ("migration", Supplier, |by, _| text(by.migration("ACME"))),
    ("night", Supplier, |by, _| text(by.night("ACME", &Services::default()))),
    ("note_supplier", Supplier, |by, _| text(by.note_supplier("ACME", "shift ends"))),
    ("number_differences", Supplier, |by, _| {
        text(by.number_differences("ACME", NumberDifference::Missing, "", 10))
    }),
    ("organisations", Everything, |by, _| {
        let all = by.organisations()?;
        text(Ok(all.into_iter().filter(|organisation| organisation.id == 1).collect::<Vec<_>>()))
    }),
    ("readiness", Supplier, |by, _| text(by.readiness("ACME", &Services::default(), Checks::All))),
    ("release_as_supplier", Supplier, |by, _| text(by.release_as_supplier("ACME", None, None))),
    ("release_supplier", Supplier, |by, ids| {
        let release = Release { held_since: ids.held_since, ..forced() };
        text(by.release_supplier("ACME", &release, &Services::default()))
    }),
    ("removable_leaves", Supplier, |by, ids| {
        text(by.removable_leaves("ACME", &LeavesOf::One(ids.certificate.clone())))
    }),
    ("remove_leaves", Supplier, |by, ids| {
        text(by.remove_leaves("ACME", &LeavesOf::One(ids.certificate.clone())))
    }),
    ("remove_manifest", Supplier, |by, _| text(by.remove_manifest("ACME"))),
    ("remove_vendor", Organisation, |by, _| text(by.remove_vendor("Acme", "PAY"))),
    ("remove_webhook", Organisation, |by, ids| text(by.remove_webhook(&ids.webhook))),
    ("replay_webhook", Organisation, |by, ids| {
        text(by.replay_webhook(&ids.webhook, chrono::DateTime::UNIX_EPOCH))
    }),
    ("resume_job", Supplier, |by, ids| text(by.resume_job(&ids.job))),
    ("retry_errors", Supplier, |by, _| text(by.retry_errors("ACME", "F-1"))),
    ("retry_outlook", Supplier, |by, _| by.retry_outlook("ACME", "F-1", None).map(|_| String::new())),
    ("retry_process", Supplier, |by, _| text(by.retry_process("ACME", "F-1"))),
    ("reveal_account", Supplier, |by, _| text(by.reveal_account("ACME", "A-1"))),
    ("revoke_api_key", Organisation, |by, ids| text(by.revoke_api_key(&ids.key))),
    ("revoke_organisation", Organisation, |by, _| text(by.revoke_organisation("Acme"))),
    ("rotate_webhook_secret", Organisation, |by, ids| text(by.rotate_webhook_secret(&ids.webhook))),
    ("run_job", Supplier, |by, ids| text(by.run_job(&ids.job, None, |_| {}))),
    ("runs", Supplier, |by, _| text(by.runs("ACME", None, 10))),
    ("search_accounts", Everything, |by, _| text(by.search_accounts(None, "A-1", 10))),
    ("services_to_probe", Supplier, |by, _| text(by.services_to_probe("ACME", Checks::All))),
    ("set_supplier", Supplier, |by, _| {
        let status = Some(SupplierStatus::Paused);
        text(by.set_supplier("ACME", SupplierChange { status, ..SupplierChange::default() }))
    }),
    ("show_account", Supplier, |by, _| text(by.show_account("ACME", "A-1"))),
    ("show_business", Organisation, |by, _| text(by.show_business("Acme", "B-1"))),
    ("show_hold", Supplier, |by, _| text(by.show_hold("ACME"))),
    ("show_job", Supplier, |by, ids| text(by.show_job(&ids.job))),
    ("show_numbers", Supplier, |by, _| text(by.show_numbers("ACME"))),
    ("show_process", Supplier, |by, _| text(by.show_process("ACME", "A-1"))),
    ("show_progress", Supplier, |by, _| text(by.show_progress("ACME"))),
    ("show_reconciliation", Supplier, |by, _| text(by.show_reconciliation("ACME"))),
    ("show_run", Supplier, |by, _| text(by.show_run("ACME", "night"))),
    ("show_supplier", Supplier, |by, _| text(by.show_supplier("ACME"))),
    ("show_vendor", Organisation, |by, _| text(by.show_vendor("Acme", "PAY"))),
    ("show_webhook", Organisation, |by, ids| text(by.show_webhook(&ids.webhook))),
    ("start_run", Supplier, |by, _| text(by.start_run("ACME", "dawn"))),
    ("stop_job", Supplier, |by, ids| text(by.stop_job(&ids.job))),
    ("summary", Supplier, |by, _| text(by.summary("ACME", None))),
    ("suppliers", Everything, |by, _| text(by.suppliers())),
    ("test_webhook", Organisation, |by, ids| text(by.test_webhook(&ids.webhook))),
    ("timeline", Supplier, |by, _| text(by.timeline("ACME", None, None, 100))),
    ("undoable", Supplier, |by, _| text(by.undoable(&undo()))),
    ("vendors", Everything, |by, _| text(by.vendors(None))),
    ("webhook_deliveries", Organisation, |by, ids| text(by.webhook_deliveries(&ids.webhook, None, 10))),
    ("webhooks", Everything, |by, _| text(by.webhooks(None))),
    ("what_if", Supplier, |by, _| {
        let request = WhatIfRequest { supplier: "ACME".into(), ..WhatIfRequest::default() };
        text(by.what_if(&request, &mut |_| {}))
    }),
    ("zone_of", Everything, |by, _| text(by.zone_of("ACME"))),
];

fn text(answer: Result<impl Debug, OperatorError>) -> Result<String, OperatorError> {
    answer.map(|answer| format!("{answer:?}"))
}

/// An archive that shows the payloads of its processes.
#[derive(Default)]
struct Shown(String);

impl Archive for Shown {
    fn append(&mut self, process: &ArchivedProcess) -> io::Result<()> {
        self.0.push_str(&String::from_utf8_lossy(&process.payload));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn archived() -> ArchiveScope {
    let before = chrono::NaiveDate::MAX - Days::new(2);
    ArchiveScope { before, supplier: Some("ACME".into()), limit: None }
}

fn of_supplier() -> AuditScope {
    AuditScope { supplier: Some("ACME".into()), limit: 1_000, ..AuditScope::default() }
}

fn bulk(kind: JobKind) -> BulkRequest {
    let (status, is_undone, error_code, before, numbers) = Default::default();
    BulkRequest { kind, supplier: "ACME".into(), status, is_undone, error_code, before, numbers }
}

fn undo() -> UndoRequest {
    UndoRequest { supplier: "ACME".into(), which: UndoScope::Numbers(vec!["A-1".into()]) }
}

fn forced() -> Release {
    Release { because: Some("agreed".into()), is_forced: true, ..Release::default() }
}

fn set(app: &App, change: SupplierChange) {
    app.as_command().set_supplier("ACME", change).unwrap();
}

/// Returns a caller of an organisation.
fn caller(app: &App, organisation: &str) -> Caller {
    let key = app.as_command().issue_api_key(organisation, ApiKeyRole::Supplier).unwrap().key;
    app.authenticate(&app.obtain_token(&Credential::ApiKey(key)).unwrap().token).unwrap()
}

/// Creates `A-1`, which is imported, `F-1`, which fails, and `P-1`, which waits.
fn fill(app: &Arc<App>, caller: &Caller, name: &str) {
    let create = |number: &str| {
        let body = format!(
            r#"{{"import_supplier":"ACME","external_account_number":"{number}",
            "customers":[{{"family_name":"{name}"}}]}}"#
        );
        create_account(app, caller, None, body.as_bytes()).unwrap();
    };
    let roles = |level| {
        let rules = [("CUS-09".to_owned(), level)].into();
        set(app, SupplierChange { rules, ..SupplierChange::default() });
    };
    let import = || {
        let worker = Worker::new(app.clone(), "w".into(), Arc::default(), Arc::default());
        while worker.run_once().unwrap() != Worked::Nothing {}
    };
    create("A-1");
    import();
    create("F-1");
    roles(Some(Level::Error));
    import();
    roles(None);
    create("P-1");
}

/// Adds everything that operations are about to the installation, in which `Acme` has the key 1.
fn prepare(app: &Arc<App>, owner: &Caller, operation: &str) -> Ids {
    let by = app.as_command();
    by.start_run("ACME", "night").unwrap();
    fill(app, owner, "Okafor");
    by.end_run("ACME").unwrap();
    let manifest = r#"{"accounts":2,"ledger_balance":"1.50","readings":0,"transactions":0,"documents":0}"#;
    app.declare_manifest(owner, "ACME", manifest.as_bytes()).unwrap();
    let numbers = r#"{"part":1,"is_last":true,"account_numbers":["A-1","X-1"]}"#;
    app.declare_numbers(owner, "ACME", numbers.as_bytes()).unwrap();
    let business = r#"{"import_supplier_code":"ACME","external_business_identifier":"B-1","business":{
        "business_contracts":[{"identifier":"C-1","valid_from_date":"2026-01-01",
        "signed_at_date":"2025-12-01","versions":[{"applicable_at_date":"2026-01-01","terms":[]}]}]}}"#;
    app.create_business(owner, business.as_bytes()).unwrap();
    by.add_vendor("Acme", "PAY", VendorKind::Http, "https://pay.example", None).unwrap();
    let mut ids = Ids {
        webhook: by.add_webhook("Acme", "https://crm.example", &[], true).unwrap().webhook.name,
        job: by.begin_bulk(&bulk(JobKind::Cancel), JobOwner::Workers).unwrap().name,
        key: owner.key_prefix.clone(),
        certificate: by.issue_certificate("ACME").unwrap().certificate.id,
        held_since: None,
    };
    match operation {
        "release_supplier" => {
            by.hold_supplier("ACME", None).unwrap();
            ids.held_since = Release::of(by.show_hold("ACME").unwrap().as_ref()).held_since;
        }
        "end_run" => drop(by.start_run("ACME", "dusk").unwrap()),
        "resume_job" => drop(by.stop_job(&ids.job).unwrap()),
        "forget_erasure" | "is_erased" => drop(by.erase_account("ACME", "A-1", "asked for").unwrap()),
        "enable_webhook" => drop(by.disable_webhook(&ids.webhook).unwrap()),
        "begin_supplier_erasure" => {
            let status = Some(SupplierStatus::Paused);
            set(app, SupplierChange { status, ..SupplierChange::default() });
        }
        _ => {}
    }
    ids
}

/// Returns all that can be seen within a scope.
fn picture(app: &App, scope: Scope) -> String {
    let by = app.operate(Operator::Command { user: None }, scope);
    let accounts = ["A-1", "F-1", "P-1"].map(|number| text(by.show_account("ACME", number)));
    let supplier = by.show_supplier("ACME");
    let certificates = supplier.as_ref().ok().map(|supplier| app.certificates(supplier));
    let of_supplier = (&supplier, by.show_hold("ACME"), by.runs("ACME", None, 10), by.show_progress("ACME"));
    let all = (by.jobs(None), by.webhooks(None), by.vendors(None), by.api_keys(), by.organisations());
    let mut trail = by.audit(&AuditScope { limit: 1_000, ..AuditScope::default() });
    // Searches that find nothing are recorded, too.
    trail.iter_mut().for_each(|all| all.retain(|one| one.action != AuditAction::AccountsSearched.as_str()));
    format!("{accounts:?}\n{certificates:?}\n{of_supplier:?}\n{all:?}\n{trail:?}")
}

#[test]
fn every_operation_is_listed() {
    let blocks = blocks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let functions = blocks.iter().flat_map(|block| block.lines());
    let functions = functions.filter_map(|line| line.trim_start().strip_prefix("pub fn "));
    let found: BTreeSet<&str> = functions.filter_map(|rest| rest.split(['(', '<']).next()).collect();
    assert_eq!(found, OPERATIONS.iter().map(|(name, ..)| *name).collect());
}

/// An operation has no transaction but those of its scope.
#[test]
fn operations_do_not_go_to_the_store() {
    for block in blocks(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/operator")) {
        let is_scope = block.contains("fn read_committed<T>(");
        assert!(is_scope || !block.contains("&*self.app.store"), "{block}");
    }
}

/// Returns the implementations of `Operations` in the sources of a folder.
fn blocks(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(blocks(&path));
            continue;
        }
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let source = fs::read_to_string(&path).unwrap();
        let implementations = source.split("\nimpl Operations<").skip(1);
        found.extend(implementations.filter_map(|rest| rest.split("\n}\n").next()).map(str::to_owned));
    }
    found
}

#[test]
fn every_operation_does_something_for_the_owner() {
    for (name, _, attempt) in OPERATIONS {
        let env = TestEnv::new();
        let ids = prepare(&env.app, &env.caller, name);
        let answer = attempt(&env.app.as_caller(&env.caller), &ids);
        // There are accounts that wait.
        let is_refused = matches!(answer, Err(OperatorError::Refused(_)));
        assert!(answer.is_ok() || is_refused && *name == "check_finished", "{name}: {answer:?}");
    }
}

/// Each operation is tried by another organisation, and within the scope of other suppliers. Its answer is that of an
/// installation that has nothing.
#[test]
fn what_is_outside_of_the_scope_does_not_exist() {
    let suppliers = |organisation_id, code: &str| Scope::Suppliers {
        organisation_id,
        codes: [code.parse().unwrap()].into(),
    };
    for (name, about, attempt) in OPERATIONS {
        let env = TestEnv::new();
        let other = env.app.add_organisation("Other").unwrap();
        let ids = prepare(&env.app, &env.caller, name);
        let bare = TestEnv::bare();
        bare.add_organisation("First").unwrap();
        bare.add_organisation("Other").unwrap();
        let before = picture(&env.app, Scope::Installation);
        let acme = env.caller.organisation_id;
        for scope in [Scope::Organisation(other.id), suppliers(other.id, "ACME"), suppliers(acme, "SECOND")] {
            let by = |app: &App| attempt(&app.operate(Operator::Command { user: None }, scope.clone()), &ids);
            let (answer, of_nothing) = (by(&env.app), by(&bare));
            assert_eq!(format!("{answer:?}"), format!("{of_nothing:?}"), "{name} within {scope:?}");
            let is_absent = matches!(answer, Err(OperatorError::NotFound { .. }));
            assert_eq!(is_absent, *about != Everything, "{name} within {scope:?}: {answer:?}");
        }
        assert_eq!(picture(&env.app, Scope::Installation), before, "{name} changes something");
    }
}

/// A store in which something happens before a transaction.
#[derive(Default)]
struct Interrupted {
    store: Arc<MemoryStore>,
    /// Number of transactions until then; 0 for never.
    left: AtomicUsize,
    event: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Interrupted {
    fn begin(&self) {
        let is_now = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if is_now == Ok(1) {
            self.event.get().unwrap()();
        }
    }
}

impl Store for Interrupted {
    fn read(&self, job: &mut dyn FnMut(&mut dyn Tx) -> Result<(), StoreError>) -> Result<(), StoreError> {
        self.begin();
        self.store.read(job)
    }

    fn write(&self, job: WriteJob) -> Result<(), StoreError> {
        self.begin();
        self.store.write(job)
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }
}

/// Erases the supplier `ACME` and adds it again, with the same accounts, as one of another organisation.
fn take_over(app: &Arc<App>, other: &Caller) {
    let status = Some(SupplierStatus::Paused);
    set(app, SupplierChange { status, ..SupplierChange::default() });
    let (job, claim) = app.as_command().begin_supplier_erasure("ACME", "asked for").unwrap();
    app.as_command().run_job(&job.name, claim, |_| {}).unwrap();
    app.as_command().add_supplier("ACME", "Other", SupplierChange::default()).unwrap();
    fill(app, other, "Foreign");
}

/// Between any two transactions of an operation its supplier is erased and added again by another organisation.
#[test]
fn a_supplier_that_passes_to_another_organisation_is_left_alone() {
    for (name, about, attempt) in OPERATIONS {
        // A job that runs is worked on by its key and its claim: the erasure waits for it.
        if *about != Supplier || *name == "run_job" {
            continue;
        }
        for transaction in 1.. {
            let memory = Arc::<MemoryStore>::default();
            let store = Arc::new(Interrupted { store: memory.clone(), ..Interrupted::default() });
            let (of_app, beside) = (store.clone(), Arc::new(OnceLock::new()));
            let env = TestEnv::on(|all| {
                let random = Arc::new(SeededRandom::new(2));
                let truth = Ports { store: memory, random, ..all.clone() };
                drop(beside.set(Arc::new(App::new(truth, Settings::default()))));
                Ports { store: of_app, ..all }
            });
            let truth = beside.get().unwrap().clone();
            let other = env.app.add_organisation("Other").unwrap().id;
            let stranger = caller(&truth, "Other");
            let ids = prepare(&truth, &env.caller, name);
            let seen = Arc::new(Mutex::new(None));
            let (app, after) = (truth.clone(), seen.clone());
            let event = move || {
                take_over(&app, &stranger);
                *after.lock().unwrap() = Some(picture(&app, Scope::Organisation(other)));
            };
            drop(store.event.set(Box::new(event)));
            store.left.store(transaction, Ordering::SeqCst);
            let answer = attempt(&env.app.as_caller(&env.caller), &ids);
            store.left.store(0, Ordering::SeqCst);
            let Some(seen) = seen.lock().unwrap().take() else { break };
            let what = format!("{name}, before transaction {transaction}: {answer:?}");
            assert_eq!(picture(&truth, Scope::Organisation(other)), seen, "{what}");
            assert!(!format!("{answer:?}").contains("Foreign"), "{what}");
            // The fourth one reads the payloads of the processes that those before it have listed.
            let is_read = transaction > 4 || !what.contains("checked: 1");
            assert!(*name != "bulk_outlook" || is_read, "{what}");
            if transaction == 1 {
                assert!(matches!(answer, Err(OperatorError::NotFound { .. })), "{what}");
            }
        }
    }
}
