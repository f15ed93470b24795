//! Documents that are written to a bucket: small ones in one request, large ones in parts.

use super::super::bucket::{Bucket, cause, status};
use crate::OutboundRuntime;
use cutover_app::port::{Answer, DocumentUpload, DocumentsUnavailable, NotStored};
use object_store::path::Path;
use object_store::{Error, MultipartUpload, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use std::sync::Arc;

/// A document that is being written.
pub(in super::super) struct BucketUpload {
    store: Arc<dyn ObjectStore>,
    key: Path,
    /// The parts so far; `None` if nothing was sent.
    parts: Option<Box<dyn MultipartUpload>>,
    /// Where the bucket is, for errors.
    location: String,
    runtime: OutboundRuntime,
}

impl BucketUpload {
    /// Begins a document under a safe path of a safe root. Sends no request yet.
    pub(in super::super) fn begin(
        bucket: &Bucket,
        root: &str,
        path: &str,
        runtime: OutboundRuntime,
    ) -> Result<Self, NotStored> {
        let key = bucket.key(&[root, path]).ok_or(NotStored::Unnameable)?;
        Ok(Self { store: bucket.uploads.clone(), key, parts: None, location: bucket.name(), runtime })
    }

    async fn send(&mut self, piece: Vec<u8>) -> Result<(), Error> {
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let (store, key) = (self.store.clone(), self.key.clone());
                none.insert(self.runtime.spawn(async move { store.put_multipart(&key).await }).await?)
            }
        };
        self.runtime.spawn(parts.put_part(piece.into())).await
    }

    /// Stores a small document, if nothing is under its key.
    async fn put(&mut self, content: Vec<u8>) -> Result<bool, Error> {
        let (store, key, content) = (self.store.clone(), self.key.clone(), PutPayload::from(content));
        let put = async move {
            let options = PutOptions::from(PutMode::Create);
            match store.put_opts(&key, content.clone(), options).await {
                // The storage has no conditions; the key was free before.
                Err(Error::NotImplemented { .. }) => store.put(&key, content).await,
                put => put,
            }
        };
        match self.runtime.spawn(put).await {
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            put => put.map(|_| true),
        }
    }

    /// Stores the last part. No condition applies to parts, so the key is looked up once more.
    async fn complete(&mut self, last: Vec<u8>) -> Result<bool, Error> {
        if !last.is_empty() {
            self.send(last).await?;
        }
        let (store, key) = (self.store.clone(), self.key.clone());
        match self.runtime.spawn(async move { store.head(&key).await }).await {
            Err(Error::NotFound { .. }) => {}
            found => return found.map(|_| false),
        }
        let Some(mut parts) = self.parts.take() else { return Ok(false) };
        let completed = async move {
            let completed = parts.complete().await;
            (parts, completed)
        };
        let (parts, completed) = self.runtime.spawn(completed).await;
        if let Err(error) = completed {
            self.parts = Some(parts);
            return Err(error);
        }
        Ok(true)
    }
}

fn not_stored(location: &str, error: &Error) -> NotStored {
    match status(error) {
        Some(401 | 403 | 405) => {
            NotStored::Refused(format!("{location}: its credentials must be valid and allow writing"))
        }
        _ => DocumentsUnavailable(format!("{location}: {}", cause(error))).into(),
    }
}

impl DocumentUpload for BucketUpload {
    fn write(&mut self, piece: Vec<u8>) -> Answer<'_, Result<(), NotStored>> {
        Box::pin(async move {
            let sent = self.send(piece).await;
            sent.map_err(|error| not_stored(&self.location, &error))
        })
    }

    fn finish(mut self: Box<Self>, last: Vec<u8>) -> Answer<'static, Result<bool, NotStored>> {
        Box::pin(async move {
            let stored = match self.parts {
                Some(_) => self.complete(last).await,
                None => self.put(last).await,
            };
            stored.map_err(|error| not_stored(&self.location, &error))
        })
    }
}

/// Removes the parts, which would cost money.
impl Drop for BucketUpload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take() {
            self.runtime.spawn_detached(async move {
                if let Err(error) = parts.abort().await {
                    tracing::warn!(cause = cause(&error), "parts of a document could not be removed");
                }
            });
        }
    }
}
