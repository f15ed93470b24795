use std::ops::Range;

/// A document that is cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    Contract,
    Fields,
    Rules,
    Decisions,
}

/// A citation of one section, rule or decision; a list has one for each of its items.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Citation<'t> {
    pub(crate) document: Document,
    /// The item, such as `D6`, `1.5`, `PST-12` or `0008`.
    pub(crate) item: &'t str,
    /// Location of the item in the text.
    pub(crate) range: Range<usize>,
    /// Location of the word before the first item of a list, such as `rules`.
    pub(crate) keyword: Option<Range<usize>>,
}

/// A word of a text without comment markers; `None` is the end of a paragraph.
type Words<'t> = Vec<Option<(usize, &'t str)>>;

/// Every citation of a text, in order. A list may continue on the next line of a comment.
pub(crate) fn citations(text: &str) -> Vec<Citation<'_>> {
    let words = words(text);
    let mut found = Vec::new();
    let mut next = 0;
    while next < words.len() {
        let word = words[next];
        next += 1;
        if let Some((document, keyword)) = word.and_then(keyword) {
            next = list(&words, next, document, keyword, &mut found);
        }
    }
    found
}

/// Reads the items of a list from a word on, and returns the word behind it.
fn list<'t>(
    words: &Words<'t>,
    mut next: usize,
    document: Document,
    keyword: Range<usize>,
    found: &mut Vec<Citation<'t>>,
) -> usize {
    let mut keyword = Some(keyword);
    let word_at = |at: usize| words.get(at).copied().flatten();
    let joins = |at: usize| word_at(at).is_some_and(|(_, word)| ["and", "or", "to"].contains(&word));
    while let Some((start, word)) = word_at(next) {
        let opening = word.len() - word.trim_start_matches(['[', '`', '"', '*']).len();
        let Some(item) = item(document, &word[opening..]) else { break };
        let end = word[opening + item.len()..].trim_end_matches(['`', '"']);
        // "rules 6 µs" speaks of an amount.
        let is_amount = item.bytes().all(|b| b.is_ascii_digit()) && document != Document::Decisions;
        if is_amount && end.is_empty() && !joins(next + 1) && word_at(next + 1).is_some() {
            break;
        }
        let start = start + opening;
        found.push(Citation { document, item, range: start..start + item.len(), keyword: keyword.take() });
        next += 1;
        match end {
            "" if joins(next) => next += 1,
            "," => next += usize::from(joins(next)),
            _ => break,
        }
    }
    next
}

/// The words of a text, each with its location.
fn words(text: &str) -> Words<'_> {
    let mut words = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut is_blank = true;
        let mut offset = 0;
        for word in line.split_whitespace() {
            offset += line[offset..].find(word).unwrap_or_default();
            let is_marker = is_blank && ["//", "///", "//!", "#", "--", ">"].contains(&word);
            if !is_marker && word != "\\" {
                words.push(Some((start + offset, word)));
                is_blank = false;
            }
            offset += word.len();
        }
        if is_blank {
            words.push(None);
        }
        start += line.len();
    }
    words
}

/// The document that a word announces, and the location of the word without punctuation before it.
fn keyword((start, word): (usize, &str)) -> Option<(Document, Range<usize>)> {
    let bare = word.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let document = match bare.to_ascii_lowercase().as_str() {
        "contract" => Document::Contract,
        "fields" => Document::Fields,
        "rule" | "rules" => Document::Rules,
        "decision" | "decisions" => Document::Decisions,
        _ => return None,
    };
    let start = start + word.len() - bare.len();
    Some((document, start..start + bare.len()))
}

/// The item of a document that a word begins with.
fn item(document: Document, word: &str) -> Option<&str> {
    let len = match document {
        Document::Contract | Document::Decisions => section(word, "D").or_else(|| section(word, "")),
        Document::Fields => section(word, "").or_else(|| section(word, "A.")).or_else(|| section(word, "B.")),
        Document::Rules => rule(word).or_else(|| section(word, "")),
    }?;
    let follows = word[len..].chars().next();
    (!follows.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '%'))).then(|| &word[..len])
}

