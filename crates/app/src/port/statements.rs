use super::StoreError;
use chrono::{DateTime, Utc};
use cutover_model::HistoricalStatement;

/// A historical statement to be added to an imported account.
#[derive(Debug, Clone, PartialEq)]
pub struct NewHistoricalStatement {
    /// The statement.
    pub statement: HistoricalStatement<'static>,
    /// Equal for equal content.
    pub fingerprint: [u8; 32],
    /// When it is added.
    pub added_at: DateTime<Utc>,
}

/// Statements that were added to imported accounts; those of the account payload are a set of their own
/// (contract D8). What a call costs does not depend on how many an account has.
pub trait HistoricalStatements {
    /// The fingerprint of the account's statement of an id (trimmed).
    fn historical_statement(
        &mut self,
        account_id: i64,
        statement_id: &str,
    ) -> Result<Option<[u8; 32]>, StoreError>;

    /// Adds a statement.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] if the account has one of this id.
    fn add_historical_statement(
        &mut self,
        account_id: i64,
        statement: &NewHistoricalStatement,
    ) -> Result<(), StoreError>;
}
