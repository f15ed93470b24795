use super::{ErasedRows, SearchTerm, StoreError};
use chrono::{DateTime, Utc};
use cutover_model::BusinessRequest;
use std::collections::BTreeSet;

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
    /// The words by which it is found.
    pub terms: Vec<SearchTerm>,
    /// Time of creation.
    pub created_at: DateTime<Utc>,
}

/// A stored business.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBusiness {
    /// The store's key.
    pub id: i64,
    /// Its number at this service, a positive integer, counted in its organisation (contract D1, D13).
    pub number: i64,
    /// Hash of the content.
    pub fingerprint: [u8; 32],
}

/// A business with everything that is kept of it.
#[derive(Debug, Clone, PartialEq)]
pub struct BusinessRecord {
    /// Its number at this service.
    pub number: i64,
    /// The request that it was last sent with. Identifiers are trimmed, and lists that were left out are empty.
    pub request: BusinessRequest<'static>,
}

/// Queries of businesses and their contracts (contract D9).
pub trait Businesses {
    /// Returns the organisation's business with this (trimmed) external identifier.
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError>;

    /// Returns a business of the organisation with everything that is kept of it.
    fn business_record(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<BusinessRecord>, StoreError>;

    /// Returns the external identifiers of the organisation's businesses with greater numbers than `after`, by
    /// number, at most `limit`.
    fn businesses_after(
        &mut self,
        organisation_id: i64,
        after: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError>;

    /// Stores a business with its contracts under the organisation's next number.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the identifier of the business or of a contract is taken in the
    /// organisation.
    fn insert_business(&mut self, business: &NewBusiness) -> Result<StoredBusiness, StoreError>;

    /// Replaces everything that is kept of a business but its number and the time of its creation. Its contracts are
    /// locked until the transaction ends, so that no account can begin to refer to one that is gone afterwards.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the identifier of a contract is taken by another business of the organisation.
    fn replace_business(&mut self, business_id: i64, business: &NewBusiness) -> Result<(), StoreError>;

    /// Returns keys of businesses that a supplier sent last, at most `limit`.
    fn businesses_of(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<i64>, StoreError>;

    /// Makes another supplier of the organisation the one that a business is of.
    fn pass_business(&mut self, business_id: i64, supplier_id: i64) -> Result<(), StoreError>;

    /// Removes a business with everything that is kept of it, and returns the number of rows by table. Its number is not
    /// used again. The caller has locked it and its contracts, and knows that no account refers to them.
    fn erase_business(&mut self, business_id: i64) -> Result<Vec<ErasedRows>, StoreError>;

    /// Returns the (trimmed) identifiers of the contracts of a business.
    fn contracts_of(&mut self, business_id: i64) -> Result<Vec<String>, StoreError>;

    /// Locks a business until the transaction ends. Reads after it see everything that earlier holders of the
    /// lock added.
    fn lock_business(&mut self, business_id: i64) -> Result<(), StoreError>;

    /// Returns true if a business of the organisation has a contract with this (trimmed) identifier.
    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError>;

    /// Returns those of these contracts that exist.
    fn contracts_among(
        &mut self,
        organisation_id: i64,
        identifiers: &[&str],
    ) -> Result<BTreeSet<String>, StoreError>;

    /// Like [`contract_exists`](Self::contract_exists), and keeps the contract from being removed until the
    /// transaction ends.
    fn lock_contract(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError>;

    /// Returns true if an account that is imported, or waits to be, refers to a contract.
    fn is_contract_in_use(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError>;

    /// Returns the supplier of such an account, one of them if there are several.
    fn supplier_using(&mut self, organisation_id: i64, identifier: &str) -> Result<Option<i64>, StoreError>;

    /// Returns the supplier of an account that an instruction of a business applies to, one of them if there are several.
    fn supplier_paying(&mut self, business_id: i64) -> Result<Option<i64>, StoreError>;

    /// Returns the identifiers of contracts that were removed although waiting accounts of a supplier name them, at most
    /// `limit`. Costs nothing for contracts that exist, or that no account names.
    fn absent_contracts(
        &mut self,
        organisation_id: i64,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError>;

    /// Notes the contract that the account of a process names, and its organisation; `None` if it names none.
    fn set_contract_of(&mut self, process_id: i64, contract: Option<(i64, &str)>) -> Result<(), StoreError>;
}
