mod breaking;
mod bucket;
mod faults;
mod folder;
mod upload;

use super::*;

/// Opens documents with their own runtime.
fn open(location: &Location) -> Result<ObjectDocuments, DocumentsUnavailable> {
    ObjectDocuments::open(location, &OutboundRuntime::start().unwrap())
}

fn plain(path: &str) -> WantedDocument {
    WantedDocument { path: path.into(), must_be_pdf: false }
}

fn pdf(path: &str) -> WantedDocument {
    WantedDocument { path: path.into(), must_be_pdf: true }
}

/// Looks up documents on a plain thread without a runtime.
fn look_up(
    documents: &ObjectDocuments,
    root: &str,
    wanted: &[WantedDocument],
) -> Result<Vec<DocumentState>, DocumentsUnavailable> {
    pollster::block_on(documents.look_up(root, wanted))
}

/// States of a path for a request of any document and of a PDF.
fn states(documents: &ObjectDocuments, root: &str, path: &str) -> [DocumentState; 2] {
    [plain(path), pdf(path)].map(|wanted| look_up(documents, root, &[wanted]).unwrap()[0])
}

/// Paths that lead out of `/root-a` into `/root-a2`, or would if they were unescaped or normalized.
const WAYS_OUT: [&str; 10] = [
    "../root-a2/canary.pdf",
    "in/../../root-a2/canary.pdf",
    "%2e%2e/root-a2/canary.pdf",
    "..%2froot-a2%2fcanary.pdf",
    "..\\root-a2\\canary.pdf",
    ".//../root-a2/canary.pdf",
    "/root-a2/canary.pdf",
    "2/canary.pdf",
    "root-a2/canary.pdf",
    "in/%2E%2E/%2E%2E/root-a2/canary.pdf",
];

/// Names that could be misread between the payload and the storage.
const ODD_NAMES: [&str; 8] = [
    "100%.pdf",
    "a%20b.pdf",
    "%41.pdf",
    "a#b?c=d&e+f.pdf",
    "a b.pdf",
    "Rechnung-\u{fc}.pdf",
    "\u{65e5}\u{672c}/\u{1f4c4}.pdf",
    "~'()*!;=@$[]{}^`\"<>|.pdf",
];

/// Names of no document, each easily confused with one of [`ODD_NAMES`].
const LIKE_ODD_NAMES: [&str; 5] = ["100%25.pdf", "a%2520b.pdf", "A.pdf", "a+b.pdf", "Rechnung-u\u{308}.pdf"];

use DocumentState::{Missing, Pdf, Present};
