//! Accounts to import, and imported ones to add to.

use super::helpers::{at, create, put, see, worker};
use cutover_app::port::{ImportedAccount, NewAccount, Store, StoreError, Supplier, Tx};
use cutover_core::{ServiceAccountNumber, Zone};
use cutover_model::{Account, DateTime, IntoOwned, Totals, decode_account};
use cutover_process::{Event, Process};

pub(super) const SYDNEY: &str = "Australia/Sydney";

pub(super) fn zone(name: &str) -> Zone {
    name.parse().unwrap()
}

pub(super) fn decode(json: &str, zone: Zone) -> Account<'static> {
    let decoded = decode_account(json.as_bytes(), zone).unwrap();
    let faults: Vec<_> = decoded.findings.iter().map(|f| format!("{} {}", f.attr, f.check.code)).collect();
    let valid = decoded.draft.unwrap().into_valid().unwrap_or_else(|| panic!("{faults:?}"));
    valid.0.into_owned()
}

/// The process of the account `A-n`.
pub(super) fn pending(store: &dyn Store, supplier: &Supplier, n: u64) -> Process {
    create(store, supplier, format!("A-{n}").leak())
}

/// Creates a process and returns a new account for it; `n` makes its numbers.
pub(super) fn account(
    store: &dyn Store,
    supplier: &Supplier,
    n: u64,
    account: Account<'static>,
) -> NewAccount {
    account_of(&pending(store, supplier, n), supplier, n, account)
}

/// Returns a new account for a process; `n` makes its service account number.
pub(super) fn account_of(
    process: &Process,
    supplier: &Supplier,
    n: u64,
    account: Account<'static>,
) -> NewAccount {
    let external = &process.snapshot().external_account_number;
    let account = Account {
        import_supplier: supplier.code.to_string().into(),
        external_account_number: format!(" {external}\t").into(),
        ..account
    };
    NewAccount {
        number: ServiceAccountNumber::from_random(n),
        process_id: process.id(),
        supplier_id: supplier.id,
        organisation_id: supplier.organisation_id,
        customer_emails: n % 2 == 1,
        zone: zone(SYDNEY),
        imported_at: at(1_000),
        totals: Totals::of(&account, zone(SYDNEY)),
        account,
    }
}

/// Sets what the import decides: the kind of each meter point, and the time of notes without one.
pub(super) fn decided(new: &NewAccount) -> Account<'static> {
    let mut account = new.account.clone();
    for entry in account.supply_addresses.iter_mut().flatten() {
        for point in &mut entry.meter_points {
            point.common.supply_type = Some(point.variant.supply_type());
        }
    }
    for note in account.notes.iter_mut().flatten() {
        note.created_at.get_or_insert(DateTime::at(new.imported_at, Zone::UTC));
    }
    account
}

/// Returns an account with these members, without a supplier.
pub(super) fn of_members(members: &str) -> Account<'static> {
    decode(&format!(r#"{{"import_supplier":"S","external_account_number":"N",{members}}}"#), zone(SYDNEY))
}

/// Imports the account `A-n` with these members, and returns it.
pub(super) fn import(store: &dyn Store, supplier: &Supplier, n: u64, members: &str) -> NewAccount {
    let process = pending(store, supplier, n);
    let new = account_of(&process, supplier, n, of_members(members));
    let written = new.clone();
    put(store, move |tx| end_with(tx, process, &written));
    new
}

/// Imports a pending process, like a worker.
pub(super) fn end_with(tx: &mut dyn Tx, mut process: Process, new: &NewAccount) -> Result<(), StoreError> {
    for event in [Event::Claimed, Event::Imported(new.number.clone())] {
        let (next, entry) = process.step(event, new.imported_at, worker()).unwrap();
        assert!(tx.step_process(&next, &entry)?);
        process = next;
    }
    tx.insert_accounts(&[new])
}

/// Reads an imported account in UTC.
pub(super) fn seen(store: &dyn Store, new: &NewAccount) -> ImportedAccount {
    see(store, |tx| tx.imported_account(new.process_id)).unwrap()
}
