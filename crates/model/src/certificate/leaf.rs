//! The leaf of an account: a JSON object in its canonical form, whose bytes are hashed.

use super::canonical::canonical;
use super::merkle::{Hash, leaf_hash};
use super::{from_hex, to_hex};
use crate::response::money;
use crate::{RowCounts, Totals};
use serde::{Deserialize, Serialize};

answers! {
    /// The leaf of an account in the tree of a certificate (contract D17).
    Leaf (Debug, Eq, Serialize, Deserialize) {
        /// The hash of everything that was sent of it, in hexadecimal digits; `null` if it was accepted by a version that
        /// kept none.
        content: Option<String>;
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// The code of its import supplier.
        import_supplier: String;
        /// Random digits that belong to this leaf alone.
        salt: String;
        /// Its status at the moment of the certificate.
        status: String;
        /// What was imported of it, including what was added since; `null` if it is not imported.
        totals: Option<LeafTotals>;
    }

    /// The totals of an imported account (contract D17).
    LeafTotals (Debug, Eq, Serialize, Deserialize) {
        /// Its rows, by table; left out if it was accepted by a version that counted none.
        counts [serde(default, skip_serializing_if = "RowCounts::is_empty")]: RowCounts;
        /// Documents of its notes and statements.
        documents: u64;
        /// Sum of the balances of its ledgers, exact, in the main currency unit; above 0 = in credit.
        ledger_balance: String, decimal;
        /// Readings of its meters.
        readings: u64;
        /// Transactions of its ledgers.
        transactions: u64;
    }
}

impl From<Totals> for LeafTotals {
    fn from(totals: Totals) -> Self {
        let Totals { ledger_balance, readings, transactions, documents, rows: counts, .. } = totals;
        Self { counts, ledger_balance: money(ledger_balance), readings, transactions, documents }
    }
}

/// The error for a line that is no leaf.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this line is no leaf of a certificate: {0}")]
pub struct InvalidLeaf(String);

impl Leaf {
    /// Returns the canonical form of the leaf (RFC 8785), without a line break: what is hashed, and what the service sends.
    /// The members are declared in the order of their names.
    ///
    /// # Errors
    /// [`InvalidLeaf`] if it has no form in JSON.
    pub fn to_line(&self) -> Result<Vec<u8>, InvalidLeaf> {
        serde_json::to_vec(self).map_err(|error| InvalidLeaf(error.to_string()))
    }
}

/// A leaf whose account was erased: only its hash is left.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Erased {
    erased: bool,
    leaf_hash: String,
}

/// Returns the line of a leaf whose account was erased, without a line break.
pub fn erased_line(hash: &Hash) -> Vec<u8> {
    format!("{{\"erased\":true,\"leaf_hash\":\"{}\"}}", to_hex(hash)).into_bytes()
}

/// Returns the hash of the leaf in a line of the leaves of a certificate, and the leaf itself unless its account was erased.
///
/// # Errors
/// [`InvalidLeaf`] if the line is neither a leaf nor what is left of one.
pub fn hash_of_line(line: &[u8]) -> Result<(Hash, Option<Leaf>), InvalidLeaf> {
    if let Ok(Erased { erased: true, leaf_hash }) = serde_json::from_slice(line) {
        let hash = from_hex(&leaf_hash).ok_or_else(|| InvalidLeaf("leaf_hash is no hash".into()))?;
        return Ok((hash, None));
    }
    // Members of later versions are part of the hash.
    let value: serde_json::Value = serde_json::from_slice(line).map_err(|e| InvalidLeaf(e.to_string()))?;
    let leaf = Leaf::deserialize(&value).map_err(|error| InvalidLeaf(error.to_string()))?;
    let canonical = canonical(value).ok_or_else(|| InvalidLeaf("a number is not whole".into()))?;
    Ok((leaf_hash(&canonical), Some(leaf)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf() -> Leaf {
        Leaf {
            import_supplier: "ACME".into(),
            external_account_number: "Zoë \"1\"".into(),
            status: "PROCESSED".into(),
            totals: Some(LeafTotals {
                counts: RowCounts::of([("notes", 1), ("accounts", 1)]),
                ledger_balance: "-12.50".into(),
                readings: 4,
                transactions: 3,
                documents: 0,
            }),
            content: Some("ab".repeat(32)),
            salt: "01".repeat(16),
        }
    }

    #[test]
    fn a_leaf_has_one_text() {
        let line = String::from_utf8(leaf().to_line().unwrap()).unwrap();
        assert_eq!(
            line,
            format!(
                r#"{{"content":"{}","external_account_number":"Zoë \"1\"","import_supplier":"ACME","salt":"{}","status":"PROCESSED","totals":{{"counts":{{"accounts":1,"notes":1}},"documents":0,"ledger_balance":"-12.50","readings":4,"transactions":3}}}}"#,
                "ab".repeat(32),
                "01".repeat(16)
            )
        );
        let (hash, read) = hash_of_line(line.as_bytes()).unwrap();
        assert_eq!((hash, read), (leaf_hash(line.as_bytes()), Some(leaf())));
    }

    #[test]
    fn white_space_and_the_order_of_members_do_not_matter() {
        let line = r#" {"status":"ERRORED", "salt":"00", "import_supplier":"A", "content":null,
            "totals":null, "external_account_number":"1"}"#;
        let leaf = hash_of_line(line.as_bytes()).unwrap().1.unwrap();
        let hash = hash_of_line(line.as_bytes()).unwrap().0;
        assert_eq!(hash, leaf_hash(&leaf.to_line().unwrap()));
    }

    #[test]
    fn an_erased_account_leaves_its_hash() {
        let hash = leaf_hash(b"x");
        assert_eq!(hash_of_line(&erased_line(&hash)), Ok((hash, None)));
        for line in
            ["", "{}", "[]", r#"{"erased":true,"leaf_hash":"00"}"#, r#"{"erased":false,"leaf_hash":"00"}"#]
        {
            assert!(hash_of_line(line.as_bytes()).is_err(), "{line}");
        }
    }
}
