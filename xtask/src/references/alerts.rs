//! The alert rules as an object of the Prometheus operator.

use crate::cargo;
use crate::error::Error;

/// The alert rules as Prometheus reads them.
pub(crate) const ALERT_RULES: &str = "deploy/monitoring/cutover.rules.yaml";

const HEAD: &str = "\
# Generated from deploy/monitoring/cutover.rules.yaml by `cargo xtask docs`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: cutover
  labels:
    app.kubernetes.io/name: cutover
spec:
";

/// Returns the alert rules as a `PrometheusRule`.
pub(super) fn prometheus_rule() -> Result<String, Error> {
    let path = cargo::root().join(ALERT_RULES);
    let rules = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let mut object = HEAD.to_owned();
    for line in rules.lines().skip_while(|line| line.starts_with('#')) {
        let indent = if line.is_empty() { "" } else { "  " };
        object.extend([indent, line, "\n"]);
    }
    Ok(object)
}
