//! Apache Parquet, written with its low-level writer: a row group of bounded size at a time.

use crate::decimal::scaled;
use crate::ndjson::integer;
use crate::{Layout, LayoutColumn};
use bytes::Bytes;
use chrono::NaiveDate;
use cutover_model::tables::{Cell, ColumnType};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, FixedLenByteArray, FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// A text column, because Parquet has one null for absent cells and for `null`: the names of the columns, separated by
/// spaces, in which the row has `null`.
pub(crate) const NULLS: &str = "null_columns";
/// Size of the cells of a row group, in bytes of memory.
const MAX_GROUP: usize = 4 << 20;
/// Digits of the largest decimal that is an INT64.
const MAX_SHORT: u32 = 18;
/// Bytes of larger decimals.
const LONG: usize = 16;

pub(crate) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Values>,
    /// The cells of [`NULLS`].
    nulls: Option<Values>,
    rows: usize,
    size: usize,
}

/// The cells of a column in the row group.
struct Values {
    /// 1 for each row with a value, 0 for the others.
    levels: Vec<i16>,
    data: Data,
}

enum Data {
    Text { bytes: Vec<u8>, ends: Vec<usize> },
    Integers(Vec<i64>),
    Days(Vec<i32>),
    Booleans(Vec<bool>),
    Long(Vec<i128>),
}

impl<W: Write + Send> ParquetWriter<W> {
    pub(crate) fn new(layout: &Layout, out: W) -> io::Result<Self> {
        let nulls = layout.keeps_nulls.then(|| {
            Type::primitive_type_builder(NULLS, Physical::BYTE_ARRAY)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(Some(LogicalType::String))
                .build()
        });
        let fields = layout.columns.iter().map(field).chain(nulls).map(|field| field.map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, ParquetError>>().map_err(failure)?;
        let schema = Type::group_type_builder(layout.table).with_fields(fields).build().map_err(failure)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("cutover ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(failure)?;
        let columns = layout.columns.iter().map(Values::of).collect();
        let nulls = layout.keeps_nulls.then(Values::of_text);
        Ok(Self { file, columns, nulls, rows: 0, size: 0 })
    }

    pub(crate) fn row(&mut self, layout: &Layout, cells: &[Cell<'_>]) -> io::Result<()> {
        for (column, values) in layout.columns.iter().zip(&mut self.columns) {
            self.size += values.add(column, cells[column.cell].value())?;
        }
        if let Some(nulls) = &mut self.nulls {
            let is_null = |column: &&LayoutColumn| cells[column.cell] == Cell::Null;
            let names: Vec<_> = layout.columns.iter().filter(is_null).map(|column| &*column.name).collect();
            self.size += nulls.add_text((!names.is_empty()).then(|| names.join(" ")).as_deref());
        }
        self.rows += 1;
        if self.size >= MAX_GROUP { self.group().map_err(failure) } else { Ok(()) }
    }

    fn group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for values in self.columns.iter_mut().chain(&mut self.nulls) {
            let Some(mut column) = group.next_column()? else { break };
            values.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        (self.rows, self.size) = (0, 0);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.group().map_err(failure)?;
        }
        self.file.into_inner().map_err(failure)
    }
}

fn failure(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => io::Error::other(cause),
        error => io::Error::other(error),
    }
}

/// The declaration of a column in the file.
fn field(column: &LayoutColumn) -> Result<Type, ParquetError> {
    // Also keys: an account that is faulty may lack one.
    let optional = Repetition::OPTIONAL;
    let of = |physical| Type::primitive_type_builder(&column.name, physical).with_repetition(optional);
    match column.column_type {
        ColumnType::Integer => of(Physical::INT64).build(),
        ColumnType::Boolean => of(Physical::BOOLEAN).build(),
        ColumnType::Date => of(Physical::INT32).with_logical_type(Some(LogicalType::Date)).build(),
        ColumnType::Decimal { before, after } if column.is_value => {
            let (precision, scale) = (before + after, after);
            let (physical, length) = if precision <= MAX_SHORT {
                (Physical::INT64, -1)
            } else {
                (Physical::FIXED_LEN_BYTE_ARRAY, LONG as i32)
            };
            let (precision, scale) = (precision as i32, scale as i32);
            of(physical)
                .with_length(length)
                .with_logical_type(Some(LogicalType::decimal(scale, precision)))
                .with_precision(precision)
                .with_scale(scale)
                .build()
        }
        ColumnType::Text | ColumnType::Decimal { .. } | ColumnType::DateTime | ColumnType::Json => {
            of(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String)).build()
        }
    }
}

