//! The commands of a page, and its headings.

/// An element of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A heading with its marks: `## Installing`.
    Heading(String),
    Command(Command),
}

/// A command and its expected output.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// The line number, from 1.
    pub(super) line: usize,
    pub(super) text: String,
    /// The expected lines; empty if the page shows no output.
    pub(super) output: Vec<String>,
}

impl Item {
    pub(super) fn is_heading(&self) -> bool {
        matches!(self, Self::Heading(_))
    }

    pub(super) fn command(&self) -> Option<String> {
        match self {
            Self::Command(command) => Some(command.text.clone()),
            Self::Heading(_) => None,
        }
    }
}

/// Parses a page.
pub(super) fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if trimmed.starts_with("```") {
            let inside = lines.by_ref().take_while(|(_, line)| !line.trim_start().starts_with("```"));
            let block: Vec<(usize, &str)> =
                inside.map(|(at, line)| (at + 1, line.get(indent..).unwrap_or_default())).collect();
            if trimmed == "```console" {
                items.extend(commands(&block).into_iter().map(Item::Command));
            }
        } else if line.starts_with('#') {
            items.push(Item::Heading(line.to_owned()));
        }
    }
    items
}

fn commands(block: &[(usize, &str)]) -> Vec<Command> {
    let mut commands: Vec<Command> = Vec::new();
    let mut goes_on = false;
    for (at, line) in block {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (_, Some(command)) if goes_on => command.text = format!("{}\n{line}", command.text),
            (Some(text), _) => {
                commands.push(Command { line: *at, text: text.to_owned(), output: Vec::new() });
            }
            (None, Some(command)) => command.output.push((*line).to_owned()),
            (None, None) => panic!("line {at}: output of no command"),
        }
        goes_on = commands.last().is_some_and(|command| command.output.is_empty() && is_open(&command.text));
    }
    commands
}

/// Returns true if a command continues on the next line.
fn is_open(command: &str) -> bool {
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            // An escaped character is literal; an escaped line end continues the command.
            (None | Some('"'), '\\') if characters.next().is_none() => return true,
            (None | Some('"'), '\\') => {}
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    quote.is_some()
}

#[test]
fn commands_span_lines_and_have_outputs() {
    let page = "# A\n```console\n$ echo 'a\n  b' \\\n    c\nprinted\n$ d\n```\n1. b\n   ```console\n   $ e\n   f\n   ```\n\
                ```sh\n$ g\n# no heading\n```\n## B\n";
    let command = |line, text: &str, output: &[&str]| {
        let output = output.iter().map(|line| (*line).to_owned()).collect();
        Item::Command(Command { line, text: text.to_owned(), output })
    };
    let expected = [
        Item::Heading("# A".to_owned()),
        command(3, "echo 'a\n  b' \\\n    c", &["printed"]),
        command(7, "d", &[]),
        command(11, "e", &["f"]),
        Item::Heading("## B".to_owned()),
    ];
    assert_eq!(items(page), expected);
}

#[test]
fn quotes_and_backslashes_keep_a_command_open() {
    for open in ["a \\", "a '", "a \"b\\\"", "a 'b\\' 'c", "\"it's"] {
        assert!(is_open(open), "{open}");
    }
    for closed in ["a", "a 'b'", "a \"b'\"", "a \\'", "'a\\'", "a \\\nb"] {
        assert!(!is_open(closed), "{closed}");
    }
}
