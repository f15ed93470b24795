//! Organisations, keys and tokens.

use super::helpers::{ABSENT, at, organisation, put, see};
use cutover_app::port::{
    ApiKey, ApiKeyRole, KeyStatus, NewApiKey, RefreshToken, SigningKey, Store, StoreError, write,
};

fn key(store: &dyn Store, organisation_id: i64, n: u8, role: ApiKeyRole) -> ApiKey {
    let key = new_key(organisation_id, n, role);
    put(store, move |tx| tx.add_api_key(&key))
}

fn new_key(organisation_id: i64, n: u8, role: ApiKeyRole) -> NewApiKey {
    let prefix = format!("cut_live_{n}");
    NewApiKey { organisation_id, prefix, hash: [n; 32], role, created_at: at(n.into()) }
}

/// Names are unique; organisations are found and listed by name.
pub fn names_of_organisations_are_unique(store: &dyn Store) {
    let b = organisation(store, "B");
    let a = organisation(store, "A");
    assert_ne!(a.id, b.id);
    assert_eq!((a.name.as_str(), a.created_at, a.revoked_at), ("A", at(0), None));
    assert_eq!(put(store, |tx| tx.add_organisation("A", at(1))), None);
    assert_eq!(see(store, |tx| tx.organisation("A")), Some(a.clone()));
    assert_eq!(see(store, |tx| tx.organisation("a")), None);
    assert_eq!(see(store, |tx| tx.organisations()), [a, b]);
}

/// A key of every role reads back.
pub fn keys_of_every_role_read_back(store: &dyn Store) {
    let owner = organisation(store, "Retailer");
    for (n, role) in (1..).zip(ApiKeyRole::ALL) {
        assert_eq!(key(store, owner.id, n, role).role, role);
    }
    let roles = see(store, |tx| tx.api_keys()).into_iter().map(|key| key.role.known().copied());
    assert_eq!(roles.collect::<Vec<_>>(), ApiKeyRole::ALL.map(Some));
}

/// A key is found by its hash and its id, and is good until it or its organisation is revoked.
pub fn keys_are_good_until_they_or_their_organisation_are_revoked(store: &dyn Store) {
    let owner = organisation(store, "Retailer");
    let other = organisation(store, "Other");
    let operator = key(store, owner.id, 2, ApiKeyRole::Operator);
    let supplier = key(store, owner.id, 1, ApiKeyRole::Supplier);
    let foreign = key(store, other.id, 3, ApiKeyRole::Supplier);
    assert_eq!(
        (supplier.organisation.as_str(), supplier.role.known()),
        ("Retailer", Some(&ApiKeyRole::Supplier))
    );
    assert_eq!((operator.hash, operator.role.known()), ([2; 32], Some(&ApiKeyRole::Operator)));
    assert_eq!(see(store, |tx| tx.api_key_by_hash(&[1; 32])), Some(supplier.clone()));
    assert_eq!(see(store, |tx| tx.api_key(supplier.id)), Some(supplier.clone()));
    assert_eq!(see(store, |tx| tx.api_key_by_hash(&[9; 32])), None);
    assert_eq!(see(store, |tx| tx.api_key_by_prefix("cut_live_1")), Some(supplier.clone()));
    assert_eq!(see(store, |tx| tx.api_key_by_prefix("cut_live_")), None);
    assert_eq!(see(store, |tx| tx.api_keys()), [supplier.clone(), operator.clone(), foreign.clone()]);

    let taken = new_key(owner.id, 1, ApiKeyRole::Supplier);
    let refused = write(store, move |tx| tx.add_api_key(&taken)).unwrap_err();
    assert!(matches!(refused, StoreError::Conflict(_)), "{refused}");

    let status = |id| see(store, |tx| tx.key_status(id));
    assert_eq!(
        [supplier.id, operator.id, ABSENT].map(status),
        [KeyStatus::Good, KeyStatus::Good, KeyStatus::Revoked]
    );
    assert!(put(store, |tx| tx.revoke_api_key("cut_live_1", at(50))));
    assert!(!put(store, |tx| tx.revoke_api_key("cut_live_1", at(60))));
    assert!(!put(store, |tx| tx.revoke_api_key("cut_live_7", at(60))));
    assert_eq!(status(supplier.id), KeyStatus::Revoked);
    assert_eq!(see(store, |tx| tx.api_key_by_hash(&[1; 32])).unwrap().revoked_at, Some(at(50)));

    assert!(put(store, |tx| tx.revoke_organisation("Retailer", at(70))));
    assert!(!put(store, |tx| tx.revoke_organisation("Retailer", at(80))));
    assert!(!put(store, |tx| tx.revoke_organisation("Nobody", at(80))));
    assert_eq!(see(store, |tx| tx.organisation("Retailer")).unwrap().revoked_at, Some(at(70)));
    assert_eq!(see(store, |tx| tx.api_key_by_hash(&[2; 32])), Some(operator.clone()), "its refusal is known");
    assert_eq!([operator.id, foreign.id].map(status), [KeyStatus::Revoked, KeyStatus::Good]);
}

