use crate::journal::{account_hash, fingerprint_of};
use cutover_core::trimmed;
use cutover_model::{AccountRequest, Decoded, Zone, decode_account};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

/// Supplier and number, both trimmed, which identify an account (contract D1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) supplier: Option<Box<str>>,
    pub(crate) number: Option<Box<str>>,
}

/// Hash of an account's supplier and number.
///
/// Collisions of 16 bytes are less likely than faults of the machine. The first eight are the key of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct IdentityHash([u8; 16]);

impl IdentityHash {
    fn of(supplier: &str, number: &str) -> Self {
        Self::beginning(&account_hash(supplier, number))
    }

    /// Hash of the bytes of a request that nothing else identifies.
    pub(crate) fn of_bytes(body: &[u8]) -> Self {
        Self::beginning(&blake3::hash(body.trim_ascii()))
    }

    fn beginning(hash: &blake3::Hash) -> Self {
        let mut half = [0; 16];
        half.copy_from_slice(&hash.as_bytes()[..16]);
        Self(half)
    }
}

/// The two members of an account that identify it, bare or in its envelope.
#[derive(Deserialize)]
struct Members {
    import_supplier: Option<String>,
    external_account_number: Option<String>,
    #[serde(default, deserialize_with = "sent")]
    payload: Option<Option<Payload>>,
    #[serde(default, deserialize_with = "sent")]
    task_params: Option<Option<IgnoredAny>>,
}

#[derive(Deserialize)]
struct Payload {
    import_supplier: Option<String>,
    external_account_number: Option<String>,
}

/// Tells null from a member that is left out.
fn sent<'d, T: Deserialize<'d>, D: Deserializer<'d>>(from: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl Identity {
    /// The supplier and the number of a decoded account; `None` if it is no JSON object.
    pub(crate) fn of(decoded: &Decoded<AccountRequest<'_>>) -> Option<Self> {
        let account = decoded.draft.as_ref()?.account.usable()?;
        let supplier = account.import_supplier.usable().map(|text| text.trimmed().into());
        let number = account.external_account_number.usable().map(|text| text.trimmed().into());
        Some(Self { supplier, number })
    }

    /// Reads the supplier and the number of an account, without decoding the rest of it; `None` if it is no JSON object.
    pub(crate) fn read(account: &[u8]) -> Option<Self> {
        match serde_json::from_slice::<Members>(account) {
            Ok(Members { payload: Some(Some(inside)), .. }) => {
                Some(Self::trimmed(inside.import_supplier, inside.external_account_number))
            }
            Ok(Members { import_supplier, external_account_number, payload: None, task_params: None }) => {
                Some(Self::trimmed(import_supplier, external_account_number))
            }
            // Faults in these members are judged by the decoder.
            Ok(_) | Err(_) => Self::of(&decode_account(account, Zone::UTC).ok()?),
        }
    }

    fn trimmed(supplier: Option<String>, number: Option<String>) -> Self {
        let text = |text: String| Some(trimmed(&text)).filter(|text| !text.is_empty()).map(Into::into);
        Self { supplier: supplier.and_then(text), number: number.and_then(text) }
    }

    /// Hash of both; `None` if one is missing.
    pub(crate) fn hash(&self) -> Option<IdentityHash> {
        Some(IdentityHash::of(self.supplier.as_deref()?, self.number.as_deref()?))
    }

    /// Key of the account in a journal.
    pub(crate) fn key(&self, account: &[u8]) -> u64 {
        crate::journal::key(self.supplier.as_deref(), self.number.as_deref(), fingerprint_of(account))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_is_that_of_the_decoder() {
        for account in [
            r#"{"import_supplier": " A ", "external_account_number": "B", "notes": [{}]}"#,
            r#"{"payload": {"import_supplier": "A", "external_account_number": "B"}, "import_supplier": "X"}"#,
            r#"{"task_params": {}, "payload": {"import_supplier": "A"}}"#,
            r#"{"task_params": {}, "import_supplier": "A"}"#,
            r#"{"payload": null, "import_supplier": "A"}"#,
            r#"{"import_supplier": 7, "external_account_number": "B"}"#,
            r#"{"import_supplier": "A", "import_supplier": "B"}"#,
            r#"{"import_supplier": " ", "external_account_number": null}"#,
            "[]",
            "{",
        ] {
            let account = account.as_bytes();
            let decoded = decode_account(account, Zone::UTC).ok().and_then(|decoded| Identity::of(&decoded));
            assert_eq!(Identity::read(account), decoded, "{}", String::from_utf8_lossy(account));
        }
    }

    #[test]
    fn accounts_are_identified_by_supplier_and_number() {
        let hash = |supplier: Option<&str>, number: Option<&str>| {
            Identity { supplier: supplier.map(Into::into), number: number.map(Into::into) }.hash()
        };
        let all = [("A", "BC"), ("AB", "C"), ("A", "bc"), ("X", "BC")].map(|(s, n)| hash(Some(s), Some(n)));
        assert!(all.iter().enumerate().all(|(i, one)| one.is_some() && !all[..i].contains(one)));
        assert_eq!([hash(None, Some("BC")), hash(Some("A"), None)], [None, None]);
    }
}
