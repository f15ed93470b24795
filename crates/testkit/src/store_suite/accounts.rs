//! Imported accounts read back, with every kind of meter point.

use super::helpers::{ABSENT, at, create, process, put, see, supplier, worker};
use super::imported::{SYDNEY, account, decided, decode, zone};
use super::kept::{comparable, difference};
use crate::payload::{account_json, widest_account_json};
use cutover_app::port::{ImportedAccount, NewAccount, Store, StoreError, Supplier, write};
use cutover_core::Zone;
use cutover_model::service::read_account;
use cutover_model::{Account, IntoOwned, Variant, decode_account};
use cutover_process::Event;
use std::collections::HashSet;
use std::path::Path;

fn import(store: &dyn Store, new: &NewAccount) -> ImportedAccount {
    let written = new.clone();
    put(store, move |tx| tx.insert_accounts(&[&written]));
    see(store, |tx| tx.imported_account(new.process_id)).unwrap()
}

/// Returns the account as shown in a zone.
fn shown(imported: &ImportedAccount, in_zone: &str) -> Account<'static> {
    read_account(&imported.account_json(zone(in_zone))).unwrap().into_owned()
}

fn reads_back(store: &dyn Store, new: &NewAccount) {
    let written = new.clone();
    put(store, move |tx| tx.insert_accounts(&[&written]));
    is_there(store, new);
}

/// Every member of an account is stored.
fn is_there(store: &dyn Store, new: &NewAccount) {
    let imported = see(store, |tx| tx.imported_account(new.process_id)).unwrap();
    assert_eq!(imported.number, new.number);
    assert_eq!(imported.customer_emails, new.customer_emails);
    let sent = comparable(&decided(new), new.zone);
    for account in [&imported.account, &shown(&imported, "America/St_Johns")] {
        assert_eq!(difference(&comparable(account, Zone::UTC), &sent), None);
    }
}

/// Checks the realistic accounts of the fixtures.
pub fn fixtures_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 7, "a fixture for each kind of meter point");
    let mut kinds = HashSet::new();
    for (n, file) in (1..).zip(&files) {
        let payload = decode(&std::fs::read_to_string(file).unwrap(), zone(SYDNEY));
        let points = payload.supply_addresses.iter().flatten().flat_map(|entry| &entry.meter_points);
        kinds.extend(points.map(|point| point.variant.supply_type()));
        reads_back(store, &account(store, &acme, n, payload));
    }
    assert_eq!(kinds.len(), 7);
}

/// The columns hold every value that the fields accept. A dry run, which writes no account, relies on it.
pub fn the_widest_accounts_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let mut kinds = HashSet::new();
    for seed in 1..=24 {
        let payload = decode(&widest_account_json(seed), zone(SYDNEY));
        let points = payload.supply_addresses.iter().flatten().flat_map(|entry| &entry.meter_points);
        kinds.extend(points.map(|point| point.variant.supply_type()));
        reads_back(store, &account(store, &acme, seed, payload));
    }
    assert_eq!(kinds.len(), 7);
}

/// Checks every documented member, alone and together.
pub fn generated_accounts_read_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    for seed in 1..=120 {
        let payload = decode(&account_json(seed), zone(SYDNEY));
        reads_back(store, &account(store, &acme, seed, payload));
    }
}

/// Digits are kept as sent; times are shown with the requested offset.
pub fn digits_are_kept_and_times_are_converted_to_the_zone(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let payload = r#"{"import_supplier":"ACME","external_account_number":"1","transfer_balance":10.10,
        "events":[{"event_type":"E","category":"C","subcategory":"S","description":"D",
            "occurred_at":"2026-07-01 10:00"}],
        "notes":[{"body":"N","created_at":"2026-01-01T00:00:00.25Z","is_pinned":false}],
        "supply_addresses":[{"supply_address":{"administrative_area":"VIC","country":"AU","locality":"L",
            "postal_code":"3000","structured_street_address":{"house_number_1":7}},
          "customer_at_supply_address_from_date":"2026-01-01",
          "meter_points":[{"mpxn":"6305 ","supply_type":"GAS","supply_start_date":"2026-01-01",
            "address":{"postcode":"3000"},"master_data":{"customer_classification_code":"RES",
              "mirn_status":"Commissioned","heating_value_zone":null,"market":"VICGAS","baseload":"001.50"},
            "role_assignments":[{"party":"P","role":"FRO"},{"party":"P","role":"DB"}],
            "meters":[{"meter_serial_number":"M","kpa_value":1.1000,
              "transfer_readings":[{"reading_date":"2026-06-01","reading_value":"0012.500",
                "reading_type":"CUSTOMER","consumed_energy":1.2e1}]}]}]}]}"#;
    let decoded = decode_account(payload.as_bytes(), zone(SYDNEY)).unwrap();
    let faults: Vec<_> = decoded.findings.iter().map(|f| format!("{} {}", f.attr, f.check.code)).collect();
    let payload = decoded.draft.unwrap().into_valid().unwrap_or_else(|| panic!("{faults:?}")).0.into_owned();
    let kept = shown(&import(store, &account(store, &acme, 1, payload)), "Australia/Perth");
    let balance = kept.transfer_balance.as_ref().unwrap();
    assert_eq!((balance.as_sent(), balance.is_quoted()), ("10.10", true));
    assert_eq!(kept.events.as_ref().unwrap()[0].occurred_at.as_sent(), "2026-07-01T08:00:00+08:00");
    let note = &kept.notes.as_ref().unwrap()[0];
    assert_eq!(note.created_at.as_ref().unwrap().as_sent(), "2026-01-01T08:00:00.250+08:00");
    assert_eq!((note.is_pinned, note.unpin_at.is_some()), (Some(false), false));
    let point = &kept.supply_addresses.as_ref().unwrap()[0].meter_points[0];
    assert_eq!(point.common.mpxn.as_sent(), "6305");
    let Variant::Gas(gas) = &point.variant else { panic!("it was gas") };
    assert_eq!(gas.master_data.baseload.value().unwrap().as_sent(), "001.50");
    let meter = &gas.meters.as_ref().unwrap()[0];
    assert_eq!(meter.kpa_value.value().unwrap().as_sent(), "1.1000");
    let reading = &meter.transfer_readings.as_ref().unwrap()[0];
    assert_eq!(reading.reading_value.as_sent(), "0012.500");
    assert_eq!(reading.consumed_energy.value().unwrap().as_sent(), "12");
}

