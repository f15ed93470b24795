//! The mapping: what the supplier's tables are called and how their values are written.

use crate::error::Error;
use crate::request::all_tables;
use cutover_model::tables::{Table, Tables};
use cutover_tables::read::{Encoding, ReadOptions};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The names of the columns with the code of the supplier.
pub(super) const SUPPLIERS: [&str; 2] = ["import_supplier", "import_supplier_code"];

/// A mapping file. Joins and calculations belong in the supplier's own SQL.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Mapping {
    /// Encoding of CSV and NDJSON.
    encoding: Option<String>,
    /// The encoding that the command names.
    #[serde(skip)]
    named_encoding: Option<Encoding>,
    /// The character between cells of CSV.
    delimiter: Option<char>,
    /// Words that mean that the cell is absent.
    pub(super) null: Vec<String>,
    /// How days are written, such as `DD/MM/YYYY`.
    pub(super) date: Option<String>,
    /// How datetimes are written, such as `DD/MM/YYYY hh:mm`.
    pub(super) datetime: Option<String>,
    /// The character before the fraction of a decimal.
    pub(super) decimal_mark: Option<char>,
    /// The character between thousands.
    pub(super) thousands_mark: Option<char>,
    /// If set, an apostrophe before a cell that begins with `=`, `+`, `-` or `@` is taken off.
    pub(super) guarded_formulas: bool,
    tables: BTreeMap<String, TableMapping>,
}

/// The mapping of a table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TableMapping {
    /// What the names of its files begin with, beside its own name.
    pub(super) files: Vec<String>,
    /// Names of columns, each with its name in the files.
    pub(super) columns: BTreeMap<String, String>,
    /// Values of columns in rows that have none.
    pub(super) constants: BTreeMap<String, String>,
    /// For a column the values in the files, each with the one that it stands for.
    pub(super) codes: BTreeMap<String, BTreeMap<String, String>>,
    /// Columns of the files that are not to be read.
    pub(super) ignored: Vec<String>,
}

impl Mapping {
    /// Reads a mapping, of which these tables are used.
    ///
    /// # Errors
    /// [`Error`] if the file cannot be read, or names what does not exist.
    pub(crate) fn read<'t>(path: &Path, tables: impl IntoIterator<Item = &'t Tables>) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(Error::file("read", path))?;
        let refused = |why: String| Error::refused(format!("{} is not a mapping: {why}", path.display()));
        let mapping: Self = toml::from_str(&text).map_err(|e| refused(e.to_string()))?;
        mapping.check(tables).map_err(refused)?;
        Ok(mapping)
    }

    /// The same, with the encoding that a command names.
    pub(super) fn with_encoding(self, named_encoding: Option<Encoding>) -> Self {
        Self { named_encoding, ..self }
    }

    /// Reads a mapping from JSON.
    ///
    /// # Errors
    /// [`Error`] if it is none, or names what does not exist.
    pub(super) fn of_json<'t>(
        text: &str,
        tables: impl IntoIterator<Item = &'t Tables>,
    ) -> Result<Self, Error> {
        let refused = |why: String| Error::refused(format!("this is not a mapping: {why}"));
        let mapping: Self = serde_json::from_str(text).map_err(|e| refused(e.to_string()))?;
        mapping.check(tables).map_err(refused)?;
        Ok(mapping)
    }

    /// One mapping serves all commands, so that it may name the tables of accounts and of all requests. Names of files are
    /// compared among the tables that are used.
    fn check<'t>(&self, tables: impl IntoIterator<Item = &'t Tables>) -> Result<(), String> {
        self.options()?;
        let known = all_tables();
        for (name, mapping) in &self.tables {
            let of_name: Vec<_> = known.iter().filter_map(|tables| tables.find(name)).collect();
            if of_name.is_empty() {
                return Err(format!("there is no table {name:?}"));
            }
            let mut named =
                mapping.columns.keys().chain(mapping.constants.keys()).chain(mapping.codes.keys());
            let is_unknown =
                |column: &&String| of_name.iter().all(|(_, table)| table.column(column).is_none());
            if let Some(unknown) = named.find(is_unknown) {
                return Err(format!("the table {name:?} has no column {unknown:?}"));
            }
            mapping.check_columns(name)?;
        }
        self.check_files(tables.into_iter().flatten())?;
        let formats = [("date", &self.date, "DD MM YYYY"), ("datetime", &self.datetime, "DD MM YYYY hh mm")];
        for (name, format, parts) in formats {
            let lacks = |format: &String| parts.split(' ').find(|part| format.matches(part).count() != 1);
            if let Some(part) = format.as_ref().and_then(lacks) {
                return Err(format!("the {name} must have {part} once"));
            }
        }
        if self.decimal_mark.is_some() && self.decimal_mark == self.thousands_mark {
            return Err("decimal_mark and thousands_mark are the same".to_owned());
        }
        Ok(())
    }

    /// Refuses names of files that leave open to which table the files belong.
    fn check_files<'t>(&self, tables: impl Iterator<Item = &'t Table>) -> Result<(), String> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for table in tables {
            for prefix in self.prefixes(table) {
                if let Some(other) = seen.insert(prefix, table.name).filter(|other| *other != table.name) {
                    let (one, other) = (other.min(table.name), other.max(table.name));
                    return Err(format!(
                        "files whose names begin with {prefix:?} would belong to the tables {one:?} and {other:?}"
                    ));
                }
            }
        }
        Ok(())
    }

    /// What the readers must know.
    pub(super) fn options(&self) -> Result<ReadOptions, String> {
        let encoding =
            self.encoding.as_deref().map(|name| name.parse().map_err(|e| format!("{name:?}: {e}")));
        let delimiter = self.delimiter.map(|delimiter| match u8::try_from(delimiter) {
            Ok(byte) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
            _ => Err(format!("{delimiter:?} cannot be a delimiter")),
        });
        let encoding = self.named_encoding.or(encoding.transpose()?);
        Ok(ReadOptions { delimiter: delimiter.transpose()?, encoding })
    }

    /// The mapping of a table.
    pub(super) fn of(&self, table: &Table) -> Option<&TableMapping> {
        self.tables.get(table.name)
    }

    /// The values of columns of a table in rows that have none. The supplier of accounts is also that of requests.
    pub(super) fn constants(&self, table: &Table) -> Vec<(usize, &str)> {
        let own = self.of(table).into_iter().flat_map(|mapping| &mapping.constants);
        let mut constants: Vec<(usize, &str)> =
            own.filter_map(|(name, value)| Some((table.column(name)?, &**value))).collect();
        let of_accounts = self.tables.get("accounts").and_then(|mapping| mapping.constants.get(SUPPLIERS[0]));
        let supplier = SUPPLIERS.iter().find_map(|name| table.column(name)).zip(of_accounts);
        if let Some((column, value)) = supplier
            && !constants.iter().any(|(known, _)| *known == column)
        {
            constants.push((column, value));
        }
        constants
    }

    /// What the names of the files of a table begin with.
    pub(super) fn prefixes<'m>(&'m self, table: &'m Table) -> impl Iterator<Item = &'m str> {
        let more = self.of(table).into_iter().flat_map(|mapping| mapping.files.iter().map(String::as_str));
        std::iter::once(table.name).chain(more)
    }
}

