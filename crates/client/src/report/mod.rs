//! Report files of all findings: JSON and CSV for programs and spreadsheets, HTML for people.
//!
//! A report holds no values of an account except its supplier and number. It is written under a hidden name
//! and moved to its path at the end, so that it is complete or not there.

mod csv;
mod file;
mod html;
mod json;
mod row;

pub(crate) use row::{Causes, CodeCount, Example, Row, Top};

use crate::error::Error;
use crate::output::grouped;
use std::path::{Path, PathBuf};

/// Content of the HTML report other than findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) title: &'static str,
    /// Reasons why the report is not complete.
    pub(crate) alerts: Vec<String>,
    pub(crate) sums: Vec<(&'static str, String)>,
    /// A sentence; may be empty.
    pub(crate) remark: String,
    /// Tables of the most frequent findings.
    pub(crate) tops: Vec<Top>,
}

/// Alerts of a run that did not complete.
pub(crate) fn alerts(interrupted: bool, fault: Option<&str>, unreadable_files: u64) -> Vec<String> {
    let interrupted = interrupted.then(|| "The run was interrupted: this report is not complete.".to_owned());
    let unreadable = (unreadable_files > 0)
        .then(|| format!("Inputs that could not be read to their end: {}.", grouped(unreadable_files)));
    [interrupted, fault.map(str::to_owned), unreadable].into_iter().flatten().collect()
}

/// A report in one format.
trait Report {
    /// Adds a finding.
    fn add(&mut self, row: &Row<'_>) -> Result<(), Error>;

    /// Completes the report and moves it to its path.
    fn finish(self: Box<Self>, page: &Page) -> Result<(), Error>;
}

/// All reports of a run.
pub(crate) struct Reports(Vec<Box<dyn Report>>);

impl Reports {
    /// Creates a report for every path; the extension selects the format.
    ///
    /// # Errors
    /// [`Error`] for an unknown extension, a path given twice, or a folder that cannot be written to.
    pub(crate) fn create(paths: &[PathBuf]) -> Result<Self, Error> {
        if let Some((_, path)) = paths.iter().enumerate().find(|(i, path)| paths[..*i].contains(path)) {
            return Err(Error::refused(format!("the report {} is given twice", path.display())));
        }
        paths.iter().map(|path| create(path)).collect::<Result<_, _>>().map(Self)
    }

    /// Writes a finding to all reports.
    ///
    /// # Errors
    /// [`Error`] if one cannot be written.
    pub(crate) fn add(&mut self, row: &Row<'_>) -> Result<(), Error> {
        self.0.iter_mut().try_for_each(|report| report.add(row))
    }

    /// Completes all reports.
    ///
    /// # Errors
    /// [`Error`] if one cannot be written.
    pub(crate) fn finish(self, page: &Page) -> Result<(), Error> {
        self.0.into_iter().try_for_each(|report| report.finish(page))
    }
}

fn create(path: &Path) -> Result<Box<dyn Report>, Error> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    Ok(match extension.to_str() {
        Some("json") => Box::new(json::Json::create(path)?),
        Some("csv") => Box::new(csv::Csv::create(path)?),
        Some("html") => Box::new(html::Html::create(path)?),
        _ => {
            let why = "is not a .json, .csv or .html file";
            return Err(Error::refused(format!("the report {} {why}", path.display())));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_of_known_formats_and_each_is_given_once() {
        let folder = tempfile::tempdir().unwrap();
        let error = |names: &[&str]| {
            let paths: Vec<_> = names.iter().map(|name| folder.path().join(name)).collect();
            Reports::create(&paths).err().map(|e| e.to_string()).unwrap_or_default()
        };
        assert!(error(&["a.txt"]).ends_with("a.txt is not a .json, .csv or .html file"));
        assert!(error(&["a.csv", "b.csv", "a.csv"]).ends_with("a.csv is given twice"));
        assert!(error(&["gone/a.csv"]).contains("gone/a.csv cannot be written: "));
        assert_eq!(error(&["a.csv", "a.JSON", "a.html"]), "");
    }

    #[test]
    fn an_unfinished_report_leaves_the_old_one_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, "old").unwrap();
        drop(Reports::create(std::slice::from_ref(&path)).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    }
}
