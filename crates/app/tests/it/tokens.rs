use crate::env::ports;
use crate::test_doubles::{StoreCall, WatchedStore};
use crate::two_nodes::Nodes;
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine};
use chrono::{DateTime, Duration, Utc};
use cutover_app::auth::{AuthError, Caller, Credential};
use cutover_app::port::{ApiKeyRole, Clock, SigningKey, StoreError, write};
use cutover_app::{App, Ports, Settings};
use cutover_testkit::{FakeClock, SeededRandom};
use cutover_testkit_machine::receive;
use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use sha2::Sha512;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

impl Nodes {
    /// Obtains a token from the other node.
    fn token(&self) -> String {
        self.other.obtain_token(&Credential::ApiKey(self.key.clone())).unwrap().token
    }

    /// Makes the secrets of all signing keys unreadable with this error.
    fn lock_away(&self, cause: StoreError) {
        let locked = write(&*self.store, move |tx| {
            for key in tx.signing_keys()? {
                tx.remove_signing_key(&key.kid)?;
                tx.add_signing_key(&SigningKey { secret: Err(cause.clone()), ..key })?;
            }
            Ok::<_, StoreError>(())
        });
        locked.unwrap();
        self.clock.advance(Duration::seconds(3));
    }

    /// Authenticates a token on one node, from its cache if possible.
    fn ask(&self, token: &str) -> (bool, Result<Caller, AuthError>) {
        match self.one.authenticate_from_memory(token) {
            Some(answer) => (true, answer),
            None => (false, self.one.authenticate(token)),
        }
    }
}

#[test]
fn a_token_is_cached_for_a_while() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let token = nodes.token();
    let first = nodes.ask(&token);
    let second = nodes.ask(&token);
    assert!(matches!((first, second), ((false, Ok(a)), (true, Ok(b))) if a == b));
    nodes.clock.advance(Duration::seconds(3));
    assert!(matches!(nodes.ask(&token), (false, Ok(_))));
}

/// Another process may be able to read the key.
#[test]
fn a_signing_key_that_this_node_cannot_read_is_not_an_invalid_token() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let seen = nodes.token();
    nodes.clock.advance(Duration::seconds(1));
    let unseen = nodes.token();
    assert!(nodes.ask(&seen).1.is_ok());
    assert_eq!(nodes.one.ready(), Ok(()));
    let missing = StoreError::KeyMissing("k".into());
    nodes.lock_away(missing.clone());
    assert!(nodes.ask(&seen).1.is_ok(), "its signature is cached");
    assert!(matches!(nodes.ask(&unseen).1, Err(AuthError::Store(error)) if error == missing));
    let refused = nodes.one.obtain_token(&Credential::ApiKey(nodes.key.clone()));
    assert!(matches!(refused, Err(AuthError::Store(error)) if error == missing));
    assert_eq!(nodes.one.ready(), Err(missing));
    let rotated = nodes.one.rotate_signing_key().unwrap();
    assert_eq!(nodes.one.list_signing_keys().unwrap()[0], rotated, "keys can be rotated");
    assert!(nodes.ask(&nodes.token()).1.is_ok());
}

#[test]
fn a_lost_signing_key_is_replaced() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let token = nodes.token();
    assert!(nodes.ask(&token).1.is_ok());
    nodes.lock_away(StoreError::Corrupt("its key is lost".into()));
    assert!(matches!(nodes.ask(&token).1, Err(AuthError::Invalid(_))));
    assert_eq!(nodes.one.ready(), Ok(()));
    assert!(nodes.ask(&nodes.token()).1.is_ok());
    let keys = nodes.one.list_signing_keys().unwrap();
    assert_eq!(keys.iter().map(SigningKey::is_gone).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn cached_tokens_are_revoked_and_expire() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let token = nodes.token();
    assert!(nodes.ask(&token).1.is_ok());
    nodes.clock.advance(Duration::minutes(60) - Duration::seconds(1));
    assert!(nodes.ask(&token).1.is_ok());
    nodes.clock.advance(Duration::seconds(1));
    assert!(matches!(nodes.ask(&token), (true, Err(AuthError::Invalid(_)))));
    let token = nodes.token();
    assert!(nodes.ask(&token).1.is_ok());
    nodes.other.as_command().revoke_api_key(&nodes.prefix).unwrap();
    nodes.clock.advance(Duration::seconds(5));
    assert!(matches!(nodes.ask(&token), (false, Err(AuthError::Invalid(_)))));
}

#[test]
fn forged_tokens_are_never_cached() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let token = nodes.token();
    assert!(nodes.ask(&token).1.is_ok());
    let forged = format!("{}A", &token[..token.len() - 1]);
    for token in [&token[..token.len() - 1], &forged, "a.b.c", ""] {
        for _ in 0..2 {
            assert!(matches!(nodes.ask(token), (false, Err(AuthError::Invalid(_)))), "{token}");
        }
    }
}