impl Values {
    fn of(column: &LayoutColumn) -> Self {
        let data = match column.column_type {
            ColumnType::Integer => Data::Integers(Vec::new()),
            ColumnType::Boolean => Data::Booleans(Vec::new()),
            ColumnType::Date => Data::Days(Vec::new()),
            ColumnType::Decimal { before, after } if column.is_value => match before + after {
                ..=MAX_SHORT => Data::Integers(Vec::new()),
                _ => Data::Long(Vec::new()),
            },
            _ => return Self::of_text(),
        };
        Self { levels: Vec::new(), data }
    }

    fn of_text() -> Self {
        Self { levels: Vec::new(), data: Data::Text { bytes: Vec::new(), ends: Vec::new() } }
    }

    /// Adds a cell. Returns its size in memory.
    fn add(&mut self, column: &LayoutColumn, value: Option<&str>) -> io::Result<usize> {
        let value = match (value, column.column_type) {
            (Some(text), ColumnType::Decimal { before, after }) if column.is_value => {
                return Ok(self.add_decimal(scaled(text, before, after)));
            }
            (value, _) => value,
        };
        if matches!(self.data, Data::Text { .. }) {
            return Ok(self.add_text(value));
        }
        self.levels.push(i16::from(value.is_some()));
        let Some(text) = value else { return Ok(2) };
        let misfit = || column.misfit();
        Ok(2 + match &mut self.data {
            Data::Integers(list) => {
                list.push(integer(column, text)?);
                8
            }
            Data::Booleans(list) => {
                list.push(text.parse().map_err(|_| misfit())?);
                1
            }
            Data::Days(list) => {
                list.push(text.parse::<NaiveDate>().map_err(|_| misfit())?.to_epoch_days());
                4
            }
            Data::Text { .. } | Data::Long(_) => return Err(misfit()),
        })
    }

    fn add_text(&mut self, value: Option<&str>) -> usize {
        self.levels.push(i16::from(value.is_some()));
        let (Some(text), Data::Text { bytes, ends }) = (value, &mut self.data) else { return 2 };
        bytes.extend_from_slice(text.as_bytes());
        ends.push(bytes.len());
        text.len() + 10
    }

    fn add_decimal(&mut self, value: Option<i128>) -> usize {
        self.levels.push(i16::from(value.is_some()));
        match &mut self.data {
            // It has at most 18 digits.
            Data::Integers(list) => list.extend(value.and_then(|value| i64::try_from(value).ok())),
            Data::Long(list) => list.extend(value),
            _ => {}
        }
        18
    }

    /// Writes the cells, and forgets them.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        let levels = Some(&*self.levels);
        match &mut self.data {
            Data::Text { bytes, ends } => {
                let all = Bytes::from(std::mem::take(bytes));
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let texts: Vec<_> = starts
                    .zip(ends.iter())
                    .map(|(start, end)| ByteArray::from(all.slice(start..*end)))
                    .collect();
                column.typed::<ByteArrayType>().write_batch(&texts, levels, None)?;
                ends.clear();
            }
            Data::Integers(list) => {
                column.typed::<Int64Type>().write_batch(list, levels, None)?;
                list.clear();
            }
            Data::Days(list) => {
                column.typed::<Int32Type>().write_batch(list, levels, None)?;
                list.clear();
            }
            Data::Booleans(list) => {
                column.typed::<BoolType>().write_batch(list, levels, None)?;
                list.clear();
            }
            Data::Long(list) => {
                let bytes = |value: &i128| FixedLenByteArray::from(value.to_be_bytes().to_vec());
                let values: Vec<_> = list.iter().map(bytes).collect();
                column.typed::<FixedLenByteArrayType>().write_batch(&values, levels, None)?;
                list.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}
