//! Marks of erased accounts (rule PST-17, decision 0018).

use crate::App;
use crate::port::{CertificateKey, ErasureMark, Rows, StoreError, Supplier, read_committed};
use cutover_core::{ExternalAccountNumber, Level, SupplierCode};
use cutover_rules::{Profile, level_of_erased};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Separates the key of the marks from other uses of the certificate key that it is derived from.
const PURPOSE: &[u8] = b"cutover: marks of erased accounts";

/// Makes marks with a key that is derived from a certificate key.
pub(crate) struct Marker {
    key_id: String,
    mac: Hmac<Sha256>,
}

impl Marker {
    fn new(key_id: &str, seed: &[u8; 32]) -> Result<Self, StoreError> {
        let mac = |key: &[u8]| {
            let unfit = |_| StoreError::Failed("a key of marks has no length".into());
            Hmac::<Sha256>::new_from_slice(key).map_err(unfit)
        };
        let key = mac(seed)?.chain_update(PURPOSE).finalize().into_bytes();
        Ok(Self { key_id: key_id.to_owned(), mac: mac(&key)? })
    }

    /// The id of the certificate key.
    pub(crate) fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Returns the mark of an account.
    pub(crate) fn mark(&self, supplier: &SupplierCode, number: &ExternalAccountNumber) -> ErasureMark {
        // No code contains the separator.
        let mac = self.mac.clone().chain_update(supplier.as_str()).chain_update(b"\0");
        ErasureMark(mac.chain_update(number.as_str()).finalize().into_bytes().into())
    }
}

/// The keys of marks that were read, by the id of their certificate key. A key that no process can read any more makes no
/// marks, and is `None`.
#[derive(Default)]
pub(crate) struct Markers(RwLock<HashMap<String, Option<Arc<Marker>>>>);

impl Markers {
    fn get(&self, key_id: &str) -> Option<Option<Arc<Marker>>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(key_id).cloned()
    }

    fn insert(&self, key_id: &str, marker: &Option<Arc<Marker>>) {
        let mut markers = self.0.write().unwrap_or_else(PoisonError::into_inner);
        markers.insert(key_id.to_owned(), marker.clone());
    }
}

/// Returns the key of marks that is derived from one of these; `None` if no process can read it any more.
///
/// # Errors
/// [`StoreError::KeyMissing`] if another process may be able to read it.
fn marker_of(keys: &[CertificateKey], key_id: &str) -> Result<Option<Arc<Marker>>, StoreError> {
    match keys.iter().find(|key| key.key_id == key_id).map(|key| &key.secret) {
        Some(Ok(seed)) => Ok(Some(Arc::new(Marker::new(key_id, seed)?))),
        Some(Err(error @ StoreError::KeyMissing(_))) => Err(error.clone()),
        Some(Err(_)) | None => {
            tracing::error!(key = key_id, "the key of marks of erased accounts is lost: they refuse nothing");
            Ok(None)
        }
    }
}

impl App {
    /// Returns true if the key of the marks of a supplier need not be read, or the supplier has none.
    pub(crate) fn knows_marker(&self, supplier: &Supplier) -> bool {
        supplier.mark_key.as_ref().is_none_or(|key_id| self.markers.get(key_id).is_some())
    }

    /// Returns the key of the marks of a supplier; `None` if it has no marks.
    ///
    /// # Errors
    /// [`StoreError::KeyMissing`] if this process lacks the encryption key.
    pub(crate) fn marker(
        &self,
        tx: &mut dyn Rows,
        supplier: &Supplier,
    ) -> Result<Option<Arc<Marker>>, StoreError> {
        let Some(key_id) = &supplier.mark_key else { return Ok(None) };
        if let Some(marker) = self.markers.get(key_id) {
            return Ok(marker);
        }
        let marker = marker_of(&tx.certificate_keys()?, key_id)?;
        self.markers.insert(key_id, &marker);
        Ok(marker)
    }

    /// Returns the mark that refuses the create of an account if it was erased; `None` if the supplier has no marks, or they
    /// do not refuse. Reads the key, if it was not read before.
    pub(super) fn refusing_mark(
        &self,
        supplier: &Supplier,
        profile: &Profile,
        number: &ExternalAccountNumber,
    ) -> Result<Option<ErasureMark>, StoreError> {
        if supplier.mark_key.is_none() || level_of_erased(profile) != Level::Error {
            return Ok(None);
        }
        let marker = match self.knows_marker(supplier) {
            true => supplier.mark_key.as_ref().and_then(|key_id| self.markers.get(key_id)).flatten(),
            false => read_committed(&*self.store, |tx| self.marker(tx, supplier))?,
        };
        Ok(marker.map(|marker| marker.mark(&supplier.code, number)))
    }
}

/// Returns the key that an erasure makes its mark with: that of the supplier's other marks, or the key that signs
/// certificates. The supplier is locked.
pub(crate) fn marker_to_erase(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    signing: &str,
) -> Result<Arc<Marker>, StoreError> {
    let keys = tx.certificate_keys()?;
    if let Some(key_id) = &supplier.mark_key
        && let Some(marker) = marker_of(&keys, key_id)?
    {
        return Ok(marker);
    }
    let gone = || StoreError::Failed("the key that signs certificates is gone".into());
    let marker = marker_of(&keys, signing)?.ok_or_else(gone)?;
    tx.set_mark_key(supplier.id, marker.key_id())?;
    Ok(marker)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_depends_on_key_supplier_and_number() {
        let marker = |seed| Marker::new("k", &[seed; 32]).unwrap();
        let mark = |seed, code: &str, number: &str| {
            marker(seed).mark(&code.parse().unwrap(), &number.parse().unwrap())
        };
        let first = mark(1, "ACME", "A-1");
        assert_eq!(mark(1, "ACME", " A-1 "), first);
        for other in [mark(2, "ACME", "A-1"), mark(1, "ACM", "EA-1"), mark(1, "ACME", "A-2")] {
            assert_ne!(other, first);
        }
    }
}
