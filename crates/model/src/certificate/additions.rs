//! Hashes of content as it was sent: the accepted payload, and what was added to the account since.

use crate::json::{Cursor, Next, SyntaxErrorKind};
use crate::{ContentHash, PathHashes, PathKey, SyntaxError, content_hash};
use cutover_core::string_enum;
use sha2::{Digest, Sha256};

string_enum! {
    "a kind of addition";
    /// What can be added to an account after its import.
    pub enum Addition {
        /// An item of `notes`.
        Note = "note",
        /// An item of `transactions`.
        Transaction = "transaction",
        /// An item of `statements`.
        HistoricalStatement = "historical_statement",
        /// The request for a payment instruction as a whole.
        PaymentInstruction = "payment_instruction",
    }
}

impl Addition {
    /// Returns the member of the request whose items are added; `None` if the request itself is.
    fn member(self) -> Option<&'static str> {
        match self {
            Self::Note => Some("notes"),
            Self::Transaction => Some("transactions"),
            Self::HistoricalStatement => Some("statements"),
            Self::PaymentInstruction => None,
        }
    }

    /// Hashes the content of one addition: that of the array `["<kind>", <addition>]`.
    fn content(self, json: &str) -> Result<ContentHash, SyntaxError> {
        content_hash(format!("[\"{}\",{json}]", self.as_str()).as_bytes())
    }
}

/// Hashes the content of the account in the body of a create: bare, or the `payload` of an envelope. Its task parameters say
/// when an account is imported, not what, so they are left out.
///
/// # Errors
/// If the body is not JSON.
pub fn account_content(body: &[u8]) -> Result<ContentHash, SyntaxError> {
    let mut cursor = Cursor::new(body)?;
    let payload = payload_of_envelope(&mut cursor).map_err(|kind| cursor.broken(kind))?;
    content_hash(payload.map_or(body, str::as_bytes))
}

/// Hashes the values of the account in the body of a create by the patterns of their paths, as [`PathHashes::of`] does.
///
/// # Errors
/// If the body is not JSON.
pub fn account_paths(body: &[u8], key: &PathKey, id: i64) -> Result<PathHashes, SyntaxError> {
    let mut cursor = Cursor::new(body)?;
    let payload = payload_of_envelope(&mut cursor).map_err(|kind| cursor.broken(kind))?;
    PathHashes::of(payload.map_or(body, str::as_bytes), key, id)
}

/// Returns the payload of an envelope; `None` for any other body. An envelope has no other members, so its first one shows
/// what it is.
fn payload_of_envelope<'j>(cursor: &mut Cursor<'j>) -> Result<Option<&'j str>, SyntaxErrorKind> {
    let mut payload = None;
    let mut more = cursor.peek()? == Next::Object && cursor.open_object()?;
    while more {
        let name = cursor.name()?;
        if !matches!(&*name, "payload" | "task_params") {
            return Ok(None);
        }
        let start = cursor.mark();
        cursor.skip()?;
        if name == "payload" && payload.is_none() {
            payload = Some(cursor.since(start));
        }
        more = cursor.more_members()?;
    }
    Ok(payload)
}

/// Hashes the content of each addition in the body of a request, in their order.
///
/// # Errors
/// If the body is not JSON. A body without the list of its kind has no additions.
pub fn addition_contents(kind: Addition, body: &[u8]) -> Result<Vec<ContentHash>, SyntaxError> {
    let mut cursor = Cursor::new(body)?;
    let items = match kind.member() {
        Some(member) => items(&mut cursor, member),
        None => whole(&mut cursor).map(|whole| vec![whole]),
    };
    items.map_err(|kind| cursor.broken(kind))?.into_iter().map(|item| kind.content(item)).collect()
}

fn whole<'j>(cursor: &mut Cursor<'j>) -> Result<&'j str, SyntaxErrorKind> {
    let start = cursor.mark();
    cursor.skip()?;
    Ok(cursor.since(start))
}

