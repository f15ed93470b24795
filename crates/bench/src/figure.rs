use crate::error::Error;
use std::fmt;

/// A measured figure: the rounds of one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    what: String,
    unit: &'static str,
    rounds: Spread,
    goal: Option<Goal>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// The unit of a ratio.
pub(crate) const RATIO: &str = "";
pub(crate) const A_CPU_SECOND: &str = " a CPU second";
pub(crate) const A_SECOND: &str = " a second";

impl Figure {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, rounds: &[f64]) -> Self {
        Self { what: what.into(), unit, rounds: Spread::of(rounds), goal: None }
    }

    pub(crate) fn at_least(self, goal: f64) -> Self {
        Self { goal: Some(Goal::AtLeast(goal)), ..self }
    }

    pub(crate) fn at_most(self, goal: f64) -> Self {
        Self { goal: Some(Goal::AtMost(goal)), ..self }
    }

    /// The cells of its row: name, figure, goal, and whether the median reaches it.
    pub(crate) fn row(&self) -> [String; 4] {
        let median = self.rounds.median;
        let (goal, verdict) = match self.goal {
            Some(Goal::AtLeast(goal)) => (format!("at least {goal}"), verdict(median >= goal)),
            Some(Goal::AtMost(goal)) => (format!("at most {goal}"), verdict(median <= goal)),
            None => (String::new(), ""),
        };
        [self.what.clone(), format!("{}{}", self.rounds, self.unit), goal, verdict.to_owned()]
    }
}

fn verdict(is_met: bool) -> &'static str {
    if is_met { "met" } else { "**not met**" }
}

/// Refuses figures that are no finite numbers: they come from a division by zero.
pub(crate) fn sound(figures: Vec<Figure>) -> Result<Vec<Figure>, Error> {
    let is_finite = |spread: &Spread| [spread.least, spread.greatest].iter().all(|number| number.is_finite());
    match figures.iter().find(|figure| !is_finite(&figure.rounds)) {
        Some(figure) => Err(Error::Bench(format!("{:?} is no number: too little was measured", figure.what))),
        None => Ok(figures),
    }
}

/// The median of some numbers, with the minimum and the maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    median: f64,
    least: f64,
    greatest: f64,
}

impl Spread {
    /// Of an even number of numbers, the median is the higher of the two in the middle.
    fn of(numbers: &[f64]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        Self { median: at(sorted.len() / 2), least: at(0), greatest: at(sorted.len().saturating_sub(1)) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, least, greatest] = [self.median, self.least, self.greatest].map(number);
        if least == greatest { f.write_str(&median) } else { write!(f, "{median} [{least}-{greatest}]") }
    }
}

/// Formats a number with at least three digits and thousands separators.
fn number(number: f64) -> String {
    match number {
        n if n >= 1000.0 => in_thousands(format_args!("{n:.0}")),
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

/// Formats a whole number with thousands separators.
pub(crate) fn in_thousands(number: impl fmt::Display) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Ratios round by round.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(crate) fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    ours.iter().zip(theirs).map(|(a, b)| a / b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_the_median_of_its_rounds_with_their_range() {
        let shown = |rounds: &[f64]| Figure::new("a", " ms", rounds).row()[1].clone();
        assert_eq!(shown(&[3.0, 1.5, 2.0]), "2.00 [1.50-3.00] ms");
        assert_eq!(shown(&[7.0]), "7.00 ms");
        assert_eq!(shown(&[1234.5, 1000.0, 1_234_567.0]), "1,234 [1,000-1,234,567] ms");
        assert_eq!(ratios(&[3.0, 8.0], &[2.0, 4.0]), [1.5, 2.0]);
    }

    #[test]
    fn a_goal_has_a_direction() {
        let of = |figure: Figure| figure.row()[2..].join(", ");
        let figure = || Figure::new("a", RATIO, &[2.0, 1.0, 3.0]);
        assert_eq!(of(figure()), ", ");
        assert_eq!(of(figure().at_least(2.0)), "at least 2, met");
        assert_eq!(of(figure().at_least(2.1)), "at least 2.1, **not met**");
        assert_eq!(of(figure().at_most(2.0)), "at most 2, met");
        assert_eq!(of(figure().at_most(1.9)), "at most 1.9, **not met**");
    }

    #[test]
    fn figures_must_be_finite_numbers() {
        let is_sound = |rounds: &[f64]| sound(vec![Figure::new("a", RATIO, rounds)]).is_ok();
        assert!(is_sound(&[1.0, 2.0]));
        assert!(!is_sound(&[]) && !is_sound(&[1.0, f64::INFINITY]) && !is_sound(&[f64::NAN, 1.0, 2.0]));
    }
}
