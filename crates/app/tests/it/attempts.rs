use crate::two_nodes::Nodes;
use chrono::Duration;
use cutover_app::App;
use cutover_app::auth::{Attempt, AttemptKind, AuthError, Credential, Denied, Outcome};
use cutover_app::nodes::NodeDescription;
use cutover_app::operator::AuditScope;
use cutover_app::port::{ApiKeyRole, AuditAction, AuditRecord, StoreError};
use cutover_testkit::memory::Fault;
use std::net::{IpAddr, Ipv4Addr};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 7));

/// A text that has the form of a key.
fn guess(public: &str) -> String {
    format!("cut_live_{public}_{}", "0".repeat(52))
}

/// The public part of a key with another secret.
fn guess_at(prefix: &str) -> String {
    format!("{prefix}_{}", "0".repeat(52))
}

/// Returns the outcome of a refusal, with the public part of its key, and whether the key exists.
fn denied<T>(result: Result<T, AuthError>) -> (Outcome, Option<String>, bool) {
    match result {
        Err(AuthError::Invalid(Denied { outcome, api_key_id, key_prefix })) => {
            (outcome, key_prefix, api_key_id.is_some())
        }
        Err(AuthError::Store(error)) => panic!("{error}"),
        Ok(_) => panic!("it is accepted"),
    }
}

fn attempt(kind: AttemptKind, client: IpAddr) -> Attempt<'static> {
    Attempt { kind, client, network: client, request_id: "r1" }
}

/// Notes an attempt with this key.
fn note(app: &App, key: &str) {
    let denied = match app.obtain_token(&Credential::ApiKey(key.to_owned())) {
        Err(AuthError::Invalid(denied)) => denied,
        other => panic!("{:?}", other.map(|tokens| tokens.claims)),
    };
    app.note_attempt(&attempt(AttemptKind::ObtainToken, HERE), Err(&denied));
}

/// Returns the records of refused keys, oldest first.
fn recorded(app: &App) -> Vec<String> {
    let scope = AuditScope { action: Some(AuditAction::KeyRefused), limit: 100, ..AuditScope::default() };
    let records = app.as_command().audit(&scope).unwrap().into_iter().rev();
    let line = |record: AuditRecord| {
        let facts: Vec<_> = record.detail.facts().map(|(name, fact)| format!("{name}={fact}")).collect();
        format!("{} {} {}", record.by, record.organisation.unwrap_or_default(), facts.join(" "))
    };
    records.map(line).collect()
}

#[test]
fn each_refused_key_has_its_outcome() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let with_key = |key: &str| denied(nodes.one.obtain_token(&Credential::ApiKey(key.to_owned())));
    let (prefix, foreign) = (nodes.prefix.clone(), guess("4k7m2x9q"));
    assert_eq!(with_key(""), (Outcome::Missing, None, false));
    assert_eq!(with_key("hunter2"), (Outcome::Malformed, None, false));
    assert_eq!(with_key(&foreign), (Outcome::Unknown, Some("cut_live_4k7m2x9q".into()), false));
    assert_eq!(with_key(&guess_at(&prefix)), (Outcome::WrongSecret, Some(prefix.clone()), true));
    assert_eq!(denied(nodes.one.sign_in(&nodes.key)), (Outcome::WrongRole, Some(prefix.clone()), true));
    nodes.one.as_command().revoke_api_key(&prefix).unwrap();
    assert_eq!(with_key(&nodes.key), (Outcome::Revoked, Some(prefix), true));

    let nodes = Nodes::new(ApiKeyRole::Operator);
    let key = Credential::ApiKey(nodes.key.clone());
    let prefix = nodes.prefix.clone();
    assert_eq!(denied(nodes.one.obtain_token(&key)), (Outcome::WrongRole, Some(prefix.clone()), true));
    nodes.one.as_command().revoke_organisation("Acme").unwrap();
    assert_eq!(denied(nodes.one.sign_in(&nodes.key)), (Outcome::Revoked, Some(prefix), true));
}

