use serde::{Deserialize, Serialize};
use std::fmt;

/// The median of some figures, with the minimum and the maximum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) greatest: f64,
}

impl Spread {
    /// Of an even number of figures, the median is the higher of the two in the middle. Without figures all
    /// are 0.
    pub(crate) fn of(figures: &[f64]) -> Self {
        let sorted = sorted(figures);
        let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
        Self { median: at(sorted.len() / 2), least: at(0), greatest: at(sorted.len().saturating_sub(1)) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        [self.median, self.least, self.greatest].iter().all(|figure| figure.is_finite())
    }

    /// Difference of the maximum and the minimum.
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn width(&self) -> f64 {
        self.greatest - self.least
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, least, greatest] = [self.median, self.least, self.greatest].map(show);
        if least == greatest { f.write_str(&median) } else { write!(f, "{median} [{least}-{greatest}]") }
    }
}

/// Formats a number with at least three digits and thousands separators.
pub(crate) fn show(figure: f64) -> String {
    match figure {
        f if f >= 1000.0 => in_thousands(format_args!("{f:.0}")),
        f if f >= 100.0 => format!("{f:.0}"),
        f if f >= 10.0 => format!("{f:.1}"),
        f => format!("{f:.2}"),
    }
}

/// Formats a whole number with thousands separators.
pub(crate) fn in_thousands(number: impl fmt::Display) -> String {
    let digits = number.to_string();
    let comma = |place: usize| place > 0 && (digits.len() - place).is_multiple_of(3);
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if comma(place) {
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

/// Returns a percentile.
pub(crate) fn percentile(figures: &[f64], hundredths: usize) -> f64 {
    let sorted = sorted(figures);
    let place = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

fn sorted(figures: &[f64]) -> Vec<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_with_their_range() {
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]).to_string(), "2.00 [1.00-3.00]");
        assert_eq!(Spread::of(&[7.0]).to_string(), "7.00");
        assert_eq!(Spread::of(&[1234.5, 1000.0, 1_234_567.0]).to_string(), "1,234 [1,000-1,234,567]");
        assert_eq!(Spread::of(&[3.0, 1.0, 2.0]).width(), 2.0);
        assert_eq!(
            [1, 999, 1_000, 1_234_567].map(|n: u32| in_thousands(n)),
            ["1", "999", "1,000", "1,234,567"]
        );
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!([50, 99, 100].map(|p| percentile(&hundred, p)), [50.0, 99.0, 100.0]);
        assert_eq!(ratios(&[3.0, 8.0], &[2.0, 4.0]), [1.5, 2.0]);
    }
}
