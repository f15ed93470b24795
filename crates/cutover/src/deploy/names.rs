//! Tests that the program knows every name that operators read.

use std::collections::BTreeSet;

use super::{MANUAL, ROOT, files_below, program, read, shell, texts, words_like};
use std::path::Path;

#[test]
fn variables_are_settings() {
    let like_ours = |text: &str| words_like(text, "CUTOVER_", |c| c.is_ascii_uppercase() || c == '_');
    let used = texts()
        .into_iter()
        .flat_map(|(path, text)| like_ours(&text).into_iter().map(move |v| (path.clone(), v)));
    let unknown: BTreeSet<_> = used.filter(|(_, variable)| !program::has_variable(variable)).collect();
    assert_eq!(unknown, BTreeSet::new());
}

#[test]
fn commands_and_flags_are_those_of_the_program() {
    let mut faults = Vec::new();
    let mut found = 0;
    for (path, text) in texts() {
        for command in shell::commands(&text, path.ends_with(".md")) {
            found += 1;
            faults.extend(
                program::fault(&command).map(|fault| format!("{path}: {}: {fault}", command.join(" "))),
            );
        }
    }
    assert_eq!(faults, [""; 0]);
    assert!(found > 40, "only {found} command lines were found: the search is broken");
}

/// The command lines that messages, hints and pages of the service name: in strings and templates, not in comments.
#[test]
fn commands_that_the_program_names_are_accepted_by_it() {
    let is_text = |path: &Path| path.extension().is_some_and(|end| end == "rs" || end == "html");
    let folders = ["app", "cutover", "http", "outbound", "store", "rules"];
    let files =
        folders.iter().flat_map(|name| files_below(&format!("crates/{name}"))).filter(|path| is_text(path));
    let (mut faults, mut found) = (Vec::new(), 0);
    for path in
        files.filter(|path| !path.ends_with("deploy/shell.rs") && !path.ends_with("deploy/program.rs"))
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        // A string that goes on in the next line.
        let code = code.map(|line| line.trim_start().trim_end_matches('\\')).collect::<Vec<_>>().join("\n");
        let ticked = code.split('`').skip(1).step_by(2).map(|span| span.replace('\n', ""));
        let tagged =
            code.split("<code>").skip(1).filter_map(|rest| rest.split("</code>").next()).map(str::to_owned);
        for line in ticked.chain(tagged).filter(|span| span.starts_with("cutover ")) {
            let words = shell::words(&without_expressions(&line)).split_off(1);
            found += 1;
            faults
                .extend(program::refusal(&words).map(|fault| format!("{}: {line}: {fault}", path.display())));
        }
    }
    assert_eq!(faults, [""; 0]);
    assert!(found > 40, "only {found} command lines were found: the search is broken");
}

/// Replaces the expressions of a template by placeholders.
fn without_expressions(line: &str) -> String {
    let mut parts = line.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    let placeholder = |part: &str| format!("{{}}{}", part.split_once("}}").map_or("", |(_, rest)| rest));
    parts.fold(first, |line, part| line + &placeholder(part))
}

#[test]
fn flags_and_settings_that_the_manual_names_alone_are_those_of_the_program() {
    let code = shell::code(&read(MANUAL));
    let is_known = |code: &str| match code.strip_prefix("--") {
        Some(flag) => program::has_flag(flag.split([' ', '=']).next().unwrap_or_default()),
        // Written like a setting, and no object in Kubernetes.
        None => !is_kebab(code) || code.starts_with("cutover-") || program::has_setting(code),
    };
    let unknown: Vec<_> = code.iter().filter(|code| !is_known(code)).collect();
    assert_eq!(unknown, [""; 0]);
}

fn is_kebab(code: &str) -> bool {
    code.contains('-') && code.split('-').all(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase()))
}

#[test]
fn keys_of_the_file_are_settings() {
    let file: toml::Table = toml::from_str(&read("deploy/systemd/cutover.toml")).unwrap();
    let unknown: Vec<_> = file.keys().filter(|key| !program::has_setting(key)).collect();
    assert_eq!(unknown, [""; 0]);
}

/// Targets of the links of a Markdown text, without anchors.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

#[test]
fn links_lead_somewhere() {
    let manual = read(MANUAL);
    let lost: Vec<_> =
        links(&manual).filter(|link| !Path::new(ROOT).join("docs").join(link).exists()).collect();
    assert_eq!(lost, [""; 0]);
    assert!(links(&read("README.md")).any(|link| link == MANUAL), "README.md has no link to {MANUAL}");
}

/// Anchors of the headings of a Markdown text.
pub(super) fn anchors(text: &str) -> BTreeSet<String> {
    let kept = |c: &char| c.is_alphanumeric() || [' ', '-'].contains(c);
    let anchor =
        |heading: &str| heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

#[test]
fn links_within_the_manual_lead_to_its_headings() {
    let manual = read(MANUAL);
    let anchors = anchors(&manual);
    let used = manual.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
    let lost: Vec<_> = used.filter(|used| !anchors.contains(*used)).collect();
    assert_eq!(lost, [""; 0]);
}
