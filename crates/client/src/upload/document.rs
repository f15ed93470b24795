//! Documents as they are read from a folder before they are sent.

use crate::identity::Identity;
use crate::input::{Location, Source};
use crate::validate::{Checked, Checker, Finding};
use cutover_core::Code;
use cutover_rules::is_stored_path;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

/// The documents of a run.
#[derive(Debug)]
pub(super) struct Documents {
    supplier: Box<str>,
    /// The folder that is laid out as below the supplier's document root, as it was given and without links.
    folder: PathBuf,
    real: PathBuf,
    sources: Vec<Source>,
}

/// A document to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) file: PathBuf,
    /// Segments of its path below the supplier's document root.
    pub(super) path: Vec<String>,
    pub(super) size: u64,
    pub(super) sha256: [u8; 32],
}

/// Bytes that are hashed at a time.
const BUFFER: usize = 256 << 10;

impl Documents {
    /// # Errors
    /// If there is no such folder.
    pub(super) fn new(supplier: &str, folder: &Path, sources: Vec<Source>) -> io::Result<Self> {
        let real = folder.canonicalize()?;
        Ok(Self { supplier: supplier.into(), folder: folder.to_owned(), real, sources })
    }

    /// Reads a document to its end. Returns it unless it has a fault, and what is known of it.
    pub(super) fn read(&self, checker: &Checker, location: Location) -> (Checked, Option<Document>) {
        let file = self.sources[location.source as usize].path().unwrap_or(&self.folder);
        let path = file.strip_prefix(&self.folder).unwrap_or(file);
        let identity = Identity {
            supplier: Some(self.supplier.clone()),
            number: Some(path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/").into()),
        };
        match self.document(file, path) {
            Ok(document) => {
                let [a, b, c, d, e, f, g, h, ..] = document.sha256;
                let fingerprint = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                (checker.checked_document(identity, fingerprint, None), Some(document))
            }
            Err(fault) => (checker.checked_document(identity, 0, Some(*fault)), None),
        }
    }

    fn document(&self, file: &Path, path: &Path) -> Result<Document, Box<Finding>> {
        let invalid =
            |detail: &'static str| Box::new(Finding::of_whole(Code::InvalidDocumentPath, detail.into()));
        let unreadable = |error: io::Error| {
            let detail = format!("The file cannot be read: {error}.");
            Box::new(Finding::of_whole(Code::UnreadableInput, detail.into()))
        };
        let segments = path.iter().map(|segment| segment.to_str().map(str::to_owned));
        let segments: Vec<String> =
            segments.collect::<Option<_>>().ok_or_else(|| invalid("The name is not UTF-8."))?;
        if !is_stored_path(&segments.join("/")) {
            return Err(invalid("No account can name a document by this path."));
        }
        let real = file.canonicalize().map_err(unreadable)?;
        if !real.starts_with(&self.real) {
            return Err(invalid("The link leads out of the folder."));
        }
        if !real.is_file() {
            return Err(invalid("This is a link to a folder, or no file."));
        }
        let (size, sha256) = digest(&real).map_err(unreadable)?;
        if size == 0 {
            return Err(Box::new(Finding::of_whole(Code::Invalid, "The document is empty.".into())));
        }
        Ok(Document { file: real, path: segments, size, sha256 })
    }
}

fn digest(file: &Path) -> io::Result<(u64, [u8; 32])> {
    let mut reader = BufReader::with_capacity(BUFFER, File::open(file)?);
    let (mut size, mut hash) = (0, Sha256::new());
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok((size, hash.finalize().into()));
        }
        hash.update(bytes);
        let read = bytes.len();
        size += read as u64;
        reader.consume(read);
    }
}
