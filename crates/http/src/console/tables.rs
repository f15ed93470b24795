//! The rows of the declared tables of a manifest, for display.

use super::view::grouped;
use cutover_model::{ControlTotals, ManifestShown};

/// Numbers of rows of a table.
pub(super) struct TableFigures {
    pub(super) name: String,
    pub(super) declared: String,
    pub(super) sent: String,
    pub(super) imported: String,
    /// What was sent minus what is declared.
    pub(super) difference: String,
    /// What was imported minus what is declared.
    pub(super) imported_difference: String,
}

/// Returns the figures of each declared table.
pub(super) fn declared_tables(shown: &ManifestShown) -> impl Iterator<Item = TableFigures> {
    let differences = shown.difference.counts.iter().zip(shown.imported_difference.counts.iter());
    differences.map(|((table, sent), (_, imported))| {
        let rows = |of: &ControlTotals| grouped(&of.counts.get(table).unwrap_or_default().to_string());
        TableFigures {
            name: format!("Rows of {table}"),
            declared: rows(&shown.declared),
            sent: rows(&shown.sent),
            imported: rows(&shown.imported),
            difference: grouped(&sent.to_string()),
            imported_difference: grouped(&imported.to_string()),
        }
    })
}
