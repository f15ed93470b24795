use crate::{Layout, csv, ndjson};
use cutover_model::tables::Cell;
use std::io::{self, Write};
use std::str::FromStr;

/// The format of the files of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Apache Parquet, compressed with zstd.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Comma-separated values in UTF-8 with a head line, after RFC 4180 but for line feeds alone.
    Csv,
    /// A JSON object per line.
    Ndjson,
}

/// The text names no format of this build.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("it is not a format: this program writes {}{WITHOUT}", Format::ALL.map(Format::as_str).join(", "))]
pub struct UnknownFormat;

const WITHOUT: &str =
    if cfg!(feature = "parquet") { "" } else { "; parquet takes a build with `--features parquet`" };

impl Format {
    /// The formats of this build.
    pub const ALL: [Self; Self::COUNT] = [
        #[cfg(feature = "parquet")]
        Self::Parquet,
        Self::Csv,
        Self::Ndjson,
    ];
    const COUNT: usize = if cfg!(feature = "parquet") { 3 } else { 2 };

    /// True if its files are text, which is read from its beginning to its end.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Ndjson)
    }

    /// Its name, which is also the extension of its files.
    pub fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Ndjson => "ndjson",
        }
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|format| format.as_str() == text).ok_or(UnknownFormat)
    }
}

/// Writes the rows of a table to a file.
pub struct TableWriter<W: Write + Send> {
    layout: Layout,
    kind: Kind<W>,
    rows: u64,
}

enum Kind<W: Write + Send> {
    Csv(W),
    Ndjson(W),
    #[cfg(feature = "parquet")]
    Parquet(Box<crate::parquet::ParquetWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of the file.
    pub fn new(format: Format, layout: Layout, mut out: W) -> io::Result<Self> {
        let kind = match format {
            #[cfg(feature = "parquet")]
            Format::Parquet => Kind::Parquet(Box::new(crate::parquet::ParquetWriter::new(&layout, out)?)),
            Format::Csv => {
                csv::head(&layout, &mut out)?;
                Kind::Csv(out)
            }
            Format::Ndjson => Kind::Ndjson(out),
        };
        Ok(Self { layout, kind, rows: 0 })
    }

    /// Writes a row, with a cell for each column of the table.
    ///
    /// # Errors
    /// Those of the file; `InvalidData` if a cell does not have the form of its column.
    pub fn row(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        self.rows += 1;
        match &mut self.kind {
            Kind::Csv(out) => csv::row(&self.layout, cells, out),
            Kind::Ndjson(out) => ndjson::row(&self.layout, cells, out),
            #[cfg(feature = "parquet")]
            Kind::Parquet(writer) => writer.row(&self.layout, cells),
        }
    }

    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file and returns it.
    ///
    /// # Errors
    /// Those of the file.
    pub fn finish(self) -> io::Result<W> {
        match self.kind {
            Kind::Csv(out) | Kind::Ndjson(out) => Ok(out),
            #[cfg(feature = "parquet")]
            Kind::Parquet(writer) => writer.finish(),
        }
    }
}
