use crate::harness::{ACCOUNTS, Client, Installation, VALIDATE, text, wait_until};
use serde_json::{Value, json};

fn signed_in() -> (Installation, String, crate::harness::Server) {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve();
    (installation, key, server)
}

#[test]
fn a_refresh_token_is_valid_once_and_its_second_use_revokes_the_family() {
    let (_installation, key, server) = signed_in();
    let stranger = server.anonymous();
    let refresh = |token: &str| {
        let answer =
            stranger.obtain(&format!("obtainToken(input: {{refreshToken: \"{token}\"}}) {{ refreshToken }}"));
        answer["data"]["obtainToken"]["refreshToken"].as_str().map(str::to_owned)
    };
    let first = stranger.obtain(&format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ refreshToken }}"));
    let first = text(&first["data"]["obtainToken"]["refreshToken"]);
    let second = refresh(&first).unwrap();
    assert_eq!(refresh(&first), None);
    assert_eq!(refresh(&second), None, "its family is revoked");
}

/// Failure 15.
#[test]
fn invalid_credentials_are_refused_alike() {
    let (installation, key, server) = signed_in();
    let operator =
        installation.run_json(&["api-key", "issue", "--organisation", "Acme", "--role", "operator"]);
    let mut answers: Vec<Value> = Vec::new();
    for wrong in ["", "cut_live_00000000_x", &key[..key.len() - 1], &text(&operator["api_key"])] {
        let answer = server
            .anonymous()
            .graphql(&format!("mutation {{ obtainToken(input: {{apiKey: \"{wrong}\"}}) {{ token }} }}"));
        assert_eq!(answer.status, 200);
        assert!(answer.json()["errors"].is_array(), "{wrong}");
        answers.push(answer.json()["errors"][0]["message"].clone());
    }
    assert!(answers.windows(2).all(|w| w[0] == w[1]), "{answers:?}");
}

