use std::fmt;

/// The location that a sealed value is bound to. It is known before the value has a row, because the
/// statement that stores a process may draw its key.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Location<'a> {
    /// The payload of a process. A supplier has one for each number.
    Payload { supplier_id: i64, number: &'a str },
    /// A row of a table, by its owner and position.
    Row { table: &'static str, owner: i64, position: i64 },
    /// A signing key, by its id.
    SigningKey { kid: &'a str },
    /// A key that signs certificates, by its id.
    CertificateKey { key_id: &'a str },
    /// The key that the words of accounts are hashed with.
    SearchKey,
}

impl Location<'_> {
    /// Returns the bytes that are authenticated with a value. They differ for any two locations: all parts
    /// but the last have a fixed length or an end mark.
    pub(super) fn authenticated(self, head: &[u8]) -> Vec<u8> {
        let (table, first, rest) = match &self {
            Self::Payload { supplier_id, number } => ("payloads", *supplier_id, number.as_bytes()),
            Self::Row { table, owner, position } => (*table, *owner, &position.to_be_bytes()[..]),
            Self::SigningKey { kid } => ("signing_keys", 0, kid.as_bytes()),
            Self::CertificateKey { key_id } => ("certificate_keys", 0, key_id.as_bytes()),
            Self::SearchKey => ("search_keys", 0, &[][..]),
        };
        [head, table.as_bytes(), b"\0", &first.to_be_bytes(), rest].concat()
    }
}

/// Shows no content.
impl fmt::Display for Location<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Payload { .. } => f.write_str("a payload"),
            Self::Row { table, owner, position } => write!(f, "row {position} of {owner} in {table}"),
            Self::SigningKey { kid } => write!(f, "the signing key {kid}"),
            Self::CertificateKey { key_id } => write!(f, "the certificate key {key_id}"),
            Self::SearchKey => f.write_str("the key of the search"),
        }
    }
}
