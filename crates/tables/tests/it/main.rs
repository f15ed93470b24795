//! The fixtures' accounts as files in every format.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod read;

use cutover_model::tables::{RowsError, Tables};
use cutover_tables::{Format, Layout, Mask, Personal, TableWriter};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, io};

/// Errors of the walk and of the file.
#[derive(Debug)]
struct Failed;

impl From<RowsError> for Failed {
    fn from(_: RowsError) -> Self {
        Self
    }
}

impl From<io::Error> for Failed {
    fn from(_: io::Error) -> Self {
        Self
    }
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/accounts/valid").join(name);
    let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    serde_json::to_vec(json.get("payload").unwrap_or(&json)).unwrap()
}

/// The files of the tables with rows of an account.
fn files(account: &[u8], format: Format, personal: Personal) -> BTreeMap<&'static str, Vec<u8>> {
    let (tables, mask) = (Tables::payload(), Mask::new([7; 32]));
    let mut writers = BTreeMap::new();
    tables
        .rows(account, |table, cells| {
            let new = || TableWriter::new(format, Layout::of(table, personal), Vec::new()).unwrap();
            let writer = writers.entry(table.name).or_insert_with(new);
            match personal {
                Personal::Masked => writer.row(&mask.row(table, cells))?,
                _ => writer.row(cells)?,
            }
            Ok::<_, Failed>(())
        })
        .unwrap();
    writers.into_iter().map(|(name, writer)| (name, writer.finish().unwrap())).collect()
}

fn shown(files: BTreeMap<&'static str, Vec<u8>>) -> String {
    let file = |(name, file): (&str, Vec<u8>)| format!("== {name}\n{}", String::from_utf8(file).unwrap());
    files.into_iter().map(file).collect()
}

#[test]
fn csv() {
    insta::assert_snapshot!(shown(files(&fixture("electricity.json"), Format::Csv, Personal::Full)));
}

#[test]
fn ndjson() {
    insta::assert_snapshot!(shown(files(&fixture("gas.json"), Format::Ndjson, Personal::Full)));
}

#[test]
fn masked() {
    insta::assert_snapshot!(shown(files(&fixture("electricity.json"), Format::Ndjson, Personal::Masked)));
}

#[test]
fn without_personal_columns() {
    let files = files(&fixture("electricity.json"), Format::Csv, Personal::Without);
    let customers = String::from_utf8(files["customers"].clone()).unwrap();
    assert_eq!(customers, "external_account_number,position\nELEC-1001,1\nELEC-1001,2\n");
}

#[cfg(feature = "parquet")]
mod parquet {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    /// The rows of a file, with the text of each cell that is there.
    fn rows(file: Vec<u8>) -> Vec<BTreeMap<String, String>> {
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let shown = |field: &Field| match field {
            Field::Null => None,
            Field::Str(text) => Some(text.clone()),
            // The library shows a decimal without digits after the point as `7.`.
            field => Some(field.to_string().trim_end_matches('.').to_owned()),
        };
        let row = |row: ::parquet::record::Row| {
            let cells = row.get_column_iter().filter_map(|(name, field)| Some((name.clone(), shown(field)?)));
            cells.collect()
        };
        reader.get_row_iter(None).unwrap().map(|found| row(found.unwrap())).collect()
    }

    /// Parquet and NDJSON have the same rows, apart from nulls.
    #[test]
    fn files_have_the_rows_and_digits_of_the_others() {
        for name in ["electricity.json", "gas.json", "embedded_water.json", "embedded_electricity.json"] {
            let account = fixture(name);
            let lines = files(&account, Format::Ndjson, Personal::Full);
            for (table, file) in files(&account, Format::Parquet, Personal::Full) {
                let lines = String::from_utf8(lines[table].clone()).unwrap();
                let expected = lines.lines().map(|line| {
                    let row: serde_json::Map<String, Value> = serde_json::from_str(line).unwrap();
                    let cells = row.into_iter().filter(|(_, value)| !value.is_null());
                    let text = |value: Value| value.as_str().map_or(value.to_string(), str::to_owned);
                    cells.map(|(name, value)| (name, text(value))).collect::<BTreeMap<_, _>>()
                });
                assert_eq!(rows(file), expected.collect::<Vec<_>>(), "{name} {table}");
            }
        }
    }

    #[test]
    fn many_rows_take_several_row_groups() {
        let tables = Tables::payload();
        let (_, table) = tables.find("notes").unwrap();
        let layout = Layout::of(table, Personal::Full);
        let mut writer = TableWriter::new(Format::Parquet, layout, Vec::new()).unwrap();
        let body = "x".repeat(1_000);
        let account =
            |n: u32| format!(r#"{{"external_account_number":"{n}","notes":[{{"body":"{body}{n}"}}]}}"#);
        for n in 0..20_000 {
            let add = tables.rows(account(n).as_bytes(), |of, cells| {
                if of.name == "notes" {
                    writer.row(cells)?;
                }
                Ok::<_, Failed>(())
            });
            add.unwrap();
        }
        let file = writer.finish().unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file.clone())).unwrap();
        assert!(reader.num_row_groups() > 1);
        let rows = rows(file);
        assert_eq!(rows.len(), 20_000);
        assert!((0..20_000).all(|n| rows[n]["body"] == format!("{body}{n}")));
    }
}