/// Failure 15: a refusal reveals nothing of its cause, not even by the length of the answer.
#[test]
fn invalid_tokens_are_refused_with_the_same_bytes() {
    let (installation, key) = Installation::with_supplier();
    let server = installation.serve_with(&["--access-token-lifetime", "3s"]);
    let revoked = installation.key("Acme");
    let (expired, revoked_token) = (server.token(&key), server.token(&revoked));
    installation.run_json(&["api-key", "revoke", &revoked[..17]]);
    let as_anybody = |token: &str| Client { token: Some(token.to_owned()), ..server.anonymous() };
    for token in [&expired, &revoked_token] {
        let client = as_anybody(token);
        wait_until("the token is refused", || client.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
    }
    let good = server.token(&key);
    let (signed, signature) = good.rsplit_once('.').unwrap();
    let answers = [
        as_anybody(&expired),
        as_anybody(&revoked_token),
        as_anybody("x"),
        as_anybody(&format!("{signed}.")),
        as_anybody(&format!("{good}=")),
        as_anybody(&format!("{signed}.{}", signature.chars().rev().collect::<String>())),
        as_anybody(&format!("eyJhbGciOiJub25lIn0.{}.", signed.split_once('.').unwrap().1)),
        as_anybody(&key),
        as_anybody(&"x".repeat(5_000)),
    ]
    .map(|client| {
        let answer = client.post(VALIDATE, "{ not json");
        let changes = ["x-request-id", "date"];
        let mut headers = answer.headers;
        headers.retain(|(name, _)| !changes.contains(&name.as_str()));
        // Their order differs between requests: a hash table with a random seed.
        headers.sort();
        (answer.status, headers, answer.body)
    });
    assert_eq!(answers[0].0, 401);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
}

#[test]
fn a_revoked_key_stops_its_tokens() {
    let (installation, key, server) = signed_in();
    let client = server.client(&key);
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let prefix = text(&installation.run_json(&["api-key", "list"])[0]["prefix"]);
    installation.run_json(&["api-key", "revoke", &prefix]);
    wait_until("the token is refused", || client.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
    assert!(installation.run_refused(&["api-key", "revoke", &prefix]).contains(&prefix));
}

/// Failure 15.
#[test]
fn a_rotated_signing_key_keeps_old_tokens_valid() {
    let (installation, key, server) = signed_in();
    let old = server.client(&key);
    installation.run_json(&["signing-key", "rotate"]);
    let new = server.client(&key);
    for client in [old, new] {
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    }
    assert_eq!(installation.run_json(&["signing-key", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_revoked_signing_key_invalidates_its_tokens() {
    let (installation, key, server) = signed_in();
    let old = server.client(&key);
    assert_eq!(old.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let leaked = text(&installation.run_json(&["signing-key", "list"])[0]["kid"]);
    let revoked = installation.run_json(&["signing-key", "revoke", &leaked]);
    assert!(revoked["revoked"] == true && revoked["signs"] != revoked["kid"], "{revoked}");
    wait_until("its token is refused", || old.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
    assert_eq!(server.client(&key).get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let keys = installation.run_json(&["signing-key", "list"]);
    assert_eq!((&keys[0]["kid"], keys.as_array().unwrap().len()), (&revoked["signs"], 1));
    assert!(installation.run_refused(&["signing-key", "revoke", &leaked]).contains(&leaked));
}

/// Sends API keys for tokens, all of which are refused.
fn refused(stranger: &Client, keys: impl IntoIterator<Item = String>) {
    for key in keys {
        let answer = stranger
            .graphql(&format!("mutation {{ obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }} }}"));
        assert!(answer.json()["errors"].is_array(), "{}", answer.text());
    }
}

/// A brute force is seen: in the log within bounds, in the metrics, and in the audit trail if the key exists.
#[test]
fn refused_sign_ins_are_seen() {
    const GUESSES: u64 = 50;
    let (installation, key, server) = signed_in();
    let revoked = installation.key("Acme");
    installation.run_json(&["api-key", "revoke", &revoked[..17]]);
    let secret = "0".repeat(52);
    let stranger = server.anonymous();
    refused(&stranger, (0..GUESSES).map(|n| format!("cut_live_{n:08}_{secret}")));
    refused(&stranger, (0..3).map(|_| revoked.clone()));
    refused(&stranger, (0..5).map(|_| format!("{}_{secret}", &key[..17])));
    let metrics = stranger.get("/metrics").text();
    for (outcome, count) in [("unknown", GUESSES), ("revoked", 3), ("wrong_secret", 5)] {
        let series = format!(
            "cutover_authentications_total{{attempt=\"obtain_token\",outcome=\"{outcome}\"}} {count}"
        );
        assert!(metrics.lines().any(|line| line == series), "{series} is not in\n{metrics}");
    }
    server.signal("TERM");
    let (_, log) = server.ended();
    let lines: Vec<Value> = log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let unknown = |line: &&Value| line["target"] == "cutover::auth" && line["outcome"] == "unknown";
    let unknown: Vec<_> = lines.iter().filter(unknown).collect();
    assert_eq!(
        (&unknown[0]["client"], &unknown[0]["key"]),
        (&json!("127.0.0.1"), &json!("cut_live_00000000"))
    );
    let told: u64 = unknown.iter().map(|line| line["left_out"].as_u64().unwrap_or(1)).sum();
    assert!(told == GUESSES && unknown.len() < GUESSES as usize / 2, "{unknown:#?}");

    let audit = installation.run_json(&["audit", "--action", "api-key.refuse"]);
    for (refused, outcome, count) in [(&revoked, "revoked", 3), (&key, "wrong_secret", 5)] {
        let by = json!(format!("key:{}", &refused[..17]));
        let of_key = audit.as_array().unwrap().iter().filter(|row| row["by"] == by);
        let attempts = of_key.map(|row| {
            assert_eq!(
                (&row["organisation"], &row["detail"]["outcome"], &row["detail"]["client"]),
                (&json!("Acme"), &json!(outcome), &json!("127.0.0.1"))
            );
            row["detail"]["attempts"].as_u64().unwrap()
        });
        assert_eq!(attempts.sum::<u64>(), count, "{audit}");
    }
    for text in [&log, &metrics, &audit.to_string()] {
        assert!(![&secret, &revoked, &key].iter().any(|secret| text.contains(*secret)), "{text}");
    }
}
