//! The tables and plots of `docs/PERFORMANCE.md`, from the stored run. The prose of the page is written by
//! hand.
//!
//! All of it is a test: `cargo xtask docs` runs it to write the files.

mod plot;

use crate::error::Error;
use crate::figure::Figure;
use crate::program;
use crate::record::{self, Measured, Run};
use std::collections::BTreeSet;

/// The page, with marks around each table.
const PAGE: &str = "docs/PERFORMANCE.md";
/// The file that `cargo xtask bench --store` writes.
const RUN: &str = "docs/performance/run.json";

/// Mark before generated text: `<!-- generated: machine -->`, or the names of parts.
const BEGIN: &str = "<!-- generated: ";
const BEGIN_ENDS: &str = " -->";
const END: &str = "<!-- end of generated -->";
/// The mark of the machine.
const MACHINE: &str = "machine";

fn run() -> Result<Run, Error> {
    record::read(&program::root().join(RUN))
}

/// The page with its tables filled from the run.
fn page() -> Result<String, Error> {
    let file = program::root().join(PAGE);
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    filled(&text, &run()?)
}

/// Puts the generated text between the marks. Each measured part must have a mark.
fn filled(text: &str, run: &Run) -> Result<String, Error> {
    let (mut page, mut rest) = (String::new(), text);
    let mut placed = BTreeSet::new();
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let whole = after.split_once(BEGIN_ENDS).zip(after.split_once(END));
        let ((names, _), (_, behind)) = whole.ok_or_else(|| fault("a mark has no end"))?;
        page.push_str(&format!("{before}{BEGIN}{names}{BEGIN_ENDS}\n"));
        page.push_str(&if names == MACHINE { machine(run) } else { tables(names, run, &mut placed) });
        page.push_str(END);
        rest = behind;
    }
    match run.parts.iter().find(|measured| !placed.contains(&measured.part)) {
        Some(measured) => Err(fault(&format!("there is no mark for the part {}", measured.part))),
        None => Ok(page + rest),
    }
}

fn fault(what: &str) -> Error {
    Error::Bench(format!("{PAGE}: {what}"))
}

fn machine(run: &Run) -> String {
    format!("Measured on {}.\n", run.machine)
}

/// The table of some parts, and how they were measured.
fn tables(names: &str, run: &Run, placed: &mut BTreeSet<String>) -> String {
    let find = |name: &str| run.parts.iter().find(|measured| measured.part == name);
    let parts: Vec<&Measured> = names.split(", ").filter_map(find).collect();
    placed.extend(parts.iter().map(|measured| measured.part.clone()));
    let rows: String = parts.iter().flat_map(|measured| &measured.figures).map(row).collect();
    if rows.is_empty() {
        return "Nothing of this is stored.\n".to_owned();
    }
    format!(
        "\n| what | measured | goal | |\n|---|---|---|---|\n{rows}\nBy {}.\n",
        record::commands(parts).join(", ")
    )
}

fn row(figure: &Figure) -> String {
    let verdict = match figure.is_met() {
        Some(true) => "met",
        Some(false) => "**not met**",
        None => "",
    };
    format!("| {} | {} | {} | {verdict} |\n", figure.what, figure.shown(), figure.shown_goal())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::figure::Unit;
    use crate::machine::Machine;
    use crate::part::Part;
    use clap::ValueEnum;

    /// Makes the test below write the files.
    const WRITE: &str = "CUTOVER_WRITE_REFERENCES";

    pub(super) fn a_run() -> Run {
        let machine = Machine { cpu: "A CPU".into(), cores: 2, memory_gb: 8, kernel: "6.1".into() };
        let figures = vec![
            Figure::new("a", "a rate", Unit::PerSecond, &[1234.0]),
            Figure::new("a.of_b", "… of b", Unit::Ratio, &[1.5, 2.0, 2.5]).at_least(3.0),
            Figure::new("a.first", "… its first byte", Unit::Milliseconds, &[5.0]).at_most(50.0),
        ];
        let (part, date, command) = ("http".into(), "2026-11-21".into(), "cargo xtask bench".into());
        Run { machine, parts: vec![Measured { part, date, command, figures }] }
    }

    #[test]
    fn the_files_in_docs_are_up_to_date() {
        let run = run().unwrap();
        let mut files = vec![(PAGE.to_owned(), page().unwrap())];
        for name in plot::names() {
            files.push((format!("docs/performance/{name}.svg"), plot::svg(name, &run).unwrap()));
        }
        for (path, text) in files {
            let file = program::root().join(&path);
            if std::env::var_os(WRITE).is_some() {
                std::fs::write(&file, &text).unwrap();
            }
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(written == text, "{path} is stale; run: cargo xtask docs");
        }
    }

    const PAGE_BEFORE: &str = "# P\n\n<!-- generated: machine -->\nold\n<!-- end of generated -->\n\nProse.\n\
        <!-- generated: offline, http --><!-- end of generated -->\nMore.\n";

    #[test]
    fn text_between_marks_is_generated_and_the_rest_is_kept() {
        let page = filled(PAGE_BEFORE, &a_run()).unwrap();
        assert_eq!(
            page,
            "# P\n\n<!-- generated: machine -->\nMeasured on A CPU, 2 cores, 8 GB, Linux 6.1.\n<!-- end of generated -->\n\n\
             Prose.\n<!-- generated: offline, http -->\n\n| what | measured | goal | |\n|---|---|---|---|\n\
             | a rate | 1,234 a second |  |  |\n\
             | … of b | 2.00 [1.50-2.50] | at least 3 | **not met** |\n\
             | … its first byte | 5.00 ms | at most 50 | met |\n\n\
             By `cargo xtask bench` (2026-11-21).\n<!-- end of generated -->\nMore.\n"
        );
        assert_eq!(filled(&page, &a_run()).unwrap(), page);
    }

    #[test]
    fn the_page_has_a_place_for_every_part() {
        let text = std::fs::read_to_string(program::root().join(PAGE)).unwrap();
        let of = |part: String| Measured { part, ..a_run().parts.remove(0) };
        let parts = Part::value_variants().iter().map(|part| of(part.name())).collect();
        let run = Run { parts, ..a_run() };
        assert!(run.parts.len() > 20);
        filled(&text, &run).unwrap();
    }

    #[test]
    fn a_part_without_a_place_and_a_mark_without_an_end_are_faults() {
        let no_place = PAGE_BEFORE.replace("offline, http", "offline");
        let error = filled(&no_place, &a_run()).unwrap_err().to_string();
        assert!(error.contains("no mark for the part http"), "{error}");
        let no_end = PAGE_BEFORE.replace(END, "");
        assert!(filled(&no_end, &a_run()).unwrap_err().to_string().contains("no end"));
    }
}
