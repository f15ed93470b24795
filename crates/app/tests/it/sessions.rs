use crate::two_nodes::Nodes;
use chrono::Duration;
use cutover_app::auth::{AuthError, Credential, DISPLAY_LIFETIME, Denied, Outcome};
use cutover_app::port::ApiKeyRole;

#[test]
fn a_session_is_valid_on_every_node_until_it_is_ended_on_one() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    let session = nodes.other.session(&token).unwrap();
    assert_eq!(session.organisation, "Acme");
    assert_eq!(nodes.one.session(&token).unwrap(), session);
    nodes.one.sign_out(&session).unwrap();
    assert!(matches!(nodes.other.session(&token), Err(AuthError::Invalid(_))));
    nodes.one.sign_out(&session).unwrap();
}

#[test]
fn ending_a_session_leaves_others_of_its_key() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let (first, second) = (nodes.one.sign_in(&nodes.key).unwrap(), nodes.one.sign_in(&nodes.key).unwrap());
    nodes.one.sign_out(&nodes.one.session(&first).unwrap()).unwrap();
    assert!(nodes.one.session(&second).is_ok());
}

#[test]
fn a_session_obtains_no_token() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    assert!(matches!(nodes.one.authenticate(&token), Err(AuthError::Invalid(_))));
    // The session is stored as a refresh token.
    let claims = token.split('.').nth(1).unwrap();
    let session = String::from_utf8(decoded(claims)).unwrap();
    let id = session.split("\"sid\":\"").nth(1).unwrap().split('"').next().unwrap();
    let refused = nodes.one.obtain_token(&Credential::RefreshToken(id.to_owned()));
    assert!(matches!(refused, Err(AuthError::Invalid(_))));
    assert!(nodes.one.session(&token).is_ok());
}

#[test]
fn a_renewed_session_does_not_outlast_its_end() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let mut token = nodes.one.sign_in(&nodes.key).unwrap();
    assert_eq!(nodes.one.renewed_session(&nodes.one.session(&token).unwrap()).unwrap(), None);
    for _ in 0..25 {
        nodes.clock.advance(Duration::minutes(28));
        token = nodes.other.renewed_session(&nodes.one.session(&token).unwrap()).unwrap().unwrap();
    }
    nodes.clock.advance(Duration::minutes(19));
    assert!(nodes.one.session(&token).is_ok());
    nodes.clock.advance(Duration::minutes(1));
    assert!(matches!(nodes.one.session(&token), Err(AuthError::Invalid(_))));
}

#[test]
fn a_session_outlasts_a_new_signing_key() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    nodes.one.rotate_signing_key().unwrap();
    nodes.clock.advance(Duration::minutes(29));
    nodes.one.remove_expired().unwrap();
    assert!(nodes.other.session(&token).is_ok());
}

/// Nobody is at a display, so nothing prolongs its session.
#[test]
fn a_session_of_a_display_is_not_ended_by_idleness() {
    let nodes = Nodes::new(ApiKeyRole::Display);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    let session = nodes.other.session(&token).unwrap();
    assert_eq!(session.caller.role, ApiKeyRole::Display);
    nodes.clock.advance(DISPLAY_LIFETIME - Duration::seconds(1));
    nodes.one.remove_expired().unwrap();
    assert!(nodes.other.session(&token).is_ok());
    nodes.clock.advance(Duration::seconds(1));
    assert!(matches!(nodes.other.session(&token), Err(AuthError::Invalid(_))));
}

#[test]
fn a_session_of_a_display_ends_with_its_key() {
    let nodes = Nodes::new(ApiKeyRole::Display);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    nodes.one.as_command().revoke_api_key(&nodes.prefix).unwrap();
    nodes.clock.advance(Duration::seconds(3));
    assert!(matches!(nodes.other.session(&token), Err(AuthError::Invalid(_))));
}

#[test]
fn a_display_obtains_no_token() {
    let nodes = Nodes::new(ApiKeyRole::Display);
    let refused = nodes.one.obtain_token(&Credential::ApiKey(nodes.key.clone()));
    assert!(matches!(refused, Err(AuthError::Invalid(Denied { outcome: Outcome::WrongRole, .. }))));
}

/// An earlier version takes every session for an operator's: it has to refuse these.
#[test]
fn the_token_of_a_display_has_an_audience_of_its_own() {
    let audience = |role| {
        let nodes = Nodes::new(role);
        let token = nodes.one.sign_in(&nodes.key).unwrap();
        let claims = String::from_utf8(decoded(token.split('.').nth(1).unwrap())).unwrap();
        claims.split("\"aud\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!([ApiKeyRole::Operator, ApiKeyRole::Display].map(audience), ["console", "display"]);
}

/// The token of a display is renewed as well: the key that signs it is not kept for as long as its session.
#[test]
fn a_session_of_a_display_outlasts_a_new_signing_key() {
    let nodes = Nodes::new(ApiKeyRole::Display);
    let token = nodes.one.sign_in(&nodes.key).unwrap();
    nodes.one.rotate_signing_key().unwrap();
    nodes.clock.advance(Duration::minutes(5));
    let renewed = nodes.other.renewed_session(&nodes.one.session(&token).unwrap()).unwrap().unwrap();
    nodes.clock.advance(Duration::hours(2));
    nodes.one.remove_expired().unwrap();
    nodes.clock.advance(Duration::seconds(3));
    assert!(matches!(nodes.other.session(&token), Err(AuthError::Invalid(_))));
    assert_eq!(nodes.other.session(&renewed).unwrap().caller.role, ApiKeyRole::Display);
}

/// Decodes the base64 of tokens.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bits = text.bytes().map(|byte| LETTERS.iter().position(|letter| *letter == byte).unwrap());
    let bits: Vec<u8> = bits.flat_map(|six| (0..6).rev().map(move |bit| (six >> bit & 1) as u8)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect()
}
