//! `--compare`: the figures that are worse than in a stored run.

use crate::error::Error;
use crate::figure::{Figure, Unit};
use crate::record::{self, Run};
use crate::stats::Spread;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Tolerance for ratios between two runs of the same code, in per cent.
const RATIO: f64 = 10.0;
/// Tolerance for instruction counts, in per cent.
const INSTRUCTIONS: f64 = 2.0;

/// Content of a stored file: a run, or instruction counts alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Run(Run),
    Instructions(Instructions),
}

/// Instructions per call by the names of figures, which can be compared between machines.
type Instructions = BTreeMap<String, f64>;

/// Writes the instructions of a run.
pub(crate) fn store_instructions(run: &Run, file: &Path) -> Result<(), Error> {
    let counted = run.figures().filter(|figure| figure.unit == Unit::Instructions);
    let counted: Instructions = counted.map(|figure| (figure.id.clone(), figure.measured.median)).collect();
    if counted.is_empty() {
        return Err(Error::Bench("no instructions were counted: measure the part micro".into()));
    }
    record::write(file, &counted)
}

/// Result of a comparison.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Comparison {
    /// Number of figures that have a stored counterpart.
    pub(crate) compared: usize,
    /// A line for each that became worse.
    pub(crate) worse: Vec<String>,
}

/// Stored figures by their names.
pub(crate) type Earlier = BTreeMap<String, Spread>;

/// Reads the figures of a stored file.
pub(crate) fn read(file: &Path) -> Result<Earlier, Error> {
    Ok(match record::read(file)? {
        Stored::Run(earlier) => comparable(&earlier).map(|f| (f.id.clone(), f.measured)).collect(),
        Stored::Instructions(earlier) => {
            let all = earlier.into_iter();
            all.map(|(id, n)| (id, Spread { median: n, least: n, greatest: n })).collect()
        }
    })
}

/// Ratios and instruction counts; other figures depend on the machine and its load.
fn comparable(run: &Run) -> impl Iterator<Item = &Figure> {
    run.figures().filter(|figure| matches!(figure.unit, Unit::Ratio | Unit::Instructions))
}

/// Compares a run with stored figures.
pub(crate) fn with(run: &Run, earlier: &Earlier) -> Comparison {
    let mut comparison = Comparison::default();
    for figure in comparable(run) {
        let Some(before) = earlier.get(&figure.id) else { continue };
        comparison.compared += 1;
        if is_worse(figure, before) {
            let (id, now) = (&figure.id, figure.measured);
            let line = format!("{id}: {now}, it was {before} ({:+.1} %)", moved(figure, before));
            comparison.worse.push(line);
        }
    }
    comparison
}

fn is_worse(figure: &Figure, before: &Spread) -> bool {
    let moved = moved(figure, before);
    let for_the_worse = if figure.more_is_better { moved < 0.0 } else { moved > 0.0 };
    let beyond = |hundredths: f64| for_the_worse && moved.abs() > hundredths;
    match figure.unit {
        Unit::Instructions => beyond(INSTRUCTIONS),
        _ => beyond(RATIO) && is_beyond_spread(&figure.measured, before),
    }
}

/// Change of the median in per cent.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn moved(figure: &Figure, before: &Spread) -> f64 {
    (figure.measured.median / before.median - 1.0) * 100.0
}

/// Returns true if the medians are further apart than the rounds of either run.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
fn is_beyond_spread(now: &Spread, before: &Spread) -> bool {
    (now.median - before.median).abs() > now.width().max(before.width())
}

/// Prints a comparison and returns true if nothing became worse.
pub(crate) fn print(comparison: &Comparison, earlier: &Earlier) -> bool {
    let Comparison { compared, worse } = comparison;
    let stored = earlier.len();
    println!(
        "\n{compared} of {stored} ratios and instruction counts that are stored were measured; worse: {}",
        worse.len()
    );
    worse.iter().for_each(|line| println!("  {line}"));
    worse.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;
    use crate::record::Measured;

    fn run(figures: Vec<Figure>) -> Run {
        let machine = Machine { cpu: "x".into(), cores: 2, memory_gb: 8, kernel: "6".into() };
        let (part, date, command) = ("p".into(), "2026-11-21".into(), "c".into());
        Run { machine, parts: vec![Measured { part, date, command, figures }] }
    }

    fn ratio(rounds: [f64; 3]) -> Figure {
        Figure::new("r", "R", Unit::Ratio, &rounds)
    }

    fn worse(now: Figure, before: &[f64]) -> usize {
        let earlier = BTreeMap::from([(now.id.clone(), Spread::of(before))]);
        let comparison = with(&run(vec![now]), &earlier);
        assert!(comparison.compared <= 1);
        comparison.worse.len()
    }

    #[test]
    fn a_ratio_is_worse_beyond_its_spread_and_a_tenth() {
        let before = [2.0, 2.0, 2.1];
        assert_eq!(worse(ratio([1.7, 1.7, 1.75]), &before), 1);
        assert_eq!(worse(ratio([2.5, 2.5, 2.5]), &before), 0, "better");
        assert_eq!(worse(ratio([1.85, 1.85, 1.85]), &before), 0, "within a tenth");
        assert_eq!(worse(ratio([1.6, 1.7, 2.0]), &before), 0, "within its own spread");
        assert_eq!(worse(ratio([1.7, 1.7, 1.7]), &[1.7, 2.0, 2.1]), 0, "within the spread before");
        assert_eq!(worse(ratio([2.5; 3]).less_is_better(), &before), 1);
        assert_eq!(worse(ratio([1.5; 3]).less_is_better(), &before), 0);
    }

    #[test]
    fn instructions_are_worse_beyond_two_hundredths() {
        let count = |n| Figure::new("i", "I", Unit::Instructions, &[n]);
        assert_eq!(worse(count(1021.0), &[1000.0]), 1);
        assert_eq!(worse(count(1019.0), &[1000.0]), 0);
        assert_eq!(worse(count(500.0), &[1000.0]), 0);
    }

    #[test]
    fn rates_and_what_was_not_stored_are_not_compared() {
        let figures = vec![Figure::new("s", "S", Unit::PerSecond, &[1.0]), ratio([1.0; 3])];
        let earlier =
            BTreeMap::from([("s".to_owned(), Spread::of(&[9.0])), ("gone".to_owned(), Spread::of(&[9.0]))]);
        assert_eq!(with(&run(figures), &earlier), Comparison::default());
    }

    #[test]
    fn a_run_and_instructions_alone_are_both_read() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, baseline) = (folder.path().join("run.json"), folder.path().join("instructions.json"));
        let stored = run(vec![Figure::new("i", "I", Unit::Instructions, &[100.0]), ratio([9.0; 3])]);
        store_instructions(&stored, &baseline).unwrap();
        assert!(store_instructions(&run(vec![ratio([9.0; 3])]), &baseline).is_err());
        stored.store(&whole).unwrap();
        let now = run(vec![Figure::new("i", "I", Unit::Instructions, &[110.0]), ratio([1.0; 3])]);
        let of_whole = with(&now, &read(&whole).unwrap());
        assert_eq!((of_whole.compared, of_whole.worse.len()), (2, 2));
        let of_baseline = with(&now, &read(&baseline).unwrap());
        assert_eq!(of_baseline.compared, 1);
        assert_eq!(of_baseline.worse, ["i: 110, it was 100 (+10.0 %)"]);
    }
}
