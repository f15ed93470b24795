//! Apache Parquet, of any writer: each column is one of plain values.

use super::{MAX_COLUMNS, ReadError, ReadRow};
use crate::parquet::NULLS;
use chrono::{DateTime, NaiveDate, Utc};
use cutover_model::tables::Cell;
use parquet::basic::LogicalType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::record::reader::RowIter;
use parquet::schema::types::TypePtr;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;

pub(super) struct ParquetReader {
    columns: Vec<String>,
    /// For each column whether its times are those of a clock on the wall, without a zone.
    is_local: Vec<bool>,
    /// The position of [`NULLS`] in the file.
    nulls: Option<usize>,
    rows: RowIter<'static>,
    row: u64,
}

impl ParquetReader {
    pub(super) fn new(file: File) -> Result<Self, ReadError> {
        let reader = SerializedFileReader::new(file).map_err(failure)?;
        let schema = reader.metadata().file_metadata().schema();
        let fields = schema.get_fields();
        if fields.len() > MAX_COLUMNS {
            return Err(ReadError::TooManyColumns { line: 1 });
        }
        if let Some(nested) = fields.iter().find(|field| !field.is_primitive()) {
            return Err(ReadError::Parquet(format!("the column {:?} has no plain values", nested.name())));
        }
        let nulls = fields.iter().position(|field| field.name() == NULLS);
        let named = fields.iter().filter(|field| field.name() != NULLS);
        let columns: Vec<String> = named.map(|field| field.name().to_owned()).collect();
        let mut seen = HashMap::new();
        for name in &columns {
            if let Some(earlier) = seen.insert(name.to_lowercase(), name) {
                return Err(ReadError::RepeatedColumn(earlier.clone(), name.clone()));
            }
        }
        let is_local = |field: &TypePtr| {
            let logical = field.get_basic_info().logical_type_ref();
            matches!(logical, Some(LogicalType::Timestamp(time)) if !time.is_adjusted_to_u_t_c)
        };
        let is_local = fields.iter().map(is_local).collect();
        Ok(Self { columns, is_local, nulls, rows: reader.into_iter(), row: 0 })
    }

    pub(super) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// True if no column says which of the absent cells are `null`.
    pub(super) fn has_one_null(&self) -> bool {
        self.nulls.is_none()
    }

    pub(super) fn read(&mut self, row: &mut ReadRow) -> Result<bool, ReadError> {
        let Some(found) = self.rows.next() else { return Ok(false) };
        let found = found.map_err(failure)?;
        self.row += 1;
        row.line = self.row;
        for (position, (_, field)) in found.get_column_iter().enumerate() {
            let Some(text) = text(field, self.is_local[position])? else { continue };
            if self.nulls == Some(position) {
                self.add_nulls(&text, row)?;
            } else {
                let column = position - usize::from(self.nulls.is_some_and(|nulls| nulls < position));
                if !matches!(field, Field::Str(_) | Field::Bytes(_)) {
                    row.typed.push(column);
                }
                row.cells.push((column, Cell::Value(Cow::Owned(text))));
            }
        }
        Ok(true)
    }

    /// Adds the cells that are `null`.
    fn add_nulls(&self, names: &str, row: &mut ReadRow) -> Result<(), ReadError> {
        for name in names.split_ascii_whitespace() {
            let column = self.columns.iter().position(|column| column == name).ok_or_else(|| {
                ReadError::Parquet(format!("{NULLS} names the column {name:?}, which is not there"))
            })?;
            row.cells.push((column, Cell::Null));
        }
        Ok(())
    }
}

/// The text of a cell; `None` if it is null. A number with a binary fraction keeps its point, so that an identifier
/// that was read as a number is noticed.
fn text(field: &Field, is_local: bool) -> Result<Option<String>, ReadError> {
    Ok(Some(match field {
        Field::Null => return Ok(None),
        Field::Str(text) => text.clone(),
        Field::Bytes(bytes) => match bytes.as_utf8() {
            Ok(text) => text.to_owned(),
            Err(_) => return Err(ReadError::Parquet("a column of bytes is not UTF-8".to_owned())),
        },
        Field::Date(days) => NaiveDate::from_epoch_days(*days).ok_or_else(no_time)?.to_string(),
        Field::TimestampMillis(time) => {
            datetime(DateTime::from_timestamp_millis(*time).ok_or_else(no_time)?, is_local)
        }
        Field::TimestampMicros(time) => {
            datetime(DateTime::from_timestamp_micros(*time).ok_or_else(no_time)?, is_local)
        }
        // The library shows a decimal without digits after the point as `7.`.
        Field::Decimal(_) => field.to_string().trim_end_matches('.').to_owned(),
        Field::Double(value) => with_point(value.to_string()),
        Field::Float(value) => with_point(value.to_string()),
        Field::Float16(value) => with_point(value.to_f32().to_string()),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            return Err(ReadError::Parquet("a column has no plain values".to_owned()));
        }
        _ => field.to_string(),
    }))
}

/// Adds the point to a whole number; `NaN` and `inf` stay.
fn with_point(number: String) -> String {
    let is_whole = number.ends_with(|last: char| last.is_ascii_digit()) && !number.contains('.');
    if is_whole { number + ".0" } else { number }
}

fn datetime(time: DateTime<Utc>, is_local: bool) -> String {
    let zone = if is_local { "" } else { "Z" };
    format!("{}{zone}", time.format("%Y-%m-%dT%H:%M:%S%.f"))
}

fn no_time() -> ReadError {
    ReadError::Parquet("a day or time is out of range".to_owned())
}

fn failure(error: ParquetError) -> ReadError {
    ReadError::Parquet(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_fractions_are_plain_numbers_with_a_point() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (-12.5, "-12.5"),
            (1_234.0, "1234.0"),
            (6.1e9, "6100000000.0"),
            (-1e22, "-10000000000000000000000.0"),
            (1e-7, "0.0000001"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(&Field::Double(value), false).unwrap().unwrap(), expected);
        }
        for (value, expected) in [(0.1, "0.1"), (-7.0, "-7.0"), (f32::INFINITY, "inf")] {
            assert_eq!(text(&Field::Float(value), false).unwrap().unwrap(), expected);
        }
    }
}
