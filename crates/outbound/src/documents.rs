use crate::Location;
use cutover_app::port::{Answer, Documents, DocumentsUnavailable};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How long storage may take to answer whether it is there.
const DEADLINE: Duration = Duration::from_secs(2);
/// An object that need not exist: asking for it shows whether storage answers.
const PROBE: &str = ".cutover-probe";

/// Documents in object storage.
pub struct ObjectDocuments {
    store: LocalFileSystem,
    folder: PathBuf,
}

impl ObjectDocuments {
    /// Opens the storage of a location. A folder must exist.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it cannot be opened.
    pub fn open(location: &Location) -> Result<Self, DocumentsUnavailable> {
        let unavailable = |e: &dyn fmt::Display| DocumentsUnavailable(format!("{location}: {e}"));
        let folder = location.as_folder().to_owned();
        std::fs::read_dir(&folder).map_err(|e| unavailable(&e))?;
        let store = LocalFileSystem::new_with_prefix(&folder).map_err(|e| unavailable(&e))?;
        Ok(Self { store, folder })
    }

    /// Makes the folder of a location if it is not there, and opens it: the embedded default.
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if it can be neither made nor opened.
    pub fn create(location: &Location) -> Result<Self, DocumentsUnavailable> {
        std::fs::create_dir_all(location.as_folder())
            .map_err(|e| DocumentsUnavailable(format!("{location} cannot be made: {e}")))?;
        Self::open(location)
    }

    /// A missing folder looks to the store like a missing object, so it is looked at first.
    async fn probe(&self) -> Result<(), String> {
        let folder = self.folder.clone();
        let there = tokio::task::spawn_blocking(move || std::fs::read_dir(folder).map(drop));
        there.await.map_err(|e| e.to_string())?.map_err(|e| e.to_string())?;
        match self.store.head(&Path::from(PROBE)).await {
            Ok(_) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Documents for ObjectDocuments {
    /// Answers within 2 s.
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(async {
            let answer = tokio::time::timeout(DEADLINE, self.probe()).await;
            answer.unwrap_or_else(|_| Err("it did not answer in time".into())).map_err(DocumentsUnavailable)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ready(documents: &ObjectDocuments) -> Result<(), DocumentsUnavailable> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(documents.ready())
    }

    #[test]
    fn the_default_makes_its_folder_and_is_ready() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/documents");
        let documents = ObjectDocuments::create(&Location::folder(&folder)).unwrap();
        assert!(folder.is_dir());
        assert_eq!(ready(&documents), Ok(()));
    }

    #[test]
    fn a_folder_that_is_not_there_is_not_opened() {
        let home = tempfile::tempdir().unwrap();
        let missing = Location::folder(home.path().join("missing"));
        let error = ObjectDocuments::open(&missing).err().unwrap().to_string();
        assert!(error.contains("missing/: No such file or directory"), "{error}");
    }

    #[test]
    fn a_folder_that_went_away_and_came_back_is_noticed() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("documents");
        let documents = ObjectDocuments::create(&Location::folder(&folder)).unwrap();
        std::fs::remove_dir(&folder).unwrap();
        assert!(ready(&documents).is_err());
        std::fs::create_dir(&folder).unwrap();
        assert_eq!(ready(&documents), Ok(()));
    }
}
