//! The audit trail: every use case of operators is recorded once, with its details.

use crate::env::TestEnv;
use chrono::{Days, Duration};
use cutover_app::auth::{Attempt, AttemptKind, Caller, Denied, Outcome};
use cutover_app::certificate::LeavesOf;
use cutover_app::operator::{
    Archive, ArchiveScope, ArchivedProcess, AuditScope, BulkRequest, FailedAccounts, FailedFormat, JobOwner,
    OperatorError, Release, SupplierChange, UndoRequest, UndoScope,
};
use cutover_app::port::{ApiKeyRole, AuditAction, AuditRecord, Clock, Fact, JobKind, VendorKind};
use cutover_core::SupplierStatus;
use std::io;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}]"#;

/// An archive that discards its processes.
struct Nowhere;

impl Archive for Nowhere {
    fn append(&mut self, _: &ArchivedProcess) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn trail(env: &TestEnv) -> Vec<AuditRecord> {
    env.app.as_command().audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap()
}

fn archive(env: &TestEnv) {
    let before = env.clock.now().date_naive() + Days::new(2);
    let scope = ArchiveScope { before, supplier: None, limit: None };
    assert!(env.app.as_command().archive_processes(&scope, &mut Nowhere).unwrap().archived > 0);
}

fn sign_in(env: &TestEnv) -> String {
    let key = env.app.as_command().issue_api_key("Acme", ApiKeyRole::Operator).unwrap().key;
    env.app.sign_in(&key).unwrap()
}

fn webhook(env: &TestEnv) -> String {
    env.app.as_command().add_webhook("Acme", "https://crm.example", &[], true).unwrap().webhook.name
}

fn job(env: &TestEnv) -> String {
    let (status, is_undone, error_code, before, numbers) = Default::default();
    let (kind, supplier) = (JobKind::Cancel, "ACME".into());
    let request = BulkRequest { kind, supplier, status, is_undone, error_code, before, numbers };
    env.app.as_command().begin_bulk(&request, JobOwner::Workers).unwrap().name
}

type Act = (AuditAction, fn(&TestEnv));

/// Performs each action last, in an environment with `A-1` imported and `P-1` pending.
const ACTS: [Act; AuditAction::ALL.len()] = [
    (AuditAction::OrganisationAdded, |env| drop(env.app.add_organisation("Other").unwrap())),
    (AuditAction::OrganisationRevoked, |env| env.app.as_command().revoke_organisation("Acme").unwrap()),
    (AuditAction::KeyIssued, |env| {
        drop(env.app.as_command().issue_api_key("Acme", ApiKeyRole::Operator).unwrap())
    }),
    (AuditAction::KeyRevoked, |env| env.app.as_command().revoke_api_key(&env.caller.key_prefix).unwrap()),
    (AuditAction::KeyRefused, |env| {
        let client = [203, 0, 113, 7].into();
        let attempt = Attempt { kind: AttemptKind::ApiRequest, client, network: client, request_id: "r1" };
        env.app.note_attempt(&attempt, Err(&Denied::of_caller(Outcome::WrongRole, &env.caller)));
        env.app.report_attempts();
    }),
    (AuditAction::SigningKeyRotated, |env| drop(env.app.rotate_signing_key().unwrap())),
    (AuditAction::SigningKeyRevoked, |env| {
        let kid = env.app.rotate_signing_key().unwrap().kid;
        env.app.revoke_signing_key(&kid).unwrap();
    }),
    (AuditAction::CertificateKeyRotated, |env| drop(env.app.rotate_certificate_key().unwrap())),
    (AuditAction::CertificateIssued, |env| drop(env.app.as_command().issue_certificate("ACME").unwrap())),
    (AuditAction::CertificateLeavesRemoved, |env| {
        let issued = env.app.as_command().issue_certificate("ACME").unwrap();
        let of = LeavesOf::One(issued.certificate.id);
        assert_eq!(env.app.as_command().remove_leaves("ACME", &of).unwrap(), 1);
    }),
    (AuditAction::SupplierAdded, |env| {
        env.app.as_command().add_supplier("SECOND", "Acme", SupplierChange::default()).unwrap();
    }),
    (AuditAction::SupplierSet, |env| {
        let status = Some(SupplierStatus::Paused);
        env.app
            .as_command()
            .set_supplier("ACME", SupplierChange { status, ..SupplierChange::default() })
            .unwrap();
    }),
    (AuditAction::SupplierHeld, |env| {
        env.app.as_command().hold_supplier("ACME", Some("tariffs".into())).unwrap();
    }),
    (AuditAction::SupplierReleased, |env| {
        env.app.as_command().hold_supplier("ACME", None).unwrap();
        let release = Release { because: Some("corrected".into()), is_forced: false, ..Release::default() };
        env.release(release).unwrap();
    }),
    (AuditAction::SupplierNoted, |env| {
        drop(env.app.as_command().note_supplier("ACME", "shift ends").unwrap())
    }),
    (AuditAction::ManifestRemoved, |env| {
        let manifest =
            r#"{"accounts":2,"ledger_balance":"-1.50","readings":0,"transactions":0,"documents":0}"#;
        env.app.declare_manifest(&env.caller, "ACME", manifest.as_bytes()).unwrap();
        env.app.as_command().remove_manifest("ACME").unwrap();
    }),
    (AuditAction::RunStarted, |env| drop(env.app.as_command().start_run("ACME", "night").unwrap())),
    (AuditAction::RunEnded, |env| {
        env.app.as_command().start_run("ACME", "night").unwrap();
        env.app.as_command().end_run("ACME").unwrap();
    }),
    (AuditAction::ImportsUndone, |env| {
        let which = UndoScope::Numbers(vec!["A-1".into()]);
        let job = env
            .app
            .as_command()
            .begin_undo(&UndoRequest { supplier: "ACME".into(), which }, "wrong tariffs", JobOwner::Caller)
            .unwrap();
        env.app.as_command().run_job(&job.name, Some(job.claim), |_| {}).unwrap();
    }),
    (AuditAction::SupplierErased, |env| {
        let status = Some(SupplierStatus::Paused);
        env.app
            .as_command()
            .set_supplier("ACME", SupplierChange { status, ..SupplierChange::default() })
            .unwrap();
        let (job, claim) = env.app.as_command().begin_supplier_erasure("ACME", "asked for").unwrap();
        env.app.as_command().run_job(&job.name, claim, |_| {}).unwrap();
    }),
    (AuditAction::BusinessErased, |env| {
        let body = r#"{"import_supplier_code":"ACME","external_business_identifier":"B-1","business":{
            "business_contracts":[{"identifier":"C-1","valid_from_date":"2026-01-01",
            "signed_at_date":"2025-12-01","versions":[{"applicable_at_date":"2026-01-01","terms":[]}]}]}}"#;
        env.app.create_business(&env.caller, body.as_bytes()).unwrap();
        env.app.as_command().erase_business("Acme", "B-1").unwrap();
    }),
    (AuditAction::VendorAdded, |env| {
        env.app
            .as_command()
            .add_vendor("Acme", "PAY", VendorKind::Http, "https://pay.example", None)
            .unwrap();
    }),
    (AuditAction::VendorRemoved, |env| {
        env.app
            .as_command()
            .add_vendor("Acme", "PAY", VendorKind::Http, "https://pay.example", None)
            .unwrap();
        env.app.as_command().remove_vendor("Acme", "PAY").unwrap();
    }),
    (AuditAction::WebhookAdded, |env| drop(webhook(env))),
    (AuditAction::WebhookEnabled, |env| drop(env.app.as_command().enable_webhook(&webhook(env)).unwrap())),
    (AuditAction::WebhookDisabled, |env| drop(env.app.as_command().disable_webhook(&webhook(env)).unwrap())),
    (AuditAction::WebhookReplayed, |env| {
        env.app.as_command().replay_webhook(&webhook(env), env.clock.now()).unwrap();
    }),
    (AuditAction::WebhookSecretRotated, |env| {
        env.app.as_command().rotate_webhook_secret(&webhook(env)).unwrap();
    }),
    (AuditAction::WebhookTested, |env| drop(env.app.as_command().test_webhook(&webhook(env)).unwrap())),
    (AuditAction::WebhookRemoved, |env| env.app.as_command().remove_webhook(&webhook(env)).unwrap()),
    (AuditAction::ProcessCancelled, |env| drop(env.app.as_command().cancel_process("ACME", "P-1").unwrap())),
    (AuditAction::ProcessRetried, |env| {
        env.app.as_command().cancel_process("ACME", "P-1").unwrap();
        env.app.as_command().retry_process("ACME", "P-1").unwrap();
    }),
    (AuditAction::JobStopped, |env| drop(env.app.as_command().stop_job(&job(env)).unwrap())),
    (AuditAction::JobResumed, |env| {
        let job = job(env);
        env.app.as_command().stop_job(&job).unwrap();
        env.app.as_command().resume_job(&job).unwrap();
    }),
    (AuditAction::ProcessesArchived, archive),
    (AuditAction::ProcessesExported, |env| {
        let wanted = FailedAccounts { supplier: "ACME".into(), status: None, error_code: None };
        env.app.as_command().begin_failed_export(&wanted, FailedFormat::Csv).unwrap();
    }),
    (AuditAction::AccountsSearched, |env| {
        env.app.as_caller(&env.caller).search_accounts(Some("ACME"), "Lovelace", 10).unwrap();
    }),
    (AuditAction::AccountRevealed, |env| {
        env.app.as_caller(&env.caller).reveal_account("ACME", "A-1").unwrap();
    }),
    (AuditAction::AccountExported, |env| drop(env.app.as_command().export_account("ACME", "A-1").unwrap())),
    (AuditAction::AccountsExported, |env| {
        drop(env.app.as_command().begin_table_export("ACME", "csv", "full").unwrap())
    }),
    (AuditAction::AccountErased, erase),
    (AuditAction::ErasureForgotten, |env| {
        erase(env);
        env.app.as_command().forget_erasure("ACME", "A-1", "withdrawn").unwrap();
    }),
    (AuditAction::ResealBegun, |env| env.app.begin_reseal().unwrap()),
    (AuditAction::BackupBegun, |env| env.app.begin_backup().unwrap()),
    (AuditAction::SignedIn, |env| drop(sign_in(env))),
    (AuditAction::SignedOut, |env| {
        let session = env.app.session(&sign_in(env)).unwrap();
        env.app.sign_out(&session).unwrap();
    }),
];

