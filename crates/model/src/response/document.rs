use serde::Serialize;

answers! {
    /// A document that is in the storage (contract D10).
    DocumentShown (Debug, Eq, Serialize) {
        /// Number of its bytes.
        bytes: u64;
        /// SHA-256 of its bytes, in hexadecimal digits.
        sha256: String;
    }
}
