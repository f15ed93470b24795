//! Comparison of a page's output with the printed one.

/// The placeholder for any text.
const ANY: char = '…';

/// Returns true if the printed output matches the page.
pub(super) fn agrees(shown: &[String], printed: &str) -> bool {
    let printed: Vec<String> = printed.trim_end().lines().map(|line| blurred(line.trim_end())).collect();
    let shown: Vec<String> = shown.iter().map(|line| blurred(line.trim_end())).collect();
    lines_agree(&shown, &printed)
}

fn lines_agree(shown: &[String], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=printed.len()).any(|passed| lines_agree(rest, &printed[passed..]))
        }
        Some((line, rest)) => match printed.split_first() {
            Some((first, others)) => line_agrees(line, first) && lines_agree(rest, others),
            None => false,
        },
    }
}

fn line_agrees(shown: &str, printed: &str) -> bool {
    let Some((before, behind)) = shown.split_once(ANY) else { return shown == printed };
    let Some(mut rest) = printed.strip_prefix(before) else { return false };
    loop {
        if line_agrees(behind, rest) {
            return true;
        }
        let mut characters = rest.chars();
        if characters.next().is_none() {
            return false;
        }
        rest = characters.as_str();
    }
}

/// Replaces the time and the account number of a line by placeholders.
fn blurred(line: &str) -> String {
    let mut blurred = String::new();
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let (length, text) = time(rest).or_else(|| number(rest)).unwrap_or((character.len_utf8(), ""));
        blurred.push_str(if text.is_empty() { &rest[..length] } else { text });
        rest = &rest[length..];
    }
    blurred
}

/// Matches a time with a fraction of a second at the beginning; returns its length and its placeholder.
fn time(text: &str) -> Option<(usize, &'static str)> {
    let to_seconds = fits(text, "0000-00-00T00:00:00.")?;
    let fraction = text[to_seconds..].bytes().take_while(u8::is_ascii_digit).count();
    let end = to_seconds + fraction;
    let zone = ["+00:00", "-00:00", "Z"].into_iter().find_map(|form| fits(&text[end..], form)).unwrap_or(0);
    (fraction > 0).then_some((end + zone, "<time>"))
}

/// Matches an account number of the service at the beginning.
fn number(text: &str) -> Option<(usize, &'static str)> {
    fits(text, "A-XXXXXXXX")
        .filter(|end| !text[*end..].starts_with(|c: char| c.is_alphanumeric()))
        .map(|end| (end, "<number>"))
}

/// Matches a form at the beginning of a text, with `0` for a digit and `X` for a digit or capital; returns
/// its length.
fn fits(text: &str, form: &str) -> Option<usize> {
    let fits = |(byte, form): (u8, u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'X' => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
        other => byte == other,
    };
    (text.len() >= form.len() && text.bytes().zip(form.bytes()).all(fits)).then_some(form.len())
}

#[test]
fn an_ellipsis_is_any_text_or_any_lines() {
    let agree =
        |shown: &str, printed: &str| agrees(&shown.lines().map(str::to_owned).collect::<Vec<_>>(), printed);
    for (shown, printed) in [
        ("a", "a\n"),
        ("a…c", "abbbc"),
        ("…c", "c"),
        ("a…", "a"),
        ("a…b…c", "a-b-b-c"),
        ("a\n…\nd", "a\nb\nc\nd\n"),
        ("a\n…", "a"),
        ("x 2026-11-22T03:03:39.825636+11:00", "x 2030-01-01T00:00:00.1Z"),
        ("{\"n\":\"A-HB9EMPGY\"}", "{\"n\":\"A-7K2M9QXD\"}"),
    ] {
        assert!(agree(shown, printed), "{shown} {printed}");
    }
    for (shown, printed) in [
        ("a", "b"),
        ("a", "a\nb"),
        ("a\nb", "a"),
        ("a…c", "ab"),
        ("a\n…\nd", "a\nb"),
        ("2026-11-22T03:03:39Z", "2026-11-22T03:03:38Z"),
        ("A-1234567", "A-7654321"),
    ] {
        assert!(!agree(shown, printed), "{shown} {printed}");
    }
}
