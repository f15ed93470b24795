//! Finds command lines of the program in files that operators read.

/// Words that end a command.
const BETWEEN: [&str; 11] = ["|", ";", "&", "(", ")", "<", ">", "$", "do", "then", "--"];

/// Returns the words after the program's name of each of its command lines in a text: in the code of
/// Markdown, in the lines of anything else.
pub(super) fn commands(text: &str, is_markdown: bool) -> Vec<Vec<String>> {
    let snippets = if is_markdown { code(text) } else { lines(text) };
    snippets.iter().flat_map(|snippet| commands_of(&words(snippet))).collect()
}

/// The code of a Markdown text: spans, and lines of its blocks with continued lines joined.
pub(super) fn code(text: &str) -> Vec<String> {
    let (mut snippets, mut prose) = (Vec::new(), String::new());
    for (i, part) in text.split("```").enumerate() {
        if i % 2 == 1 {
            snippets.extend(part.replace("\\\n", " ").lines().skip(1).map(str::to_owned));
        } else {
            prose.push_str(&part.replace('\n', " "));
        }
    }
    snippets.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    snippets
}

/// The lines of a file without comment markers, or their parts between backquotes.
fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(|line| line.trim().trim_start_matches('#').trim());
    let snippets =
        |line: &str| match line.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>() {
            spans if spans.is_empty() => vec![line.to_owned()],
            spans => spans,
        };
    lines.flat_map(snippets).collect()
}

/// The words of a line of the shell, without its quotes.
pub(super) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars().chain([' ']) {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() || "|;&()<>".contains(c) => {
                words.extend([std::mem::take(&mut word), c.to_string()]);
            }
            (c, _) => word.push(c),
        }
    }
    words.retain(|word| !word.trim().is_empty());
    words
}

fn commands_of(words: &[String]) -> Vec<Vec<String>> {
    let is_ours = |at: &usize| calls_the_program(&words[..*at], &words[*at]);
    let rest = |at| words[at + 1..].iter().take_while(|word| !is_between(word) && !word.starts_with('#'));
    (0..words.len()).filter(is_ours).map(|at| rest(at).cloned().collect()).collect()
}

fn is_between(word: &str) -> bool {
    BETWEEN.contains(&word)
}

/// Returns true if a word at the beginning of a command names the program, or the service `operator` of
/// compose.
fn calls_the_program(before: &[String], word: &str) -> bool {
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    match (word.rsplit(['/', '=']).next(), before.as_slice()) {
        (Some("operator"), [.., "run", "--rm"]) => true,
        (Some("cutover"), [] | [.., "-u", "cutover"]) => true,
        (Some("cutover"), [.., last]) => is_between(last),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, is_markdown: bool) -> Vec<String> {
        commands(text, is_markdown).iter().map(|words| words.join(" ")).collect()
    }

    #[test]
    fn commands_are_found_in_the_code_of_markdown() {
        let text = "Run cutover now, `cutover serve --role api` or `docker run --rm\noperator doctor`.\n\
            ```console\n$ sudo -u cutover cutover organisation add 'Acme Energy' | jq   # cutover no\n\
            $ cutover process list A \\\n    --json | while read n; do cutover process retry A \"$n\"; done\n```\n";
        let expected = [
            "organisation add Acme Energy",
            "process list A --json",
            "process retry A $n",
            "serve --role api",
            "doctor",
        ];
        assert_eq!(found(text, true), expected);
    }

    #[test]
    fn commands_are_found_in_lines() {
        let text = "#   cutover doctor\nname: cutover\n# the rest, `cutover migrate`, is prose\nUser=x cutover\n\
            ExecStart=/usr/local/bin/cutover serve\ninstall -m 0755 cutover /usr/local/bin/\n";
        assert_eq!(found(text, false), ["doctor", "migrate", "serve"]);
    }
}
