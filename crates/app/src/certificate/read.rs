//! Issued certificates.

use super::CertificateError;
use crate::App;
use crate::auth::Caller;
use crate::operator::OperatorError;
use crate::port::{StoreError, StoredCertificate, Supplier, Tx, read, read_committed};
use cutover_core::SupplierCode;
use cutover_model::certificate::Certificate;

/// Maximum number of certificates in a list.
const LISTED: u32 = 100;

/// An issued certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedCertificate {
    /// What it says.
    pub certificate: Certificate,
    /// Its text, as signed.
    pub document: String,
    /// True while its leaves are kept.
    pub has_leaves: bool,
    /// True if a supplier or a reader asked for it, not an operator.
    pub is_replaceable: bool,
}

impl IssuedCertificate {
    pub(super) fn of(stored: StoredCertificate) -> Result<Self, StoreError> {
        let certificate = document(&stored)?;
        let StoredCertificate { has_leaves, is_replaceable, document, .. } = stored;
        Ok(Self { certificate, document: document.unwrap_or_default(), has_leaves, is_replaceable })
    }
}

/// Reads what a certificate says.
pub(super) fn document(stored: &StoredCertificate) -> Result<Certificate, StoreError> {
    let document = stored.document.as_deref().unwrap_or_default();
    serde_json::from_str(document)
        .map_err(|_| StoreError::Corrupt(format!("the certificate {} cannot be read", stored.name)))
}

/// Returns a certificate of a supplier of the caller's organisation by its id, without one the latest; `None` if there is no
/// such supplier.
pub(super) fn find(
    tx: &mut dyn Tx,
    caller: &Caller,
    supplier: &str,
    name: Option<&str>,
) -> Result<Option<Option<StoredCertificate>>, StoreError> {
    let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
    let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
    tx.certificate(supplier.id, name).map(Some)
}

impl App {
    /// Returns the text of a certificate by its id, without one of the latest (contract D17).
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn certificate(
        &self,
        caller: &Caller,
        supplier: &str,
        name: Option<&str>,
    ) -> Result<IssuedCertificate, CertificateError> {
        let found = read(&*self.store, |tx| find(tx, caller, supplier, name))?;
        match found {
            None => Err(CertificateError::NotFound),
            Some(Some(stored)) => Ok(IssuedCertificate::of(stored)?),
            Some(None) if name.is_none() => Err(CertificateError::NotIssued),
            Some(None) => Err(CertificateError::NotFound),
        }
    }

    /// Returns the certificates of a supplier, the latest first, at most 100.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn certificates(&self, supplier: &Supplier) -> Result<Vec<IssuedCertificate>, StoreError> {
        let stored = read_committed(&*self.store, |tx| tx.certificates(supplier.id, LISTED))?;
        let issued = stored.into_iter().filter(|stored| stored.document.is_some());
        issued.map(IssuedCertificate::of).collect()
    }

    /// Returns a certificate of a supplier by its id.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none.
    pub fn certificate_of(
        &self,
        supplier: &Supplier,
        name: &str,
    ) -> Result<IssuedCertificate, OperatorError> {
        let found = read_committed(&*self.store, |tx| tx.certificate(supplier.id, Some(name)))?;
        let found = found.ok_or_else(|| OperatorError::not_found("certificate", name))?;
        Ok(IssuedCertificate::of(found)?)
    }
}
