use crate::error::exception;
use chrono::{DateTime, Utc};
use pyo3::prelude::*;

/// What Python makes a `Finding` of: its path, code, rule, level and text.
type Parts = (String, &'static str, Option<&'static str>, &'static str, String);

/// Checks accounts by one profile, in one time zone.
#[pyclass(frozen)]
pub(crate) struct Validator(cutover_client::Validator);

#[pymethods]
impl Validator {
    #[new]
    #[pyo3(signature = (profile, time_zone))]
    fn new(profile: Option<&str>, time_zone: Option<&str>) -> PyResult<Self> {
        cutover_client::Validator::new(profile, time_zone).map(Self).map_err(exception)
    }

    /// Returns the findings about an account. `now` is the time to check as of, in seconds since 1970.
    fn check(&self, py: Python<'_>, account: &[u8], now: Option<i64>) -> PyResult<Vec<Parts>> {
        let now =
            now.map_or_else(|| Some(crate::now()), |seconds| DateTime::<Utc>::from_timestamp(seconds, 0));
        let now = now.ok_or_else(|| pyo3::exceptions::PyValueError::new_err("the time is out of range"))?;
        let findings = py.detach(|| self.0.check(account, now));
        let parts = |finding: cutover_client::Finding| {
            let (rule, level) = (finding.rule.map(|rule| rule.0), finding.level.as_str());
            (finding.attr.into_owned(), finding.code, rule, level, finding.detail.into_owned())
        };
        Ok(findings.into_iter().map(parts).collect())
    }
}