fn erase(env: &TestEnv) {
    env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
}

fn env() -> TestEnv {
    let env = TestEnv::with(MEMBERS);
    env.create_as("P-1", MEMBERS);
    env
}

#[test]
fn every_action_is_recorded_once() {
    for (n, (action, act)) in ACTS.iter().enumerate() {
        assert_eq!(*action, AuditAction::ALL[n], "every action is listed");
        let env = env();
        let before = trail(&env).len();
        act(&env);
        let found = trail(&env);
        let of_it: Vec<_> = found[..found.len() - before].iter().collect();
        assert_eq!(of_it[0].action, action.as_str(), "the last action comes first");
        let same = of_it.iter().filter(|record| record.action == action.as_str());
        assert_eq!(same.count(), 1, "{action}: {of_it:?}");
        let text = format!("{of_it:?}");
        for word in ["A-1", "P-1", "Okafor"] {
            assert!(!text.contains(word), "{action} has data of a customer: {text}");
        }
    }
}

#[test]
fn action_names_round_trip() {
    for action in AuditAction::ALL {
        assert_eq!(action.as_str().parse(), Ok(action));
    }
    let unknown = "account.hide".parse::<AuditAction>().unwrap_err().to_string();
    assert!(
        unknown.starts_with("\"account.hide\" is not an action: expected one of organisation.add, "),
        "{unknown}"
    );
}

