//! Mutations that follow the syntax of JSON and text. Most random changes of bytes are refused by the first
//! parser; most of these reach the code behind it.

use cutover_testkit::payload::Dice;
use std::ops::Range;

/// Values that parsers often handle wrongly.
const WORDS: &[&[u8]] = &[
    b"null",
    b"true",
    b"0",
    b"-0",
    b"-1",
    b"1e400",
    b"1e-400",
    b"0.1",
    b"9999999999.9999999999",
    b"99999999999999999999999999999999999999999",
    b"18446744073709551616",
    b"\"\"",
    b"\" \"",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"\"\\ud83d\\ude00\"",
    b"\"2026-02-29\"",
    b"\"2026-07-01T02:30:00\"",
    b"\"9999-12-31T23:59:60+14:00\"",
    b"\"0001-01-01T00:00:00\"",
    b"\"-0.000\"",
    b"[]",
    b"{}",
    b"[[[[]]]]",
    b"{\"a\":{\"a\":[]}}",
    b"\"a\":1,",
    b",",
    b":",
    b"\\",
    b"\"",
    b"\n",
    b"\r\n",
    b"\0",
    b" ",
    b"..",
    b"/",
    b"%2e",
    b"%2F",
    b"%00",
    b"&",
    b"=",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa9",
    b"e\xcc\x81",
    b"\xf0\x9f\x92\xa1",
    b"\xe2\x80\xae",
];

/// Changes bytes at one to five positions, and truncates to `max` bytes. Parts may be taken from `pool`.
pub fn mutate(bytes: &mut Vec<u8>, pool: &[Vec<u8>], words: &[&str], max: usize, dice: &mut Dice) {
    for _ in 0..=below(dice, 5) {
        change(bytes, pool, words, dice);
    }
    bytes.truncate(max);
}

fn change(bytes: &mut Vec<u8>, pool: &[Vec<u8>], words: &[&str], dice: &mut Dice) {
    let at = below(dice, bytes.len() + 1);
    let range = at..(at + 1 + below(dice, 8)).min(bytes.len()).max(at);
    match below(dice, 14) {
        0 => flip(bytes, at, dice),
        1 => splice(bytes, at..at, &[below(dice, 256) as u8]),
        2 => splice(bytes, range, &[]),
        3 => {
            let part = bytes[range.clone()].to_vec();
            splice(bytes, range.start..range.start, &part.repeat(1 + below(dice, 40)));
        }
        4 => splice(bytes, at..at, word(words, dice)),
        5 | 6 => {
            let token = token(bytes, dice);
            splice(bytes, token, word(words, dice));
        }
        7 => {
            let token = token(bytes, dice);
            splice(bytes, token, &[]);
        }
        8 => {
            let token = token(bytes, dice);
            let copy = bytes[token.clone()].to_vec();
            splice(bytes, token.end..token.end, &[b",", &copy[..]].concat());
        }
        9 => swap(bytes, dice),
        10 => number(bytes, dice),
        11 => bytes.truncate(at),
        _ => replace_token(bytes, pool, dice),
    }
}

fn flip(bytes: &mut [u8], at: usize, dice: &mut Dice) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << below(dice, 8);
    }
}

/// Replaces a token by one of another input.
fn replace_token(bytes: &mut Vec<u8>, pool: &[Vec<u8>], dice: &mut Dice) {
    if pool.is_empty() {
        return;
    }
    let other = &pool[below(dice, pool.len())];
    let (from, to) = (token(other, dice), token(bytes, dice));
    splice(bytes, to, &other[from]);
}

/// Exchanges two tokens.
fn swap(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let (one, other) = (token(bytes, dice), token(bytes, dice));
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end <= second.start {
        let (a, b) = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
        splice(bytes, second, &a);
        splice(bytes, first, &b);
    }
}

/// Changes a digit, which yields other dates, amounts and numbers.
fn number(bytes: &mut [u8], dice: &mut Dice) {
    let start = below(dice, bytes.len() + 1);
    if let Some(digit) = bytes[start..].iter_mut().find(|byte| byte.is_ascii_digit()) {
        *digit = b'0' + below(dice, 10) as u8;
    }
}

fn word<'w>(words: &[&'w str], dice: &mut Dice) -> &'w [u8] {
    let at = below(dice, WORDS.len() + words.len());
    WORDS.get(at).copied().unwrap_or_else(|| words[at - WORDS.len()].as_bytes())
}

fn splice(bytes: &mut Vec<u8>, range: Range<usize>, part: &[u8]) {
    bytes.splice(range, part.iter().copied());
}

/// Range of the first JSON value or word after a random position.
fn token(bytes: &[u8], dice: &mut Dice) -> Range<usize> {
    let from = below(dice, bytes.len() + 1);
    let begins = |byte: &u8| matches!(byte, b'"' | b'{' | b'[') || is_of_word(byte);
    let Some(start) = bytes[from..].iter().position(begins).map(|at| from + at) else { return from..from };
    start..match bytes[start] {
        b'"' => end_of_string(bytes, start),
        b'{' | b'[' => end_of_brackets(bytes, start),
        _ => bytes[start..].iter().position(|byte| !is_of_word(byte)).map_or(bytes.len(), |at| start + at),
    }
}

fn is_of_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'_' | 128..)
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(start + 1) {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    bytes.len()
}

fn end_of_brackets(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0_u32);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn below(dice: &mut Dice, bound: usize) -> usize {
    dice.below(bound as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_completely() {
        let text = br#"{"a":[1,{"b\"]":2}],"c":-1.5}"#;
        let ends = |start: usize| match text[start] {
            b'"' => end_of_string(text, start),
            _ => end_of_brackets(text, start),
        };
        for (start, value) in [(0, &text[..]), (1, b"\"a\""), (5, br#"[1,{"b\"]":2}]"#), (9, br#""b\"]""#)] {
            assert_eq!(&text[start..ends(start)], value);
        }
    }

    #[test]
    fn mutations_are_bounded_and_reproducible() {
        let pool = [b"[1, 2]".to_vec(), Vec::new()];
        let changed = |seed| {
            let mut bytes = br#"{"a": [1, "x"]}"#.to_vec();
            let mut dice = Dice::new(seed);
            (0..50).for_each(|_| mutate(&mut bytes, &pool, &["word"], 40, &mut dice));
            bytes
        };
        for seed in 0..200 {
            assert!(changed(seed).len() <= 40);
            assert_eq!(changed(seed), changed(seed));
        }
        assert_ne!(changed(1), changed(2));
    }
}
