use super::environment::{
    COPY_ATTEMPTS, Database, SECRET, at, certificate_key, hook, import, instruction, on_both, payload,
    sealer, sign, stage, supplier, webhook_secret,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cutover_app::additions::AddRefused;
use cutover_app::auth::Caller;
use cutover_app::operator::SupplierChange;
use cutover_app::port::{ApiKeyRole, StoreError, read, write};
use cutover_app::{App, Ports, Settings};
use cutover_core::Level;
use cutover_store::{EncryptionKeys, KeyState, Seal, SealedTable, Sealer};
use cutover_testkit::{FakeClock, FakeDocuments, FakeVendors, FakeWebhooks, SeededRandom};
use std::sync::Arc;

on_both! {
    all_values_are_sealed
    unsealed_values_stay_readable
    a_moved_row_is_refused_and_the_others_are_not
    a_missing_key_is_reported_for_each_row
    a_restaged_payload_is_sealed_again
    an_archived_payload_is_unsealed
    a_wrong_key_of_the_same_name_is_reported
    signing_keys_are_sealed_and_older_ones_stay_readable
    a_signing_key_that_cannot_be_opened_reports_the_reason
    private_parts_of_certificate_keys_are_sealed
    numbers_of_other_businesses_are_found
}

const DETAILS: [&str; 3] = ["payment_instructions", "account_instructions", "business_instructions"];

/// A payload is `sealed:1:a:…` in hexadecimal digits.
const SEALED_WITH_A: &str = "7365616c65643a313a613a";

fn all_values_are_sealed(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    let id = stage(store, &supplier(store), "A-1");
    import(store, &read(store, |tx| tx.supplier_by_id(1)).unwrap().unwrap(), id);
    sign(store, "k");
    let webhook = hook(store, &read(store, |tx| tx.supplier_by_id(1)).unwrap().unwrap());
    database.change(COPY_ATTEMPTS);
    let secrets = database.shown("secret", "webhook_secrets");
    assert!(secrets[0].starts_with("sealed:1:a:") && !secrets[0].contains("CANARY"), "{secrets:?}");
    assert_eq!(read(store, |tx| tx.webhook_secrets(webhook, at(1))), Ok(vec![webhook_secret()]));
    let payloads = database.hex("payload", "payloads");
    assert!(payloads.iter().all(|hex| hex.starts_with(SEALED_WITH_A)), "{payloads:?}");
    for table in DETAILS {
        let details = database.shown("details", &format!("{table} WHERE details IS NOT NULL"));
        assert_eq!(details.len(), 1, "{table}");
        assert!(details[0].starts_with("sealed:1:a:"), "{table}: {details:?}");
        assert!(!details[0].contains("CANARY") && !details[0].contains("062-000"), "{table}: {details:?}");
    }
    assert_eq!(read(store, |tx| tx.staged(id)), Ok(Some(payload("A-1"))));
    let previous = read(store, |tx| tx.previous_attempt(id)).unwrap().unwrap();
    assert_eq!(previous.payload, payload("A-1").payload);
    let account = read(store, |tx| tx.imported_account(id)).unwrap().unwrap();
    let bank = account.account.payment_instructions.as_ref().unwrap()[0].bank_account.as_ref().unwrap();
    assert_eq!(bank.account_number.as_sent(), "999888777");
    assert_eq!(account.verified_instructions, [instruction()]);
    let key = Seal::Key("a".into(), KeyState::Seals);
    for seals in opened.seals() {
        assert_eq!(seals.found.into_iter().collect::<Vec<_>>(), [(key.clone(), 1)], "{:?}", seals.table);
        assert!(seals.is_all);
    }
}

fn unsealed_values_stay_readable(database: &Database) {
    let opened = database.open(Sealer::default());
    let store = &*opened.store();
    let acme = supplier(store);
    let id = stage(store, &acme, "A-1");
    import(store, &acme, id);
    sign(store, "k");
    let webhook = hook(store, &acme);
    database.change(COPY_ATTEMPTS);
    assert_eq!(database.hex("payload", "payloads").len(), 1);
    assert!(database.shown("details", "account_instructions")[0].contains("CANARY"));
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    assert_eq!(read(store, |tx| tx.staged(id)), Ok(Some(payload("A-1"))));
    let account = read(store, |tx| tx.imported_account(id)).unwrap().unwrap();
    assert_eq!(account.verified_instructions, [instruction()]);
    assert_eq!(read(store, |tx| tx.webhook_secrets(webhook, at(1))), Ok(vec![webhook_secret()]));
    assert!(opened.seals().iter().all(|seals| seals.found.keys().eq([&Seal::Open])));
}

fn a_moved_row_is_refused_and_the_others_are_not(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    let acme = supplier(store);
    let ids = ["A-1", "A-2", "A-3"].map(|number| stage(store, &acme, number));
    let [first, second, third] = ids;
    database.change(&format!(
        "UPDATE payloads SET payload = (SELECT payload FROM payloads WHERE process_id = {first}) \
         WHERE process_id = {second}"
    ));
    let mut found = read(store, |tx| tx.payloads(&ids)).unwrap();
    found.sort_by_key(|(id, _)| *id);
    assert_eq!(found[0], (first, Ok(payload("A-1").payload)));
    assert!(
        matches!(&found[1], (_, Err(StoreError::Corrupt(text))) if !text.contains("CANARY")),
        "{found:?}"
    );
    assert_eq!(found[2], (third, Ok(payload("A-3").payload)));
    import(store, &acme, first);
    database.change("UPDATE account_instructions SET details = (SELECT details FROM business_instructions)");
    let refused = read(store, |tx| tx.imported_account(first));
    assert!(matches!(refused, Err(StoreError::Corrupt(_))), "{refused:?}");
}

fn a_missing_key_is_reported_for_each_row(database: &Database) {
    let (old, new) = (database.open(sealer(&["a"])), database.open(sealer(&["b"])));
    let acme = supplier(&*old.store());
    let (first, second) = (stage(&*old.store(), &acme, "A-1"), stage(&*new.store(), &acme, "A-2"));
    let mut found = read(&*new.store(), |tx| tx.payloads(&[first, second])).unwrap();
    found.sort_by_key(|(id, _)| *id);
    let missing = Err(StoreError::KeyMissing("a".into()));
    assert_eq!(found, [(first, missing), (second, Ok(payload("A-2").payload))]);
    let lost = database.open(sealer(&["b", "A"]));
    let found = read(&*lost.store(), |tx| tx.payloads(&[first])).unwrap();
    assert!(matches!(found[0].1, Err(StoreError::Corrupt(_))), "{found:?}");
}

fn a_restaged_payload_is_sealed_again(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    let acme = supplier(store);
    let id = stage(store, &acme, "A-1");
    let before = database.hex("payload", "payloads");
    write(store, move |tx| tx.restage(id, &payload("other"))).unwrap();
    let after = database.hex("payload", "payloads");
    assert!(after[0].starts_with(SEALED_WITH_A) && after != before);
    assert_eq!(read(store, |tx| tx.staged(id)), Ok(Some(payload("other"))));
}

fn an_archived_payload_is_unsealed(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    let acme = supplier(store);
    let ids = ["A-1", "A-2"].map(|number| stage(store, &acme, number));
    database.change("UPDATE processes SET state = 'CANCELLED'");
    let long_after = super::environment::at(1_000);
    let kept = read(store, |tx| tx.processes_to_archive(&ids, long_after)).unwrap();
    let payloads: Vec<_> = kept.into_iter().map(|kept| kept.payload).collect();
    assert_eq!(payloads, ["A-1", "A-2"].map(|number| payload(number).payload));
    // A payload that cannot be opened is kept and does not hold up the others.
    database.change(&format!(
        "UPDATE payloads SET payload = substr(payload, 1, 40) WHERE process_id = {}",
        ids[0]
    ));
    assert_eq!(read(store, |tx| tx.processes_to_archive(&ids, long_after)).unwrap().len(), 1);
}

/// Returns the stored secrets of all signing keys.
fn secrets(database: &Database) -> Vec<String> {
    database.hex("secret", "signing_keys ORDER BY kid")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn signing_keys_are_sealed_and_older_ones_stay_readable(database: &Database) {
    let before = sign(&*database.open(Sealer::default()).store(), "k1");
    assert_eq!(secrets(database), [hex(&SECRET)]);
    let opened = database.open(sealer(&["a"]));
    let store = &*opened.store();
    let sealed = sign(store, "k2");
    assert_eq!(read(store, |tx| tx.signing_keys()), Ok(vec![sealed, before]));
    let stored = secrets(database);
    assert!(stored[1].starts_with(SEALED_WITH_A) && !stored[1].contains(&hex(b"CANARY")), "{stored:?}");
    let seals = opened.seals().into_iter().find(|seals| seals.table == SealedTable::SigningKeys).unwrap();
    assert!(seals.is_all);
    let key = Seal::Key("a".into(), KeyState::Seals);
    assert_eq!(seals.found.into_iter().collect::<Vec<_>>(), [(Seal::Open, 1), (key, 1)]);
}

/// The other keys stay readable, and each key can be removed.
fn a_signing_key_that_cannot_be_opened_reports_the_reason(database: &Database) {
    sign(&*database.open(sealer(&["a"])).store(), "k1");
    sign(&*database.open(sealer(&["c"])).store(), "k2");
    let opened = database.open(sealer(&["b", "C"]));
    let store = &*opened.store();
    sign(store, "k3");
    let found = read(store, |tx| tx.signing_keys()).unwrap();
    assert_eq!(found[0].secret, Ok(SECRET));
    assert!(
        matches!(found[1].secret, Err(StoreError::Corrupt(_))) && found[1].is_gone(),
        "{:?}",
        found[1].secret
    );
    assert_eq!(found[2].secret, Err(StoreError::KeyMissing("a".into())));
    assert!(!found[2].is_gone());
    // A moved secret does not open.
    database.change("UPDATE signing_keys SET secret = (SELECT secret FROM signing_keys WHERE kid = 'k3') WHERE kid = 'k1'");
    let found = read(store, |tx| tx.signing_keys()).unwrap();
    assert!(matches!(found[2].secret, Err(StoreError::Corrupt(_))), "{:?}", found[2].secret);
    assert_eq!(write(store, |tx| tx.remove_signing_keys_superseded_before(at(1))), Ok(2));
}

/// Public keys stay readable when the encryption key is missing.
fn private_parts_of_certificate_keys_are_sealed(database: &Database) {
    sign(&*database.open(sealer(&["a"])).store(), "k1");
    let stored = database.hex("secret", "certificate_keys");
    assert!(stored[0].starts_with(SEALED_WITH_A) && !stored[0].contains(&hex(b"CANARY")), "{stored:?}");
    let opened = database.open(sealer(&["a"]));
    assert_eq!(read(&*opened.store(), |tx| tx.certificate_keys()), Ok(vec![certificate_key("k1")]));
    drop(opened);
    let other = database.open(sealer(&["b"]));
    let found = read(&*other.store(), |tx| tx.certificate_keys()).unwrap();
    assert_eq!(found[0].secret, Err(StoreError::KeyMissing("a".into())));
    assert_eq!(found[0].public_key, [7; 32]);
}

fn a_wrong_key_of_the_same_name_is_reported(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let acme = supplier(&*opened.store());
    stage(&*opened.store(), &acme, "A-1");
    drop(opened);
    let keys = format!("a:{}", STANDARD.encode([0; 32]));
    let keys = EncryptionKeys::parse(&keys).unwrap();
    let opened = database.open(Sealer::new(keys, Arc::new(SeededRandom::new(1))));
    let seals = opened.seals().remove(0);
    assert_eq!(seals.table, SealedTable::Payloads);
    assert!(seals.found.keys().eq([&Seal::Key("a".into(), KeyState::Wrong)]), "{seals:?}");
}

/// The key of their words is sealed, and each process opens it.
fn numbers_of_other_businesses_are_found(database: &Database) {
    let opened = database.open(sealer(&["a"]));
    let organisation_id = supplier(&*opened.store()).organisation_id;
    drop(opened);
    let create = |identifier: &str| {
        let ports = Ports {
            store: database.open(sealer(&["a"])).store(),
            clock: Arc::new(FakeClock::of_fixtures()),
            random: Arc::new(SeededRandom::new(1)),
            documents: Arc::<FakeDocuments>::default(),
            vendors: Arc::<FakeVendors>::default(),
            webhooks: Arc::<FakeWebhooks>::default(),
        };
        let app = App::new(ports, Settings::default());
        let by = app.as_command();
        let revision = Some(by.show_supplier("A").unwrap().revision);
        let rules = [("BUS-10".to_owned(), Some(Level::Error))].into();
        by.set_supplier("A", SupplierChange { revision, rules, ..SupplierChange::default() }).unwrap();
        let (api_key_id, key_prefix, role) = (1, "k".to_owned(), ApiKeyRole::Supplier);
        let caller = Caller { organisation_id, api_key_id, key_prefix, role };
        let body = format!(
            r#"{{"import_supplier_code": "A", "external_business_identifier": "{identifier}",
                "business": {{"details": [{{"key": "abn", "value": "51824753556"}}]}}}}"#
        );
        match app.create_business(&caller, body.as_bytes()) {
            Err(AddRefused::Faults(issues)) => issues.iter().map(|issue| issue.code.to_string()).collect(),
            created => vec![created.unwrap().external_business_identifier],
        }
    };
    assert_eq!(create("B-1"), ["B-1"]);
    assert_eq!(create("B-1"), ["B-1"]);
    assert_eq!(create("B-2"), ["business_detail_value_exists_for_unique_key"]);
    let keys = database.hex("secret", "search_keys");
    assert!(keys.len() == 1 && keys[0].starts_with(SEALED_WITH_A), "{keys:?}");
}
