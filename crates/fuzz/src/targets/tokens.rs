use super::Target;
use crate::house::House;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use cutover_app::auth::Credential;
use cutover_http::fuzzing;
use std::sync::LazyLock;

/// Credentials of every kind.
pub(crate) const TARGET: Target = Target {
    name: "tokens",
    what: "access tokens, sessions, keys and refresh tokens: whatever was not issued is refused, wherever it is sent",
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

static HOUSE: LazyLock<House> = LazyLock::new(|| House::new(7));
/// Another installation, whose tokens are good there.
static OTHER: LazyLock<House> = LazyLock::new(|| House::new(8));

/// The first byte says what the rest is: changes of a token that is good, or a text of its own.
fn run(input: &[u8]) {
    let [form, rest @ ..] = input else { return };
    let house = &*HOUSE;
    let good = match form {
        b'A' => &house.access_token,
        b'S' => &house.session_token,
        b'K' => &house.api_key,
        b'O' => &house.operator_key,
        b'R' => &house.refresh_token,
        _ => "",
    };
    if let Some(token) = fuzzing::token(rest) {
        let is_plain = !token.is_empty() && token.len() <= 4_096 && !token.contains([' ', '\t', '\n', '\0']);
        assert!(is_plain, "that is no token: {token:?}");
        is_refused_unless_issued(house, &token);
    }
    match good {
        "" => std::str::from_utf8(rest).into_iter().for_each(|text| is_refused_unless_issued(house, text)),
        good => is_refused_unless_issued(house, &changed(good, rest)),
    }
}

/// A token with some characters exchanged: pairs of a place and what becomes of it.
fn changed(good: &str, changes: &[u8]) -> String {
    let mut token: Vec<char> = good.chars().collect();
    for pair in changes.as_chunks::<3>().0 {
        let place = usize::from(u16::from_be_bytes([pair[0], pair[1]])) % (token.len() + 1);
        match (token.get_mut(place), pair[2]) {
            (Some(_), 0) => drop(token.remove(place)),
            (Some(at), byte) => *at = char::from(byte & 0x7f),
            (None, byte) => token.push(char::from(byte & 0x7f)),
        }
    }
    token.into_iter().collect()
}

fn is_refused_unless_issued(house: &House, text: &str) {
    let app = &house.app;
    let remembered = app.authenticate_from_memory(text).is_some_and(|answer| answer.is_ok());
    assert!(!remembered || text == house.access_token, "remembered, and not issued: {text:?}");
    assert_eq!(app.authenticate(text).is_ok(), text == house.access_token, "access: {text:?}");
    assert_eq!(app.session(text).is_ok(), text == house.session_token, "session: {text:?}");
    // Those that are good make new ones: that they do is not looked at here.
    if text != house.api_key {
        assert!(app.obtain_token(&Credential::ApiKey(text.to_owned())).is_err(), "key: {text:?}");
    }
    if text != house.refresh_token {
        assert!(app.obtain_token(&Credential::RefreshToken(text.to_owned())).is_err(), "refresh: {text:?}");
    }
    if text != house.operator_key {
        assert!(app.sign_in(text).is_err(), "operator: {text:?}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let (own, other) = (&*HOUSE, &*OTHER);
    let mut texts: Vec<String> = [own, other]
        .into_iter()
        .flat_map(|house| {
            [
                &house.access_token,
                &house.session_token,
                &house.api_key,
                &house.refresh_token,
                &house.operator_key,
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

/// What forgers try with the claims of a token: other algorithms, other keys' names, no signature.
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
