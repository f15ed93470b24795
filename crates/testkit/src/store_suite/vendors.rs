//! Configured payment vendors.

use super::helpers::{ABSENT, at, organisation, put, see};
use cutover_app::port::{Organisation, Store, Vendor, VendorKind};

fn vendor(of: &Organisation, name: &str, kind: VendorKind, secret_env: Option<&str>) -> Vendor {
    Vendor {
        organisation_id: of.id,
        organisation: of.name.clone(),
        name: name.into(),
        kind: kind.into(),
        base_url: format!("https://{kind}.example/v1"),
        secret_env: secret_env.map(str::to_owned),
        created_at: at(name.len() as i64),
    }
}

fn add(store: &dyn Store, vendor: &Vendor) -> bool {
    let vendor = vendor.clone();
    put(store, move |tx| tx.add_vendor(&vendor))
}

fn all(store: &dyn Store) -> Vec<Vendor> {
    see(store, |tx| tx.vendors(None))
}

/// Vendors of every kind, with and without a secret, are listed by name.
pub fn vendors_read_back_by_name(store: &dyn Store) {
    assert_eq!(all(store), []);
    let ours = organisation(store, "Ours");
    let stripe = vendor(&ours, "c-cards", VendorKind::Stripe, Some("STRIPE_KEY"));
    let own = vendor(&ours, "a", VendorKind::Http, None);
    let debits = vendor(&ours, "b é", VendorKind::Gocardless, Some("GC_TOKEN"));
    for vendor in [&stripe, &own, &debits] {
        assert!(add(store, vendor));
        assert_eq!(see(store, |tx| tx.vendor(ours.id, &vendor.name)).as_ref(), Some(vendor));
    }
    let mut names = see(store, |tx| tx.vendor_names(ours.id));
    names.sort();
    assert_eq!(
        (names, see(store, |tx| tx.vendor_names(ABSENT))),
        (vec![own.name.clone(), debits.name.clone(), stripe.name.clone()], vec![])
    );
    assert_eq!(all(store), [own, debits, stripe]);
    assert_eq!(["A", "d", ""].map(|name| see(store, |tx| tx.vendor(ours.id, name))), [None, None, None]);
}

/// A duplicate is refused and changes nothing of the first.
pub fn vendor_names_are_unique(store: &dyn Store) {
    let ours = organisation(store, "Ours");
    let first = vendor(&ours, "pay", VendorKind::Http, None);
    assert!(add(store, &first));
    assert!(!add(store, &vendor(&ours, "pay", VendorKind::Stripe, Some("KEY"))));
    assert_eq!(all(store), [first]);
}

/// Another organisation can use a name, and finds and removes its own vendors only.
pub fn vendors_belong_to_an_organisation(store: &dyn Store) {
    let (theirs, ours) = (organisation(store, "Theirs"), organisation(store, "Ours"));
    let own = vendor(&ours, "pay", VendorKind::Http, None);
    let others = [
        vendor(&theirs, "only", VendorKind::Http, None),
        vendor(&theirs, "pay", VendorKind::Stripe, Some("KEY")),
    ];
    assert!(add(store, &own) && others.iter().all(|vendor| add(store, vendor)));
    assert_eq!(see(store, |tx| tx.vendor(ours.id, "pay")).as_ref(), Some(&own));
    assert_eq!(see(store, |tx| tx.vendor(theirs.id, "pay")).as_ref(), Some(&others[1]));
    assert_eq!(see(store, |tx| tx.vendor(ours.id, "only")), None);
    assert_eq!(see(store, |tx| tx.vendors(Some(ours.id))), std::slice::from_ref(&own));
    assert_eq!(see(store, |tx| tx.vendors(Some(theirs.id))), others);
    assert_eq!(all(store), [&[own][..], &others].concat());
    assert!(!put(store, move |tx| tx.remove_vendor(ours.id, "only")));
    assert!(put(store, move |tx| tx.remove_vendor(ours.id, "pay")));
    assert_eq!(all(store), others);
}

/// One is removed by its name, which is free again; the others stay.
pub fn vendors_are_removed(store: &dyn Store) {
    let ours = organisation(store, "Ours");
    let id = ours.id;
    let gone = vendor(&ours, "gone", VendorKind::Http, None);
    let stays = vendor(&ours, "stays", VendorKind::Http, None);
    assert!(add(store, &gone) && add(store, &stays));
    assert!(put(store, move |tx| tx.remove_vendor(id, "gone")));
    assert!(!put(store, move |tx| tx.remove_vendor(id, "gone")));
    assert_eq!(see(store, |tx| tx.vendor(id, "gone")), None);
    assert_eq!(all(store), std::slice::from_ref(&stays));
    let again = vendor(&ours, "gone", VendorKind::Gocardless, Some("TOKEN"));
    assert!(add(store, &again));
    assert_eq!(all(store), [again, stays]);
}
