use cutover_model::tables::{ColumnType, Table};
use std::io;

/// The personal values in an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Personal {
    /// As they are.
    Full,
    /// Left out, with their columns.
    Without,
    /// Replaced: see [`Mask`](crate::Mask).
    Masked,
}

impl Personal {
    /// The word in manifests.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Without => "without",
            Self::Masked => "masked",
        }
    }
}

/// The columns of a file with a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The name of the table.
    pub table: &'static str,
    /// The columns in their order.
    pub columns: Vec<LayoutColumn>,
    /// If set, Parquet gets the column `null_columns`, which names the cells of each row that are `null`.
    pub keeps_nulls: bool,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutColumn {
    /// Its name.
    pub name: String,
    /// The index of the cell.
    pub cell: usize,
    /// The form of its values.
    pub column_type: ColumnType,
    /// If set, it has the value of a decimal in the declared digits, beside the column with the digits as sent.
    pub is_value: bool,
}

impl LayoutColumn {
    /// The error for a cell without the form of this column. It does not show the value.
    pub(crate) fn misfit(&self) -> io::Error {
        let text = format!("a value of the column {} does not have its type", self.name);
        io::Error::new(io::ErrorKind::InvalidData, text)
    }
}

impl Layout {
    /// The columns of a table: all of them, or those without personal values.
    pub fn of(table: &Table, personal: Personal) -> Self {
        let mut columns = Vec::new();
        for (cell, column) in table.columns.iter().enumerate() {
            if column.is_personal && personal == Personal::Without {
                continue;
            }
            let (name, column_type) = (column.name.clone(), column.column_type);
            let sent = LayoutColumn { name, cell, column_type, is_value: false };
            let value = matches!(column_type, ColumnType::Decimal { .. }).then(|| LayoutColumn {
                name: format!("{}_decimal", sent.name),
                is_value: true,
                ..sent.clone()
            });
            columns.push(sent);
            columns.extend(value);
        }
        Self { table: table.name, columns, keeps_nulls: false }
    }

    /// The columns from which the same account can be made again: all of them, with decimals only in the digits as sent.
    pub fn exact(table: &Table) -> Self {
        let mut layout = Self::of(table, Personal::Full);
        layout.columns.retain(|column| !column.is_value);
        Self { keeps_nulls: true, ..layout }
    }
}
