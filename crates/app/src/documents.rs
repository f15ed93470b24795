use crate::port::{DocumentState, Documents, DocumentsUnavailable, Supplier, WantedDocument};
use std::collections::HashMap;

/// The result of a use case that may need the state of documents. Looking them up is awaited, and use cases block:
/// so the lookup is done between two calls of the use case, and never inside a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<T> {
    /// The use case is done.
    Done(T),
    /// The use case must be called again with the result of [`App::look_up`](crate::App::look_up).
    Documents(DocumentsWanted),
}

impl<T> Step<T> {
    /// Maps the result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(done) => Step::Done(f(done)),
            Self::Documents(wanted) => Step::Documents(wanted),
        }
    }
}

/// The documents that a use case needs.
#[derive(Clone, PartialEq, Eq)]
pub struct DocumentsWanted {
    root: String,
    wanted: Vec<WantedDocument>,
}

impl DocumentsWanted {
    /// Looks them up in this storage.
    pub(crate) async fn look_up(
        &self,
        storage: &dyn Documents,
    ) -> Result<FoundDocuments, DocumentsUnavailable> {
        let states = storage.look_up(&self.root, &self.wanted).await?;
        let paths = self.wanted.iter().map(|document| document.path.clone());
        Ok(FoundDocuments { root: self.root.clone(), states: paths.zip(states).collect() })
    }
}

/// The state of the documents of a payload.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FoundDocuments {
    /// The root under which they were looked up.
    root: String,
    states: HashMap<String, DocumentState>,
}

masked! { DocumentsWanted FoundDocuments }

impl FoundDocuments {
    /// Their states by path.
    pub(crate) fn states(&self) -> &HashMap<String, DocumentState> {
        &self.states
    }
}

/// Returns the documents that must be looked up first: if the supplier verifies documents, and they were not yet
/// looked up under its current root.
pub(crate) fn missing(
    supplier: Option<&Supplier>,
    found: Option<&FoundDocuments>,
    documents: impl FnOnce() -> Vec<WantedDocument>,
) -> Option<DocumentsWanted> {
    let settings = &supplier.filter(|supplier| supplier.settings.verify_documents)?.settings;
    if found.is_some_and(|found| found.root == settings.document_root) {
        return None;
    }
    let wanted = documents();
    let root = settings.document_root.clone();
    (!wanted.is_empty()).then_some(DocumentsWanted { root, wanted })
}
