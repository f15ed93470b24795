//! The table at the end of a bench.

use crate::record::{Run, commands};

const HEADS: [&str; 4] = ["figure", "measured [least-greatest]", "goal", ""];

/// Prints every figure of a run, and what could not be measured.
pub(crate) fn print(run: &Run, not_run: &[String]) {
    println!("\n{}", run.machine);
    commands(&run.parts).iter().for_each(|command| println!("{command}"));
    println!("\n{}", table(run));
    not_run.iter().for_each(|what| println!("NOT RUN  {what}"));
}

/// Formats one line per figure, in aligned columns.
fn table(run: &Run) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(run.figures().map(|f| [f.what.clone(), f.shown(), f.shown_goal(), f.verdict().to_owned()]));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths = [0, 1, 2].map(width);
    let line = |row: &[String; 4]| {
        let [what, measured, goal, verdict] = row;
        let [a, b, c] = widths;
        format!("{what:<a$}  {measured:<b$}  {goal:<c$}  {verdict}").trim_end().to_owned()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Figure, Unit};
    use crate::machine::Machine;
    use crate::record::Measured;

    #[test]
    fn each_figure_has_a_line_with_goal_and_verdict() {
        let figures = vec![
            Figure::new("a", "a thing", Unit::Ratio, &[1.0, 2.0, 3.0]).at_least(2.5),
            Figure::new("b", "another thing", Unit::Milliseconds, &[4.0]).at_most(50.0),
            Figure::new("c", "… its rate", Unit::PerSecond, &[12345.0]),
        ];
        let machine = Machine { cpu: "x".into(), cores: 2, memory_gb: 8, kernel: "6".into() };
        let measured = Measured { part: "p".into(), date: "2026-11-21".into(), command: "c".into(), figures };
        let expected = "\
figure         measured [least-greatest]  goal
a thing        2.00 [1.00-3.00]           at least 2.5  NOT MET
another thing  4.00 ms                    at most 50    met
… its rate     12,345 a second";
        assert_eq!(table(&Run { machine, parts: vec![measured] }), expected);
    }
}
