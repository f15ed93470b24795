//! Figures of rows that are written durably.

use super::cluster::Cost;
use crate::figure::{Figure, Unit};
use crate::stats::ratios;

/// Rows written durably, round by round.
#[derive(Default)]
pub(crate) struct Rows {
    a_cpu_second: Vec<f64>,
    a_second: Vec<f64>,
    database_share: Vec<f64>,
    wal_bytes: Vec<f64>,
}

impl Rows {
    #[expect(clippy::float_arithmetic, reason = "figures of a bench, not money")]
    pub(crate) fn add(&mut self, (rows, cost): (f64, Cost)) {
        self.a_cpu_second.push(rows / cost.cpu);
        self.a_second.push(rows / cost.seconds);
        self.database_share.push(cost.database_share());
        self.wal_bytes.push(cost.wal_bytes / rows);
    }

    pub(crate) fn a_cpu_second(&self, id: &str, what: &str) -> Figure {
        Figure::new(id, what, Unit::PerCpuSecond, &self.a_cpu_second)
    }

    /// Ratio of the rates per CPU second, round by round.
    pub(crate) fn ratio(&self, id: &str, what: &str, to: &Self) -> Figure {
        Figure::new(id, what, Unit::Ratio, &ratios(&self.a_cpu_second, &to.a_cpu_second))
    }

    /// Further figures.
    pub(crate) fn further(&self, id: &str) -> [Figure; 3] {
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
