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
}
