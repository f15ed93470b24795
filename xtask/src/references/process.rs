//! `docs/process.md`, from the table that drives the import process.

use cutover_process::reference::table_markdown;

const HEAD: &str = "\
<!-- Generated from crates/process/src/table.rs by `cargo xtask docs`: edit there. -->

# The import process

Every step an import process can take. A step that is not here is refused with the names of the state and of
the event. The last column is what the status shows as its latest event after the step.

";

/// The text of the reference: a row per transition.
pub(super) fn markdown() -> String {
    format!("{HEAD}{}", table_markdown())
}
