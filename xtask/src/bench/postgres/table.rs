//! Lines of figures, one below the other.

use super::site::Cost;
use crate::bench::stats::{median, ratios};

/// The heads of columns.
pub(super) fn heads(columns: &[&str]) {
    let columns: Vec<String> = columns.iter().map(|&head| head.to_owned()).collect();
    row("", &columns);
}

/// A line of medians.
pub(super) fn line(what: &str, columns: &[&[f64]]) {
    row(what, &columns.iter().map(|figures| median(figures)).collect::<Vec<_>>());
}

fn row(what: &str, columns: &[String]) {
    let columns: String = columns.iter().map(|column| format!("{column:>24}")).collect();
    println!("  {what:<40}{columns}");
}

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

    pub(super) fn print_heads() {
        heads(&["rows a CPU second", "of it the database, %", "rows a second", "WAL bytes a row"]);
    }

    pub(super) fn print(&self, what: &str) {
        line(what, &[&self.a_cpu_second, &self.database_share, &self.a_second, &self.wal_bytes]);
    }

    pub(super) fn print_ratio(&self, to: &Self, what: &str, goal: &str) {
        let cpu = median(&ratios(&self.a_cpu_second, &to.a_cpu_second));
        let wall = median(&ratios(&self.a_second, &to.a_second));
        println!("  ratio to {what}: a CPU second {cpu} (goal: {goal}), a second {wall}");
    }
}
