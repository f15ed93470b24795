//! The audit trail: every use case of operators is told of, once, with what it did.

use crate::house::House;
use chrono::{Days, Duration};
use cutover_app::auth::Caller;
use cutover_app::operator::{
    Archive, ArchiveScope, ArchivedProcess, AuditScope, OperatorError, SupplierChange,
};
use cutover_app::port::{ApiKeyRole, AuditAction, AuditRecord, Clock, Fact, VendorKind};
use cutover_core::SupplierStatus;
use std::io;

const MEMBERS: &str = r#""customers":[{"family_name":"Okafor"}]"#;

/// Takes what it is given, and keeps nothing.
struct Nowhere;

impl Archive for Nowhere {
    fn append(&mut self, _: &ArchivedProcess) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn told(house: &House) -> Vec<AuditRecord> {
    house.app.audit(&AuditScope { limit: 1_000, ..AuditScope::default() }).unwrap()
}

fn archive(house: &House) {
    let before = house.clock.now().date_naive() + Days::new(2);
    let scope = ArchiveScope { before, supplier: None, limit: None };
    assert!(house.app.archive_processes(&scope, &mut Nowhere).unwrap().archived > 0);
}

fn sign_in(house: &House) -> String {
    let key = house.app.issue_api_key("Acme", ApiKeyRole::Operator).unwrap().key;
    house.app.sign_in(&key).unwrap()
}

type Act = (AuditAction, fn(&House));

/// What does each action, on a house with `A-1` imported and `P-1` pending, as its last act.
const ACTS: [Act; AuditAction::ALL.len()] = [
    (AuditAction::OrganisationAdded, |house| drop(house.app.add_organisation("Other").unwrap())),
    (AuditAction::OrganisationRevoked, |house| house.app.revoke_organisation("Acme").unwrap()),
    (AuditAction::KeyIssued, |house| drop(house.app.issue_api_key("Acme", ApiKeyRole::Operator).unwrap())),
    (AuditAction::KeyRevoked, |house| house.app.revoke_api_key(&house.caller.key_prefix).unwrap()),
    (AuditAction::SigningKeyRotated, |house| drop(house.app.rotate_signing_key().unwrap())),
    (AuditAction::SigningKeyRevoked, |house| {
        let kid = house.app.rotate_signing_key().unwrap().kid;
        house.app.revoke_signing_key(&kid).unwrap();
    }),
    (AuditAction::SupplierAdded, |house| {
        house.app.add_supplier("SECOND", "Acme", SupplierChange::default()).unwrap();
    }),
    (AuditAction::SupplierSet, |house| {
        let status = Some(SupplierStatus::Paused);
        house.app.set_supplier("ACME", SupplierChange { status, ..SupplierChange::default() }).unwrap();
    }),
    (AuditAction::VendorAdded, |house| {
        house.app.add_vendor("PAY", VendorKind::Http, "https://pay.example", None).unwrap();
    }),
    (AuditAction::VendorRemoved, |house| {
        house.app.add_vendor("PAY", VendorKind::Http, "https://pay.example", None).unwrap();
        house.app.remove_vendor("PAY").unwrap();
    }),
    (AuditAction::ProcessCancelled, |house| drop(house.app.cancel_process("ACME", "P-1").unwrap())),
    (AuditAction::ProcessRetried, |house| {
        house.app.cancel_process("ACME", "P-1").unwrap();
        house.app.retry_process("ACME", "P-1").unwrap();
    }),
    (AuditAction::ProcessesArchived, archive),
    (AuditAction::AccountRevealed, |house| {
        house.app.reveal_own_process(&house.caller, "ACME", "A-1").unwrap();
    }),
    (AuditAction::AccountExported, |house| drop(house.app.export_account("ACME", "A-1").unwrap())),
    (AuditAction::AccountErased, |house| drop(house.app.erase_account("ACME", "A-1").unwrap())),
    (AuditAction::ResealBegun, |house| house.app.begin_reseal().unwrap()),
    (AuditAction::BackupBegun, |house| house.app.begin_backup().unwrap()),
    (AuditAction::SignedIn, |house| drop(sign_in(house))),
    (AuditAction::SignedOut, |house| {
        let session = house.app.session(&sign_in(house)).unwrap();
        house.app.sign_out(&session).unwrap();
    }),
];

fn house() -> House {
    let house = House::with(MEMBERS);
    house.create_as("P-1", MEMBERS);
    house
}

#[test]
fn every_action_is_told_of_once() {
    for (n, (action, act)) in ACTS.iter().enumerate() {
        assert_eq!(*action, AuditAction::ALL[n], "each action is there");
        let house = house();
        let before = told(&house).len();
        act(&house);
        let found = told(&house);
        let of_it: Vec<_> = found[..found.len() - before].iter().collect();
        assert_eq!(of_it[0].action, action.as_str(), "the last is told of last");
        let same = of_it.iter().filter(|record| record.action == action.as_str());
        assert_eq!(same.count(), 1, "{action}: {of_it:?}");
        let text = format!("{of_it:?}");
        for word in ["A-1", "P-1", "Okafor"] {
            assert!(!text.contains(word), "{action} tells of a customer: {text}");
        }
    }
}

#[test]
fn a_word_is_that_of_its_action() {
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
fn what_is_told_names_who_and_what_by_our_keys() {
    let house = house();
    house.clock.advance(Duration::minutes(1));
    let paused = SupplierChange {
        status: Some(SupplierStatus::Paused),
        rules: [("CUS-08".to_owned(), None)].into(),
        max_concurrent_imports: Some(None),
        ..SupplierChange::default()
    };
    house.app.set_supplier("ACME", paused).unwrap();
    let last = told(&house).remove(0);
    assert_eq!((last.by.as_str(), last.at), ("command", house.clock.now()));
    assert_eq!((last.organisation.as_deref(), last.supplier.as_deref()), (Some("Acme"), Some("ACME")));
    let facts: Vec<_> = last.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
    assert_eq!(facts, ["CUS-08=default", "max-concurrent-imports=none", "status=Paused"]);

    house.app.cancel_own_process(&house.caller, "ACME", "P-1").unwrap();
    let last = told(&house).remove(0);
    assert_eq!(last.by, format!("key:{}", house.caller.key_prefix));
    assert!(last.process_id.is_some() && last.detail.is_empty());

    house.app.erase_account("ACME", "A-1").unwrap();
    let last = told(&house).remove(0);
    assert!(last.detail.facts().any(|(name, fact)| (name, fact) == ("accounts", &Fact::Count(1))));
}

#[test]
fn what_is_refused_is_not_told_of() {
    let house = house();
    let before = told(&house);
    let stranger = Caller { organisation_id: 99, ..house.caller.clone() };
    let refused = [
        house.app.add_organisation("Acme").map(drop),
        house.app.revoke_organisation("Nobody"),
        house.app.issue_api_key("Nobody", ApiKeyRole::Operator).map(drop),
        house.app.revoke_api_key("cut_live_nobody"),
        house.app.add_supplier("ACME", "Acme", SupplierChange::default()).map(drop),
        house.app.set_supplier("NOBODY", SupplierChange::default()).map(drop),
        house.app.remove_vendor("NOBODY"),
        house.app.cancel_process("ACME", "A-1").map(drop),
        house.app.retry_process("ACME", "A-1").map(drop),
        house.app.export_account("ACME", "NOBODY").map(drop),
        house.app.erase_account("ACME", "NOBODY").map(drop),
        house.app.reveal_own_process(&stranger, "ACME", "A-1").map(drop),
        house.app.cancel_own_process(&stranger, "ACME", "P-1").map(drop),
    ];
    assert!(refused.iter().all(Result::is_err), "{refused:?}");
    assert!(house.app.sign_in("cut_live_guess").is_err());
    assert_eq!(told(&house), before);
}

#[test]
fn a_supplier_that_is_not_there_is_no_scope() {
    let house = house();
    let of = |code: &str| {
        let scope = AuditScope { supplier: Some(code.into()), limit: 10, ..AuditScope::default() };
        house.app.audit(&scope)
    };
    assert_eq!(of("ACME").unwrap().len(), 1);
    assert!(matches!(of("NOBODY"), Err(OperatorError::NotFound { .. })));
}