impl TableMapping {
    /// Refuses a column of the files that would be two columns of the table.
    fn check_columns(&self, table: &str) -> Result<(), String> {
        let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
        for (column, name) in &self.columns {
            if let Some(other) = seen.insert(name, column) {
                return Err(format!(
                    "the columns {other:?} and {column:?} of the table {table:?} have the same name {name:?}"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let mapping = toml::from_str::<Mapping>(text).map_err(|e| e.to_string());
        mapping.and_then(|mapping| mapping.check([&Tables::payload()])).unwrap_err()
    }

    #[test]
    fn one_mapping_serves_accounts_and_requests() {
        let text = "[tables.accounts.constants]\nimport_supplier = \"S\"\n[tables.businesses.columns]\n\
                    import_supplier_code = \"X\"\n[tables.notes.constants]\nimport_supplier = \"T\"\nbody = \"b\"";
        let mapping: Mapping = toml::from_str(text).unwrap();
        let known = all_tables();
        assert_eq!(mapping.check(&known[..1]), Ok(()));
        let constants = |set: usize, name: &str| {
            let (_, table) = known[set].find(name).unwrap();
            let constants = mapping.constants(table).into_iter();
            constants
                .map(|(column, value)| format!("{}={value}", table.columns[column].name))
                .collect::<Vec<_>>()
        };
        assert_eq!(constants(0, "accounts"), ["import_supplier=S"]);
        assert_eq!(constants(0, "notes"), ["body=b"]);
        assert_eq!(constants(1, "businesses"), ["import_supplier_code=S"]);
        assert_eq!(constants(2, "notes"), ["body=b", "import_supplier=T"]);
        assert_eq!(constants(2, "note_documents"), [""; 0]);
    }

    #[test]
    fn a_mapping_names_only_what_exists() {
        assert_eq!(refused("[tables.kunden]"), "there is no table \"kunden\"");
        let column = "[tables.customers.columns]\nvorname = \"V\"";
        assert_eq!(refused(column), "the table \"customers\" has no column \"vorname\"");
        assert_eq!(refused("date = \"DD/MM/YY\""), "the date must have YYYY once");
        assert!(refused("encoding = \"latin-47\"").starts_with("\"latin-47\": it is no encoding"));
        assert_eq!(refused("delimiter = '\"'"), "'\"' cannot be a delimiter");
        assert_eq!(
            refused("decimal_mark = ','\nthousands_mark = ','"),
            "decimal_mark and thousands_mark are the same"
        );
        assert_eq!(
            refused("[tables.customers.columns]\ngiven_name = \"NAME\"\nfamily_name = \"NAME\""),
            "the columns \"family_name\" and \"given_name\" of the table \"customers\" have the same name \"NAME\""
        );
        let files = "[tables.customers]\nfiles = [\"x\", \"x\"]\n[tables.meters]\nfiles = [\"notes\"]";
        assert_eq!(
            refused(files),
            "files whose names begin with \"notes\" would belong to the tables \"meters\" and \"notes\""
        );
        assert!(refused("joins = 1").contains("unknown field"));
    }
}
