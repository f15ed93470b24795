//! Configured payment vendors.

use super::helpers::{at, put, see};
use cutover_app::port::{Store, Vendor, VendorKind};

fn vendor(name: &str, kind: VendorKind, secret_env: Option<&str>) -> Vendor {
    Vendor {
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
    see(store, |tx| tx.vendors())
}

/// Vendors of every kind, with and without a secret, are listed by name.
pub fn vendors_read_back_by_name(store: &dyn Store) {
    assert_eq!(all(store), []);
    let stripe = vendor("c-cards", VendorKind::Stripe, Some("STRIPE_KEY"));
    let own = vendor("a", VendorKind::Http, None);
    let debits = vendor("b é", VendorKind::Gocardless, Some("GC_TOKEN"));
    for vendor in [&stripe, &own, &debits] {
        assert!(add(store, vendor));
        assert_eq!(see(store, |tx| tx.vendor(&vendor.name)).as_ref(), Some(vendor));
    }
    assert_eq!(all(store), [own, debits, stripe]);
    assert_eq!(["A", "d", ""].map(|name| see(store, |tx| tx.vendor(name))), [None, None, None]);
}

/// A duplicate is refused and changes nothing of the first.
pub fn vendor_names_are_unique(store: &dyn Store) {
    let first = vendor("pay", VendorKind::Http, None);
    assert!(add(store, &first));
    assert!(!add(store, &vendor("pay", VendorKind::Stripe, Some("KEY"))));
    assert_eq!(all(store), [first]);
}

/// One is removed by its name, which is free again; the others stay.
pub fn vendors_are_removed(store: &dyn Store) {
    let (gone, stays) = (vendor("gone", VendorKind::Http, None), vendor("stays", VendorKind::Http, None));
    assert!(add(store, &gone) && add(store, &stays));
    assert!(put(store, |tx| tx.remove_vendor("gone")));
    assert!(!put(store, |tx| tx.remove_vendor("gone")));
    assert_eq!(see(store, |tx| tx.vendor("gone")), None);
    assert_eq!(all(store), std::slice::from_ref(&stays));
    let again = vendor("gone", VendorKind::Gocardless, Some("TOKEN"));
    assert!(add(store, &again));
    assert_eq!(all(store), [again, stays]);
}
