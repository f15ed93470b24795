//! The files of the tables.

use super::mapping::Mapping;
use crate::error::Error;
use crate::input::{BytesRead, FileIdentity, decompressed_name, is_of_this_program, open_file};
use cutover_model::tables::Tables;
use cutover_tables::Format;
use cutover_tables::read::{ReadError, ReadOptions, TableReader};
use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A file of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    /// The path as it is shown.
    pub(super) name: String,
    pub(super) format: Format,
    /// True if its name says that it is compressed.
    is_compressed: bool,
    /// The index of the table.
    pub(super) table: usize,
}

impl TableFile {
    /// Begins to read it. The bytes of text are counted as they are read.
    ///
    /// # Errors
    /// [`ReadError`] if it cannot be read, or its columns make no sense.
    pub(super) fn open(&self, options: ReadOptions, read: &BytesRead) -> Result<TableReader, ReadError> {
        if self.format.is_text() {
            let text = open_file(&self.path, self.is_compressed, read)?;
            return TableReader::of_text(self.format, text, options);
        }
        TableReader::new(self.format, File::open(&self.path)?, options)
    }

    /// Its size; `None` if it is no regular file.
    pub(super) fn bytes(&self) -> Option<u64> {
        std::fs::metadata(&self.path).ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
    }

    /// The bytes that are not counted while it is read.
    pub(super) fn bytes_read_at_once(&self) -> u64 {
        if self.format.is_text() { 0 } else { self.bytes().unwrap_or_default() }
    }

    /// A text file, decompressed.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn text(&self) -> std::io::Result<Box<dyn std::io::Read>> {
        open_file(&self.path, self.is_compressed, &BytesRead::default())
    }
}

/// Files that were found.
#[derive(Debug, Default)]
pub(super) struct FoundFiles {
    /// The files of tables.
    pub(super) files: Vec<TableFile>,
    /// The files of folders that belong to no table and may have rows all the same.
    pub(super) unread: Vec<String>,
    /// The other files of folders.
    pub(super) skipped: Vec<String>,
}

/// Finds the files of tables: those given, and those of folders by name.
///
/// # Errors
/// [`Error`] if a path does not exist, a file that was given belongs to no table, or there is no file.
pub(super) fn find(paths: &[PathBuf], tables: &Tables, mapping: &Mapping) -> Result<FoundFiles, Error> {
    let mut found = FoundFiles::default();
    for path in paths {
        if !std::fs::metadata(path).map_err(Error::file("read", path))?.is_dir() {
            let file = table_file(path, tables, mapping);
            found.files.push(file.ok_or_else(|| refused(path))?);
            continue;
        }
        for entry in WalkDir::new(path).follow_links(true).sort_by_file_name() {
            let entry = entry.map_err(|e| Error::refused(format!("the folder cannot be read: {e}")))?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !entry.file_type().is_file() || is_hidden || is_of_this_program(entry.path()) {
                continue;
            }
            let name = || entry.path().display().to_string();
            match table_file(entry.path(), tables, mapping) {
                Some(file) => found.files.push(file),
                None if may_have_rows(entry.path(), tables, mapping) => found.unread.push(name()),
                None => found.skipped.push(name()),
            }
        }
    }
    let mut seen = SeenFiles::default();
    found.files.retain(|file| seen.is_new(file));
    if found.files.is_empty() {
        return Err(Error::refused(
            "no file has the name of a table: `cutover-client tables describe` lists them",
        ));
    }
    Ok(found)
}

/// The files that were found so far, so that none is read twice, under whatever path it is found again. A link may give the
/// rows of a file to another table as well.
#[derive(Debug, Default)]
pub(super) struct SeenFiles(HashSet<(usize, FileIdentity)>);

impl SeenFiles {
    /// True if the file was not found before as one of its table.
    pub(super) fn is_new(&mut self, file: &TableFile) -> bool {
        FileIdentity::of(&file.path).is_none_or(|identity| self.0.insert((file.table, identity)))
    }
}

fn refused(path: &Path) -> Error {
    let what = "belongs to no table: its name begins with that of its table and ends with .csv, .ndjson or .parquet, \
                or .gz or .zst after the first two";
    Error::refused(format!("{} {what}", path.display()))
}

/// The format that a file's name ends with, and whether it is compressed. Parquet has a compression of its own.
fn format(path: &Path) -> Option<(&'static str, bool)> {
    let name = path.file_name()?.to_str()?;
    let decompressed = decompressed_name(name);
    let (_, extension) = decompressed.unwrap_or(name).rsplit_once('.')?;
    let format = match &*extension.to_ascii_lowercase() {
        "csv" | "tsv" => "csv",
        "ndjson" | "jsonl" => "ndjson",
        "parquet" if decompressed.is_none() => "parquet",
        _ => return None,
    };
    Some((format, decompressed.is_some()))
}

/// True for a file of no table that has the format of tables, or the name of one.
pub(super) fn may_have_rows(path: &Path, tables: &Tables, mapping: &Mapping) -> bool {
    format(path).is_some() || table_of(path, tables, mapping).is_some()
}

/// The table that a file's name begins with: the length of that beginning, and the index of the table.
fn table_of(path: &Path, tables: &Tables, mapping: &Mapping) -> Option<(usize, usize)> {
    let name = path.file_name()?.to_str()?;
    let of = |(index, prefix): (usize, &str)| name.starts_with(prefix).then_some((prefix.len(), index));
    let all = tables.iter().enumerate();
    let prefixes = all.flat_map(|(index, table)| mapping.prefixes(table).map(move |prefix| (index, prefix)));
    prefixes.filter_map(of).max_by_key(|(length, _)| *length)
}

/// Number of characters by which a file's name belongs to one of the tables; 0 if it belongs to none.
pub(super) fn affinity(path: &Path, tables: &Tables, mapping: &Mapping) -> usize {
    table_of(path, tables, mapping).map_or(0, |(length, _)| length)
}

/// True if a file can only be one of a table by what its name ends with, whatever table that is.
pub(super) fn is_only_table(path: &Path) -> bool {
    matches!(format(path), Some(("csv" | "parquet", _)))
}

/// The file as one of a table, if its name says so.
pub(super) fn table_file(path: &Path, tables: &Tables, mapping: &Mapping) -> Option<TableFile> {
    let (format, is_compressed) = format(path)?;
    let (_, table) = table_of(path, tables, mapping)?;
    Some(TableFile {
        path: path.to_owned(),
        name: path.display().to_string(),
        format: format.parse().ok()?,
        is_compressed,
        table,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_table_with_the_longest_name() {
        let tables = Tables::payload();
        let mapping: Mapping =
            toml::from_str("[tables.customers]\nfiles = [\"kunden\", \"meters_of_customers\"]").unwrap();
        for (name, table) in [
            ("meters.csv", Some("meters")),
            ("meter_points-2026.part2.NDJSON", Some("meter_points")),
            ("kunden_1.tsv", Some("customers")),
            ("meters_of_customers.csv", Some("customers")),
            ("meters.csv.gz", Some("meters")),
            ("meters.NDJSON.ZST", Some("meters")),
            ("meters.parquet.gz", None),
            ("metering.csv", None),
            ("meters.xlsx", None),
            ("meters", None),
        ] {
            let file = table_file(Path::new(name), &tables, &mapping);
            let found = file.map(|file| tables.get(file.table).unwrap().name);
            assert_eq!(found, table, "{name}");
        }
    }
}
