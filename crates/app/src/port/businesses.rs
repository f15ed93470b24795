use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::BusinessRequest;

/// A business to be stored, with its contracts.
#[derive(Debug, Clone, PartialEq)]
pub struct NewBusiness {
    /// The organisation that owns it.
    pub organisation_id: i64,
    /// The supplier that sends it.
    pub supplier_id: i64,
    /// The request. Its identifiers are trimmed.
    pub request: BusinessRequest<'static>,
    /// Hash of the content.
    pub fingerprint: [u8; 32],
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// A stored business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBusiness {
    /// Its number at this service, a positive integer (contract D1).
    pub id: i64,
    /// Hash of the content.
    pub fingerprint: [u8; 32],
}

/// Queries of businesses and their contracts (contract D9).
pub trait Businesses {
    /// Returns the organisation's business with this (trimmed) external identifier.
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError>;

    /// Stores a business with its contracts and returns its number.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the identifier of the business or of a contract is taken in the
    /// organisation.
    fn insert_business(&mut self, business: &NewBusiness) -> Result<i64, StoreError>;

    /// Locks a business until the transaction ends. Reads after it see everything that earlier holders of the
    /// lock added.
    fn lock_business(&mut self, business_id: i64) -> Result<(), StoreError>;

    /// Returns true if a business of the organisation has a contract with this (trimmed) identifier.
    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError>;
}
