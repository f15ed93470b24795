use super::Target;
use crate::service::TestService;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use cutover_app::auth::Credential;
use cutover_http::fuzzing;
use std::sync::LazyLock;

/// Credentials of all kinds.
pub(crate) const TARGET: Target = Target {
    name: "tokens",
    description: "access tokens, sessions, keys and refresh tokens: anything that was not issued is refused everywhere",
    run,
    seeds,
    words: &[
        "Token ",
        "Bearer ",
        ".",
        "=",
        "none",
        "HS512",
        "eyJhbGciOiJub25lIn0",
        "cut_live_",
        "cut_refresh_",
        "cut_session_",
    ],
    max: 5_000,
    executions: 250_000,
};

static SERVICE: LazyLock<TestService> = LazyLock::new(|| TestService::new(7));
/// Another installation, whose tokens are invalid here.
static OTHER: LazyLock<TestService> = LazyLock::new(|| TestService::new(8));

/// The first byte selects a valid token, to which the rest applies changes; otherwise the rest is the text to
/// test.
fn run(input: &[u8]) {
    let [form, rest @ ..] = input else { return };
    let service = &*SERVICE;
    let good = match form {
        b'A' => &service.access_token,
        b'S' => &service.session_token,
        b'K' => &service.api_key,
        b'O' => &service.operator_key,
        b'R' => &service.refresh_token,
        _ => "",
    };
    if let Some(token) = fuzzing::token(rest) {
        let is_plain = !token.is_empty() && token.len() <= 4_096 && !token.contains([' ', '\t', '\n', '\0']);
        assert!(is_plain, "not a token: {token:?}");
        is_refused_unless_issued(service, &token);
    }
    match good {
        "" => std::str::from_utf8(rest).into_iter().for_each(|text| is_refused_unless_issued(service, text)),
        good => is_refused_unless_issued(service, &changed(good, rest)),
    }
}

/// Applies changes to a token: each is a position and a character.
fn changed(good: &str, changes: &[u8]) -> String {
    let mut token: Vec<char> = good.chars().collect();
    for pair in changes.as_chunks::<3>().0 {
        let at = usize::from(u16::from_be_bytes([pair[0], pair[1]])) % (token.len() + 1);
        match (token.get_mut(at), pair[2]) {
            (Some(_), 0) => drop(token.remove(at)),
            (Some(character), byte) => *character = char::from(byte & 0x7f),
            (None, byte) => token.push(char::from(byte & 0x7f)),
        }
    }
    token.into_iter().collect()
}

fn is_refused_unless_issued(service: &TestService, text: &str) {
    let app = &service.app;
    let remembered = app.authenticate_from_memory(text).is_some_and(|answer| answer.is_ok());
    assert!(!remembered || text == service.access_token, "remembered, but not issued: {text:?}");
    assert_eq!(app.authenticate(text).is_ok(), text == service.access_token, "access: {text:?}");
    assert_eq!(app.session(text).is_ok(), text == service.session_token, "session: {text:?}");
    // Valid credentials issue new ones, which is not tested here.
    if text != service.api_key {
        assert!(app.obtain_token(&Credential::ApiKey(text.to_owned())).is_err(), "key: {text:?}");
    }
    if text != service.refresh_token {
        assert!(app.obtain_token(&Credential::RefreshToken(text.to_owned())).is_err(), "refresh: {text:?}");
    }
    if text != service.operator_key {
        assert!(app.sign_in(text).is_err(), "operator: {text:?}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let (own, other) = (&*SERVICE, &*OTHER);
    let mut texts: Vec<String> = [own, other]
        .into_iter()
        .flat_map(|service| {
            [
                &service.access_token,
                &service.session_token,
                &service.api_key,
                &service.refresh_token,
                &service.operator_key,
            ]
        })
        .cloned()
        .collect();
    texts.extend(forged(&own.access_token));
    texts.push(format!("Bearer {}", own.access_token));
    let changes = ["A", "S", "K", "O", "R", "A\0\0x", "A\0\0\0", "S\u{1}\0y"];
    let texts = texts.into_iter().map(|text| format!("-{text}"));
    texts.chain(changes.map(str::to_owned)).map(String::into_bytes).collect()
}

/// Forged tokens with the claims of a valid one: other algorithms, other key ids, no signature.
fn forged(token: &str) -> Vec<String> {
    let [header, claims, signature] = token.split('.').collect::<Vec<_>>()[..] else { return Vec::new() };
    let headers = [
        r#"{"alg":"none"}"#,
        r#"{"typ":"JWT","alg":"none","kid":""}"#,
        r#"{"typ":"JWT","alg":"HS512","kid":"0"}"#,
        r#"{"alg":"RS256","kid":"../../etc/passwd","jwk":{},"x5c":[]}"#,
        r#"{"alg":"HS256","kid":null,"crit":["b64"],"b64":false}"#,
    ];
    let mut forged: Vec<String> = headers
        .iter()
        .map(|header| format!("{}.{claims}.{signature}", BASE64_URL_SAFE_NO_PAD.encode(header)))
        .collect();
    forged.extend([
        format!("{header}.{claims}."),
        format!("{header}.{claims}"),
        format!("{header}.{claims}.{signature}="),
        format!("{header}.{claims}.{signature}.{signature}"),
        format!("{header}..{signature}"),
    ]);
    forged
}
