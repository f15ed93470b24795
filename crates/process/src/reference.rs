//! The reference of the process, generated from the transition table.

use crate::{Run, State, TRANSITIONS, Transition};
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

/// The transition table as a Mermaid state diagram in a code block: an arrow for each pair of states, with the
/// events that lead from one to the other. Ends with a line break.
pub fn diagram_markdown() -> String {
    let mut diagram = "```mermaid\nstateDiagram-v2\n".to_owned();
    let mut drawn = Vec::new();
    for Transition { from, to, .. } in TRANSITIONS {
        if drawn.contains(&(from, to)) {
            continue;
        }
        drawn.push((from, to));
        let arrow = TRANSITIONS.iter().filter(|row| (&row.from, &row.to) == (from, to));
        let events: Vec<_> = arrow.map(|row| row.on.as_str()).collect();
        let from = from.map_or("[*]", |state| state.as_str());
        // Writing to a String cannot fail.
        let _ = writeln!(diagram, "    {from} --> {to}: {}", events.join(", "));
    }
    for state in State::ALL {
        if TRANSITIONS.iter().all(|row| row.from != Some(state)) {
            let _ = writeln!(diagram, "    {state} --> [*]");
        }
    }
    diagram + "```\n"
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

    #[test]
    fn the_diagram_has_one_arrow_for_each_pair_of_states() {
        insta::assert_snapshot!(super::diagram_markdown());
    }
}
