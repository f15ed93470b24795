//! `cutover-client tables`: the tables that `assemble` and `send` take, as a dictionary and as empty files.

mod page;
mod template;

pub(crate) use page::{escaped, html};

use crate::error::Error;
use crate::exit::Exit;
use crate::output::print;
use crate::request::Selection;
use clap::{Args, Subcommand};
use cutover_model::tables::{Column, ColumnRole, Table, Tables, dictionary};
use std::path::PathBuf;

/// Options of `tables`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// Print every table with its columns: their types, limits, values and meaning
    #[command(after_help = "Examples:\n  cutover-client tables describe --html > tables.html")]
    Describe {
        /// The tables of what send takes, not those of accounts
        #[arg(value_enum, value_name = "WHAT")]
        requests: Option<Selection>,
        /// As JSON: an array of {table, parent, lists, columns}
        #[arg(long, conflicts_with = "html")]
        json: bool,
        /// As a page
        #[arg(long)]
        html: bool,
    },
    /// Write empty CSV files, a mapping with comments, and a small complete example
    #[command(after_help = "Examples:\n  cutover-client tables template extract/")]
    Template {
        /// The folder; created if it does not exist
        folder: PathBuf,
    },
}

/// Describes the tables.
///
/// # Errors
/// [`Error`] if the output fails, or a file of the template exists already.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    match &options.command {
        Command::Describe { requests, json, html } => {
            let tables = requests.map_or_else(|| vec![Tables::payload()], Selection::tables);
            let tables: Vec<&Table> = tables.iter().flatten().collect();
            print(&match (json, html) {
                (true, _) => dictionary(tables).pretty(),
                (_, true) => page::page(requests.map_or("accounts", Selection::name), &tables),
                _ => text(&tables),
            })?;
        }
        Command::Template { folder } => template::write(folder, &Tables::payload())?,
    }
    Ok(Exit::Success)
}

fn text(tables: &[&Table]) -> String {
    tables.iter().map(|table| format!("{}\n{}\n", heading(table), columns(table))).collect()
}

/// The table and what its rows are.
fn heading(table: &Table) -> String {
    match table.parent {
        None => format!("{}: a row for each {}", table.name, table.objects.join(" or ")),
        Some(parent) => {
            format!("{}: a row for each item of {} of {parent}", table.name, table.lists.join(", "))
        }
    }
}

fn columns(table: &Table) -> String {
    let line = |column: &Column| {
        let (name, of, required) = (&column.name, column.column_type.name(), presence(column));
        format!("  {name:<44} {of:<9} {required:<9} {}\n", column.limits)
    };
    table.columns.iter().map(line).collect()
}

/// Whether a column must have values.
fn presence(column: &Column) -> &'static str {
    match (column.role, column.required) {
        (ColumnRole::Key, _) => "key",
        (_, true) => "required",
        (_, false) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_has_every_table_and_column() {
        let tables = Tables::payload();
        let tables: Vec<&Table> = tables.iter().collect();
        let text = text(&tables);
        assert!(text.starts_with("accounts: a row for each account\n  external_account_number "));
        assert!(text.contains("\ncustomers: a row for each item of customers of accounts\n"));
        let lines: usize = tables.iter().map(|table| table.columns.len() + 2).sum();
        assert_eq!(text.lines().count(), lines);
    }
}
