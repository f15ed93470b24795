//! The files of the tables.

use super::mapping::Mapping;
use crate::error::Error;
use cutover_model::tables::Tables;
use cutover_tables::Format;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// A file of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    /// The path as it is shown.
    pub(super) name: String,
    pub(super) format: Format,
    /// The index of the table.
    pub(super) table: usize,
}

/// Finds the files of tables: those given, and those of folders by name. Also returns the files of folders that belong to
/// no table.
///
/// # Errors
/// [`Error`] if a path does not exist, a file that was given belongs to no table, or there is no file.
pub(super) fn find(
    paths: &[PathBuf],
    tables: &Tables,
    mapping: &Mapping,
) -> Result<(Vec<TableFile>, Vec<String>), Error> {
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for path in paths {
        if !std::fs::metadata(path).map_err(Error::file("read", path))?.is_dir() {
            let file = table_file(path, tables, mapping);
            files.push(file.ok_or_else(|| refused(path))?);
            continue;
        }
        for entry in WalkDir::new(path).follow_links(true).sort_by_file_name() {
            let entry = entry.map_err(|e| Error::refused(format!("the folder cannot be read: {e}")))?;
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if !entry.file_type().is_file() || is_hidden || !is_table(entry.path()) {
                continue;
            }
            match table_file(entry.path(), tables, mapping) {
                Some(file) => files.push(file),
                None => skipped.push(entry.path().display().to_string()),
            }
        }
    }
    if files.is_empty() {
        return Err(Error::refused(
            "no file has the name of a table: `cutover-client tables describe` lists them",
        ));
    }
    Ok((files, skipped))
}

fn refused(path: &Path) -> Error {
    let what =
        "belongs to no table: its name begins with that of its table and ends with .csv, .ndjson or .parquet";
    Error::refused(format!("{} {what}", path.display()))
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn is_table(path: &Path) -> bool {
    matches!(extension(path).as_deref(), Some("csv" | "tsv" | "ndjson" | "jsonl" | "parquet"))
}

fn table_file(path: &Path, tables: &Tables, mapping: &Mapping) -> Option<TableFile> {
    let extension = extension(path)?;
    let format = match &*extension {
        "csv" | "tsv" => "csv",
        "ndjson" | "jsonl" => "ndjson",
        other => other,
    };
    let name = path.file_name()?.to_str()?;
    let of = |(index, prefix): (usize, &str)| name.starts_with(prefix).then_some((prefix.len(), index));
    let all = tables.iter().enumerate();
    let prefixes = all.flat_map(|(index, table)| mapping.prefixes(table).map(move |prefix| (index, prefix)));
    let (_, table) = prefixes.filter_map(of).max_by_key(|(length, _)| *length)?;
    Some(TableFile {
        path: path.to_owned(),
        name: path.display().to_string(),
        format: format.parse().ok()?,
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
