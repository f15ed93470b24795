mod bucket;
#[cfg_attr(
    not(any(feature = "s3", feature = "gcs", feature = "azure")),
    expect(unused, reason = "code shared by clouds is unused in a build without any")
)]
pub(crate) mod cloud;
mod folder;
mod resolve;
#[cfg(test)]
mod tests;
mod upload;

pub(crate) use bucket::cause;

use crate::breaker::{Circuit, FAILURES, PAUSE};
use crate::location::LocationKind;
use crate::{Location, OutboundRuntime};
use bucket::Bucket;
use cutover_app::port::{
    Answer, DocumentDigest, DocumentState, DocumentUpload, Documents, DocumentsUnavailable, NotStored,
    WantedDocument,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use upload::{BucketUpload, FolderUpload, MAX_WRITES};

/// Time limit of a readiness check.
const READY_TIMEOUT: Duration = Duration::from_secs(2);
/// Default of [`Lookups::call_timeout`].
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of concurrent lookups in the process.
const MAX_LOOKUPS: usize = 32;
/// Maximum number of concurrent lookups of one call, so that a large call leaves room for others.
const MAX_LOOKUPS_PER_CALL: usize = 16;
/// First bytes of a PDF.
const PDF: &[u8] = b"%PDF-";

/// Documents in a local folder or in object storage (contract D10).
///
/// Lookups run on the runtime of the adapters: at most 32 at the same time, at most 16 of one call. A folder
/// is read through handles, so that no link leads out of a supplier's root. Of an object in a bucket only the
/// head or the first bytes are requested, in attempts of 1.5 s, repeated at most twice. The credentials must
/// allow listing the bucket, because otherwise a missing object looks like a forbidden one. After five
/// consecutive calls without an answer, the circuit opens for 10 s, then one call probes.
pub struct ObjectDocuments {
    shared: Arc<Lookups>,
    runtime: OutboundRuntime,
}

/// State shared by lookups.
struct Lookups {
    location: Location,
    storage: Storage,
    permits: Arc<Semaphore>,
    /// Slots for what writes or compares files.
    writes: Arc<Semaphore>,
    /// Checking a folder may hang as well, so only one check runs at a time.
    probes: Arc<Semaphore>,
    circuit: Arc<Circuit>,
    /// Time limit of all lookups of a call.
    call_timeout: Duration,
}

/// Reason why a lookup failed.
#[derive(Debug)]
enum LookupError {
    /// Storage answered with a refusal.
    Refused(String),
    /// Storage did not answer.
    Unavailable(String),
}

impl LookupError {
    fn late() -> Self {
        Self::Unavailable("it did not answer in time".into())
    }

    fn cause(self) -> String {
        match self {
            Self::Refused(cause) | Self::Unavailable(cause) => cause,
        }
    }
}

enum Storage {
    Folder(PathBuf),
    Bucket(Bucket),
}

impl ObjectDocuments {
    /// Opens the storage of a location. A folder must exist; a bucket is first contacted by a lookup.
    ///
    /// Credentials and endpoints come from the usual environment variables of each cloud:
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`,
    /// `AWS_ALLOW_HTTP` (`true` allows endpoints without TLS), web identities, the metadata of the machine;
    /// `GOOGLE_SERVICE_ACCOUNT`, `GOOGLE_APPLICATION_CREDENTIALS`; `AZURE_STORAGE_ACCOUNT_NAME`,
    /// `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_KEY`, `AZURE_CLIENT_ID` and related ones.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it cannot be opened.
    pub fn open(location: &Location, runtime: &OutboundRuntime) -> Result<Self, DocumentsUnavailable> {
        let unavailable = |cause: String| DocumentsUnavailable(format!("{location}: {cause}"));
        let storage = match &location.0 {
            LocationKind::Folder(path) => {
                folder::open(path).map_err(|e| unavailable(e.to_string()))?;
                Storage::Folder(path.clone())
            }
            LocationKind::Bucket(bucket) => Storage::Bucket(Bucket::new(
                cloud::open(bucket, cloud::Patience::Lookups).map_err(unavailable)?,
                cloud::open(bucket, cloud::Patience::Uploads).map_err(unavailable)?,
                bucket.clone(),
            )),
        };
        Ok(Self::with_storage(location, storage, runtime))
    }

    /// Creates the folder of a location if it does not exist, and opens it: the embedded default. A bucket is
    /// only opened.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it can be neither created nor opened.
    pub fn create(location: &Location, runtime: &OutboundRuntime) -> Result<Self, DocumentsUnavailable> {
        if let LocationKind::Folder(folder) = &location.0 {
            std::fs::create_dir_all(folder)
                .map_err(|e| DocumentsUnavailable(format!("{location} cannot be created: {e}")))?;
        }
        Self::open(location, runtime)
    }

    fn with_storage(location: &Location, storage: Storage, runtime: &OutboundRuntime) -> Self {
        let shared = Lookups {
            location: location.clone(),
            storage,
            permits: Arc::new(Semaphore::new(MAX_LOOKUPS)),
            writes: Arc::new(Semaphore::new(MAX_WRITES)),
            probes: Arc::new(Semaphore::new(1)),
            circuit: Circuit::new(FAILURES, PAUSE),
            call_timeout: CALL_TIMEOUT,
        };
        Self { shared: Arc::new(shared), runtime: runtime.clone() }
    }

    /// Runs work on the runtime.
    fn spawn<T, F>(&self, work: F) -> Answer<'static, Result<T, DocumentsUnavailable>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LookupError>> + Send + 'static,
    {
        let shared = self.shared.clone();
        Box::pin(self.runtime.spawn(async move {
            work.await.map_err(|e| DocumentsUnavailable(format!("{}: {}", shared.location, e.cause())))
        }))
    }
}

impl Documents for ObjectDocuments {
    /// Answers within 2 s.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        let shared = self.shared.clone();
        self.spawn(async move {
            timeout(READY_TIMEOUT, shared.ready()).await.unwrap_or_else(|_| Err(LookupError::late()))
        })
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        let (shared, paths) = (self.shared.clone(), resolve::distinct(wanted));
        let root = resolve::root(root).map(str::to_owned);
        let states = self.spawn(async move {
            match root {
                Some(root) if !paths.is_empty() => shared.look_up(root, paths).await,
                _ => Ok(States::new()),
            }
        });
        Box::pin(async move {
            let states = states.await?;
            let state = |document: &WantedDocument| states.get(&document.path).copied();
            Ok(wanted.iter().map(|document| state(document).unwrap_or(DocumentState::Missing)).collect())
        })
    }

    fn upload<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
    ) -> Answer<'a, Result<Box<dyn DocumentUpload>, NotStored>> {
        let (shared, runtime) = (self.shared.clone(), self.runtime.clone());
        let place = resolve::place(root, path);
        Box::pin(self.runtime.spawn(async move {
            let (root, path) = place.ok_or(NotStored::Unnameable)?;
            let upload: Box<dyn DocumentUpload> = match &shared.storage {
                Storage::Bucket(bucket) => Box::new(BucketUpload::begin(bucket, &root, &path, runtime)?),
                Storage::Folder(folder) => {
                    Box::new(FolderUpload::begin(folder, root, path, shared.clone(), runtime).await?)
                }
            };
            Ok(upload)
        }))
    }

    fn has_content<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
        content: DocumentDigest,
    ) -> Answer<'a, Result<bool, DocumentsUnavailable>> {
        let (shared, place) = (self.shared.clone(), resolve::place(root, path));
        self.spawn(async move {
            let Some((root, path)) = place else { return Ok(false) };
            match &shared.storage {
                Storage::Bucket(bucket) => bucket.has_content(&root, &path, content).await,
                Storage::Folder(folder) => {
                    let folder = folder.clone();
                    let compare = move || match folder::root(&folder::open(&folder)?, &root)? {
                        Some(root) => folder::has_content(&root, &path, content),
                        None => Ok(false),
                    };
                    blocking(permit(&shared.writes).await?, compare).await
                }
            }
        })
    }

    fn is_circuit_open(&self) -> bool {
        self.shared.circuit.is_open()
    }
}

/// States by path; a missing entry means a missing document.
type States = HashMap<String, DocumentState>;

impl Lookups {
    async fn ready(&self) -> Result<(), LookupError> {
        match &self.storage {
            Storage::Bucket(bucket) => bucket.answers().await,
            Storage::Folder(path) => {
                let (path, permit) = (path.clone(), permit(&self.probes).await?);
                blocking(permit, move || folder::open(&path).map(drop)).await
            }
        }
    }

    /// Looks up safe paths under a safe root, unless the circuit is open.
    async fn look_up(&self, root: String, paths: BTreeMap<String, bool>) -> Result<States, LookupError> {
        let left_alone =
            || LookupError::Unavailable("it failed too often; calls are suspended for a while".into());
        let attempt = self.circuit.enter().ok_or_else(left_alone)?;
        let has_answered = AtomicBool::new(false);
        let found = timeout(self.call_timeout, self.states(root, paths, &has_answered)).await;
        // A call for many documents may take too long although storage answers.
        let is_there = match &found {
            Err(_) => has_answered.into_inner(),
            Ok(found) => !matches!(found, Err(LookupError::Unavailable(_))),
        };
        let has_changed = if is_there { attempt.answered() } else { attempt.failed() };
        match (has_changed, is_there) {
            (true, true) => tracing::info!("document storage answers again"),
            (true, false) => {
                tracing::warn!("document storage failed too often; lookups are suspended for a while");
            }
            (false, _) => {}
        }
        found.unwrap_or_else(|_| Err(LookupError::late()))
    }

    async fn states(
        &self,
        root: String,
        paths: BTreeMap<String, bool>,
        has_answered: &AtomicBool,
    ) -> Result<States, LookupError> {
        match &self.storage {
            Storage::Bucket(bucket) => self.in_bucket(bucket, root, paths, has_answered).await,
            Storage::Folder(path) => self.in_folder(path.clone(), root, paths, has_answered).await,
        }
    }

    async fn in_folder(
        &self,
        folder: PathBuf,
        root: String,
        paths: BTreeMap<String, bool>,
        has_answered: &AtomicBool,
    ) -> Result<States, LookupError> {
        let opened = move || folder::root(&folder::open(&folder)?, &root);
        let Some(root) = blocking(permit(&self.permits).await?, opened).await?.map(Arc::new) else {
            return Ok(States::new());
        };
        self.each(paths, has_answered, move |path, must_be_pdf, permit| {
            let root = root.clone();
            blocking(permit, move || {
                let state = folder::state(&root, &path, must_be_pdf)?;
                Ok((path, state))
            })
        })
        .await
    }

    async fn in_bucket(
        &self,
        bucket: &Bucket,
        root: String,
        paths: BTreeMap<String, bool>,
        has_answered: &AtomicBool,
    ) -> Result<States, LookupError> {
        let root = Arc::<str>::from(root);
        let states = self.each(paths, has_answered, |path, must_be_pdf, permit| {
            let (bucket, root) = (bucket.clone(), root.clone());
            async move {
                let _permit = permit;
                let state = bucket.state(&root, &path, must_be_pdf).await?;
                Ok((path, state))
            }
        });
        let states = states.await?;
        if states.values().any(|state| *state == DocumentState::Missing) {
            bucket.answers().await?;
        }
        Ok(states)
    }

    /// Looks up each path, some concurrently; the first failure ends all.
    async fn each<F, A>(
        &self,
        paths: BTreeMap<String, bool>,
        has_answered: &AtomicBool,
        look: F,
    ) -> Result<States, LookupError>
    where
        F: Fn(String, bool, OwnedSemaphorePermit) -> A,
        A: Future<Output = Result<(String, DocumentState), LookupError>>,
    {
        let (look, permits) = (&look, &self.permits);
        let lookups = stream::iter(paths).map(async |(path, must_be_pdf)| {
            let state = look(path, must_be_pdf, permit(permits).await?).await;
            has_answered.fetch_or(state.is_ok(), Ordering::Relaxed);
            state
        });
        lookups.buffer_unordered(MAX_LOOKUPS_PER_CALL).try_collect().await
    }
}

async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, LookupError> {
    of.clone().acquire_owned().await.map_err(|error| LookupError::Unavailable(error.to_string()))
}

/// Reads files on a blocking thread. The permit is held until the system has answered, even if nobody waits
/// for the result any more, so that permits bound the number of hanging reads.
async fn blocking<T: Send + 'static>(
    permit: OwnedSemaphorePermit,
    read: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> Result<T, LookupError> {
    let read = move || {
        let _permit = permit;
        read()
    };
    let unavailable = |error: String| LookupError::Unavailable(error);
    let answer = tokio::task::spawn_blocking(read).await.map_err(|error| unavailable(error.to_string()))?;
    answer.map_err(|error| match error.kind() {
        // The file may not be read, but its folder is accessible.
        std::io::ErrorKind::PermissionDenied => LookupError::Refused(error.to_string()),
        _ => unavailable(error.to_string()),
    })
}
