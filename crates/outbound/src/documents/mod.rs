mod bucket;
#[cfg_attr(
    not(any(feature = "s3", feature = "gcs", feature = "azure")),
    expect(unused, reason = "what clouds share is there even if a build has none")
)]
mod cloud;
mod folder;
mod resolve;
#[cfg(test)]
mod tests;

pub(crate) use resolve::is_safe;

use crate::breaker::{Circuit, FAILURES, PAUSE};
use crate::location::Place;
use crate::{Location, OutboundRuntime};
use bucket::Bucket;
use cutover_app::port::{Answer, DocumentState, Documents, DocumentsUnavailable, WantedDocument};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How long storage may take to answer whether it is there.
const READY: Duration = Duration::from_secs(2);
/// How long all lookups of a call may take together.
const CALL: Duration = Duration::from_secs(5);
/// Lookups at the same time in the process.
const AT_ONCE: usize = 32;
/// Lookups of one call at the same time, so that a large one leaves room for others.
const OF_A_CALL: usize = 16;
/// What a PDF begins with.
const PDF: &[u8] = b"%PDF-";

/// Documents in a local folder or in object storage (contract D10).
///
/// Lookups run on the runtime of the adapters: at most 32 at the same time, at most 16 of one call. A
/// folder is read through handles, so that no link leads out of a supplier's root. Of an object in a bucket
/// only its head or its first bytes are asked for, by attempts of 1.5 s, repeated at most twice; the
/// credentials must allow to list the bucket, for else a missing object cannot be told from a forbidden one.
/// After five calls in a row that got no answer, storage is left alone for 10 s, and then asked once.
pub struct ObjectDocuments {
    desk: Arc<Desk>,
    runtime: OutboundRuntime,
}

/// What lookups share.
struct Desk {
    location: Location,
    storage: Storage,
    lookups: Arc<Semaphore>,
    /// Looking whether a folder is there may hang as well: one at a time.
    probes: Arc<Semaphore>,
    circuit: Arc<Circuit>,
}

/// Why a lookup came to nothing.
#[derive(Debug)]
enum LookupError {
    /// Storage answered, and refused.
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
    /// Opens the storage of a location. A folder must exist; a bucket is not asked for before it is needed.
    ///
    /// Credentials and endpoints come from the variables of the environment that are usual for each cloud:
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, `AWS_ENDPOINT_URL`,
    /// `AWS_ALLOW_HTTP` (`true` allows endpoints without TLS), web identities, the metadata of the machine;
    /// `GOOGLE_SERVICE_ACCOUNT`, `GOOGLE_APPLICATION_CREDENTIALS`; `AZURE_STORAGE_ACCOUNT_NAME`,
    /// `AZURE_STORAGE_ACCOUNT_KEY`, `AZURE_STORAGE_SAS_KEY`, `AZURE_CLIENT_ID` and its relatives.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it cannot be opened.
    pub fn open(location: &Location, runtime: &OutboundRuntime) -> Result<Self, DocumentsUnavailable> {
        let unavailable = |cause: String| DocumentsUnavailable(format!("{location}: {cause}"));
        let storage = match &location.0 {
            Place::Folder(path) => {
                folder::open(path).map_err(|e| unavailable(e.to_string()))?;
                Storage::Folder(path.clone())
            }
            Place::Bucket(place) => {
                Storage::Bucket(Bucket::new(cloud::open(place).map_err(unavailable)?, place.clone()))
            }
        };
        Ok(Self::over(location, storage, runtime))
    }

    /// Makes the folder of a location if it is not there, and opens it: the embedded default. A bucket is
    /// only opened.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it can be neither made nor opened.
    pub fn create(location: &Location, runtime: &OutboundRuntime) -> Result<Self, DocumentsUnavailable> {
        if let Place::Folder(folder) = &location.0 {
            std::fs::create_dir_all(folder)
                .map_err(|e| DocumentsUnavailable(format!("{location} cannot be made: {e}")))?;
        }
        Self::open(location, runtime)
    }

