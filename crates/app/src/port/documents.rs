use std::future::Future;
use std::pin::Pin;

/// Object storage did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("document storage is not available: {0}")]
pub struct DocumentsUnavailable(pub String);

/// An answer that is awaited; ports are objects, so it is boxed.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The documents that payloads name (decisions D10). Never called inside a store transaction.
pub trait Documents: Send + Sync {
    /// Whether the storage answers.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>>;
}