/// Returns the items of an array in an object as they were sent. The first of several members of one name counts.
fn items<'j>(cursor: &mut Cursor<'j>, member: &str) -> Result<Vec<&'j str>, SyntaxErrorKind> {
    let mut more = cursor.peek()? == Next::Object && cursor.open_object()?;
    while more && cursor.name()? != member {
        cursor.skip()?;
        more = cursor.more_members()?;
    }
    let mut found = Vec::new();
    more = more && cursor.peek()? == Next::Array && cursor.open_array()?;
    while more {
        found.push(whole(cursor)?);
        more = cursor.more_items()?;
    }
    Ok(found)
}

/// The hash of everything that was sent of an account, computed from the hash of its payload and those of its additions in
/// ascending order.
#[derive(Debug, Clone)]
pub struct CertifiedContent(Sha256);

impl CertifiedContent {
    /// Begins with the payload.
    pub fn new(payload: ContentHash) -> Self {
        Self(Sha256::new().chain_update(payload.0))
    }

    /// Adds the next addition. Of equal ones each counts.
    pub fn add(&mut self, addition: ContentHash) {
        self.0.update(addition.0);
    }

    /// Returns the hash.
    pub fn finish(self) -> ContentHash {
        ContentHash(self.0.finalize().into())
    }
}

/// Returns the hash of everything that was sent of an account: SHA-256 of the hash of its payload and those of its additions
/// in ascending order.
pub fn certified_content(payload: ContentHash, mut additions: Vec<ContentHash>) -> ContentHash {
    additions.sort_unstable();
    let mut content = CertifiedContent::new(payload);
    additions.into_iter().for_each(|addition| content.add(addition));
    content.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_has_the_content_of_its_account() {
        let bare = account_content(br#"{"external_account_number":"1","transfer_balance":1.50}"#).unwrap();
        for same in [
            r#"{"payload":{"transfer_balance":1.5,"external_account_number":"1"}}"#,
            r#"{"task_params":{"is_dry_run":true},"payload":{"transfer_balance":15e-1,"external_account_number":"1"}}"#,
        ] {
            assert_eq!(account_content(same.as_bytes()).unwrap(), bare, "{same}");
        }
        assert_ne!(account_content(br#"{"external_account_number":"1"}"#).unwrap(), bare);
        assert!(account_content(b"{").is_err());
    }

    #[test]
    fn additions_of_a_request_are_hashed_one_by_one() {
        let body = br#"{"import_supplier":"A","notes":[{"body":"x"},{ "body" : "y" }]}"#;
        let both = addition_contents(Addition::Note, body).unwrap();
        let one = addition_contents(Addition::Note, br#"{"notes":[{"body":"y"}]}"#).unwrap();
        assert_eq!((both.len(), &both[1..]), (2, &one[..]));
        assert_eq!(one, [content_hash(br#"["note",{"body":"y"}]"#).unwrap()]);
        assert_eq!(addition_contents(Addition::Transaction, body).unwrap(), []);
        assert_eq!(addition_contents(Addition::PaymentInstruction, body).unwrap().len(), 1);
    }

    #[test]
    fn kinds_are_told_apart() {
        let of = |kind| {
            addition_contents(kind, br#"{"notes":[{}],"transactions":[{}],"statements":[{}]}"#).unwrap()
        };
        let all: std::collections::HashSet<_> = Addition::ALL.iter().flat_map(|kind| of(*kind)).collect();
        assert_eq!(all.len(), Addition::ALL.len());
    }

    #[test]
    fn the_order_of_additions_does_not_matter_and_their_number_does() {
        let [payload, a, b] = [b"1", b"2", b"3"].map(|json| content_hash(json).unwrap());
        assert_eq!(certified_content(payload, vec![a, b]), certified_content(payload, vec![b, a]));
        assert_ne!(certified_content(payload, vec![a]), certified_content(payload, vec![a, a]));
        assert_ne!(certified_content(payload, Vec::new()), payload);
    }
}
