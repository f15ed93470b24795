//! Documents in a bucket.

use super::{LookupError, PDF};
use crate::location::{BucketPlace, Cloud};
use cutover_app::port::DocumentState;
use futures_util::TryStreamExt;
use object_store::client::{HttpError, HttpErrorKind};
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use std::sync::Arc;

/// No object has a longer key (S3 and Google count bytes, Azure characters): longer ones name nothing.
const LONGEST_KEY: usize = 1024;
/// Nothing need lie here: listing it shows that the bucket is there and may be listed.
const PROBE: &str = ".cutover-probe";

/// A bucket, and what stands before all keys.
#[derive(Clone)]
pub(super) struct Bucket {
    store: Arc<dyn ObjectStore>,
    place: BucketPlace,
}

impl Bucket {
    pub(super) fn new(store: Arc<dyn ObjectStore>, place: BucketPlace) -> Self {
        Self { store, place }
    }

    /// What a safe path names under a safe root. At most the first bytes of an object are read.
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

    /// Whether the bucket is there and may be listed. Who may not list is told that missing objects are
    /// forbidden, and asking for one object does not tell a missing bucket from a missing object.
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

    /// The key byte by byte as it was written: nothing in it is an escape.
    fn key(&self, rest: &[&str]) -> Option<Path> {
        let prefix = Some(self.place.prefix.as_str()).filter(|prefix| !prefix.is_empty());
        let key = prefix.into_iter().chain(rest.iter().copied()).collect::<Vec<_>>().join("/");
        let length = if self.place.cloud == Cloud::Azure { key.chars().count() } else { key.len() };
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

/// Storage that refuses a request is there: one supplier's prefix may be forbidden, and the others' be open.
fn failure(error: &Error) -> LookupError {
    match status(error) {
        Some(400..=407 | 409..=428 | 430..=499) => LookupError::Refused(cause(error)),
        _ => LookupError::Unavailable(cause(error)),
    }
}

/// Why storage gave no answer, without the names in it: the library's texts have keys and signed URLs.
fn cause(error: &Error) -> String {
    let transport = causes(error).find_map(|e| e.downcast_ref::<HttpError>()).map(HttpError::kind);
    match (status(error), transport) {
        (Some(401 | 403), _) => {
            "it refuses access: its credentials must be valid, and allow to read and to list".into()
        }
        (Some(status), _) => format!("it answered with the status {status}"),
        (None, Some(HttpErrorKind::Timeout)) => "it did not answer in time".into(),
        (None, Some(HttpErrorKind::Connect)) => "it cannot be reached".into(),
        (None, Some(_)) => "it broke its answer off".into(),
        (None, None) => "it gave no answer that can be understood".into(),
    }
}

fn causes<'e>(error: &'e Error) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error as &'e (dyn std::error::Error + 'static)), |e| e.source())
}

/// The status that storage answered with. The library keeps it in a type of its own, and in this text.
fn status(error: &Error) -> Option<u16> {
    causes(error).find_map(|e| {
        let text = e.to_string();
        text.strip_prefix("Server returned non-2xx status code: ")?.get(..3)?.parse().ok()
    })
}
