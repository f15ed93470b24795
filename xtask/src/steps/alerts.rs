//! Checks the alert rules and the dashboard of `deploy/` with promtool.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Outcome, Tools};
use crate::cargo;
use crate::error::Error;
use crate::references::ALERT_RULES;

const DASHBOARD: &str = "deploy/monitoring/cutover.dashboard.json";
/// Tests of the rules: series and the alerts they raise.
const TRIALS: &str = "deploy/monitoring/cutover.rules.test.yaml";

/// Script that installs what is missing, without starting anything.
const INSTALL: &str = ".ci/install-promtool";

pub(super) fn run(tools: Tools) -> Result<Outcome, Error> {
    if !is_there() && tools == Tools::Install {
        // The script prints why it fails, and the summary names what is missing.
        cargo::succeeds(cargo::command(cargo::root().join(INSTALL))).ok();
    }
    if !is_there() {
        return Ok(Outcome::NotRun("no promtool: install the package prometheus, or --install".to_owned()));
    }
    let panels = write_panels()?;
    for args in [
        ["check", "rules", ALERT_RULES],
        ["check", "rules", &panels.display().to_string()],
        ["test", "rules", TRIALS],
    ] {
        let mut command = cargo::command("promtool");
        command.args(args);
        if !cargo::succeeds(command)? {
            return Ok(Outcome::Failed(format!("see above, {ALERT_RULES} and {DASHBOARD}")));
        }
    }
    Ok(Outcome::Ok(String::new()))
}

fn is_there() -> bool {
    let mut command = cargo::command("promtool");
    command.arg("--version");
    cargo::output(command).is_some()
}

/// Writes the expressions of the dashboard as rules, which promtool can check, and returns the file.
fn write_panels() -> Result<PathBuf, Error> {
    let path = cargo::root().join(DASHBOARD);
    let text = std::fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let rules = expressions(&text).into_iter().enumerate();
    let rules: Vec<Value> =
        rules.map(|(n, expr)| json!({"record": format!("panel:{n}"), "expr": resolved(&expr)})).collect();
    let folder = cargo::scratch();
    let file = folder.join("dashboard.rules.yaml");
    std::fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    // JSON is YAML.
    let rules = json!({"groups": [{"name": "dashboard", "rules": rules}]}).to_string();
    std::fs::write(&file, rules).map_err(Error::file("write", Path::new(&file)))?;
    Ok(file)
}

/// The expressions of all panels of a dashboard.
fn expressions(dashboard: &str) -> Vec<String> {
    let dashboard: Value = serde_json::from_str(dashboard).unwrap_or_default();
    let panels = dashboard["panels"].as_array().into_iter().flatten();
    let targets = panels.filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.filter_map(|target| target["expr"].as_str().map(str::to_owned)).collect()
}

/// Replaces the variables of the dashboard in an expression, like Grafana.
fn resolved(expression: &str) -> String {
    expression.replace("$__rate_interval", "5m").replace("$job", "cutover")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_expression_of_the_dashboard_is_found() {
        let text = std::fs::read_to_string(cargo::root().join(DASHBOARD)).unwrap();
        let found = expressions(&text);
        assert_eq!(found.len(), text.matches("\"expr\"").count());
        assert!(found.len() > 20, "{}", found.len());
        let unresolved: Vec<_> = found.iter().map(|e| resolved(e)).filter(|e| e.contains('$')).collect();
        assert_eq!(unresolved, [""; 0]);
    }

    #[test]
    fn the_installer_is_there() {
        assert!(cargo::root().join(INSTALL).is_file());
    }
}
