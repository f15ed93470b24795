//! Lines of figures, one below the other.

use crate::bench::stats::median;

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
    let columns: String = columns.iter().map(|column| format!("{column:>26}")).collect();
    println!("  {what:<40}{columns}");
}