#[test]
fn an_entry_has_its_author_and_subject_by_key() {
    let env = env();
    env.clock.advance(Duration::minutes(1));
    let paused = SupplierChange {
        status: Some(SupplierStatus::Paused),
        rules: [("CUS-08".to_owned(), None)].into(),
        max_concurrent_imports: Some(None),
        ..SupplierChange::default()
    };
    env.app.as_command().set_supplier("ACME", paused).unwrap();
    let last = trail(&env).remove(0);
    assert_eq!((last.by.as_str(), last.at), ("command", env.clock.now()));
    assert_eq!((last.organisation.as_deref(), last.supplier.as_deref()), (Some("Acme"), Some("ACME")));
    let facts: Vec<_> = last.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
    assert_eq!(facts, ["CUS-08=default", "max-concurrent-imports=none", "status=Paused"]);

    env.app.as_caller(&env.caller).cancel_process("ACME", "P-1").unwrap();
    let last = trail(&env).remove(0);
    assert_eq!(last.by, format!("key:{}", env.caller.key_prefix));
    assert!(last.process_id.is_some() && last.detail.is_empty());

    env.app.as_command().erase_account("ACME", "A-1", "asked for").unwrap();
    let last = trail(&env).remove(0);
    assert!(last.detail.facts().any(|(name, fact)| (name, fact) == ("accounts", &Fact::Count(1))));
}

#[test]
fn refused_actions_are_not_recorded() {
    let env = env();
    let before = trail(&env);
    let stranger = Caller { organisation_id: 99, ..env.caller.clone() };
    let refused = [
        env.app.add_organisation("Acme").map(drop),
        env.app.as_command().revoke_organisation("Nobody"),
        env.app.as_command().issue_api_key("Nobody", ApiKeyRole::Operator).map(drop),
        env.app.as_command().revoke_api_key("cut_live_nobody"),
        env.app.as_command().add_supplier("ACME", "Acme", SupplierChange::default()).map(drop),
        env.app.as_command().set_supplier("NOBODY", SupplierChange::default()).map(drop),
        env.app.as_command().remove_vendor("Acme", "NOBODY"),
        env.app.as_command().cancel_process("ACME", "A-1").map(drop),
        env.app.as_command().retry_process("ACME", "A-1").map(drop),
        env.app.as_command().export_account("ACME", "NOBODY").map(drop),
        env.app.as_command().erase_account("ACME", "NOBODY", "asked for").map(drop),
        env.app.as_caller(&stranger).reveal_account("ACME", "A-1").map(drop),
        env.app.as_caller(&stranger).cancel_process("ACME", "P-1").map(drop),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert!(env.app.sign_in("cut_live_guess").is_err());
    assert_eq!(trail(&env), before);
}

#[test]
fn an_unknown_supplier_is_not_found() {
    let env = env();
    let of = |code: &str| {
        let scope = AuditScope { supplier: Some(code.into()), limit: 10, ..AuditScope::default() };
        env.app.as_command().audit(&scope)
    };
    assert_eq!(of("ACME").unwrap().len(), 1);
    assert!(matches!(of("NOBODY"), Err(OperatorError::NotFound { .. })));
}