    fn over(location: &Location, storage: Storage, runtime: &OutboundRuntime) -> Self {
        let desk = Desk {
            location: location.clone(),
            storage,
            lookups: Arc::new(Semaphore::new(AT_ONCE)),
            probes: Arc::new(Semaphore::new(1)),
            circuit: Circuit::new(FAILURES, PAUSE),
        };
        Self { desk: Arc::new(desk), runtime: runtime.clone() }
    }

    /// Runs work of the desk on the runtime.
    fn spawn<T, F>(&self, work: F) -> Answer<'static, Result<T, DocumentsUnavailable>>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LookupError>> + Send + 'static,
    {
        let desk = self.desk.clone();
        Box::pin(self.runtime.spawn(async move {
            work.await.map_err(|e| DocumentsUnavailable(format!("{}: {}", desk.location, e.cause())))
        }))
    }
}

impl Documents for ObjectDocuments {
    /// Answers within 2 s.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        let desk = self.desk.clone();
        self.spawn(
            async move { timeout(READY, desk.ready()).await.unwrap_or_else(|_| Err(LookupError::late())) },
        )
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        let (desk, paths) = (self.desk.clone(), resolve::distinct(wanted));
        let root = resolve::root(root).map(str::to_owned);
        let states = self.spawn(async move {
            match root {
                Some(root) if !paths.is_empty() => desk.look_up(root, paths).await,
                _ => Ok(States::new()),
            }
        });
        Box::pin(async move {
            let states = states.await?;
            let state = |document: &WantedDocument| states.get(&document.path).copied();
            Ok(wanted.iter().map(|document| state(document).unwrap_or(DocumentState::Missing)).collect())
        })
    }

    fn is_circuit_open(&self) -> bool {
        self.desk.circuit.is_open()
    }
}

/// What was found, by path; nothing of what is not in it.
type States = HashMap<String, DocumentState>;

impl Desk {
    async fn ready(&self) -> Result<(), LookupError> {
        match &self.storage {
            Storage::Bucket(bucket) => bucket.answers().await,
            Storage::Folder(path) => {
                let (path, permit) = (path.clone(), permit(&self.probes).await?);
                blocking(permit, move || folder::open(&path).map(drop)).await
            }
        }
    }

    /// What safe paths name under a safe root, unless storage is left alone.
    async fn look_up(&self, root: String, paths: BTreeMap<String, bool>) -> Result<States, LookupError> {
        let left_alone =
            || LookupError::Unavailable("it failed too often and is left alone for a while".into());
        let attempt = self.circuit.enter().ok_or_else(left_alone)?;
        let has_answered = AtomicBool::new(false);
        let found = timeout(CALL, self.states(root, paths, &has_answered)).await;
        // A call for many documents may take too long though storage answers.
        let is_there = match &found {
            Err(_) => has_answered.into_inner(),
            Ok(found) => !matches!(found, Err(LookupError::Unavailable(_))),
        };
        let has_changed = if is_there { attempt.answered() } else { attempt.failed() };
        match (has_changed, is_there) {
            (true, true) => tracing::info!("document storage answers again"),
            (true, false) => {
                tracing::warn!("document storage failed too often and is left alone for a while");
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
        let Some(root) = blocking(permit(&self.lookups).await?, opened).await?.map(Arc::new) else {
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

    /// Looks each path up, some at the same time; the first that gets no answer ends all.
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
        let (look, lookups) = (&look, &self.lookups);
        let lookups = stream::iter(paths).map(async |(path, must_be_pdf)| {
            let state = look(path, must_be_pdf, permit(lookups).await?).await;
            has_answered.fetch_or(state.is_ok(), Ordering::Relaxed);
            state
        });
        lookups.buffer_unordered(OF_A_CALL).try_collect().await
    }
}

async fn permit(of: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, LookupError> {
    of.clone().acquire_owned().await.map_err(|error| LookupError::Unavailable(error.to_string()))
}

/// Reads files off the threads that wait for sockets. The permit is kept until the system has answered,
/// even if nobody waits for that any more: so hanging reads are never more than permits.
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
        // A file that may not be read, in a folder that is there.
        std::io::ErrorKind::PermissionDenied => LookupError::Refused(error.to_string()),
        _ => unavailable(error.to_string()),
    })
}