/// Failure 15: every invalid token is refused alike, even if it is signed with our key.
#[test]
fn malformed_tokens_are_refused() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let made = nodes.other.obtain_token(&Credential::ApiKey(nodes.key.clone())).unwrap();
    let key = nodes.one.list_signing_keys().unwrap().remove(0);
    nodes.one.rotate_signing_key().unwrap();
    let other = nodes.one.list_signing_keys().unwrap().remove(0);
    let claims = serde_json::to_value(&made.claims).unwrap();
    let now = nodes.clock.now().timestamp();
    let with = |member: &str, value: serde_json::Value| {
        let mut changed = claims.clone();
        changed[member] = value;
        sign(Some(&key.kid), key.secret().unwrap(), &changed)
    };
    let without = |member: &str| {
        let mut changed = claims.clone();
        changed.as_object_mut().unwrap().remove(member);
        sign(Some(&key.kid), key.secret().unwrap(), &changed)
    };
    let good = sign(Some(&key.kid), key.secret().unwrap(), &claims);
    assert!(nodes.ask(&good).1.is_ok(), "tokens of both nodes are valid");
    let (head, rest) = good.split_once('.').unwrap();
    let (body, signature) = rest.split_once('.').unwrap();
    // {"alg":"none"} and the same with our kid.
    let none = "eyJhbGciOiJub25lIn0";
    let bad = [
        ("alg none", format!("{none}.{body}.")),
        ("alg none, signed", format!("{none}.{body}.{signature}")),
        ("another alg", sign_by_hs512(&key.kid, key.secret().unwrap(), &claims)),
        ("no kid", sign(None, key.secret().unwrap(), &claims)),
        ("an unknown kid", sign(Some("x"), key.secret().unwrap(), &claims)),
        ("a kid that is a path", sign(Some("../../dev/null"), b"", &claims)),
        ("a kid that is SQL", sign(Some("' OR 1=1 --"), key.secret().unwrap(), &claims)),
        ("another key's kid", sign(Some(&other.kid), key.secret().unwrap(), &claims)),
        ("another secret", sign(Some(&key.kid), &[7; 32], &claims)),
        ("another audience", with("aud", "console".into())),
        ("two audiences, none ours", with("aud", serde_json::json!(["a", "b"]))),
        ("another issuer", with("iss", "someone".into())),
        ("no key", with("sub", "".into())),
        ("a key that nobody has", with("sub", "999999".into())),
        ("expired", with("exp", now.into())),
        ("not yet valid", with("nbf", (now + 1).into())),
        ("no expiry", without("exp")),
        ("no beginning", without("nbf")),
        ("no audience", without("aud")),
        ("padded", format!("{good}=")),
        ("padded head", format!("{head}=.{rest}")),
        ("padded body", format!("{head}.{body}==.{signature}")),
        ("another alphabet", format!("{head}.{body}.{}", signature.replace(['-', '_'], "+") + "/")),
        ("no signature", format!("{head}.{body}.")),
        ("four parts", format!("{good}.{signature}")),
        ("a space", format!("{head}. {rest}")),
        ("no JSON", format!("eHg.{rest}")),
    ];
    for (what, token) in bad {
        for _ in 0..2 {
            assert!(matches!(nodes.ask(&token), (false, Err(AuthError::Invalid(_)))), "{what}");
        }
    }
    assert!(nodes.ask(&good).1.is_ok());
}

/// Signs a token with any secret.
fn sign(kid: Option<&str>, secret: &[u8], claims: &serde_json::Value) -> String {
    let header = Header { kid: kid.map(str::to_owned), ..Header::new(Algorithm::HS256) };
    jsonwebtoken::encode(&header, claims, &EncodingKey::from_secret(secret)).unwrap()
}

/// Signs a token by an algorithm that the service does not know.
fn sign_by_hs512(kid: &str, secret: &[u8], claims: &serde_json::Value) -> String {
    let header = serde_json::json!({"typ": "JWT", "alg": "HS512", "kid": kid});
    let [head, body] = [&header, claims].map(|part| BASE64_URL_SAFE_NO_PAD.encode(part.to_string()));
    let signed = format!("{head}.{body}");
    let mac = Hmac::<Sha512>::new_from_slice(secret).unwrap().chain_update(&signed).finalize();
    format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac.into_bytes()))
}

#[test]
fn a_token_of_another_nodes_new_key_is_soon_valid() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let old = nodes.token();
    assert!(nodes.ask(&old).1.is_ok());
    nodes.other.rotate_signing_key().unwrap();
    let new = nodes.token();
    assert!(nodes.ask(&new).1.is_ok());
    assert!(nodes.ask(&old).1.is_ok());
}

