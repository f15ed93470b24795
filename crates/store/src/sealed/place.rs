use std::fmt;

/// Where a value belongs. It is known before the value has a row: the key of a process may come from the
/// database, in the statement that stores it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The payload of a process, of which a supplier has one for each number.
    Payload { supplier_id: i64, number: &'a str },
    /// A row of a table: its owner, and its position there.
    Row { table: &'static str, owner: i64, position: i64 },
    /// The signing key of an id.
    SigningKey { kid: &'a str },
}

impl Place<'_> {
    /// What is authenticated with a value. Lengths are fixed, but for the last part and for words that end by
    /// themselves: no two places have the same.
    pub(super) fn authenticated(self, head: &[u8]) -> Vec<u8> {
        let (table, first, rest) = match &self {
            Self::Payload { supplier_id, number } => ("payloads", *supplier_id, number.as_bytes()),
            Self::Row { table, owner, position } => (*table, *owner, &position.to_be_bytes()[..]),
            Self::SigningKey { kid } => ("signing_keys", 0, kid.as_bytes()),
        };
        [head, table.as_bytes(), b"\0", &first.to_be_bytes(), rest].concat()
    }
}

/// It names no content.
impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Payload { .. } => f.write_str("a payload"),
            Self::Row { table, owner, position } => write!(f, "row {position} of {owner} in {table}"),
            Self::SigningKey { kid } => write!(f, "the signing key {kid}"),
        }
    }
}
