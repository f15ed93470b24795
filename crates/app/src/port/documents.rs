use cutover_rules::{DocumentState, WantedDocument};
use std::future::Future;
use std::pin::Pin;

/// Object storage did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("document storage is not available: {0}")]
pub struct DocumentsUnavailable(pub String);

/// An answer that is awaited; ports are objects, so it is boxed.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The documents that payloads name (contract D10). Never called inside a store transaction. Answers may
/// be awaited anywhere, with or without a runtime.
pub trait Documents: Send + Sync {
    /// Whether the storage answers.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>>;

    /// What each of these paths names under a supplier's root (`/` and plain segments), in the same order.
    /// Lookups run in parallel, bounded; all together answer within 5 s. Nothing outside of the root is
    /// ever read, whatever the path.
    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>>;

    /// Whether the storage failed so often that it is left alone for a while: lookups fail at once then.
    fn is_circuit_open(&self) -> bool {
        false
    }
}