/// The length of numbers joined by dots behind a prefix.
fn section(word: &str, prefix: &str) -> Option<usize> {
    let rest = word.strip_prefix(prefix)?;
    let numbers = rest.split('.').take_while(|n| n.starts_with(|c: char| c.is_ascii_digit()));
    let mut len = 0;
    for number in numbers {
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        len += digits + usize::from(len > 0);
        if digits < number.len() {
            break;
        }
    }
    (len > 0).then_some(prefix.len() + len)
}

/// The length of a rule's code.
fn rule(word: &str) -> Option<usize> {
    const SHAPE: &str = "AAA-00";
    let code = word.as_bytes().get(..SHAPE.len())?;
    let fits = code.iter().zip(SHAPE.bytes()).all(|(byte, shape)| match shape {
        b'A' => byte.is_ascii_uppercase(),
        b'0' => byte.is_ascii_digit(),
        _ => *byte == shape,
    });
    fits.then_some(SHAPE.len())
}

#[cfg(test)]
mod tests {
    use super::Document::{Contract, Decisions, Fields, Rules};
    use super::*;

    fn items(text: &str) -> Vec<(Document, &str)> {
        citations(text).into_iter().map(|citation| (citation.document, citation.item)).collect()
    }

    #[test]
    fn each_notation_is_read() {
        assert_eq!(items("See contract 4.1."), [(Contract, "4.1")]);
        assert_eq!(items("(contract D6)"), [(Contract, "D6")]);
        assert_eq!(items("fields 1.5: and fields A.2,"), [(Fields, "1.5"), (Fields, "A.2")]);
        assert_eq!(items("Rule PST-12 or rules 8.4;"), [(Rules, "PST-12"), (Rules, "8.4")]);
        assert_eq!(items("decision 0008"), [(Decisions, "0008")]);
        assert_eq!(items("the old decisions D5"), [(Decisions, "D5")]);
    }

    #[test]
    fn lists_are_read_to_their_end() {
        assert_eq!(
            items("(contract 4.1, 4.3, D6; rules 9)"),
            [(Contract, "4.1"), (Contract, "4.3"), (Contract, "D6"), (Rules, "9")]
        );
        assert_eq!(
            items("rules PST-03, PST-04 and MPT-01 to MPT-04, of 12"),
            [(Rules, "PST-03"), (Rules, "PST-04"), (Rules, "MPT-01"), (Rules, "MPT-04")]
        );
        assert_eq!(
            items("rule [STR-19](rules.md#STR-19), [contract D8](x)"),
            [(Rules, "STR-19"), (Contract, "D8")]
        );
    }

    #[test]
    fn lists_continue_on_the_next_line_of_a_comment() {
        let text = "    /// Two (contract\n    /// D6, D8,\n    /// rules 8.1,\n    /// PST-01).\n";
        assert_eq!(items(text), [(Contract, "D6"), (Contract, "D8"), (Rules, "8.1"), (Rules, "PST-01")]);
        assert_eq!(items("-- contract\n-- 4.2\n"), [(Contract, "4.2")]);
        assert_eq!(items("\"rules \\\n  8.1.\""), [(Rules, "8.1")]);
    }

    #[test]
    fn amounts_and_other_words_are_no_citations() {
        for text in
            ["rules 6 µs", "### A rule\n\n1. `crates`", "fields 3x", "rule-12", "contracts 4.1", "rules, 8"]
        {
            assert_eq!(items(text), [], "{text}");
        }
    }

    #[test]
    fn the_first_item_of_a_list_has_the_keyword() {
        let text = "(rules 8.1, LED-03)";
        let found = citations(text);
        assert_eq!(&text[found[0].keyword.clone().unwrap()], "rules");
        assert_eq!((&text[found[0].range.clone()], &text[found[1].range.clone()]), ("8.1", "LED-03"));
        assert_eq!(found[1].keyword, None);
    }
}
