use super::Target;
use cutover_postgres_client::{Config, check_url, shown};

/// URLs of databases.
pub(crate) const TARGET: Target = Target {
    name: "urls",
    description: "URLs of databases: neither a faulty nor a valid one shows its password",
    run,
    seeds,
    words: &[
        "postgres://",
        "postgresql://",
        "@",
        ":",
        "/",
        "?",
        "&",
        "%",
        "%40",
        "%2F",
        "[::1]",
        "127.0.0.1:5432",
        ",",
        "host=",
        "hostaddr=",
        "port=",
        "user=",
        "password=",
        "dbname=",
        "sslmode=verify-full",
        "sslrootcert=",
        "sslcert=",
        "target_session_attrs=primary",
        "channel_binding=require",
        "connect_timeout=1",
        "keepalives=0",
        "options=-c%20jit%3Doff",
    ],
    max: 1 << 10,
    executions: 750_000,
};

/// Text that stands for an invalid URL in messages.
const HIDDEN: &str = "postgres://…";

fn run(input: &[u8]) {
    let Ok(url) = std::str::from_utf8(input) else { return };
    let shown_url = shown(url);
    assert_eq!(check_url(url).is_ok(), shown_url != HIDDEN, "{url:?}: {shown_url:?}");
    if shown_url != HIDDEN {
        assert_eq!(shown(&shown_url), shown_url, "what is shown has more to hide");
        let rest = shown_url.split_once("://").map_or("", |(_, rest)| rest);
        let (login, address) = rest.split_once('@').unwrap_or(("", rest));
        assert!(!login.contains(':') && !address.contains('?'), "{shown_url:?} has a password or parameters");
    }
    let answer = |url: &str| Config::parse(url).map(|_| ()).map_err(|error| error.to_string());
    if let Err(why) = check_url(url) {
        assert_eq!(answer(url), Err(why.to_owned()));
    }
    // Another password gives the same answer and is shown as the same URL.
    for (before, after) in passwords(url) {
        let other = format!("{before}an%4Fther{after}");
        assert_eq!(answer(url), answer(&other), "{url:?}: the password decides");
        assert_eq!(shown_url, shown(&other), "{url:?}: the password is shown");
    }
}

/// The parts of a valid URL before and after each of its passwords.
fn passwords(url: &str) -> Vec<(&str, &str)> {
    if check_url(url).is_err() {
        return Vec::new();
    }
    let start = url.find("://").map_or(0, |at| at + 3);
    let login = url[start..].find(['@', '/']).filter(|at| url[start + at..].starts_with('@'));
    let in_login = login.and_then(|end| {
        let colon = url[start..start + end].find(':')?;
        Some((&url[..=start + colon], &url[start + end..]))
    });
    let query = login.map_or(start, |end| start + end);
    let parameter = url[query..].find("&password=").map(|at| {
        let (before, rest) = url.split_at(query + at + "&password=".len());
        (before, &rest[rest.find('&').unwrap_or(rest.len())..])
    });
    let after_question_mark = |(before, _): &(&str, &str)| before[query..].contains('?');
    in_login.into_iter().chain(parameter.filter(after_question_mark)).collect()
}

fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "postgres://u:p%40ss@h:5432/db?sslmode=require&password=x",
        "postgresql://u@h1:1,[::1]:2,h3/db?target_session_attrs=primary",
        "postgres:///db?host=%2Frun&port=7&password=x",
        "postgres://u:pa?ss@h/db",
        "postgres://:secret@h/db",
        "postgres://u:se@cret@h/db",
        "postgres://u:secret%2@h/db",
        "postgres://u:secret@h:0/db",
        "postgres://u@h/db?sslcert=a&user=v",
        "postgres://u@h/db?hostaddr=10.0.0.1,10.0.0.2",
        "host=h password=secret",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
