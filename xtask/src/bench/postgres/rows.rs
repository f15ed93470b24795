//! Rows that are written durably, as figures.

use super::site::Cost;
use crate::bench::figure::{Figure, Unit};
use crate::bench::stats::ratios;

/// Rows that were made durably, round by round.
#[derive(Default)]
pub(super) struct Rows {
    a_cpu_second: Vec<f64>,
    a_second: Vec<f64>,
    database_share: Vec<f64>,
    wal_bytes: Vec<f64>,
}

impl Rows {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(super) fn add(&mut self, (rows, cost): (f64, Cost)) {
        self.a_cpu_second.push(rows / cost.cpu);
        self.a_second.push(rows / cost.seconds);
        self.database_share.push(cost.database_share());
        self.wal_bytes.push(cost.wal_bytes / rows);
    }

    pub(super) fn a_cpu_second(&self, id: &str, what: &str) -> Figure {
        Figure::new(id, what, Unit::PerCpuSecond, &self.a_cpu_second)
    }

    /// Per CPU second, round by round.
    pub(super) fn ratio(&self, id: &str, what: &str, to: &Self) -> Figure {
        Figure::new(id, what, Unit::Ratio, &ratios(&self.a_cpu_second, &to.a_cpu_second))
    }

    /// What else is known of them.
    pub(super) fn further(&self, id: &str) -> [Figure; 3] {
        let figure = |name: &str, what: &str, unit, figures: &[f64]| {
            Figure::new(format!("{id}.{name}"), what, unit, figures)
        };
        [
            figure("a_second", "… rows a second on the wall", Unit::PerSecond, &self.a_second),
            figure(
                "database_share",
                "… of the CPU seconds the database's, in hundredths",
                Unit::Count,
                &self.database_share,
            ),
            figure("wal", "… bytes of WAL a row", Unit::Bytes, &self.wal_bytes),
        ]
    }
}
