use askama::filters::Escaper;
use cutover_core::plain;
use std::fmt::{self, Write};

/// Escapes every value in a page, whatever the template says. Characters with a meaning in HTML become text;
/// invisible characters and those that change the look of the text around them are shown as escapes. Line
/// breaks are kept.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Escaped;

impl Escaper for Escaped {
    fn write_escaped_str<W: Write>(&self, mut page: W, text: &str) -> fmt::Result {
        for (i, line) in text.split('\n').enumerate() {
            if i > 0 {
                page.write_char('\n')?;
            }
            for letter in plain(line).chars() {
                match letter {
                    '&' => page.write_str("&amp;")?,
                    '<' => page.write_str("&lt;")?,
                    '>' => page.write_str("&gt;")?,
                    '"' => page.write_str("&quot;")?,
                    '\'' => page.write_str("&#39;")?,
                    _ => page.write_char(letter)?,
                }
            }
        }
        Ok(())
    }
}

/// Maximum length of a word that is kept on one line; longer ones may be wider than a narrow screen.
const MOST_WHOLE: usize = 24;

/// Returns a text as HTML that does not break numbers such as `A-7K2M9QX4` and `2026-09-30` at their hyphens.
pub(crate) fn whole(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end_matches(char::is_whitespace);
        let is_number = word.contains(['-', '/'])
            && (word.contains(|letter: char| letter.is_ascii_digit()) || is_capital(word))
            && word.chars().count() <= MOST_WHOLE;
        html.push_str(if is_number { "<span class=\"whole\">" } else { "" });
        // Writing to a string cannot fail.
        let _ = Escaped.write_escaped_str(&mut html, word);
        html.push_str(if is_number { "</span>" } else { "" });
        let _ = Escaped.write_escaped_str(&mut html, &part[word.len()..]);
    }
    html
}

/// Returns true for a number of an account at this service without a digit, such as `A-WVEVVJMV`.
fn is_capital(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_value_is_escaped() {
        let mut page = String::new();
        let text = "<script>\"'&\u{202e}gnp.exe\u{7}\r\nZoë";
        Escaped.write_escaped_str(&mut page, text).unwrap();
        assert_eq!(page, "&lt;script&gt;&quot;&#39;&amp;\\u{202e}gnp.exe\\u{7}\\r\nZoë");
    }

    #[test]
    fn numbers_with_hyphens_are_not_broken() {
        let span = |number: &str| format!("<span class=\"whole\">{number}</span>");
        for number in ["A-7K2M9QX4", "A-WVEVVJMV", "2026-09-30", "ACME/17"] {
            assert_eq!(whole(number), span(number));
        }
        assert_eq!(whole("A-1, B-2  is <new>"), format!("{} {}  is &lt;new&gt;", span("A-1,"), span("B-2")));
        assert_eq!(whole("off\nLED-14 = hint"), format!("off\n{} = hint", span("LED-14")));
        let long = format!("A-{}", "1".repeat(23));
        for text in ["", "12 of 13", "well-known", "<b>", &long] {
            assert!(!whole(text).contains("whole") && !whole(text).contains("<b>"), "{text}");
        }
        assert_eq!(whole("\"-1\""), span("&quot;-1&quot;"));
    }
}
