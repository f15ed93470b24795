use crate::after::AddRefused;
use crate::port::StoreError;
use cutover_core::{Issue, Segment};
use cutover_model::service::{item_as_sent, read_transaction, transaction_data};
use std::fmt;

/// Why no transaction was added.
#[derive(thiserror::Error)]
pub enum TransactionsRefused {
    /// For a reason that other requests have as well.
    #[error(transparent)]
    Add(#[from] AddRefused),
    /// A transaction fails (contract 4.2).
    #[error("a transaction failed")]
    Transaction {
        /// The first one that fails, as JSON: as it would be stored, or as sent if it is faulty.
        transaction_data: String,
        /// Why it fails.
        error_detail: String,
        /// All faults of the request.
        errors: Vec<Issue>,
    },
}

/// What is wrong, never the transaction.
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

/// Finds the first transaction that fails, if one does: a request can be faulty without.
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

/// The transaction that an error is about; errors are in the order of their paths.
fn index(error: &Issue) -> Option<usize> {
    match error.attr.segments() {
        [Segment::Name(list), Segment::Index(index), ..] if list == "transactions" => {
            usize::try_from(*index).ok()
        }
        _ => None,
    }
}

/// As sent if a field check found a fault in it (contract D8).
fn shown(body: &[u8], at: usize, errors: &[Issue]) -> Option<String> {
    let sent = item_as_sent(body, "transactions", at)?;
    let is_faulty = errors.iter().any(|e| e.rule.0.starts_with("STR-") && index(e) == Some(at));
    let valid = read_transaction(sent).filter(|_| !is_faulty);
    Some(valid.map_or_else(|| sent.to_owned(), |valid| transaction_data(&valid)))
}
