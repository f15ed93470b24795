use crate::additions::AddRefused;
use crate::port::StoreError;
use cutover_core::{Issue, Segment};
use cutover_model::service::{item_as_sent, read_transaction, transaction_data};
use std::fmt;

/// Reason why no transaction was added.
#[derive(thiserror::Error)]
pub enum TransactionsRefused {
    /// A reason that is common to all additions.
    #[error(transparent)]
    Add(#[from] AddRefused),
    /// A transaction is faulty (contract 4.2).
    #[error("a transaction failed")]
    Transaction {
        /// The first faulty transaction as JSON: as it would be stored, or as sent if a field is invalid.
        transaction_data: String,
        /// The detail of its first error.
        error_detail: String,
        /// All errors of the request.
        errors: Vec<Issue>,
    },
}

/// Prints the errors, never the transaction.
impl fmt::Debug for TransactionsRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Add(refused) => f.debug_tuple("Add").field(refused).finish(),
            Self::Transaction { errors, .. } => {
                f.debug_struct("Transaction").field("errors", errors).finish_non_exhaustive()
            }
        }
    }
}

impl From<StoreError> for TransactionsRefused {
    fn from(error: StoreError) -> Self {
        Self::Add(error.into())
    }
}

/// Attaches the first faulty transaction, if any: errors may be about other members.
pub(super) fn failed(refused: AddRefused, body: &[u8]) -> TransactionsRefused {
    let AddRefused::Faults(errors) = refused else { return TransactionsRefused::Add(refused) };
    let first = errors.iter().find_map(|error| Some((index(error)?, error.detail.to_string())));
    let shown = first.and_then(|(index, detail)| Some((shown(body, index, &errors)?, detail)));
    match shown {
        Some((transaction_data, error_detail)) => {
            TransactionsRefused::Transaction { transaction_data, error_detail, errors }
        }
        None => TransactionsRefused::Add(AddRefused::Faults(errors)),
    }
}

/// Returns the index of the transaction that an error is about.
fn index(error: &Issue) -> Option<usize> {
    match error.attr.segments() {
        [Segment::Name(list), Segment::Index(index), ..] if list == "transactions" => {
            usize::try_from(*index).ok()
        }
        _ => None,
    }
}

/// Returns a transaction as JSON, as sent if one of its fields is invalid (contract D8).
fn shown(body: &[u8], at: usize, errors: &[Issue]) -> Option<String> {
    let sent = item_as_sent(body, "transactions", at)?;
    let is_faulty = errors.iter().any(|e| e.rule.0.starts_with("STR-") && index(e) == Some(at));
    let valid = read_transaction(sent).filter(|_| !is_faulty);
    Some(valid.map_or_else(|| sent.to_owned(), |valid| transaction_data(&valid)))
}
