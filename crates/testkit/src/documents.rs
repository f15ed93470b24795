use cutover_app::port::{
    Answer, DocumentDigest, DocumentState, DocumentUpload, Documents, DocumentsUnavailable, NotStored,
    WantedDocument,
};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::future::ready;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Documents by root and path.
type Contents = HashMap<(String, String), Vec<u8>>;

/// A document storage in memory, empty at first.
#[derive(Debug, Default)]
pub struct FakeDocuments {
    /// States by root and path.
    states: Mutex<HashMap<(String, String), DocumentState>>,
    /// The uploaded documents.
    contents: Arc<Mutex<Contents>>,
    is_down: AtomicBool,
    is_read_only: AtomicBool,
    look_ups: AtomicUsize,
    uploads: Arc<AtomicUsize>,
}

impl FakeDocuments {
    /// Sets the state of a path (without a leading `/`) under a supplier's root.
    pub fn set(&self, root: &str, path: &str, state: DocumentState) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.insert((root.to_owned(), path.to_owned()), state);
    }

    /// Makes the storage unavailable, or available again.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    /// Makes the storage refuse documents.
    pub fn set_read_only(&self, is_read_only: bool) {
        self.is_read_only.store(is_read_only, Ordering::SeqCst);
    }

    /// Returns what was uploaded to a path under a supplier's root.
    pub fn content(&self, root: &str, path: &str) -> Option<Vec<u8>> {
        lock(&self.contents).get(&(root.to_owned(), path.to_owned())).cloned()
    }

    /// Number of uploads that have neither finished nor ended.
    pub fn uploads(&self) -> usize {
        self.uploads.load(Ordering::SeqCst)
    }

    /// Number of look-ups so far, failed ones included.
    pub fn look_ups(&self) -> usize {
        self.look_ups.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<(), DocumentsUnavailable> {
        let is_down = self.is_down.load(Ordering::SeqCst);
        if is_down { Err(DocumentsUnavailable("on purpose".into())) } else { Ok(()) }
    }

    fn state(&self, root: &str, wanted: &WantedDocument) -> DocumentState {
        let place = (root.to_owned(), wanted.path.clone());
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.get(&place) {
            None if lock(&self.contents).contains_key(&place) => DocumentState::Present,
            None => DocumentState::Missing,
            // Without `must_be_pdf` the content is not checked.
            Some(DocumentState::Pdf) if !wanted.must_be_pdf => DocumentState::Present,
            Some(state) => *state,
        }
    }
}

impl Documents for FakeDocuments {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(ready(self.check()))
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        self.look_ups.fetch_add(1, Ordering::SeqCst);
        let states = || wanted.iter().map(|wanted| self.state(root, wanted)).collect();
        Box::pin(ready(self.check().map(|()| states())))
    }

    fn upload<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
    ) -> Answer<'a, Result<Box<dyn DocumentUpload>, NotStored>> {
        let begin = || -> Result<Box<dyn DocumentUpload>, NotStored> {
            self.check()?;
            if self.is_read_only.load(Ordering::SeqCst) {
                return Err(NotStored::Refused("on purpose".into()));
            }
            self.uploads.fetch_add(1, Ordering::SeqCst);
            let (contents, uploads) = (self.contents.clone(), self.uploads.clone());
            Ok(Box::new(FakeUpload {
                place: (root.to_owned(), path.to_owned()),
                written: Vec::new(),
                contents,
                uploads,
            }))
        };
        Box::pin(ready(begin()))
    }

    fn has_content<'a>(
        &'a self,
        root: &'a str,
        path: &'a str,
        content: DocumentDigest,
    ) -> Answer<'a, Result<bool, DocumentsUnavailable>> {
        let is_it = |found: Vec<u8>| {
            found.len() as u64 == content.size && <[u8; 32]>::from(Sha256::digest(&found)) == content.sha256
        };
        Box::pin(ready(self.check().map(|()| self.content(root, path).is_some_and(is_it))))
    }
}

/// A document that is being written to a [`FakeDocuments`].
struct FakeUpload {
    place: (String, String),
    written: Vec<u8>,
    contents: Arc<Mutex<Contents>>,
    uploads: Arc<AtomicUsize>,
}

impl DocumentUpload for FakeUpload {
    fn write(&mut self, piece: Vec<u8>) -> Answer<'_, Result<(), NotStored>> {
        self.written.extend(piece);
        Box::pin(ready(Ok(())))
    }

    fn finish(mut self: Box<Self>, last: Vec<u8>) -> Answer<'static, Result<bool, NotStored>> {
        let (place, mut written) = (self.place.clone(), std::mem::take(&mut self.written));
        written.extend(last);
        let mut contents = lock(&self.contents);
        let is_free = !contents.contains_key(&place);
        contents.entry(place).or_insert(written);
        Box::pin(ready(Ok(is_free)))
    }
}

impl Drop for FakeUpload {
    fn drop(&mut self) {
        self.uploads.fetch_sub(1, Ordering::SeqCst);
    }
}

fn lock(contents: &Mutex<Contents>) -> MutexGuard<'_, Contents> {
    contents.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::now;

    fn wanted(path: &str, must_be_pdf: bool) -> WantedDocument {
        WantedDocument { path: path.to_owned(), must_be_pdf }
    }

    #[test]
    fn it_returns_the_configured_documents() {
        let documents = FakeDocuments::default();
        documents.set("/acme", "a.pdf", DocumentState::Pdf);
        documents.set("/acme", "b.pdf", DocumentState::Present);
        let all =
            [wanted("b.pdf", true), wanted("c.pdf", true), wanted("a.pdf", true), wanted("a.pdf", false)];
        let found = now(documents.look_up("/acme", &all)).unwrap();
        use DocumentState::{Missing, Pdf, Present};
        assert_eq!(found, [Present, Missing, Pdf, Present]);
        assert_eq!(now(documents.look_up("/other", &all[2..])).unwrap(), [Missing, Missing]);
        assert_eq!(documents.look_ups(), 2);
    }

    #[test]
    fn it_is_down_until_it_is_up() {
        let documents = FakeDocuments::default();
        documents.set_down(true);
        assert!(now(documents.ready()).is_err());
        assert!(now(documents.look_up("/acme", &[])).is_err());
        documents.set_down(false);
        assert_eq!(now(documents.ready()), Ok(()));
        assert_eq!(now(documents.look_up("/acme", &[])), Ok(vec![]));
    }
}
