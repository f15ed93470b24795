//! Files of an export in a bucket (contract D19).

use crate::documents::{cause, cloud};
use crate::location::{BucketLocation, LocationKind};
use crate::{Location, OutboundRuntime};
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, MultipartUpload, ObjectStore, ObjectStoreExt};
use std::io::Read;
use std::sync::{Arc, mpsc};

/// Size of the pieces in which a large file is sent, in bytes.
const PIECE: usize = 8 << 20;

/// A prefix of a bucket that an export is written to. Its methods block.
///
/// Credentials and endpoints come from the environment, as for [`ObjectDocuments`](crate::ObjectDocuments::open).
pub struct ExportBucket {
    store: Arc<dyn ObjectStore>,
    location: BucketLocation,
    runtime: OutboundRuntime,
}

/// Reason why a file could not be written or read. It holds no keys and signed URLs.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ExportFailed(String);

impl ExportBucket {
    /// Opens the bucket of a location; `None` if the location is a folder. Sends no request yet.
    ///
    /// # Errors
    /// [`ExportFailed`] if settings of the environment cannot be used.
    pub fn open(location: &Location, runtime: &OutboundRuntime) -> Result<Option<Self>, ExportFailed> {
        let LocationKind::Bucket(bucket) = &location.0 else { return Ok(None) };
        let store = cloud::open(bucket, cloud::Patience::Uploads).map_err(ExportFailed)?;
        Ok(Some(Self { store, location: bucket.clone(), runtime: runtime.clone() }))
    }

    /// Returns true if nothing is stored below the prefix.
    ///
    /// # Errors
    /// [`ExportFailed`].
    pub fn is_empty(&self) -> Result<bool, ExportFailed> {
        let prefix = self.location.prefix.clone();
        self.block(move |store| async move {
            let prefix = if prefix.is_empty() { None } else { Some(Path::parse(&prefix)?) };
            Ok(store.list(prefix.as_ref()).try_next().await?.is_none())
        })
    }

    /// Returns a small file; `None` if there is none.
    ///
    /// # Errors
    /// [`ExportFailed`].
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, ExportFailed> {
        let key = self.key(name);
        self.block(move |store| async move {
            match store.get(&Path::parse(key)?).await {
                Ok(found) => Ok(Some(found.bytes().await?.to_vec())),
                Err(Error::NotFound { .. }) => Ok(None),
                Err(error) => Err(error),
            }
        })
    }

    /// Writes a file, or replaces it. It appears as a whole.
    ///
    /// # Errors
    /// [`ExportFailed`]; then the file is absent or as it was before.
    pub fn write(&self, name: &str, content: &mut dyn Read) -> Result<(), ExportFailed> {
        let first = piece(content)?;
        if first.len() < PIECE {
            let key = self.key(name);
            return self.block(move |store| async move {
                store.put(&Path::parse(key)?, first.into()).await.map(drop)
            });
        }
        let key = self.key(name);
        let mut upload =
            self.block(move |store| async move { store.put_multipart(&Path::parse(key)?).await })?;
        let mut next = first;
        while !next.is_empty() {
            let sent = upload.put_part(std::mem::take(&mut next).into());
            if let Err(error) = self.block(move |_| sent) {
                return Err(self.abort(upload, error));
            }
            next = match piece(content) {
                Ok(next) => next,
                Err(error) => return Err(self.abort(upload, error)),
            };
        }
        self.block(move |_| async move { upload.complete().await.map(drop) })
    }

    /// Removes a file, if there is one.
    ///
    /// # Errors
    /// [`ExportFailed`].
    pub fn remove(&self, name: &str) -> Result<(), ExportFailed> {
        let key = self.key(name);
        self.block(move |store| async move {
            match store.delete(&Path::parse(key)?).await {
                Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
                Err(error) => Err(error),
            }
        })
    }

    /// Drops the pieces that were sent, which would cost money. Returns the error that made it necessary.
    fn abort(&self, mut upload: Box<dyn MultipartUpload>, error: ExportFailed) -> ExportFailed {
        let _ = self.block(move |_| async move { upload.abort().await });
        error
    }

    fn key(&self, name: &str) -> String {
        let prefix = Some(&*self.location.prefix).filter(|prefix| !prefix.is_empty());
        prefix.into_iter().chain([name]).collect::<Vec<_>>().join("/")
    }

    /// Runs requests on the runtime and waits for their result.
    fn block<T, F>(&self, requests: impl FnOnce(Arc<dyn ObjectStore>) -> F) -> Result<T, ExportFailed>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (sender, receiver) = mpsc::channel();
        let requests = requests(self.store.clone());
        let answer = self.runtime.spawn(async move {
            // The channel is open: its receiver waits below.
            let _ = sender.send(requests.await);
        });
        let done = receiver.recv().map_err(|_| ExportFailed("the request was cut off".to_owned()));
        drop(answer);
        done?.map_err(|error| ExportFailed(cause(&error)))
    }
}

/// Reads the next piece; fewer bytes are the last ones.
fn piece(content: &mut dyn Read) -> Result<Vec<u8>, ExportFailed> {
    let mut bytes = Vec::new();
    let read = content.take(PIECE as u64).read_to_end(&mut bytes);
    read.map_err(|error| ExportFailed(format!("the part cannot be read: {error}")))?;
    Ok(bytes)
}
