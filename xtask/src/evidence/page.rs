//! Finds the names of tests in a page.

/// Returns every span of code that contains `::`, with the number of its line. Blocks of code name no tests.
pub(super) fn tests_named(text: &str) -> Vec<(usize, &str)> {
    let (mut named, mut is_block) = (Vec::new(), false);
    for (line, content) in (1..).zip(text.lines()) {
        if content.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            let spans = content.split('`').skip(1).step_by(2);
            named.extend(spans.filter(|span| span.contains("::")).map(|span| (line, span)));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_with_a_path_are_names() {
        let text = "# A `setting` and `a::b`\n```\n`c::d`\n```\n| `e::f`, `g` | `h::i` |";
        assert_eq!(tests_named(text), [(1, "a::b"), (5, "e::f"), (5, "h::i")]);
    }
}