#[test]
fn each_refused_token_has_its_outcome() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let obtain = || nodes.one.obtain_token(&Credential::ApiKey(nodes.key.clone())).unwrap();
    let refresh = |token: &str| nodes.one.obtain_token(&Credential::RefreshToken(token.to_owned()));
    let of_key = |outcome| (outcome, Some(nodes.prefix.clone()), true);
    assert_eq!(denied(refresh("x")), (Outcome::Malformed, None, false));
    let unknown = format!("cut_refresh_{}", "0".repeat(52));
    assert_eq!(denied(refresh(&unknown)), (Outcome::Unknown, None, false));
    let used = obtain().refresh_token;
    refresh(&used).unwrap();
    assert_eq!(denied(refresh(&used)), of_key(Outcome::Reused));

    let ask = |token: &str| denied(nodes.one.authenticate(token));
    assert_eq!(ask("x"), (Outcome::Malformed, None, false));
    assert_eq!(ask(&nodes.key), (Outcome::Malformed, Some(nodes.prefix.clone()), false), "a key is no token");
    let token = obtain().token;
    let forged = format!("{}AA", &token[..token.len() - 2]);
    assert_eq!(ask(&forged), (Outcome::Unknown, None, false));
    let old = obtain();
    nodes.clock.advance(Duration::minutes(60));
    assert_eq!(ask(&old.token), of_key(Outcome::Expired));
    nodes.clock.advance(Duration::days(7));
    assert_eq!(denied(refresh(&old.refresh_token)), of_key(Outcome::Expired));
    let new = obtain();
    nodes.one.as_command().revoke_api_key(&nodes.prefix).unwrap();
    nodes.clock.advance(Duration::seconds(5));
    assert_eq!(ask(&new.token), of_key(Outcome::Revoked));
    assert_eq!(denied(refresh(&new.refresh_token)), of_key(Outcome::Revoked));
}

#[test]
fn each_refused_session_has_its_outcome() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let of_key = |outcome| (outcome, Some(nodes.prefix.clone()), true);
    let ask = |token: &str| denied(nodes.one.session(token));
    assert_eq!(ask("x"), (Outcome::Malformed, None, false));
    let ended = nodes.one.sign_in(&nodes.key).unwrap();
    nodes.one.sign_out(&nodes.one.session(&ended).unwrap()).unwrap();
    assert_eq!(ask(&ended), of_key(Outcome::Revoked));
    let old = nodes.one.sign_in(&nodes.key).unwrap();
    assert_eq!(ask(&format!("{}AA", &old[..old.len() - 2])), (Outcome::Unknown, None, false));
    nodes.clock.advance(Duration::minutes(30));
    assert_eq!(ask(&old), of_key(Outcome::Expired));
    let new = nodes.one.sign_in(&nodes.key).unwrap();
    nodes.one.as_command().revoke_api_key(&nodes.prefix).unwrap();
    nodes.clock.advance(Duration::seconds(5));
    assert_eq!(ask(&new), of_key(Outcome::Revoked));
}

#[test]
fn attempts_are_counted_by_kind_and_outcome() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    note(&nodes.one, &guess("4k7m2x9q"));
    note(&nodes.one, &guess("4k7m2x9r"));
    nodes.one.note_attempt(&attempt(AttemptKind::ApiRequest, HERE), Ok(&nodes.prefix));
    let counted: Vec<_> = nodes.one.attempts().filter(|(.., count)| *count > 0).collect();
    let expected =
        [(AttemptKind::ObtainToken, Outcome::Unknown, 2), (AttemptKind::ApiRequest, Outcome::Accepted, 1)];
    assert_eq!(counted, expected);
    assert_eq!(nodes.one.attempts().count(), AttemptKind::ALL.len() * Outcome::ALL.len());
}

