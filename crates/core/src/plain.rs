/// Escapes control and format characters, so that text from payloads cannot command a terminal.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || is_format(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns true for characters that change the order or look of the surrounding text.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_format_characters_are_escaped() {
        assert_eq!(plain("Zoë\t\u{1b}[31m\u{202e}x\u{9b}"), "Zoë\\t\\u{1b}[31m\\u{202e}x\\u{9b}");
    }
}
