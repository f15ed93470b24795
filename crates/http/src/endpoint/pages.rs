//! Lists in pages (contract D13). The cursor of a page is the key of the last item before it.

use super::account_lists::paging;
use crate::openapi::Parameter;
use crate::refusal::Refusal;
use crate::request::query::Query;
use actix_web::http::header::{HeaderName, LINK};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use cutover_model::describe::Json;

/// The default size of a page.
const USUAL: u32 = 100;

/// The parameters of such a list.
pub(super) const PARAMETERS: &[Parameter] = &[SIZE, CURSOR];

pub(super) const SIZE: Parameter = Parameter {
    name: "page_size",
    doc: "Maximum number of items. A page may have fewer before the last one.",
    schema: || {
        let size = Json::object().with("type", "integer").with("minimum", 1_u32);
        size.with("maximum", paging::LARGEST).with("default", USUAL)
    },
};

pub(super) const CURSOR: Parameter = Parameter {
    name: "cursor",
    doc: "Start of the page, from the `Link` of the page before.",
    schema: || Json::object().with("type", "string"),
};

/// Reads the key that a page begins after, and the size of the page. `key` reads the bytes of a cursor.
///
/// # Errors
/// [`Refusal::Parameters`].
pub(super) fn read<K>(query: &str, key: impl Fn(Vec<u8>) -> Option<K>) -> Result<(Option<K>, u32), Refusal> {
    let mut query = Query::new(query);
    let page = position(&mut query, key);
    query.finish()?;
    Ok(page)
}

/// The same of a query that has other parameters too.
pub(super) fn position<K>(query: &mut Query<'_>, key: impl Fn(Vec<u8>) -> Option<K>) -> (Option<K>, u32) {
    let after = query.read("cursor", |cursor| key(BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?));
    let size = query.read("page_size", paging::size);
    (after, size.unwrap_or(USUAL))
}

/// Returns the header with the link to the page after the item with this key.
pub(super) fn next(path: &str, size: u32, key: impl AsRef<[u8]>) -> (HeaderName, String) {
    let cursor = BASE64_URL_SAFE_NO_PAD.encode(key);
    (LINK, format!("<{path}?page_size={size}&cursor={cursor}>; rel=\"next\""))
}
