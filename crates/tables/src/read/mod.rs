//! Reads files of tables: CSV, NDJSON and Parquet give the same rows.

mod csv;
mod error;
mod input;
mod ndjson;
#[cfg(feature = "parquet")]
mod parquet;

pub use error::ReadError;
pub use input::{Encoding, UnknownEncoding};

use crate::Format;
use cutover_model::tables::Cell;
use std::fs::File;
use std::io;

/// The largest number of columns of a table, and of cells of a row. A spreadsheet has as many.
const MAX_COLUMNS: usize = 16_384;
/// The largest size of the names of its columns, in MiB.
const MAX_NAMES: usize = 1;

/// What a file does not say of itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The character between cells of CSV; `None` takes the one that the head line has.
    pub delimiter: Option<u8>,
    /// The encoding of CSV and NDJSON; `None` is UTF-8.
    pub encoding: Option<Encoding>,
}

/// A row as it is in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadRow {
    /// The line on which it begins, from 1 on; in Parquet the number of the row.
    pub line: u64,
    /// Its cells, each with the index of its column. Absent ones are left out.
    pub cells: Vec<(usize, Cell<'static>)>,
    /// The columns whose values have a type in the file, and so a form that nobody chose: numbers of JSON, and numbers, days
    /// and times of Parquet.
    pub typed: Vec<usize>,
}

impl ReadRow {
    /// Empties it for the next row.
    pub fn clear(&mut self) {
        self.cells.clear();
        self.typed.clear();
    }
}

/// Reads the rows of a file.
pub struct TableReader(Kind);

enum Kind {
    Csv(Box<csv::CsvReader<Box<dyn io::Read>>>),
    Ndjson(ndjson::NdjsonReader<Box<dyn io::Read>>),
    #[cfg(feature = "parquet")]
    Parquet(parquet::ParquetReader),
}

impl TableReader {
    /// Begins to read a file; CSV up to the end of its head line.
    ///
    /// # Errors
    /// [`ReadError`] if the file cannot be read, or its columns make no sense.
    pub fn new(format: Format, file: File, options: ReadOptions) -> Result<Self, ReadError> {
        #[cfg(feature = "parquet")]
        if format == Format::Parquet {
            return Ok(Self(Kind::Parquet(parquet::ParquetReader::new(file)?)));
        }
        Self::of_text(format, Box::new(file), options)
    }

    /// Begins to read CSV or NDJSON from anywhere.
    ///
    /// # Errors
    /// Those of [`new`](Self::new); also for Parquet, which must be a file.
    pub fn of_text(format: Format, from: Box<dyn io::Read>, options: ReadOptions) -> Result<Self, ReadError> {
        Ok(Self(match format {
            Format::Csv => Kind::Csv(Box::new(csv::CsvReader::new(from, options)?)),
            Format::Ndjson => Kind::Ndjson(ndjson::NdjsonReader::new(from, options.encoding)?),
            #[cfg(feature = "parquet")]
            Format::Parquet => return Err(ReadError::Parquet("it is no file".to_owned())),
        }))
    }

    /// The names of the columns. Those of NDJSON are known only when a row has had them.
    pub fn columns(&self) -> &[String] {
        match &self.0 {
            Kind::Csv(reader) => reader.columns(),
            Kind::Ndjson(reader) => reader.columns(),
            #[cfg(feature = "parquet")]
            Kind::Parquet(reader) => reader.columns(),
        }
    }

    /// True if the file does not tell an absent cell from `null`.
    pub fn has_one_null(&self) -> bool {
        match &self.0 {
            Kind::Csv(_) | Kind::Ndjson(_) => false,
            #[cfg(feature = "parquet")]
            Kind::Parquet(reader) => reader.has_one_null(),
        }
    }

    /// Reads the next row. Returns false at the end.
    ///
    /// # Errors
    /// [`ReadError`]; after one that is [of one row](ReadError::is_of_row) the next row can be read.
    pub fn read(&mut self, row: &mut ReadRow) -> Result<bool, ReadError> {
        row.clear();
        match &mut self.0 {
            Kind::Csv(reader) => reader.read(row),
            Kind::Ndjson(reader) => reader.read(row),
            #[cfg(feature = "parquet")]
            Kind::Parquet(reader) => reader.read(row),
        }
    }
}
