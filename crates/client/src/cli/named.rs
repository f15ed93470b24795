//! Tests that the program takes every command line that a text, a hint or a page names.

use super::Cli;
use clap::{Command, CommandFactory};
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const NAME: &str = "cutover-client ";

/// Every file below a folder of the repository with one of these endings.
fn files_below(folder: &str, endings: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![Path::new(ROOT).join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.push(path),
            }
        }
    }
    files.retain(|path| endings.iter().any(|end| path.extension().is_some_and(|own| own == *end)));
    files.sort();
    files
}

/// Splits a line as a shell does, up to a redirection, a pipe or a comment.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_with(String::new);
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_with(String::new).push(letter),
        }
    }
    words.extend(word);
    let end = words.iter().position(|word| [">", "|", "#", "\\", "&&", "2>"].contains(&&**word));
    words.truncate(end.unwrap_or(words.len()));
    words
}

/// Returns the fault in a whole command line, without the name of the program. The address of the service may be in its settings.
fn refusal(line: &str) -> Option<String> {
    let value = |word: String| if word.contains('{') { "x".to_owned() } else { word };
    let line = std::iter::once(NAME.trim().to_owned()).chain(words(line).into_iter().map(value));
    let mut line: Vec<String> = line.collect();
    let program = Cli::command();
    let takes_address =
        |command: &Command| command.get_arguments().any(|arg| arg.get_long() == Some("base-url"));
    let (mut command, mut at) = (&program, 1);
    while let Some(inner) = line.get(at).and_then(|name| command.find_subcommand(name)) {
        (command, at) = (inner, at + 1);
    }
    if takes_address(command) && !line.iter().any(|word| word.starts_with("--base-url")) {
        line.insert(at, "--base-url=http://localhost".to_owned());
    }
    let error = program.try_get_matches_from(line).err()?;
    error.use_stderr().then(|| error.to_string())
}

/// Returns the fault in a part of a command line that a sentence names: commands and flags have to be there.
fn fault(line: &str) -> Option<String> {
    let program = Cli::command();
    let mut command: &Command = &program;
    for word in words(line) {
        let name = word.split('=').next().unwrap_or_default();
        match name.strip_prefix("--") {
            Some("help" | "version") => {}
            Some(name) if command.get_arguments().any(|arg| arg.get_long() == Some(name)) => {}
            Some(name) => return Some(format!("no flag --{name} here")),
            None if command.has_subcommands() => match command.find_subcommand(&word) {
                Some(below) => command = below,
                None => return Some(format!("no command {word}")),
            },
            None => {}
        }
    }
    None
}

/// Joins lines that end with a backslash.
fn joined(text: &str) -> String {
    text.replace("\\\n", " ")
}

/// Returns a line after the name of the program, up to a remark, which two blanks set off.
fn lines_of(text: &str) -> Vec<String> {
    let text = joined(text);
    let after = text.lines().filter_map(|line| line.split_once(NAME).map(|(_, rest)| rest.trim_start()));
    after.map(|line| line.split("  ").next().unwrap_or_default().to_owned()).collect()
}

/// Returns the spans between backquotes that begin with the program.
fn ticked(text: &str) -> Vec<String> {
    let spans = text.split('`').skip(1).step_by(2).map(|span| span.replace('\n', " "));
    spans.filter_map(|span| span.strip_prefix(NAME).map(str::to_owned)).collect()
}

/// Splits a page into what is in blocks of code and the rest.
fn blocks(page: &str) -> (String, String) {
    let (mut code, mut rest, mut is_code) = (String::new(), String::new(), false);
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        } else {
            let to = if is_code { &mut code } else { &mut rest };
            to.push_str(line);
            to.push('\n');
        }
    }
    (code, rest)
}

#[test]
fn examples_of_the_help_are_accepted() {
    let mut program = Cli::command();
    program.build();
    let of = |command: &Command| command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let helps = program.get_subcommands().map(of).chain([of(&program)]);
    let lines: Vec<String> = helps
        .flat_map(|help| {
            let examples = help.split("\n\n").next().unwrap_or_default().to_owned();
            lines_of(&examples)
        })
        .collect();
    assert!(lines.len() > 25, "only {} lines were found: the search is broken", lines.len());
    let faults: Vec<_> = lines.iter().filter_map(|line| refusal(line).map(|fault| (line, fault))).collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The command lines that messages and hints of all programs name: in strings and templates, not in comments.
#[test]
fn commands_that_the_programs_name_are_accepted() {
    let folders = ["app", "client", "core", "cutover", "http", "model", "rules", "tables"];
    let files = folders.iter().flat_map(|name| files_below(&format!("crates/{name}/"), &["rs", "html"]));
    let (mut faults, mut found) = (Vec::new(), 0);
    for path in files.filter(|path| !path.ends_with("cli/named.rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        // A string that goes on in the next line.
        let code = code.map(|line| line.trim_start().trim_end_matches('\\')).collect::<Vec<_>>().join("\n");
        for line in ticked(&code) {
            found += 1;
            // With an argument it is a whole line; the name of a command alone is part of a sentence.
            let found = if words(&line).len() > 1 { refusal(&line) } else { fault(&line) };
            faults.extend(found.map(|fault| format!("{}: {line}: {fault}", path.display())));
        }
    }
    assert_eq!(faults, [""; 0]);
    assert!(found > 3, "only {found} command lines were found: the search is broken");
}

#[test]
fn commands_of_the_documentation_are_accepted() {
    let (mut faults, mut found) = (Vec::new(), 0);
    for path in files_below("docs", &["md"]).into_iter().chain([Path::new(ROOT).join("README.md")]) {
        let (code, rest) = blocks(&fs::read_to_string(&path).unwrap());
        let code: Vec<String> =
            joined(&code).lines().filter(|line| line.starts_with("$ ")).map(str::to_owned).collect();
        let whole = lines_of(&code.join("\n")).into_iter().map(|line| (refusal(&line), line));
        let named = ticked(&rest).into_iter().map(|line| (fault(&line), line));
        for (fault, line) in whole.chain(named) {
            found += 1;
            faults.extend(fault.map(|fault| format!("{}: {line}: {fault}", path.display())));
        }
    }
    assert_eq!(faults, [""; 0]);
    assert!(found > 30, "only {found} command lines were found: the search is broken");
}

#[test]
fn lines_that_the_program_refuses_are_reported() {
    for line in ["validate a.ndjson > out", "explain 'invalid'", "schema", "--help", "man {folder}"] {
        assert_eq!(refusal(line), None, "{line}");
    }
    for line in ["validat a.ndjson", "status ACME", "upload x --fast", "report ACME --journal"] {
        assert!(refusal(line).is_some(), "{line}");
    }
    assert_eq!(fault("validate --rule"), None);
    assert_eq!(fault("validate --rules"), Some("no flag --rules here".to_owned()));
    assert_eq!(fault("sent x"), Some("no command sent".to_owned()));
}
