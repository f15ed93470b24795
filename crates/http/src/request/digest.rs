//! The digest of a body that a client announces (RFC 9530).

use crate::refusal::Refusal;
use actix_web::http::header::HeaderMap;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The headers with digests. They agree where a body has no coding and is the whole of a document.
const HEADERS: [&str; 2] = ["content-digest", "repr-digest"];
const ALGORITHM: &str = "sha-256=:";

/// Returns the SHA-256 that the headers announce, if they do. Digests of other algorithms are left out.
///
/// # Errors
/// [`Refusal::Invalid`] if it is none, or if two are announced.
pub(crate) fn sha256(headers: &HeaderMap) -> Result<Option<[u8; 32]>, Refusal> {
    const REFUSED: Refusal = Refusal::Invalid("The digest must have the form sha-256=:BASE64:.");
    let mut announced = None;
    for value in HEADERS.iter().flat_map(|name| headers.get_all(*name)) {
        let members = value.to_str().map_err(|_| REFUSED)?.split(',').map(str::trim);
        for member in members.filter(|member| member.starts_with("sha-256=")) {
            let encoded = member.strip_prefix(ALGORITHM).and_then(|rest| rest.strip_suffix(':'));
            let digest = encoded.and_then(|encoded| STANDARD.decode(encoded).ok()?.try_into().ok());
            let digest: [u8; 32] = digest.ok_or(REFUSED)?;
            if announced.is_some_and(|other| other != digest) {
                return Err(REFUSED);
            }
            announced = Some(digest);
        }
    }
    Ok(announced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};

    const EMPTY: &str = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:";

    fn read(sent: &[(&'static str, &str)]) -> Result<Option<u8>, Refusal> {
        let mut headers = HeaderMap::new();
        for (name, value) in sent {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        sha256(&headers).map(|digest| digest.map(|digest| digest[0]))
    }

    #[test]
    fn one_digest_is_read_from_either_header() {
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(read(&[("content-digest", "sha-512=:AAAA:")]).unwrap(), None);
        for name in HEADERS {
            assert_eq!(read(&[(name, EMPTY)]).unwrap(), Some(0xe3));
        }
        let both = format!("sha-512=:AAAA:, {EMPTY}");
        assert_eq!(read(&[("content-digest", &both), ("repr-digest", EMPTY)]).unwrap(), Some(0xe3));
    }

    #[test]
    fn other_forms_are_refused() {
        for bad in ["sha-256=47DE", "sha-256=:47DE:", "sha-256=:%:", "sha-256=", &EMPTY[..EMPTY.len() - 1]] {
            assert!(read(&[("content-digest", bad)]).is_err(), "{bad}");
        }
        let other = EMPTY.replace("47D", "57D");
        assert!(read(&[("content-digest", EMPTY), ("repr-digest", &other)]).is_err());
    }
}
