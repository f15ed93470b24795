//! Meter points of imported accounts.

use super::helpers::{ABSENT, see, supplier, supplier_of};
use super::imported::import;
use cutover_app::port::{MeterPointKey, MeterPointQuestion, Store, Supplier};

/// Returns a supply address with meter points: identifier, start of supply, and its end as JSON.
fn address(points: &[(&str, &str, &str)]) -> String {
    let point = |(mpxn, start, end): &(&str, &str, &str)| {
        format!(r#"{{"mpxn":"{mpxn}","supply_start_date":"{start}","supply_end_date":{end},"meters":[]}}"#)
    };
    let points: Vec<_> = points.iter().map(point).collect();
    format!(
        r#"{{"supply_address":{{"administrative_area":"VIC","country":"AU","locality":"L",
        "postal_code":"3000","structured_street_address":{{}}}},
        "customer_at_supply_address_from_date":"2020-01-01","meter_points":[{}]}}"#,
        points.join(",")
    )
}

fn supplied(points: &[(&str, &str, &str)]) -> String {
    format!(r#""supply_addresses":[{}]"#, address(points))
}

/// Returns a wanted meter point of an account: identifier and start of supply.
type Wanted<'a> = (&'a Supplier, &'a str, (&'a str, &'a str));

/// Looks up whether each meter point is taken, in one query.
fn are_taken(store: &dyn Store, wanted: &[Wanted<'_>]) -> Vec<bool> {
    holders(store, wanted).iter().map(Option::is_some).collect()
}

/// Looks up the account that has each meter point, as supplier and number.
fn holders(store: &dyn Store, wanted: &[Wanted<'_>]) -> Vec<Option<String>> {
    let parsed = |(of, number, (mpxn, start)): &Wanted<'_>| {
        let sought = MeterPointKey { mpxn: (*mpxn).into(), supply_start_date: start.parse().unwrap() };
        (of.organisation_id, of.id, number.parse().unwrap(), sought)
    };
    let parsed: Vec<_> = wanted.iter().map(parsed).collect();
    let questions = parsed.iter().map(|(organisation_id, supplier_id, number, sought)| MeterPointQuestion {
        organisation_id: *organisation_id,
        supplier_id: *supplier_id,
        number,
        sought,
    });
    let questions: Vec<_> = questions.collect();
    let found = see(store, |tx| tx.meter_point_holders(&questions));
    found
        .into_iter()
        .map(|holder| holder.map(|held| format!("{} {}", held.holder.supplier, held.holder.number)))
        .collect()
}

/// The same for meter points of one account.
fn taken(store: &dyn Store, of: &Supplier, number: &str, sought: &[(&str, &str)]) -> Vec<bool> {
    are_taken(store, &sought.iter().map(|point| (of, number, *point)).collect::<Vec<_>>())
}

/// A meter point is taken if its supply has no end, or one after the wanted start; results keep the order.
pub fn meter_points_are_taken_while_they_are_supplied(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let points = [
        (" 6001\\t", "2020-01-01", "null"),
        ("6002", "2020-01-01", r#""2026-03-01""#),
        ("6003", "2020-01-01", r#""2026-03-01""#),
    ];
    import(store, &acme, 1, &supplied(&points));
    // Ended in one account, and supplied in another.
    import(store, &acme, 2, &supplied(&[("6003", "2026-03-02", "null")]));
    let sought = [
        ("6009", "2026-01-01"),
        ("6001", "2026-01-01"),
        ("6002", "2026-02-28"),
        ("6002", "2026-03-01"),
        ("6002", "2026-03-02"),
        ("6003", "2026-03-02"),
        ("600", "2026-01-01"),
    ];
    let expected = [false, true, true, false, false, true, false];
    assert_eq!(taken(store, &acme, "A-9", &sought), expected);
    assert_eq!(taken(store, &acme, "A-9", &[]), [false; 0]);
}

/// Accounts of all suppliers of the organisation count, those of other organisations do not.
pub fn meter_points_are_taken_within_an_organisation(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    import(store, &acme, 1, &supplied(&[("6001", "2020-01-01", "null")]));
    import(store, &foreign, 2, &supplied(&[("6002", "2020-01-01", "null")]));
    let sought = [("6001", "2026-01-01"), ("6002", "2026-01-01")];
    assert_eq!(taken(store, &acme, "A-9", &sought), [true, false]);
    assert_eq!(taken(store, &second, "A-9", &sought), [true, false]);
    assert_eq!(taken(store, &foreign, "A-9", &sought), [false, true]);
}

/// An account is identified by its supplier and its number.
pub fn an_account_does_not_block_its_own_meter_points(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    import(store, &acme, 1, &supplied(&[("6001", "2020-01-01", "null")]));
    let sought = [("6001", "2026-01-01")];
    assert_eq!(taken(store, &acme, "A-1", &sought), [false]);
    assert_eq!(taken(store, &acme, "A-2", &sought), [true]);
    assert_eq!(taken(store, &second, "A-1", &sought), [true]);
}

/// Of several accounts the one is named that has the meter point for longest, and never the own one.
pub fn the_account_that_has_a_meter_point_for_longest_is_named(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let named = |of, number| holders(store, &[(of, number, ("6001", "2026-01-01"))]).remove(0);
    import(store, &acme, 1, &supplied(&[("6001", "2020-01-01", "null")]));
    import(store, &second, 2, &supplied(&[("6001", "2020-01-01", r#""2027-01-01""#)]));
    assert_eq!(named(&acme, "A-9").as_deref(), Some("ACME A-1"));
    assert_eq!(named(&acme, "A-1").as_deref(), Some("SECOND A-2"));
    import(store, &second, 3, &supplied(&[("6001", "2020-01-01", r#""2028-01-01""#)]));
    assert_eq!(named(&acme, "A-1").as_deref(), Some("SECOND A-3"));
    import(store, &acme, 4, &supplied(&[("6001", "2020-01-01", "null"), ("6001", "2021-01-01", "null")]));
    assert_eq!(named(&acme, "A-9").as_deref(), Some("ACME A-4"));
    assert_eq!(named(&acme, "A-4").as_deref(), Some("ACME A-1"));
}

/// The query can mix accounts, suppliers and organisations, and contain duplicates.
pub fn meter_points_of_many_accounts_are_looked_up_together(store: &dyn Store) {
    let (acme, second) = (supplier(store, "ACME"), supplier(store, "SECOND"));
    let foreign = supplier_of(store, "Other", "FOREIGN", |_| {});
    import(store, &acme, 1, &supplied(&[("6001", "2020-01-01", r#""2026-03-01""#)]));
    import(store, &second, 2, &supplied(&[("6002", "2020-01-01", "null")]));
    let (early, late, other) = (("6001", "2026-01-01"), ("6001", "2026-03-01"), ("6002", "2026-01-01"));
    let wanted = [
        (&second, "A-9", early),
        (&acme, "A-1", early),
        (&acme, "A-9", late),
        (&acme, "A-9", other),
        (&second, "A-2", other),
        (&foreign, "A-9", other),
        (&second, "A-9", early),
    ];
    assert_eq!(are_taken(store, &wanted), [true, false, false, true, false, false, true]);
}

/// It is the earliest of all addresses, ended supplies included.
pub fn the_earliest_start_of_supply_is_known(store: &dyn Store) {
    let acme = supplier(store, "ACME");
    let first = address(&[("6001", "2024-05-01", "null"), ("6002", "2023-12-31", r#""2024-01-01""#)]);
    let second = address(&[("6003", "2024-01-01", "null")]);
    let supplied = import(store, &acme, 1, &format!(r#""supply_addresses":[{second},{first}]"#));
    let bare = import(store, &acme, 2, r#""ledgers":[{}]"#);
    let earliest = |id| see(store, |tx| tx.earliest_supply_start(id));
    assert_eq!(earliest(supplied.process_id), "2023-12-31".parse().ok());
    assert_eq!(earliest(bare.process_id), None);
    assert_eq!(earliest(ABSENT), None);
}
