/// The median of some figures, with the least and the greatest.
pub(super) fn median(figures: &[f64]) -> String {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.first(), sorted.last()) {
        (Some(least), Some(greatest)) => {
            format!("{} [{}-{}]", show(sorted[sorted.len() / 2]), show(*least), show(*greatest))
        }
        _ => "-".to_owned(),
    }
}

fn show(figure: f64) -> String {
    match figure {
        f if f >= 100.0 => format!("{f:.0}"),
        f if f >= 10.0 => format!("{f:.1}"),
        f => format!("{f:.2}"),
    }
}

/// Ratios round by round.
#[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
pub(super) fn ratios(ours: &[f64], theirs: &[f64]) -> Vec<f64> {
    ours.iter().zip(theirs).map(|(a, b)| a / b).collect()
}

/// The figure that so many hundredths of all do not exceed.
pub(super) fn percentile(figures: &[f64], hundredths: usize) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * hundredths).div_ceil(100).saturating_sub(1);
    sorted.get(place).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_with_their_range() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), "2.00 [1.00-3.00]");
        assert_eq!(median(&[]), "-");
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!([50, 99, 100].map(|p| percentile(&hundred, p)), [50.0, 99.0, 100.0]);
        assert_eq!(ratios(&[3.0, 8.0], &[2.0, 4.0]), [1.5, 2.0]);
    }
}
