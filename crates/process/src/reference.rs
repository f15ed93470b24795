//! The reference of the process, generated from the transition table.

use crate::{Run, TRANSITIONS, Transition};
use std::fmt::Write;

/// The transition table as a Markdown table with the columns from, on, to and latest_event. Ends
/// with a line break.
pub fn table_markdown() -> String {
    let mut table = "| from | on | to | latest_event |\n|---|---|---|---|\n".to_owned();
    for row in TRANSITIONS {
        // Writing to a String cannot fail.
        let _ = writeln!(table, "{}", line(row));
    }
    table
}

fn line(row: &Transition) -> String {
    let from = row.from.map_or("–", |state| state.as_str());
    let run = match row.run {
        Run::Any => "",
        Run::Real => " (real import)",
        Run::Dry => " (dry run)",
    };
    let kept = if row.moves_latest_event { "" } else { ", as it was" };
    let (on, meaning, to, shown) = (row.on, row.on.meaning(), row.to, row.shown_event());
    format!("| {from}{run} | `{on}`: {meaning} | {to} | `{shown}`{kept} |")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_table_reads_well() {
        insta::assert_snapshot!(super::table_markdown());
    }
}
