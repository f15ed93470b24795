use cutover_rules::{DocumentState, WantedDocument};
use std::future::Future;
use std::pin::Pin;

/// Error of a document storage that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("document storage is not available: {0}")]
pub struct DocumentsUnavailable(pub String);

/// A boxed future, because ports are trait objects.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The storage of the documents that payloads name (contract D10). Never called inside a store transaction.
/// The futures can be awaited with or without a runtime.
pub trait Documents: Send + Sync {
    /// Checks that the storage answers.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>>;

    /// Returns the state of each document under a supplier's root (`/` and plain segments), in the same
    /// order. A bounded number of lookups run in parallel, and all end within 5 s. No path leads outside of
    /// the root.
    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>>;

    /// Returns true while the circuit breaker is open: lookups fail at once then.
    fn is_circuit_open(&self) -> bool {
        false
    }
}
