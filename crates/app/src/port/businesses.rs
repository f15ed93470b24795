use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::BusinessRequest;

/// A business to be stored, with its contracts.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBusiness {
    /// Whose it is.
    pub organisation_id: i64,
    /// The supplier that sends it.
    pub supplier_id: i64,
    /// The business; its identities are kept trimmed.
    pub request: BusinessRequest<'static>,
    /// Equal for equal content.
    pub fingerprint: [u8; 32],
    /// When it is created.
    pub created_at: DateTime<Utc>,
}

/// A business as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBusiness {
    /// Its number at this service: a positive integer (contract D1).
    pub id: i64,
    /// Of its content.
    pub fingerprint: [u8; 32],
}

/// Businesses and their contracts (contract D9).
pub trait Businesses {
    /// The organisation's business of an external identifier (trimmed).
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError>;

    /// Stores a business with its contracts; its number.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if its identifier, or that of a contract, is taken in the organisation.
    fn insert_business(&mut self, business: &NewBusiness) -> Result<i64, StoreError>;

    /// Holds other transactions that do the same off until this one ends: what is then read of the business
    /// and added to it comes after all that they added.
    fn lock_business(&mut self, business_id: i64) -> Result<(), StoreError>;

    /// Whether a business of the organisation has a contract of this identifier (trimmed).
    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError>;
}
