//! Rotation and revocation of keys with two serving nodes.

use crate::harness::{ACCOUNTS, Client, Installation, Server, VALIDATE, text, wait_until};
use crate::payloads::small;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Maximum time until a revocation takes effect (contract D2).
const STATED: Duration = Duration::from_secs(5);

/// An installation with two nodes on PostgreSQL, and a key; `None` without a server.
fn two_nodes() -> Option<(Installation, String, [Server; 2])> {
    let installation = Installation::on_postgres()?;
    let key = installation.add_supplier();
    let nodes = [(); 2].map(|()| installation.serve_with(&["--role", "api", "--rate-limit", "0"]));
    Some((installation, key, nodes))
}

fn status(client: &Client) -> u16 {
    client.get(&format!("{ACCOUNTS}ACME/1/")).status
}

/// Sends requests to every node until all refuse the token; requests that begin after the maximum time must
/// be refused.
fn assert_ends(nodes: &[Server; 2], token: &str, revoked: Instant) {
    for node in nodes {
        let client = Client { token: Some(token.to_owned()), ..node.anonymous() };
        wait_until("the token is refused", || {
            let begun = revoked.elapsed();
            let status = status(&client);
            assert!(status == 401 || begun < STATED, "served {begun:?} after it was revoked");
            status == 401
        });
    }
}

/// Obtains a token that every node has cached.
fn seen(nodes: &[Server; 2], key: &str) -> String {
    let token = nodes[0].token(key);
    for node in nodes {
        let client = Client { token: Some(token.clone()), ..node.anonymous() };
        assert_eq!((status(&client), status(&client)), (404, 404));
    }
    token
}

/// Failure 15: a revocation takes effect on every node within 5 s, whichever has cached the token.
#[test]
fn a_revocation_takes_effect_on_every_node_within_five_seconds() {
    let Some((installation, key, nodes)) = two_nodes() else { return };
    let token = seen(&nodes, &key);
    installation.run_json(&["api-key", "revoke", &key[..17]]);
    assert_ends(&nodes, &token, Instant::now());

    let key = installation.key("Acme");
    let token = seen(&nodes, &key);
    let kid = text(&installation.run_json(&["signing-key", "list"])[0]["kid"]);
    installation.run_json(&["signing-key", "revoke", &kid]);
    assert_ends(&nodes, &token, Instant::now());

    let token = seen(&nodes, &key);
    installation.run_json(&["organisation", "revoke", "Acme"]);
    assert_ends(&nodes, &token, Instant::now());
    let refused =
        nodes[1].anonymous().obtain(&format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }}"));
    assert!(refused["errors"].is_array(), "{refused}");
}

/// Failure 15: both kinds of keys are rotated without a failed request.
#[test]
fn a_rotation_fails_no_request() {
    let Some((installation, first, nodes)) = two_nodes() else { return };
    let (is_over, served) = (AtomicBool::new(false), [(); 2].map(|()| AtomicUsize::new(0)));
    let key = Mutex::new(first.clone());
    // The first token creates the first signing key; two concurrent ones on two nodes may each create one.
    nodes[0].token(&first);
    std::thread::scope(|scope| {
        for part in 0..2 {
            let (nodes, is_over, served, key) = (&nodes, &is_over, &served, &key);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    // A token of one node, used immediately on the other.
                    let key = key.lock().unwrap().clone();
                    let token = nodes[part].token(&key);
                    let client = Client { token: Some(token), ..nodes[1 - part].anonymous() };
                    let answer = client.post(VALIDATE, small("R-1").to_string());
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    served[part].fetch_add(1, Ordering::SeqCst);
                    std::thread::park_timeout(Duration::from_millis(150));
                }
            });
        }
        let _end = End(&is_over);
        let stride = || {
            let now = || [0, 1].map(|part: usize| served[part].load(Ordering::SeqCst));
            let before = now();
            wait_until("requests of both go on", || {
                [0, 1].iter().all(|&part| now()[part] >= before[part] + 2)
            });
        };
        stride();
        for _ in 0..3 {
            installation.run_json(&["signing-key", "rotate"]);
            stride();
        }
        let second = installation.key("Acme");
        *key.lock().unwrap() = second;
        // Requests that began with the old key end first.
        stride();
        installation.run_json(&["api-key", "revoke", &first[..17]]);
        stride();
    });
    assert_eq!(installation.run_json(&["signing-key", "list"]).as_array().unwrap().len(), 4);
}

/// Ends the requests on drop.
struct End<'e>(&'e AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
