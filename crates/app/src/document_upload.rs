//! Documents that a supplier brings into the storage (contract D10), where its payloads name them.

use crate::App;
use crate::auth::Caller;
use crate::port::{
    DOCUMENT_PIECE, DocumentDigest, DocumentState, DocumentUpload, Documents, DocumentsUnavailable,
    NotStored, StoreError, WantedDocument, read,
};
use cutover_core::SupplierCode;
use cutover_rules::is_stored_path;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Reason why a document was not stored.
#[derive(Debug, thiserror::Error)]
pub enum DocumentRefused {
    /// The organisation has no such supplier.
    #[error("there is no such supplier")]
    NotFound,
    /// No payload can name a document by this path (rules 10.5), or the storage cannot.
    #[error("the path is not that of a document")]
    InvalidPath,
    /// The document has no bytes.
    #[error("the document is empty")]
    Empty,
    /// The bytes are others than those that were announced.
    #[error("the document has another SHA-256 than was announced")]
    OtherDigest,
    /// Another document, or a folder, has this path.
    #[error("another document is under this path")]
    Exists,
    /// The storage takes no documents.
    #[error("{0}")]
    Storage(String),
    /// The storage did not answer: a passing fault.
    #[error(transparent)]
    Unavailable(#[from] DocumentsUnavailable),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<NotStored> for DocumentRefused {
    fn from(error: NotStored) -> Self {
        match error {
            NotStored::Unavailable(error) => Self::Unavailable(error),
            NotStored::Refused(_) => Self::Storage(error.to_string()),
            NotStored::Unnameable => Self::InvalidPath,
        }
    }
}

/// The place of a document in the storage: the root of its supplier, and the path below it.
#[derive(Clone, PartialEq, Eq)]
pub struct DocumentTarget {
    root: String,
    path: String,
}

masked! { DocumentTarget }

/// A document that is in the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredDocument {
    /// Its size and its SHA-256.
    pub digest: DocumentDigest,
    /// False if it was there before.
    pub is_new: bool,
}

impl App {
    /// Returns where a document of a supplier of the caller's organisation belongs.
    ///
    /// # Errors
    /// [`DocumentRefused`].
    pub fn document_target(
        &self,
        caller: &Caller,
        supplier: &str,
        path: &str,
    ) -> Result<DocumentTarget, DocumentRefused> {
        let code = cutover_core::trimmed(supplier).parse::<SupplierCode>();
        let code = code.map_err(|_| DocumentRefused::NotFound)?;
        let found = read(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        let root = found.ok_or(DocumentRefused::NotFound)?.settings.document_root;
        if !is_stored_path(path) {
            return Err(DocumentRefused::InvalidPath);
        }
        Ok(DocumentTarget { root, path: path.to_owned() })
    }

    /// Begins to take a document. If there is one under its path, the new one is only compared with it.
    ///
    /// # Errors
    /// [`DocumentRefused`].
    pub async fn write_document(&self, target: DocumentTarget) -> Result<DocumentWriter, DocumentRefused> {
        let documents = self.documents().clone();
        let DocumentTarget { root, path } = &target;
        let wanted = [WantedDocument { path: path.clone(), must_be_pdf: false }];
        let upload = match documents.look_up(root, &wanted).await?.as_slice() {
            [DocumentState::Missing] => Some(documents.upload(root, path).await?),
            _ => None,
        };
        Ok(DocumentWriter { documents, target, upload, rest: Vec::new(), size: 0, hash: Sha256::new() })
    }
}

/// A document that is being taken. Dropping it before its end leaves nothing in the storage.
pub struct DocumentWriter {
    documents: Arc<dyn Documents>,
    target: DocumentTarget,
    /// `None` if there is a document under the path.
    upload: Option<Box<dyn DocumentUpload>>,
    /// Bytes that are not written yet, fewer than a piece.
    rest: Vec<u8>,
    size: u64,
    hash: Sha256,
}

masked! { DocumentWriter }

impl DocumentWriter {
    /// Takes the next bytes. Holds [`DOCUMENT_PIECE`] bytes of memory at most.
    ///
    /// # Errors
    /// [`DocumentRefused`].
    pub async fn write(&mut self, mut bytes: &[u8]) -> Result<(), DocumentRefused> {
        self.size += bytes.len() as u64;
        self.hash.update(bytes);
        let Some(upload) = &mut self.upload else { return Ok(()) };
        while self.rest.len() + bytes.len() >= DOCUMENT_PIECE {
            let (next, after) = bytes.split_at(DOCUMENT_PIECE - self.rest.len());
            self.rest.extend_from_slice(next);
            upload.write(std::mem::take(&mut self.rest)).await?;
            bytes = after;
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    /// Stores the document durably, unless this one is there already. `announced` is the SHA-256 that it should have.
    ///
    /// # Errors
    /// [`DocumentRefused`]; nothing is changed then.
    pub async fn finish(self, announced: Option<[u8; 32]>) -> Result<StoredDocument, DocumentRefused> {
        let digest = DocumentDigest { size: self.size, sha256: self.hash.finalize().into() };
        if announced.is_some_and(|announced| announced != digest.sha256) {
            return Err(DocumentRefused::OtherDigest);
        }
        if digest.size == 0 {
            return Err(DocumentRefused::Empty);
        }
        let is_new = match self.upload {
            Some(upload) => upload.finish(self.rest).await?,
            None => false,
        };
        let DocumentTarget { root, path } = &self.target;
        if !is_new && !self.documents.has_content(root, path, digest).await? {
            return Err(DocumentRefused::Exists);
        }
        Ok(StoredDocument { digest, is_new })
    }
}
