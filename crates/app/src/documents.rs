use crate::App;
use crate::port::{DocumentState, DocumentsUnavailable, Supplier, WantedDocument};
use std::collections::HashMap;

/// What a use case comes to that may have to know documents first. Looking them up is awaited, and use
/// cases block: so it is asked between two calls of one, and never inside a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<T> {
    /// It is done.
    Done(T),
    /// It is to be called again with what [`App::look_up`] finds of these.
    Documents(DocumentsWanted),
}

impl<T> Step<T> {
    /// The same, done with something else.
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(done) => Step::Done(f(done)),
            Self::Documents(wanted) => Step::Documents(wanted),
        }
    }
}

/// Documents that a use case has to know.
#[derive(Clone, PartialEq, Eq)]
pub struct DocumentsWanted {
    root: String,
    wanted: Vec<WantedDocument>,
}

/// What was found of the documents of a payload.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FoundDocuments {
    /// Where they were looked for.
    root: String,
    states: HashMap<String, DocumentState>,
}

masked! { DocumentsWanted FoundDocuments }

impl FoundDocuments {
    /// By path.
    pub(crate) fn states(&self) -> &HashMap<String, DocumentState> {
        &self.states
    }
}

impl App {
    /// Looks documents up under the root of their supplier (contract D10).
    ///
    /// # Errors
    /// [`DocumentsUnavailable`] if the storage did not answer in time: a passing fault.
    pub async fn look_up(&self, wanted: &DocumentsWanted) -> Result<FoundDocuments, DocumentsUnavailable> {
        let states = self.documents.look_up(&wanted.root, &wanted.wanted).await?;
        let paths = wanted.wanted.iter().map(|document| document.path.clone());
        Ok(FoundDocuments { root: wanted.root.clone(), states: paths.zip(states).collect() })
    }
}

/// The documents that are to be looked up first: those of suppliers that verify theirs, unless it was done under
/// the root that is theirs now.
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
