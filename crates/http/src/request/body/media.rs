use crate::refusal::Refusal;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

/// Accepts only JSON: `application/json`, in UTF-8 if a charset is named; a missing content type counts as
/// JSON (contract D3).
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for everything else.
pub(crate) fn is_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(sent) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let is_json = sent.to_str().is_ok_and(|sent| is_utf8(sent, "application/json"));
    if is_json { Ok(()) } else { Err(Refusal::UnsupportedMediaType("The body must be application/json.")) }
}

/// Accepts only lines of JSON: `application/x-ndjson`, or no content type (contract D12).
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for everything else.
pub(crate) fn is_ndjson(headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(sent) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let is_lines = sent.to_str().is_ok_and(|sent| is_utf8(sent, "application/x-ndjson"));
    if is_lines {
        Ok(())
    } else {
        Err(Refusal::UnsupportedMediaType("The body must be application/x-ndjson."))
    }
}

/// Accepts only bytes: `application/octet-stream`, or no content type, and no coding (contract D10).
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for everything else.
pub(crate) fn is_bytes(headers: &HeaderMap) -> Result<(), Refusal> {
    const REFUSED: Refusal =
        Refusal::UnsupportedMediaType("The body must be application/octet-stream, without a coding.");
    let sent = headers.get(CONTENT_TYPE);
    let is_bytes =
        sent.is_none_or(|sent| sent.to_str().is_ok_and(|sent| is_utf8(sent, "application/octet-stream")));
    if is_bytes && matches!(is_packed(headers), Ok(false)) { Ok(()) } else { Err(REFUSED) }
}

/// Accepts only forms: `application/x-www-form-urlencoded`; a missing content type is refused.
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for everything else.
pub(crate) fn is_form(headers: &HeaderMap) -> Result<(), Refusal> {
    let sent = headers.get(CONTENT_TYPE).and_then(|sent| sent.to_str().ok());
    match sent.is_some_and(|sent| is_utf8(sent, "application/x-www-form-urlencoded")) {
        true => Ok(()),
        false => Err(Refusal::UnsupportedMediaType("The body must be that of a form.")),
    }
}

fn is_utf8(content_type: &str, expected: &str) -> bool {
    let (media, parameters) = content_type.split_once(';').unwrap_or((content_type, ""));
    let charset = parameters.split(';').filter_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.trim().trim_matches('"'))
    });
    let is_that = |charset: &str| ["utf-8", "utf8"].iter().any(|name| charset.eq_ignore_ascii_case(name));
    media.trim().eq_ignore_ascii_case(expected) && charset.into_iter().all(is_that)
}

/// Returns true if the body is compressed with gzip. No other coding is accepted, nor two of them (contract
/// D3).
///
/// # Errors
/// [`Refusal::UnsupportedMediaType`] for every other coding.
pub(crate) fn is_packed(headers: &HeaderMap) -> Result<bool, Refusal> {
    const REFUSED: Refusal = Refusal::UnsupportedMediaType("The body may be packed with gzip, once, or not.");
    let mut codings = headers.get_all(CONTENT_ENCODING);
    let Some(coding) = codings.next() else { return Ok(false) };
    match (coding.to_str().map(|c| c.trim().to_ascii_lowercase()).as_deref(), codings.next()) {
        (Ok("gzip" | "x-gzip"), None) => Ok(true),
        (Ok("identity" | ""), None) => Ok(false),
        _ => Err(REFUSED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    fn headers(name: HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn json_and_nothing_else() {
        assert!(is_json(&HeaderMap::new()).is_ok());
        for good in [
            "application/json",
            "Application/JSON ; charset=UTF-8",
            "application/json;charset=\"utf-8\"; version=1",
            "application/json;",
        ] {
            assert!(is_json(&headers(CONTENT_TYPE, &[good])).is_ok(), "{good}");
        }
        for bad in [
            "",
            "text/plain",
            "application/json; charset=utf-16",
            "application/jsonp",
            "text/json, application/json",
        ] {
            assert!(is_json(&headers(CONTENT_TYPE, &[bad])).is_err(), "{bad}");
        }
    }

    #[test]
    fn bytes_as_they_are() {
        assert!(is_bytes(&HeaderMap::new()).is_ok());
        assert!(is_bytes(&headers(CONTENT_TYPE, &["application/octet-stream"])).is_ok());
        for bad in ["", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/plain"]
        {
            assert!(is_bytes(&headers(CONTENT_TYPE, &[bad])).is_err(), "{bad}");
        }
        assert!(is_bytes(&headers(CONTENT_ENCODING, &["gzip"])).is_err());
    }

    #[test]
    fn gzip_once_or_nothing() {
        assert!(!is_packed(&HeaderMap::new()).unwrap());
        for (codings, packed) in [(["gzip"], true), (["X-GZIP"], true), (["identity"], false)] {
            assert_eq!(is_packed(&headers(CONTENT_ENCODING, &codings)).unwrap(), packed);
        }
        for bad in [&["br"][..], &["gzip, gzip"], &["gzip", "gzip"], &["identity", "gzip"], &["deflate"]] {
            assert!(is_packed(&headers(CONTENT_ENCODING, bad)).is_err(), "{bad:?}");
        }
    }
}
