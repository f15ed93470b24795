//! Accounts in their envelopes.

use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The body of a request about an account.
pub(crate) struct Envelope<'b> {
    /// The account.
    pub(crate) account: &'b [u8],
    /// True if the envelope has other members than the account.
    pub(crate) has_more: bool,
}

/// Takes an account out of its envelope, if it is in one.
///
/// # Errors
/// If the body is no JSON object.
pub(crate) fn open(body: &[u8]) -> serde_json::Result<Envelope<'_>> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_slice(body)?;
    Ok(match members.get("payload") {
        None => Envelope { account: body, has_more: false },
        Some(payload) => Envelope { account: payload.get().as_bytes(), has_more: members.len() > 1 },
    })
}
