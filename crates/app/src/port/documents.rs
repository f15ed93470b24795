use cutover_rules::{DocumentState, WantedDocument};
use std::future::Future;
use std::pin::Pin;

/// Error of a document storage that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("document storage is not available: {0}")]
pub struct DocumentsUnavailable(pub String);

/// Why a document was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStored {
    /// The storage did not answer: a passing fault.
    #[error(transparent)]
    Unavailable(#[from] DocumentsUnavailable),
    /// The storage takes no documents from this service, for example because it may only read there.
    #[error("document storage takes no documents: {0}")]
    Refused(String),
    /// The storage cannot have a document of this name.
    #[error("document storage cannot have such a name")]
    Unnameable,
}

/// Number of bytes that a document is written in, and the memory that an upload takes: the smallest part that S3 takes of a
/// large object.
pub const DOCUMENT_PIECE: usize = 5 << 20;

/// Size and SHA-256 of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentDigest {
    /// Number of bytes.
    pub size: u64,
    /// SHA-256 of the bytes.
    pub sha256: [u8; 32],
}

/// A document that is being written. It appears under its path when it is finished; dropping it before removes what was
/// written.
pub trait DocumentUpload: Send {
    /// Writes the next [`DOCUMENT_PIECE`] bytes.
    fn write(&mut self, piece: Vec<u8>) -> Answer<'_, Result<(), NotStored>>;

    /// Writes the last bytes, fewer than a piece, and lets the document appear durably. Returns false if something else is
    /// under its path already, which is never replaced.
    fn finish(self: Box<Self>, last: Vec<u8>) -> Answer<'static, Result<bool, NotStored>>;
}

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

    /// Begins to write a document under a safe path of a supplier's root. Folders on the way are created.
    fn upload<'a>(
        &'a self,
        _root: &'a str,
        _path: &'a str,
    ) -> Answer<'a, Result<Box<dyn DocumentUpload>, NotStored>> {
        Box::pin(std::future::ready(Err(NotStored::Refused("it can only be read".into()))))
    }

    /// Returns true if the document under a safe path of a supplier's root has this content. Reads one of this size to its end.
    fn has_content<'a>(
        &'a self,
        _root: &'a str,
        _path: &'a str,
        _content: DocumentDigest,
    ) -> Answer<'a, Result<bool, DocumentsUnavailable>> {
        Box::pin(std::future::ready(Err(DocumentsUnavailable("it reads no documents".into()))))
    }

    /// Returns true while the circuit breaker is open: lookups fail at once then.
    fn is_circuit_open(&self) -> bool {
        false
    }
}