/// Checks the maximum number of items of an array.
pub fn an_account_with_ten_thousand_readings_reads_back(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let readings = (0..10_000).map(|i| {
        format!(
            r#"{{"reading_date":"2026-01-01","reading_value":{i}.5,"reading_type":"SMART","billed":true}}"#
        )
    });
    let readings = readings.collect::<Vec<_>>().join(",");
    let payload = format!(
        r#"{{"import_supplier":"A","external_account_number":"1","supply_addresses":[{{"supply_address":
        {{"administrative_area":"VIC","country":"AU","locality":"L","postal_code":"3000",
        "structured_street_address":{{}}}},"customer_at_supply_address_from_date":"2026-01-01","meter_points":
        [{{"mpxn":"1","supply_start_date":"2026-01-01","meters":[{{"meter_serial_number":"M",
        "reading_history":[{readings}]}}]}}]}}]}}"#
    );
    reads_back(store, &account(store, &acme, 1, decode(&payload, Zone::UTC)));
}

/// A number that is in use is refused, and so is a second account of a process; nothing is written.
pub fn a_number_belongs_to_one_account(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let payload = decode(r#"{"import_supplier":"A","external_account_number":"1"}"#, Zone::UTC);
    let first = account(store, &acme, 1, payload.clone());
    let second = account(store, &acme, 2, payload);
    import(store, &first);
    let taken = NewAccount { number: first.number.clone(), ..second.clone() };
    let again = NewAccount { number: second.number.clone(), ..first };
    for refused in [taken, again] {
        let refused = write(store, move |tx| tx.insert_accounts(&[&refused])).unwrap_err();
        assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");
    }
    assert_eq!(see(store, |tx| tx.imported_account(second.process_id)), None);
    assert_eq!(import(store, &second).number, second.number);
}

/// Returns a generated account for the process of `A-n`.
fn generated(store: &dyn Store, of: &Supplier, n: u64) -> NewAccount {
    account(store, of, n, decode(&account_json(n), zone(SYDNEY)))
}

/// Accounts of several suppliers are written completely and separately.
pub fn accounts_are_written_together(store: &dyn Store) {
    let (acme, other) = (supplier(store, "ACME"), supplier(store, "OTHER"));
    let all: Vec<_> =
        (201..=216).map(|n| generated(store, if n % 2 == 0 { &acme } else { &other }, n)).collect();
    let written = all.clone();
    put(store, move |tx| tx.insert_accounts(&written.iter().collect::<Vec<_>>()));
    all.iter().for_each(|new| is_there(store, new));
    put(store, |tx| tx.insert_accounts(&[]));
}

/// If one account is refused, neither the others nor the steps written with them are stored.
pub fn refused_accounts_leave_nothing(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let [kept, a, b, c] = [1, 2, 3, 4].map(|n| generated(store, &acme, n));
    import(store, &kept);
    let with_number =
        |of: &NewAccount, new: &NewAccount| NewAccount { number: of.number.clone(), ..new.clone() };
    let with_process =
        |of: &NewAccount, new: &NewAccount| NewAccount { process_id: of.process_id, ..new.clone() };
    for refused in
        [with_number(&kept, &b), with_number(&a, &b), with_process(&kept, &b), with_process(&a, &b)]
    {
        let pending = process(store, &acme, "A-2").process;
        let (claimed, entry) = pending.clone().step(Event::Claimed, at(5), worker()).unwrap();
        let batch = [a.clone(), refused, c.clone()];
        let error = write(store, move |tx| {
            assert!(tx.step_process(&claimed, &entry)?);
            tx.insert_accounts(&batch.each_ref())
        });
        assert!(matches!(error, Err(StoreError::Conflict(_))), "{error:?}");
        assert_eq!(process(store, &acme, "A-2").process, pending);
        for new in [&a, &b, &c] {
            assert_eq!(see(store, |tx| tx.imported_account(new.process_id)), None);
        }
        is_there(store, &kept);
    }
    let batch = [a.clone(), b.clone(), c.clone()];
    put(store, move |tx| tx.insert_accounts(&batch.each_ref()));
    [a, b, c].iter().for_each(|new| is_there(store, new));
}

/// A staged account cannot be read as an imported one.
pub fn there_is_no_account_before_its_import(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let staged = create(store, &acme, "A-1");
    assert_eq!(see(store, |tx| tx.imported_account(staged.id())), None);
    assert_eq!(see(store, |tx| tx.imported_account(ABSENT)), None);
}
