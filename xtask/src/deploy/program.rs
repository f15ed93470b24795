//! Settings and commands of the program, read from its sources as text: building it would take minutes.

use std::collections::{BTreeMap, BTreeSet};

use super::{files_below, read};

const CLI: &str = "crates/cutover/src/cli/mod.rs";

/// Settings, commands and their flags.
pub(super) struct Program {
    settings: BTreeMap<String, Setting>,
    commands: BTreeMap<String, Command>,
}

struct Setting {
    default: String,
    of_serve: bool,
}

struct Command {
    /// The commands of a group; empty for a single command.
    subcommands: BTreeSet<String>,
    flags: BTreeSet<String>,
}

impl Program {
    /// Reads the sources.
    pub(super) fn read() -> Self {
        let table = read("crates/cutover/src/settings/table.rs");
        let commands = variants(&read(CLI)).into_iter().map(|name| (name.clone(), Command::read(&name)));
        Self { settings: settings(&table), commands: commands.collect() }
    }

    /// Returns true if there is such a setting.
    pub(super) fn has_setting(&self, name: &str) -> bool {
        self.settings.contains_key(name)
    }

    /// Returns true if a variable belongs to a setting.
    pub(super) fn has_variable(&self, variable: &str) -> bool {
        let name = variable.strip_prefix("CUTOVER_").unwrap_or_default();
        // A secret may be in a file; the program's own tests say for which settings.
        let name = name.strip_suffix("_FILE").filter(|_| name != "ENCRYPTION_KEY_FILE").unwrap_or(name);
        self.has_setting(&name.replace('_', "-").to_ascii_lowercase())
    }

    /// Returns the default of a setting.
    pub(super) fn default(&self, setting: &str) -> &str {
        &self.settings[setting].default
    }

    /// Returns true if any command has such a flag.
    pub(super) fn has_flag(&self, flag: &str) -> bool {
        self.has_setting(flag) || self.commands.values().any(|command| command.flags.contains(flag))
    }

    /// Returns the fault in the words after the program's name.
    pub(super) fn fault(&self, words: &[String]) -> Option<String> {
        let (mut path, mut flags) = (Vec::new(), Vec::new());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--") else {
                path.push(word.as_str());
                continue;
            };
            let (flag, has_value) = flag.split_once('=').map_or((flag, false), |(flag, _)| (flag, true));
            flags.push(flag);
            // Only settings precede the command, and each has a value.
            if path.is_empty() && !has_value && self.has_setting(flag) {
                words.next();
            }
        }
        let command = match path.as_slice() {
            [] => None,
            [name, ..] if !self.commands.contains_key(*name) => return Some(format!("no command {name}")),
            [name, rest @ ..] => {
                let command = &self.commands[*name];
                let subcommand = rest.first().copied().unwrap_or_default();
                if !command.subcommands.is_empty() && !command.subcommands.contains(subcommand) {
                    return Some(format!("{name} has no command {subcommand:?}"));
                }
                Some((*name, command))
            }
        };
        let unknown = flags.into_iter().find(|flag| !self.takes(command, flag))?;
        Some(format!("no flag --{unknown} here"))
    }

    fn takes(&self, command: Option<(&str, &Command)>, flag: &str) -> bool {
        let serves = matches!(command, Some(("serve" | "doctor", _)));
        ["json", "help", "version"].contains(&flag)
            || self.settings.get(flag).is_some_and(|setting| serves || !setting.of_serve)
            || command.is_some_and(|(_, command)| command.flags.contains(flag))
    }
}

impl Command {
    /// Reads the sources of a command.
    fn read(name: &str) -> Self {
        let own = name.replace('-', "_");
        let of_it = |path: &str| {
            path.ends_with(&format!("/cli/{own}.rs"))
                || path.contains(&format!("/cli/{own}/"))
                || path.ends_with(&format!("/src/{own}/mod.rs"))
        };
        let files = files_below("crates/cutover/src");
        let paths = files.iter().filter(|path| path.to_str().is_some_and(of_it));
        let source: String = paths.map(read).collect();
        Self { subcommands: variants(&source), flags: flags(&source) }
    }
}

/// The settings of the table: the rows that `Row::all(…)`, `Row::serve(…)` and `Row::secret(…)` define.
fn settings(table: &str) -> BTreeMap<String, Setting> {
    let rows = table.split("static CONFIG").nth(1).unwrap().split("#[cfg(test)]").next().unwrap();
    let starts: Vec<usize> = ["::all(", "::serve(", "::secret("]
        .iter()
        .flat_map(|start| rows.match_indices(start))
        .map(|(at, _)| at)
        .collect();
    let row = |at: &usize| {
        let end = starts.iter().filter(|next| *next > at).min().copied().unwrap_or(rows.len());
        let row = &rows[*at..end];
        match literals(row).as_slice() {
            [name, _, default, ..] => Some((
                name.clone(),
                Setting { default: default.clone(), of_serve: row.starts_with("::serve(") },
            )),
            _ => None,
        }
    };
    starts.iter().filter_map(row).collect()
}

/// The texts between double quotes.
fn literals(source: &str) -> Vec<String> {
    let source = source.replace("\\\"", "'");
    source.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The variants of `enum Command` in the words of the command line.
fn variants(source: &str) -> BTreeSet<String> {
    let Some((_, body)) = source.split_once("enum Command {\n") else { return BTreeSet::new() };
    let lines = body.lines().take_while(|line| *line != "}");
    let names = lines.filter_map(|line| line.strip_prefix("    ")?.split([' ', '(', '{', ',']).next());
    names.filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase())).map(kebab).collect()
}

fn kebab(camel: &str) -> String {
    let mut name = String::new();
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The names of fields with `#[arg(long, …)]`.
fn flags(source: &str) -> BTreeSet<String> {
    let attributes = source.split("#[arg(").skip(1);
    let field = |rest: &str| {
        let (attribute, rest) = rest.split_once(")]")?;
        let is_long = attribute.split([',', ' ', '\n']).any(|word| word == "long");
        let mut lines = rest.lines().map(str::trim).filter(|line| !line.is_empty());
        let line = lines.find(|line| !line.starts_with(['#', '/']))?;
        let name = line.split(':').next()?.rsplit(' ').next()?;
        is_long.then(|| name.replace('_', "-"))
    };
    attributes.filter_map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Program::read().fault(&words).unwrap_or_default()
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
            assert_eq!(fault(line), "", "{line}");
        }
    }

    #[test]
    fn unknown_names_are_reported() {
        for (line, expected) in [
            ("server", "no command server"),
            ("supplier", "supplier has no command \"\""),
            ("supplier pause ACME", "supplier has no command \"pause\""),
            ("supplier list --role api", "no flag --role here"),
            ("migrate --dry-run", "no flag --dry-run here"),
            ("--fast", "no flag --fast here"),
        ] {
            assert_eq!(fault(line), expected, "{line}");
        }
    }

    #[test]
    fn settings_have_variables_and_defaults() {
        let program = Program::read();
        assert!(program.has_variable("CUTOVER_DATABASE_URL") && program.has_variable("CUTOVER_CONFIG"));
        assert!(program.has_variable("CUTOVER_TRUSTED_PROXY") && !program.has_variable("CUTOVER_DATABASE"));
        assert_eq!(program.default("listen"), "127.0.0.1:8080");
    }
}
