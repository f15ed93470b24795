//! The key of the hashes by path that runs keep, and what a worker remembers of open runs.

use crate::port::{Rows, Store, StoreError, read_committed};
use cutover_core::SupplierCode;
use cutover_model::PathKey;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

/// Separates the key from other uses of the certificate key that it is derived from.
const PURPOSE: &[u8] = b"cutover: values of accounts by path";

/// Returns the key of the hashes by path, which is derived from the oldest certificate key that can be read: that one stays
/// the same when keys are rotated. `None` if there is no such key.
pub(super) fn path_key(tx: &mut dyn Rows) -> Result<Option<PathKey>, StoreError> {
    let keys = tx.certificate_keys()?;
    let Some(seed) = keys.iter().rev().find_map(|key| key.secret.as_ref().ok()) else { return Ok(None) };
    let unfit = |_| StoreError::Failed("a key of paths has no length".into());
    let mac = Hmac::<Sha256>::new_from_slice(seed).map_err(unfit)?.chain_update(PURPOSE);
    Ok(Some(PathKey::new(mac.finalize().into_bytes().into())))
}

/// The suppliers that had an open run when accounts of theirs were written last. Hashes are computed for these before the
/// transaction, and for others in it.
#[derive(Default)]
pub(crate) struct RunHints {
    open: RwLock<HashSet<SupplierCode>>,
    key: RwLock<Option<PathKey>>,
}

impl RunHints {
    /// Remembers which of these suppliers have an open run.
    pub(crate) fn remember<'s>(
        &self,
        suppliers: impl Iterator<Item = &'s SupplierCode>,
        open: &[(SupplierCode, i64)],
    ) {
        for code in suppliers {
            let is_open = open.iter().any(|(other, _)| other == code);
            if is_open == self.is_open(code) {
                continue;
            }
            let mut known = self.open.write().unwrap_or_else(PoisonError::into_inner);
            let _ = if is_open { known.insert(code.clone()) } else { known.remove(code) };
        }
    }

    fn is_open(&self, code: &SupplierCode) -> bool {
        self.open.read().unwrap_or_else(PoisonError::into_inner).contains(code)
    }

    /// Returns the key of the hashes by path if a run of the supplier is probably open.
    pub(crate) fn key_of(
        &self,
        store: &dyn Store,
        code: &SupplierCode,
    ) -> Result<Option<PathKey>, StoreError> {
        if !self.is_open(code) {
            return Ok(None);
        }
        let known = self.key.read().unwrap_or_else(PoisonError::into_inner).clone();
        if known.is_some() {
            return Ok(known);
        }
        let read = read_committed(store, |tx| path_key(tx))?;
        self.key.write().unwrap_or_else(PoisonError::into_inner).clone_from(&read);
        Ok(read)
    }
}
