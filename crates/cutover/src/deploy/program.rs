//! Compares names with the settings and the command line of the program.

use crate::cli;
use crate::settings::{self, SETTINGS};
use clap::{Arg, Command};

/// Returns true if there is such a setting.
pub(super) fn has_setting(name: &str) -> bool {
    name == "config" || SETTINGS.iter().any(|setting| setting.name == name)
}

/// Returns true if a variable belongs to a setting.
pub(super) fn has_variable(variable: &str) -> bool {
    settings::is_variable(variable)
}

/// Returns the default of a setting.
pub(super) fn default(name: &str) -> &'static str {
    SETTINGS.iter().find(|setting| setting.name == name).unwrap().default
}

/// Returns true if any command has such a flag.
pub(super) fn has_flag(name: &str) -> bool {
    fn is_of(command: &Command, name: &str) -> bool {
        flag(command, name).is_some() || command.get_subcommands().any(|below| is_of(below, name))
    }
    is_of(&cli::command(), name)
}

fn flag<'c>(command: &'c Command, name: &str) -> Option<&'c Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

/// Returns the fault in the words after the program's name. Values are not parsed: most are placeholders.
pub(super) fn fault(words: &[String]) -> Option<String> {
    let program = cli::command();
    let (mut command, mut words) = (&program, words.iter());
    while let Some(word) = words.next() {
        if let Some(name) = word.strip_prefix("--") {
            let (name, has_value) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
            let Some(flag) = flag(command, name) else { return Some(format!("no flag --{name} here")) };
            if flag.get_action().takes_values() && !flag.is_require_equals_set() && !has_value {
                words.next();
            }
        } else if command.has_subcommands() {
            let Some(below) = command.find_subcommand(word) else { return Some(no_command(command, word)) };
            command = below;
        }
    }
    let is_group = command.has_subcommands() && command.get_name() != program.get_name();
    is_group.then(|| no_command(command, ""))
}

fn no_command(group: &Command, name: &str) -> String {
    format!("{} has no command {name:?}", group.get_name())
}

fn fault_of(line: &str) -> String {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    fault(&words).unwrap_or_default()
}

#[test]
fn known_names_have_no_fault() {
    for line in [
        "serve --role api",
        "migrate --status --json",
        "--config /etc/cutover.toml supplier set ACME --time-zone UTC",
        "doctor --listen 0.0.0.0:80 --data-dir=d",
        "api-key issue --organisation Acme",
        "demo --exit",
        "--version",
    ] {
        assert_eq!(fault_of(line), "", "{line}");
    }
}

#[test]
fn unknown_names_are_reported() {
    for (line, expected) in [
        ("server", "cutover has no command \"server\""),
        ("supplier", "supplier has no command \"\""),
        ("supplier pause ACME", "supplier has no command \"pause\""),
        ("supplier list --role api", "no flag --role here"),
        ("migrate --dry-run", "no flag --dry-run here"),
        ("--fast", "no flag --fast here"),
    ] {
        assert_eq!(fault_of(line), expected, "{line}");
    }
}

#[test]
fn settings_have_variables_and_defaults() {
    assert!(has_variable("CUTOVER_DATABASE_URL") && has_variable("CUTOVER_CONFIG"));
    assert!(has_variable("CUTOVER_TRUSTED_PROXY") && !has_variable("CUTOVER_DATABASE"));
    assert_eq!(default("listen"), "127.0.0.1:8080");
}