/// Tokens of a leaked signing key are invalid within 5 s, also on nodes that have cached them.
#[test]
fn tokens_of_a_revoked_signing_key_are_soon_invalid() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let old = nodes.token();
    let leaked = nodes.one.list_signing_keys().unwrap()[0].kid.clone();
    nodes.other.rotate_signing_key().unwrap();
    let new = nodes.token();
    assert!(nodes.ask(&old).1.is_ok() && nodes.ask(&new).1.is_ok());
    let newest = nodes.one.list_signing_keys().unwrap()[0].kid.clone();
    assert_eq!(nodes.other.revoke_signing_key(&leaked).unwrap().kid, newest);
    nodes.clock.advance(Duration::seconds(5));
    assert!(matches!(nodes.ask(&old).1, Err(AuthError::Invalid(_))));
    assert!(nodes.ask(&new).1.is_ok(), "tokens of other keys remain valid");

    let signs = nodes.other.revoke_signing_key(&newest).unwrap().kid;
    assert!(signs != newest && signs != leaked, "a new key signs");
    let newer = nodes.token();
    nodes.clock.advance(Duration::seconds(5));
    assert!(matches!(nodes.ask(&new).1, Err(AuthError::Invalid(_))));
    assert!(nodes.ask(&newer).1.is_ok());
    assert!(nodes.other.revoke_signing_key(&leaked).is_err(), "the key is gone");
    assert_eq!(nodes.one.list_signing_keys().unwrap().len(), 1);
}

/// Creates a node on the same store, which calls `watch` before each read.
fn watched(nodes: &Nodes, watch: impl Fn() + Send + Sync + 'static) -> App {
    let on_read = move |asked| {
        if asked == StoreCall::Read {
            watch()
        }
    };
    let store = WatchedStore::new(nodes.store.clone(), std::time::Duration::ZERO, on_read);
    let plain = ports(Arc::default(), nodes.clock.clone(), Arc::new(SeededRandom::new(3)));
    App::new(Ports { store: Arc::new(store), ..plain }, Settings::default())
}

#[test]
fn tokens_with_unknown_keys_cost_few_reads() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let reads = Arc::new(AtomicUsize::new(0));
    let counter = reads.clone();
    let node = watched(&nodes, move || {
        counter.fetch_add(1, Ordering::SeqCst);
    });
    assert!(node.authenticate(&nodes.token()).is_ok());
    let before = reads.load(Ordering::SeqCst);
    let foreign = Nodes::new(ApiKeyRole::Supplier);
    let foreign = foreign.one.obtain_token(&Credential::ApiKey(foreign.key.clone())).unwrap().token;
    for _ in 0..1_000 {
        assert!(matches!(node.authenticate(&foreign), Err(AuthError::Invalid(_))));
        nodes.clock.advance(Duration::milliseconds(1));
    }
    assert_eq!(reads.load(Ordering::SeqCst) - before, 4);
}

#[test]
fn concurrent_tokens_of_a_new_key_are_all_valid() {
    let nodes = Nodes::new(ApiKeyRole::Supplier);
    let (begun, has_begun) = mpsc::channel();
    let (go_on, may_go_on) = mpsc::channel();
    let gate = Mutex::new(Some((begun, may_go_on)));
    let is_shut = Arc::new(AtomicBool::new(false));
    let shut = is_shut.clone();
    let node = watched(&nodes, move || {
        if shut.swap(false, Ordering::SeqCst) {
            let (begun, may_go_on) = gate.lock().unwrap().take().unwrap();
            begun.send(()).unwrap();
            may_go_on.recv().unwrap();
        }
    });
    assert!(node.authenticate(&nodes.token()).is_ok());
    nodes.other.rotate_signing_key().unwrap();
    let token = nodes.token();
    is_shut.store(true, Ordering::SeqCst);
    thread::scope(|scope| {
        let ask = || node.authenticate(&token).is_ok();
        let first = scope.spawn(ask);
        receive("the beginning", &has_begun);
        // While the first request reads.
        let others: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        go_on.send(()).unwrap();
        assert!(first.join().unwrap());
        assert!(others.into_iter().all(|other| other.join().unwrap()));
    });
}

/// A clock that is ahead once: an entry that was too old is fresh at the second look, as if another request
/// had read it again.
struct UnsteadyClock {
    clock: FakeClock,
    ahead: AtomicBool,
}

impl Clock for UnsteadyClock {
    fn now(&self) -> DateTime<Utc> {
        let ahead = self.ahead.swap(false, Ordering::Relaxed);
        self.clock.now() + Duration::seconds(if ahead { 3 } else { 0 })
    }
}

#[test]
fn keys_that_another_request_reads_meanwhile_are_valid() {
    let clock = Arc::new(UnsteadyClock { clock: FakeClock::of_fixtures(), ahead: AtomicBool::new(false) });
    let random = Arc::new(SeededRandom::new(1));
    let plain = ports(Arc::default(), Arc::new(FakeClock::of_fixtures()), random);
    let app = App::new(Ports { clock: clock.clone(), ..plain }, Settings::default());
    app.add_organisation("Acme").unwrap();
    let key = app.as_command().issue_api_key("Acme", ApiKeyRole::Supplier).unwrap().key;
    let token = app.obtain_token(&Credential::ApiKey(key)).unwrap().token;
    assert!(app.authenticate(&token).is_ok());
    clock.ahead.store(true, Ordering::Relaxed);
    assert!(app.authenticate(&token).is_ok());
}
