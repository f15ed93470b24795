use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use cutover_app::auth::{Denied, Outcome};
use memchr::memchr2;

/// Longer than any token of this service; longer values are not checked.
const MAX_TOKEN: usize = 4_096;

/// Returns the access token of a request, or the API key: `Authorization: Token <…>` or `Bearer <…>` (contract 5, D2).
///
/// # Errors
/// [`Outcome::Missing`] if there is no such header, [`Outcome::Malformed`] if it has another form.
pub(crate) fn token(headers: &HeaderMap) -> Result<&str, Denied> {
    let mut sent = headers.get_all(AUTHORIZATION);
    let header = sent.next().ok_or_else(|| Denied::of(Outcome::Missing))?;
    let credentials = header.to_str().ok().filter(|_| sent.next().is_none());
    credentials.and_then(token_of).ok_or_else(|| Denied::of(Outcome::Malformed))
}

fn token_of(credentials: &str) -> Option<&str> {
    let (scheme, token) = credentials.split_once(' ')?;
    let known = ["token", "bearer"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let token = token.trim_matches(' ');
    let has_gap = || memchr2(b' ', b'\t', token.as_bytes()).is_some();
    let plain = !token.is_empty() && token.len() <= MAX_TOKEN && !has_gap();
    (known && plain).then_some(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn headers(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn both_schemes_are_read() {
        for header in ["Token a.b-c", "token  a.b-c", "Bearer a.b-c", "BEARER a.b-c "] {
            assert_eq!(token(&headers(&[header])).unwrap(), "a.b-c", "{header}");
        }
    }

    #[test]
    fn missing_and_malformed_tokens_are_distinguished() {
        assert_eq!(token(&headers(&[])), Err(Denied::of(Outcome::Missing)));
        let long = format!("Token {}", "x".repeat(MAX_TOKEN + 1));
        for header in ["", "Token", "Token ", "a.b.c", "Basic YTpi", "Token a b", "Token a\tb", &long] {
            let headers = headers(&[header]);
            assert_eq!(token(&headers), Err(Denied::of(Outcome::Malformed)), "{header:?}");
        }
        let twice = headers(&["Token a", "Token a"]);
        assert_eq!(token(&twice), Err(Denied::of(Outcome::Malformed)));
    }
}
