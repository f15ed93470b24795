use crate::harness::{ACCOUNTS, Client, House, VALIDATE, text, until};
use serde_json::{Value, json};

fn signed_in() -> (House, String, crate::harness::Server) {
    let (house, key) = House::furnished();
    let server = house.serve();
    (house, key, server)
}

#[test]
fn a_key_gives_a_token_and_its_alias_the_same() {
    let (_house, key, server) = signed_in();
    let stranger = server.stranger();
    let fields = "token payload refreshToken refreshExpiresIn";
    let first = stranger.obtain(&format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ {fields} }}"));
    let alias = stranger.obtain(&format!("obtainKrakenToken(input: {{APIKey: \"{key}\"}}) {{ {fields} }}"));
    for answer in [&first["data"]["obtainToken"], &alias["data"]["obtainKrakenToken"]] {
        assert_eq!(
            answer["payload"]["exp"].as_i64().unwrap() - answer["payload"]["iat"].as_i64().unwrap(),
            3_600
        );
        assert!(answer["refreshExpiresIn"].as_i64().unwrap() > answer["payload"]["exp"].as_i64().unwrap());
        let client = crate::harness::Client { token: Some(text(&answer["token"])), ..stranger.clone() };
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/none/")).code(), (404, "not_found".into()));
    }
}

#[test]
fn bearer_is_taken_too() {
    let (_house, key, server) = signed_in();
    let bearer = format!("Bearer {}", server.token(&key));
    let answer =
        server.stranger().send("GET", &format!("{ACCOUNTS}ACME/1/"), &[("Authorization", &bearer)], b"");
    assert_eq!(answer.status, 404);
}

#[test]
fn a_refresh_token_is_good_once_and_its_second_use_revokes_the_family() {
    let (_house, key, server) = signed_in();
    let stranger = server.stranger();
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
fn credentials_that_are_not_good_are_all_alike() {
    let (house, key, server) = signed_in();
    let operator = house.done(&["api-key", "issue", "--organisation", "Acme", "--role", "operator"]);
    let mut answers: Vec<Value> = Vec::new();
    for wrong in ["", "cut_live_00000000_x", &key[..key.len() - 1], &text(&operator["api_key"])] {
        let answer = server
            .stranger()
            .graphql(&format!("mutation {{ obtainToken(input: {{apiKey: \"{wrong}\"}}) {{ token }} }}"));
        assert_eq!(answer.status, 200);
        assert!(answer.json()["errors"].is_array(), "{wrong}");
        answers.push(answer.json()["errors"][0]["message"].clone());
    }
    assert!(answers.windows(2).all(|w| w[0] == w[1]), "{answers:?}");
}

#[test]
fn tokens_that_are_not_good_are_401_before_the_body_is_read() {
    let (_house, key, server) = signed_in();
    let good = server.token(&key);
    let mut parts = good.split('.');
    let (header, claims, signature) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let none = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let forged = [
        "x".to_owned(),
        format!("{none}.{claims}."),
        format!("{header}.{claims}.{}A", &signature[..signature.len() - 2]),
        format!("{header}.{claims}"),
        format!("{header}.{claims}A.{signature}"),
    ];
    for token in forged {
        let client = crate::harness::Client { token: Some(token.clone()), ..server.stranger() };
        let answer = client.post(VALIDATE, "{ not json");
        assert_eq!(answer.code(), (401, "authentication_failed".into()), "{token}");
        assert_eq!(answer.header("WWW-Authenticate"), Some("Token"));
    }
    let answer = server.stranger().post(VALIDATE, "{ not json");
    assert_eq!(answer.code(), (401, "not_authenticated".into()));
    assert_eq!(answer.header("WWW-Authenticate"), Some("Token"));
}

/// Failure 15: who is refused learns nothing of the cause, not even from the length of the answer.
#[test]
fn tokens_are_refused_with_the_same_bytes_whatever_is_wrong_with_them() {
    let (house, key) = House::furnished();
    let server = house.serve_with(&["--access-token-lifetime", "3s"]);
    let revoked = house.key("Acme");
    let (expired, revoked_token) = (server.token(&key), server.token(&revoked));
    house.done(&["api-key", "revoke", &revoked[..17]]);
    let as_anybody = |token: &str| Client { token: Some(token.to_owned()), ..server.stranger() };
    for token in [&expired, &revoked_token] {
        let client = as_anybody(token);
        until("it is good no more", || client.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
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
        // Their order is that of a table with a seed of its own for each request.
        headers.sort();
        (answer.status, headers, answer.body)
    });
    assert_eq!(answers[0].0, 401);
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
}

#[test]
fn a_revoked_key_stops_its_tokens() {
    let (house, key, server) = signed_in();
    let client = server.client(&key);
    assert_eq!(client.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let prefix = text(&house.done(&["api-key", "list"])[0]["prefix"]);
    house.done(&["api-key", "revoke", &prefix]);
    until("the token is refused", || client.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
    assert!(house.refused(&["api-key", "revoke", &prefix]).contains(&prefix));
}

/// Failure 15.
#[test]
fn a_rotated_signing_key_leaves_old_tokens_good() {
    let (house, key, server) = signed_in();
    let old = server.client(&key);
    house.done(&["signing-key", "rotate"]);
    let new = server.client(&key);
    for client in [old, new] {
        assert_eq!(client.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    }
    assert_eq!(house.done(&["signing-key", "list"]).as_array().unwrap().len(), 2);
}

#[test]
fn a_revoked_signing_key_takes_its_tokens_along() {
    let (house, key, server) = signed_in();
    let old = server.client(&key);
    assert_eq!(old.get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let leaked = text(&house.done(&["signing-key", "list"])[0]["kid"]);
    let revoked = house.done(&["signing-key", "revoke", &leaked]);
    assert!(revoked["revoked"] == true && revoked["signs"] != revoked["kid"], "{revoked}");
    until("its token is refused", || old.get(&format!("{ACCOUNTS}ACME/1/")).status == 401);
    assert_eq!(server.client(&key).get(&format!("{ACCOUNTS}ACME/1/")).status, 404);
    let keys = house.done(&["signing-key", "list"]);
    assert_eq!((&keys[0]["kid"], keys.as_array().unwrap().len()), (&revoked["signs"], 1));
    assert!(house.refused(&["signing-key", "revoke", &leaked]).contains(&leaked));
}

/// Failure 23.
#[test]
fn graphql_is_bounded() {
    let (_house, key, server) = signed_in();
    let stranger = server.stranger();
    let one = format!("obtainToken(input: {{apiKey: \"{key}\"}}) {{ token }}");
    let twice = stranger.graphql(&format!("mutation {{ a: {one} b: {one} }}"));
    assert_eq!(twice.status, 200);
    assert!(twice.json()["errors"].is_array());
    let batch = json!([{"query": "{ __typename }"}, {"query": "{ __typename }"}]).to_string();
    assert_eq!(stranger.post("/v1/graphql/", batch).status, 400);
    assert_eq!(stranger.get("/v1/graphql/?query=%7B__typename%7D").status, 400);
    assert!(stranger.graphql("{ __schema { mutationType { fields { name } } } }").json()["data"].is_object());
    let deep =
        format!("{{ __schema {} }}", "{ types { fields { type ".repeat(20) + "}}}".repeat(20).as_str());
    assert!(stranger.graphql(&deep).json()["errors"].is_array());
    assert!(stranger.graphql("fragment f on Query { ...f } { ...f }").json()["errors"].is_array());
    assert_eq!(stranger.graphql(&format!("{{ __typename }} # {}", "x".repeat(200_000))).status, 413);
}
