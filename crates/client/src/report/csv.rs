use super::file::AtomicFile;
use super::{Page, Report, Row};
use crate::error::Error;
use cutover_core::spreadsheet_cell;
use std::io;
use std::path::Path;

/// CSV with a header and one row per finding: RFC 4180, UTF-8.
pub(super) struct Csv(AtomicFile);

const HEAD: [&str; 11] = [
    "file",
    "line",
    "import_supplier",
    "external_account_number",
    "level",
    "attr",
    "code",
    "detail",
    "source_file",
    "source_line",
    "source_column",
];

/// Rows are seldom longer than this; the file has its own buffer.
const LINE: usize = 512;

impl Csv {
    pub(super) fn create(path: &Path) -> Result<Self, Error> {
        let mut csv = Self(AtomicFile::create(path)?);
        csv.record(&HEAD)?;
        Ok(csv)
    }

    fn record(&mut self, cells: &[impl AsRef<[u8]>; HEAD.len()]) -> Result<(), Error> {
        self.0.write(|to| {
            let builder = &mut csv::WriterBuilder::new();
            let mut writer = builder.buffer_capacity(LINE).terminator(csv::Terminator::CRLF).from_writer(to);
            writer.write_record(cells).map_err(io::Error::other)?;
            writer.flush()
        })
    }
}

impl Report for Csv {
    fn add(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let text = |text: Option<&str>| spreadsheet_cell(text.unwrap_or_default()).into_owned();
        let number = |line: Option<u64>| line.map(|line| line.to_string()).unwrap_or_default();
        let source = row.source;
        self.record(&[
            text(row.file),
            number(row.line),
            text(row.import_supplier),
            text(row.external_account_number),
            row.level.to_owned(),
            text(row.attr),
            row.code.to_owned(),
            text(Some(row.detail)),
            text(source.map(|source| &*source.file)),
            number(source.and_then(|source| source.line)),
            text(source.and_then(|source| source.column.as_deref())),
        ])
    }

    fn finish(self: Box<Self>, _: &Page) -> Result<(), Error> {
        self.0.finish()
    }
}
