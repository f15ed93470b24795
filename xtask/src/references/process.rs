//! `docs/process.md`, from the table that drives the import process.

use cutover_process::reference::{diagram_markdown, table_markdown};

const HEAD: &str = "\
<!-- Generated from crates/process/src/table.rs by `cargo xtask docs`: edit there. -->

# The import process

";

const TABLE: &str = "
Each row is a step that an import process can take. Any other step is refused with the names of the state and of the
event. The last column is the latest event that the status shows after the step.

";

/// The text of the reference: the diagram of the states, and a row for each transition.
pub(super) fn markdown() -> String {
    format!("{HEAD}{}{TABLE}{}", diagram_markdown(), table_markdown())
}
