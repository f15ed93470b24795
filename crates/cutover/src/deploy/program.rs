//! Compares names with the settings and the command line of the program.

use crate::cli;
use crate::settings::{self, SETTINGS};
use clap::{Arg, Command};
use cutover_process::State;

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

/// Returns the fault in a command line as the program would find it. Words in capitals and braces stand for values.
pub(super) fn refusal(words: &[String]) -> Option<String> {
    let value = |word: &String| match word.trim_matches('\'') {
        "URL" => "https://example.com".to_owned(),
        "KIND" => "http".to_owned(),
        status if State::WORDS.contains(&status) => status.to_owned(),
        // A number, which is a word as well.
        word if word.contains('{') || word.chars().all(|c| c.is_ascii_uppercase()) => "7".to_owned(),
        word => word.to_owned(),
    };
    let has_values = words.iter().any(|word| word.starts_with("--") || value(word) != *word);
    if !has_values {
        // The name of a command in a sentence.
        return fault(words);
    }
    let line = std::iter::once("cutover".to_owned()).chain(words.iter().map(value));
    let error = cli::command().try_get_matches_from(line).err()?;
    (error.use_stderr()).then(|| error.to_string())
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
fn a_line_that_the_program_refuses_is_reported() {
    let refusal = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        refusal(&words)
    };
    for line in [
        "process list {} --status ERRORED",
        "supplier release CODE",
        "serve --help",
        "job resume {name}",
        "audit",
    ] {
        assert_eq!(refusal(line), None, "{line}");
    }
    for line in ["process list --status ERRORED", "process list ACME --status done", "supplier pause CODE"] {
        assert!(refusal(line).is_some(), "{line}");
    }
}

#[test]
fn settings_have_variables_and_defaults() {
    assert!(has_variable("CUTOVER_DATABASE_URL") && has_variable("CUTOVER_CONFIG"));
    assert!(has_variable("CUTOVER_TRUSTED_PROXY") && !has_variable("CUTOVER_DATABASE"));
    assert_eq!(default("listen"), "127.0.0.1:8080");
}