fn token(api_key_id: i64, n: u8, family: i64) -> RefreshToken {
    RefreshToken { hash: [n; 32], family, api_key_id, expires_at: at(100 * i64::from(n)), used_at: None }
}

fn tokens(store: &dyn Store, families: &'static [(u8, i64)]) {
    let owner = organisation(store, "Retailer");
    let key = key(store, owner.id, 1, ApiKeyRole::Supplier);
    put(store, move |tx| families.iter().try_for_each(|(n, f)| tx.add_refresh_token(&token(key.id, *n, *f))));
}

fn there(store: &dyn Store, n: u8) -> Option<RefreshToken> {
    see(store, |tx| tx.refresh_token(&[n; 32]))
}

/// The second use of a token fails.
pub fn refresh_tokens_work_once(store: &dyn Store) {
    tokens(store, &[(1, i64::MIN), (2, i64::MAX)]);
    assert_eq!(there(store, 1).map(|t| (t.family, t.expires_at, t.used_at)), Some((i64::MIN, at(100), None)));
    assert_eq!(there(store, 3), None);
    assert!(put(store, |tx| tx.use_refresh_token(&[1; 32], at(5))));
    assert!(!put(store, |tx| tx.use_refresh_token(&[1; 32], at(6))));
    assert!(!put(store, |tx| tx.use_refresh_token(&[3; 32], at(6))));
    assert_eq!(there(store, 1).unwrap().used_at, Some(at(5)));
    assert_eq!(there(store, 2).unwrap().used_at, None);
}

/// A family is revoked as a whole; expired tokens are removed.
pub fn refresh_tokens_are_removed_by_family_and_by_time(store: &dyn Store) {
    tokens(store, &[(1, 7), (2, 7), (3, 8), (4, 9)]);
    put(store, |tx| tx.revoke_family(7));
    assert_eq!([1, 2, 3, 4].map(|n| there(store, n).is_some()), [false, false, true, true]);
    assert_eq!(put(store, |tx| tx.remove_expired_tokens(at(300))), 0);
    assert_eq!(put(store, |tx| tx.remove_expired_tokens(at(301))), 1);
    assert_eq!([3, 4].map(|n| there(store, n).is_some()), [false, true]);
}

/// A key is removed once its successor is old enough for all tokens of the key to have expired.
pub fn signing_keys_are_listed_newest_first_and_old_ones_are_removed(store: &dyn Store) {
    let key =
        |n: u8| SigningKey { kid: format!("k{n}"), secret: Ok([n; 32]), created_at: at(i64::from(n) * 10) };
    for n in [2, 1, 3] {
        put(store, move |tx| tx.add_signing_key(&key(n)));
    }
    let keys = || see(store, |tx| tx.signing_keys());
    assert_eq!(keys(), [key(3), key(2), key(1)]);
    assert_eq!(put(store, |tx| tx.remove_signing_keys_superseded_before(at(20))), 0);
    assert_eq!(put(store, |tx| tx.remove_signing_keys_superseded_before(at(21))), 1);
    assert_eq!(keys(), [key(3), key(2)]);
    assert_eq!(put(store, |tx| tx.remove_signing_keys_superseded_before(at(1_000))), 1);
    assert_eq!(keys(), [key(3)]);
    let again = write(store, move |tx| tx.add_signing_key(&key(3))).unwrap_err();
    assert!(matches!(again, StoreError::Conflict(_)), "{again}");
}

/// A removed key is gone at once; the others stay.
pub fn a_signing_key_is_removed_by_its_id(store: &dyn Store) {
    let key =
        |n: u8| SigningKey { kid: format!("k{n}"), secret: Ok([n; 32]), created_at: at(i64::from(n) * 10) };
    for n in [1, 2] {
        put(store, move |tx| tx.add_signing_key(&key(n)));
    }
    assert!(put(store, |tx| tx.remove_signing_key("k2")));
    assert!(!put(store, |tx| tx.remove_signing_key("k2")));
    assert_eq!(see(store, |tx| tx.signing_keys()), [key(1)]);
}
