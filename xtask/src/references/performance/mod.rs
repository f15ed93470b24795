//! The tables and plots of `docs/PERFORMANCE.md`, from the run that is stored beside it. The prose of the page is written by
//! hand.

mod plot;

use crate::bench::figure::Figure;
use crate::bench::record::{self, Measured, Run};
use crate::cargo;
use crate::error::Error;
use std::collections::BTreeSet;

/// The page, which holds the tables between marks.
pub(super) const PAGE: &str = "docs/PERFORMANCE.md";
/// What `cargo xtask bench --store` wrote.
const RUN: &str = "docs/performance/run.json";

/// Before what is generated: `<!-- generated: machine -->`, or the names of parts.
const BEGIN: &str = "<!-- generated: ";
const BEGIN_ENDS: &str = " -->";
const END: &str = "<!-- end of generated -->";
/// The mark of the machine.
const MACHINE: &str = "machine";

fn run() -> Result<Run, Error> {
    record::read(&cargo::root().join(RUN))
}

/// The page with its tables as the run says.
pub(super) fn page() -> Result<String, Error> {
    let file = cargo::root().join(PAGE);
    let text = std::fs::read_to_string(&file).map_err(Error::file("read", &file))?;
    filled(&text, &run()?)
}

/// The plot of a name.
pub(super) fn plot(name: &str) -> Result<String, Error> {
    plot::svg(name, &run()?)
}

/// Puts what is generated between the marks. Every part that was measured has its place.
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
    use crate::bench::figure::Unit;
    use crate::bench::machine::Machine;

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

    const PAGE_BEFORE: &str = "# P\n\n<!-- generated: machine -->\nold\n<!-- end of generated -->\n\nProse.\n\
        <!-- generated: offline, http --><!-- end of generated -->\nMore.\n";

    #[test]
    fn what_stands_between_marks_is_generated_and_the_rest_stays() {
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
        let text = std::fs::read_to_string(cargo::root().join(PAGE)).unwrap();
        let of = |part: String| Measured { part, ..a_run().parts.remove(0) };
        let run = Run { parts: crate::bench::parts().into_iter().map(of).collect(), ..a_run() };
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
