use super::file::AtomicFile;
use super::{Page, Report, Row};
use crate::error::Error;
use std::path::Path;

/// JSON array with one object per finding, each on its own line.
pub(super) struct Json {
    file: AtomicFile,
    is_empty: bool,
}

impl Json {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let mut file = AtomicFile::create(path)?;
        file.write(|to| to.write_all(b"["))?;
        Ok(Self { file, is_empty: true })
    }
}

impl Report for Json {
    fn add(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let before: &[u8] = if std::mem::take(&mut self.is_empty) { b"\n" } else { b",\n" };
        self.file.write(|to| {
            to.write_all(before)?;
            to.write_all(&serde_json::to_vec(row)?)
        })
    }

    fn finish(mut self: Box<Self>, _: &Page) -> Result<(), Error> {
        self.file.write(|to| to.write_all(b"\n]\n"))?;
        self.file.finish()
    }
}
