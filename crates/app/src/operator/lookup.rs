use crate::port::{StoreError, Supplier, Tx};

/// Returns the supplier with this code, which may be any text.
pub(crate) fn find(tx: &mut dyn Tx, code: &str) -> Result<Option<Supplier>, StoreError> {
    match code.parse() {
        Ok(code) => tx.supplier(&code),
        Err(_) => Ok(None),
    }
}
