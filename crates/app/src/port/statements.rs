use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::HistoricalStatement;

/// A historical statement to be added to an imported account.
#[derive(Debug, Clone, PartialEq)]
pub struct NewHistoricalStatement {
    /// The statement.
    pub statement: HistoricalStatement<'static>,
    /// Hash of the content.
    pub fingerprint: [u8; 32],
    /// Time of the request.
    pub added_at: DateTime<Utc>,
}

/// Queries of statements that were added to imported accounts. Those of the account payload are a separate
/// set (contract D8). The cost of a call does not depend on their number.
pub trait HistoricalStatements {
    /// Returns the fingerprint of the account's statement with this (trimmed) id.
    fn historical_statement(
        &mut self,
        account_id: i64,
        statement_id: &str,
    ) -> Result<Option<[u8; 32]>, StoreError>;

    /// Adds a statement.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the account has a statement with this id.
    fn add_historical_statement(
        &mut self,
        account_id: i64,
        statement: &NewHistoricalStatement,
    ) -> Result<(), StoreError>;
}
