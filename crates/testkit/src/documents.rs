use cutover_app::port::{Answer, DocumentState, Documents, DocumentsUnavailable, WantedDocument};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A document storage in memory, empty at first.
#[derive(Debug, Default)]
pub struct FakeDocuments {
    /// States by root and path.
    states: Mutex<HashMap<(String, String), DocumentState>>,
    is_down: AtomicBool,
    look_ups: AtomicUsize,
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

    /// Number of look-ups so far, failed ones included.
    pub fn look_ups(&self) -> usize {
        self.look_ups.load(Ordering::SeqCst)
    }

    fn check(&self) -> Result<(), DocumentsUnavailable> {
        let is_down = self.is_down.load(Ordering::SeqCst);
        if is_down { Err(DocumentsUnavailable("on purpose".into())) } else { Ok(()) }
    }

    fn state(&self, root: &str, wanted: &WantedDocument) -> DocumentState {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.get(&(root.to_owned(), wanted.path.clone())) {
            None => DocumentState::Missing,
            // Without `must_be_pdf` the content is not checked.
            Some(DocumentState::Pdf) if !wanted.must_be_pdf => DocumentState::Present,
            Some(state) => *state,
        }
    }
}

impl Documents for FakeDocuments {
    fn ready(&self) -> Answer<'_, Result<(), DocumentsUnavailable>> {
        Box::pin(std::future::ready(self.check()))
    }

    fn look_up<'a>(
        &'a self,
        root: &'a str,
        wanted: &'a [WantedDocument],
    ) -> Answer<'a, Result<Vec<DocumentState>, DocumentsUnavailable>> {
        self.look_ups.fetch_add(1, Ordering::SeqCst);
        let states = || wanted.iter().map(|wanted| self.state(root, wanted)).collect();
        Box::pin(std::future::ready(self.check().map(|()| states())))
    }
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
