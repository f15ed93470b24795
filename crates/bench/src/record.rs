use crate::error::Error;
use crate::figure::Figure;
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Figures measured on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) machine: Machine,
    pub(crate) parts: Vec<Measured>,
}

/// One part of a bench, and how it was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) part: String,
    /// Day of the measurement.
    pub(crate) date: String,
    pub(crate) command: String,
    pub(crate) figures: Vec<Figure>,
}

impl Run {
    pub(crate) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().flat_map(|part| &part.figures)
    }

    /// Merges an earlier run into this one: parts that this one lacks are kept if they were measured on the
    /// same machine.
    fn over(mut self, earlier: Option<Self>) -> Self {
        let earlier = earlier.filter(|earlier| earlier.machine == self.machine);
        let mut parts = earlier.map(|earlier| earlier.parts).unwrap_or_default();
        for part in self.parts {
            match parts.iter_mut().find(|kept| kept.part == part.part) {
                Some(kept) => *kept = part,
                None => parts.push(part),
            }
        }
        self.parts = parts;
        self
    }

    /// Writes the run to a file, which keeps other parts that were measured on the same machine.
    pub(crate) fn store(self, file: &Path) -> Result<(), Error> {
        let earlier = if file.exists() { Some(read(file)?) } else { None };
        write(file, &self.over(earlier))
    }
}

/// Commands that measured some parts, with their dates. Parts with the same date and options share a command.
pub(crate) fn commands<'m>(parts: impl IntoIterator<Item = &'m Measured>) -> Vec<String> {
    let mut commands: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for Measured { part, date, command, .. } in parts {
        let general = command.replace(&format!("--only {part} "), "--only … ");
        match commands.iter_mut().find(|(other, day, _)| *other == general && day == date) {
            Some((.., names)) => names.push(part),
            None => commands.push((general, date, vec![part])),
        }
    }
    let shown = |(general, date, names): (String, &str, Vec<&str>)| {
        format!("`{}` ({date})", general.replace("--only … ", &format!("--only {} ", names.join(","))))
    };
    commands.into_iter().map(shown).collect()
}

/// Reads JSON from a file.
pub(crate) fn read<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, Error> {
    let text = std::fs::read_to_string(file).map_err(Error::file("read", file))?;
    serde_json::from_str(&text).map_err(|source| Error::Json { path: file.to_owned(), source })
}

/// Writes JSON to a file, indented so that changes are readable.
pub(crate) fn write(file: &Path, value: &impl Serialize) -> Result<(), Error> {
    let json = serde_json::to_string_pretty(value);
    let mut json = json.map_err(|source| Error::Json { path: file.to_owned(), source })?;
    json.push('\n');
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
    }
    std::fs::write(file, json).map_err(Error::file("write", file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Unit;

    fn run(cpu: &str, parts: &[(&str, f64)]) -> Run {
        let measured = |&(part, value): &(&str, f64)| Measured {
            part: part.into(),
            date: "2026-11-21".into(),
            command: "cargo xtask bench".into(),
            figures: vec![Figure::new(part, part, Unit::Ratio, &[value])],
        };
        let machine = Machine { cpu: cpu.into(), cores: 2, memory_gb: 8, kernel: "6.1".into() };
        Run { machine, parts: parts.iter().map(measured).collect() }
    }

    #[test]
    fn a_part_that_is_measured_again_replaces_what_was_stored() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a/run.json");
        run("x", &[("http", 1.0), ("create", 2.0)]).store(&file).unwrap();
        run("x", &[("create", 3.0), ("lists", 4.0)]).store(&file).unwrap();
        assert_eq!(read::<Run>(&file).unwrap(), run("x", &[("http", 1.0), ("create", 3.0), ("lists", 4.0)]));
        run("another", &[("lists", 5.0)]).store(&file).unwrap();
        assert_eq!(read::<Run>(&file).unwrap(), run("another", &[("lists", 5.0)]));
    }

    #[test]
    fn parts_measured_with_the_same_options_share_a_command() {
        let mut run = run("x", &[("http", 1.0), ("create", 2.0), ("flat", 2.0)]);
        for part in &mut run.parts {
            part.command = format!("cargo xtask bench --only {} --rounds 3", part.part);
        }
        run.parts[2].command.push_str(" --huge");
        assert_eq!(
            commands(&run.parts),
            [
                "`cargo xtask bench --only http,create --rounds 3` (2026-11-21)",
                "`cargo xtask bench --only flat --rounds 3 --huge` (2026-11-21)"
            ]
        );
    }

    #[test]
    fn a_file_that_is_no_run_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.json");
        std::fs::write(&file, "{}").unwrap();
        assert!(run("x", &[]).store(&file).is_err());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "{}");
    }
}