/// Rows of the audit trail are never removed: a flood with one key adds few.
#[test]
fn refusals_of_a_key_are_recorded_at_intervals_with_their_number() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let (app, prefix) = (&nodes.one, &nodes.prefix);
    app.as_command().revoke_api_key(prefix).unwrap();
    let row = |attempts| {
        format!(
            "key:{prefix} Acme attempt=obtain_token attempts={attempts} client=203.0.113.7 outcome=revoked"
        )
    };
    (0..1_000).for_each(|_| note(app, &nodes.key));
    assert_eq!(recorded(app), [""; 0], "requests do not wait for the audit trail");
    app.report_attempts();
    assert_eq!(recorded(app), [row(1_000)]);
    note(app, &nodes.key);
    note(app, &nodes.key);
    nodes.clock.advance(Duration::minutes(10) - Duration::seconds(1));
    app.report_attempts();
    assert_eq!(recorded(app).len(), 1);
    nodes.clock.advance(Duration::seconds(1));
    app.report_attempts();
    assert_eq!(recorded(app), [row(1_000), row(2)]);
    nodes.clock.advance(Duration::minutes(20));
    app.report_attempts();
    assert_eq!(recorded(app).len(), 2, "nothing is new");
}

/// Also if no other key was sent: a brute force against one key begins with its public part.
#[test]
fn guesses_at_a_key_are_recorded() {
    let nodes = Nodes::new(ApiKeyRole::Operator);
    let (app, prefix) = (&nodes.one, &nodes.prefix);
    note(app, &guess_at(prefix));
    note(app, &guess_at(prefix));
    assert_eq!(denied(app.sign_in(&guess_at(prefix))), (Outcome::WrongSecret, Some(prefix.clone()), true));
    app.report_attempts();
    let row =
        format!("key:{prefix} Acme attempt=obtain_token attempts=2 client=203.0.113.7 outcome=wrong_secret");
    assert_eq!(recorded(app), [row]);
}

#[test]
fn a_node_that_ends_records_all_refusals() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let app = &nodes.one;
    let description =
        NodeDescription { role: "api".into(), version: "1.2.3".into(), encryption_keys: Vec::new() };
    let node = app.add_node(description).unwrap();
    app.as_command().revoke_api_key(&nodes.prefix).unwrap();
    note(app, &nodes.key);
    app.renew_node(&node).unwrap();
    note(app, &nodes.key);
    app.renew_node(&node).unwrap();
    assert_eq!(recorded(app).len(), 1);
    app.remove_node(&node).unwrap();
    assert_eq!(recorded(app).len(), 2);
}

#[test]
fn refusals_that_cannot_be_recorded_are_kept() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let app = &nodes.one;
    app.as_command().revoke_api_key(&nodes.prefix).unwrap();
    note(app, &nodes.key);
    nodes.store.set_fault(Some(Fault::Error(StoreError::Unavailable("on purpose".into()))));
    app.report_attempts();
    nodes.store.set_fault(None);
    note(app, &nodes.key);
    app.report_attempts();
    let rows = recorded(app);
    assert!(rows.len() == 1 && rows[0].contains(" attempts=2 "), "{rows:?}");
}

/// Strangers cannot write to the audit trail, nor fill it by waiting for tokens to expire.
#[test]
fn only_refusals_of_existing_keys_are_recorded() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let app = &nodes.one;
    note(app, &guess("4k7m2x9q"));
    note(app, "hunter2");
    let named =
        |outcome, id| Denied { outcome, api_key_id: Some(id), key_prefix: Some(nodes.prefix.clone()) };
    let expired = named(Outcome::Expired, nodes.one.as_command().api_keys().unwrap()[0].id);
    app.note_attempt(&attempt(AttemptKind::ApiRequest, HERE), Err(&expired));
    // A token that a forger has signed with a leaked key.
    let forged = named(Outcome::Revoked, 999_999);
    app.note_attempt(&attempt(AttemptKind::ApiRequest, HERE), Err(&forged));
    app.report_attempts();
    assert_eq!(recorded(app), [""; 0]);
}
