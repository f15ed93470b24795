use crate::error::Error;
use crate::stats::Spread;
use serde::{Deserialize, Serialize};

/// Unit of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Ratio,
    PerCpuSecond,
    PerSecond,
    Seconds,
    Milliseconds,
    Microseconds,
    Nanoseconds,
    Megabytes,
    Bytes,
    Instructions,
    Count,
}

/// Target of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

/// A measured figure: the median of the rounds, with the minimum and the maximum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    /// Name, which must not change: `http.validate.M.of_full`.
    pub(crate) id: String,
    /// Description in the tables.
    pub(crate) what: String,
    pub(crate) unit: Unit,
    #[serde(flatten)]
    pub(crate) measured: Spread,
    /// True if a higher figure is better.
    pub(crate) more_is_better: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) goal: Option<Goal>,
}

impl Unit {
    /// Suffix of the number in tables.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::Ratio => "",
            Self::PerCpuSecond => " a CPU second",
            Self::PerSecond => " a second",
            Self::Seconds => " s",
            Self::Milliseconds => " ms",
            Self::Microseconds => " µs",
            Self::Nanoseconds => " ns",
            Self::Megabytes => " MB",
            Self::Bytes => " bytes",
            Self::Instructions => " instructions",
            Self::Count => "",
        }
    }

    /// Rates are better if higher, costs if lower; for a ratio the goal decides.
    fn more_is_better(self) -> bool {
        matches!(self, Self::Ratio | Self::PerCpuSecond | Self::PerSecond)
    }
}

impl Figure {
    /// Makes a figure from the values of the rounds.
    pub(crate) fn new(id: impl Into<String>, what: impl Into<String>, unit: Unit, rounds: &[f64]) -> Self {
        let measured = Spread::of(rounds);
        let (id, what) = (id.into(), what.into());
        Self { id, what, unit, measured, more_is_better: unit.more_is_better(), goal: None }
    }

    pub(crate) fn at_least(self, goal: f64) -> Self {
        Self { goal: Some(Goal::AtLeast(goal)), more_is_better: true, ..self }
    }

    pub(crate) fn at_most(self, goal: f64) -> Self {
        Self { goal: Some(Goal::AtMost(goal)), more_is_better: false, ..self }
    }

    /// Marks a ratio without a goal that is better if lower.
    pub(crate) fn less_is_better(self) -> Self {
        Self { more_is_better: false, ..self }
    }

    /// Returns true if the median reaches the goal; `None` without a goal.
    pub(crate) fn is_met(&self) -> Option<bool> {
        Some(match self.goal? {
            Goal::AtLeast(goal) => self.measured.median >= goal,
            Goal::AtMost(goal) => self.measured.median <= goal,
        })
    }

    /// The median with its range and unit.
    pub(crate) fn shown(&self) -> String {
        format!("{}{}", self.measured, self.unit.suffix())
    }

    /// The goal with its direction; empty where there is none.
    pub(crate) fn shown_goal(&self) -> String {
        match self.goal {
            Some(Goal::AtLeast(goal)) => format!("at least {goal}"),
            Some(Goal::AtMost(goal)) => format!("at most {goal}"),
            None => String::new(),
        }
    }

    /// `met`, `NOT MET`, or nothing where there is no goal.
    pub(crate) fn verdict(&self) -> &'static str {
        match self.is_met() {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "",
        }
    }
}

/// Refuses figures that are no finite numbers: they come from a division by zero.
pub(crate) fn sound(figures: Vec<Figure>) -> Result<Vec<Figure>, Error> {
    match figures.iter().find(|figure| !figure.measured.is_finite()) {
        Some(figure) => Err(Error::Bench(format!("{} is no number: too little was measured", figure.id))),
        None => Ok(figures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_has_a_direction() {
        let figure = || Figure::new("a", "A", Unit::Ratio, &[2.0, 1.0, 3.0]);
        assert_eq!(figure().is_met(), None);
        assert_eq!(figure().at_least(2.0).verdict(), "met");
        assert_eq!(figure().at_least(2.1).verdict(), "NOT MET");
        assert_eq!(figure().at_most(2.0).verdict(), "met");
        assert_eq!(figure().at_most(1.9).verdict(), "NOT MET");
        assert_eq!(figure().at_most(1.9).shown_goal(), "at most 1.9");
        assert!(!figure().at_most(1.9).more_is_better);
    }

    #[test]
    fn figures_must_be_finite_numbers() {
        let figure = |rounds: &[f64]| vec![Figure::new("a", "A", Unit::Ratio, rounds)];
        assert!(sound(figure(&[1.0, 2.0])).is_ok());
        assert!(sound(figure(&[1.0, f64::INFINITY])).is_err());
        assert!(sound(figure(&[f64::NAN, 1.0, 2.0])).is_err());
    }

    #[test]
    fn a_figure_is_read_back_as_it_was_written() {
        let figure = Figure::new("a.b", "A of b", Unit::Milliseconds, &[3.0, 1.5]).at_most(20.0);
        let json = serde_json::to_string(&figure).unwrap();
        assert_eq!(
            json,
            r#"{"id":"a.b","what":"A of b","unit":"milliseconds","median":3.0,"least":1.5,"greatest":3.0,"more_is_better":false,"goal":{"at_most":20.0}}"#
        );
        assert_eq!(serde_json::from_str::<Figure>(&json).unwrap(), figure);
        assert_eq!(figure.shown(), "3.00 [1.50-3.00] ms");
    }
}
