//! Documents in a bucket.

use super::{LookupError, PDF};
use crate::location::{BucketLocation, Cloud};
use cutover_app::port::{DocumentDigest, DocumentState};
use futures_util::TryStreamExt;
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Maximum length of a key (S3 and Google count bytes, Azure characters). Longer keys name no object.
const LONGEST_KEY: usize = 1024;
/// Key to list for probing. No object needs to exist there.
const PROBE: &str = ".cutover-probe";

/// A bucket and the prefix of all keys.
#[derive(Clone)]
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    /// The same with time for large requests.
    pub(super) uploads: Arc<dyn ObjectStore>,
    location: BucketLocation,
}

impl Bucket {
    pub(super) fn new(
        store: Arc<dyn ObjectStore>,
        uploads: Arc<dyn ObjectStore>,
        location: BucketLocation,
    ) -> Self {
        Self { store, uploads, location }
    }

    /// Where it is, for errors.
    pub(super) fn name(&self) -> String {
        self.location.to_string()
    }

    /// Returns true if a safe path under a safe root has this content.
    pub(super) async fn has_content(
        &self,
        root: &str,
        path: &str,
        content: DocumentDigest,
    ) -> Result<bool, LookupError> {
        let Some(key) = self.key(&[root, path]) else { return Ok(false) };
        match self.is_content(&key, content).await {
            Err(Error::NotFound { .. }) => Ok(false),
            answer => answer.map_err(|error| failure(&error)),
        }
    }

    async fn is_content(&self, key: &Path, content: DocumentDigest) -> Result<bool, Error> {
        let found = self.uploads.get(key).await?;
        if found.meta.size != content.size {
            return Ok(false);
        }
        let (mut hash, mut chunks) = (Sha256::new(), found.into_stream());
        while let Some(chunk) = chunks.try_next().await? {
            hash.update(&chunk);
        }
        Ok(<[u8; 32]>::from(hash.finalize()) == content.sha256)
    }

    /// Looks up a safe path under a safe root. Reads at most the first bytes of an object.
    pub(super) async fn state(
        &self,
        root: &str,
        path: &str,
        must_be_pdf: bool,
    ) -> Result<DocumentState, LookupError> {
        let Some(key) = self.key(&[root, path]) else { return Ok(DocumentState::Missing) };
        let state = match must_be_pdf {
            true => self.begins_as_pdf(&key).await,
            false => self.store.head(&key).await.map(|_| DocumentState::Present),
        };
        match state {
            Err(Error::NotFound { .. }) => Ok(DocumentState::Missing),
            answer => answer.map_err(|error| failure(&error)),
        }
    }

    /// Checks that the bucket exists and can be listed. Without permission to list, a missing object is
    /// reported as forbidden; and a request for an object does not distinguish a missing bucket from a
    /// missing object.
    pub(super) async fn answers(&self) -> Result<(), LookupError> {
        let probe = self.key(&[PROBE]);
        match self.store.list(probe.as_ref()).try_next().await {
            Ok(_) => Ok(()),
            Err(error) if status(&error) == Some(404) => {
                Err(LookupError::Refused("there is no such bucket".into()))
            }
            Err(error) => Err(failure(&error)),
        }
    }

    /// Returns the key byte by byte as it was written, without escapes.
    pub(super) fn key(&self, rest: &[&str]) -> Option<Path> {
        let prefix = Some(self.location.prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let key = prefix.into_iter().chain(rest.iter().copied()).collect::<Vec<_>>().join("/");
        let length = if self.location.cloud == Cloud::Azure { key.chars().count() } else { key.len() };
        Path::parse(&key).ok().filter(|path| length <= LONGEST_KEY && path.as_ref() == key)
    }

    async fn begins_as_pdf(&self, key: &Path) -> Result<DocumentState, Error> {
        let range = GetRange::Bounded(0..PDF.len() as u64);
        let got = self.store.get_opts(key, GetOptions { range: Some(range), ..GetOptions::default() }).await;
        // An empty object has no first bytes.
        let got = match got {
            Err(error) if status(&error) == Some(416) => return Ok(DocumentState::Present),
            got => got?,
        };
        let mut start = Vec::with_capacity(PDF.len());
        let mut chunks = got.into_stream();
        while start.len() < PDF.len()
            && let Some(chunk) = chunks.try_next().await?
        {
            start.extend_from_slice(&chunk);
        }
        Ok(if start.starts_with(PDF) { DocumentState::Pdf } else { DocumentState::Present })
    }
}

/// A refusal shows that storage is reachable: one supplier's prefix may be forbidden and the others not.
fn failure(error: &Error) -> LookupError {
    match status(error) {
        Some(400..=407 | 409..=428 | 430..=499) => LookupError::Refused(cause(error)),
        _ => LookupError::Unavailable(cause(error)),
    }
}

/// Reason why storage gave no answer. The library's texts are not used, because they contain keys and signed
/// URLs.
pub(crate) fn cause(error: &Error) -> String {
    let transport = causes(error).find_map(|e| e.downcast_ref::<HttpError>()).map(HttpError::kind);
    match (status(error), transport) {
        (Some(401 | 403), _) => {
            "it refuses access: its credentials must be valid and allow reading and listing".into()
        }
        (Some(status), _) => format!("it answered with the status {status}"),
        (None, Some(HttpErrorKind::Timeout)) => "it did not answer in time".into(),
        (None, Some(HttpErrorKind::Connect)) => "it cannot be reached".into(),
        (None, Some(_)) => "it cut off its answer".into(),
        (None, None) => "its answer could not be understood".into(),
    }
}

fn causes<'e>(error: &'e Error) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error as &'e (dyn std::error::Error + 'static)), |e| e.source())
}

/// HTTP status of the answer. The library exposes it only in this text.
pub(super) fn status(error: &Error) -> Option<u16> {
    causes(error).find_map(|e| {
        let text = e.to_string();
        text.strip_prefix("Server returned non-2xx status code: ")?.get(..3)?.parse().ok()
    })
}
