//! Splits chunks into lines.

use std::mem::take;

/// Splits chunks into lines. A line that is too long is skipped and reported.
#[derive(Debug)]
pub(super) struct Lines {
    /// The beginning of an unfinished line.
    begun: Vec<u8>,
    limit: usize,
    /// The unread rest of the current chunk.
    chunk: Vec<u8>,
    at: usize,
    /// True if the unfinished line already is too long.
    is_long: bool,
    number: u64,
}

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// From 1; blank lines count.
    pub(super) number: u64,
    /// `None` if it is longer than the limit.
    pub(super) text: Option<Vec<u8>>,
}

impl Lines {
    /// Creates a splitter for lines of at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { begun: Vec::new(), limit, chunk: Vec::new(), at: 0, is_long: false, number: 0 }
    }

    /// Returns the number of the unfinished line.
    pub(super) fn number(&self) -> u64 {
        self.number + 1
    }

    /// Returns the number of bytes held.
    pub(super) fn held(&self) -> usize {
        self.begun.capacity() + self.chunk.capacity()
    }

    /// Adds the next chunk; the one before must be used up.
    pub(super) fn push(&mut self, chunk: Vec<u8>) {
        debug_assert!(self.at == self.chunk.len(), "a chunk is cut up before the next");
        (self.chunk, self.at) = (chunk, 0);
    }

    /// Returns the next complete line.
    pub(super) fn next(&mut self) -> Option<Cut> {
        loop {
            let rest = &self.chunk[self.at..];
            let Some(length) = memchr::memchr(b'\n', rest) else {
                self.keep(self.chunk.len());
                return None;
            };
            self.keep(self.at + length);
            self.at += 1;
            if let Some(cut) = self.cut() {
                return Some(cut);
            }
        }
    }

    /// Returns the last line, which needs no line feed, at the end of the input.
    pub(super) fn last(&mut self) -> Option<Cut> {
        self.cut()
    }

    /// Keeps the bytes of the chunk up to `end` for the unfinished line.
    fn keep(&mut self, end: usize) {
        let part = &self.chunk[self.at..end];
        self.is_long |= self.begun.len() + part.len() > self.limit;
        if self.is_long {
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(part);
        }
        self.at = end;
    }

    /// Ends the unfinished line; `None` if it is blank.
    fn cut(&mut self) -> Option<Cut> {
        self.number += 1;
        let (text, is_long) = (take(&mut self.begun), take(&mut self.is_long));
        let is_blank = text.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        match is_long {
            true => Some(Cut { number: self.number, text: None }),
            false if is_blank => None,
            false => Some(Cut { number: self.number, text: Some(text) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(chunks: &[&[u8]], limit: usize) -> Vec<(u64, Option<String>)> {
        let mut lines = Lines::new(limit);
        let mut cuts = Vec::new();
        for chunk in chunks {
            lines.push(chunk.to_vec());
            cuts.extend(std::iter::from_fn(|| lines.next()));
        }
        cuts.extend(lines.last());
        let text = |cut: Cut| (cut.number, cut.text.map(|text| String::from_utf8(text).unwrap()));
        cuts.into_iter().map(text).collect()
    }

    #[test]
    fn blank_lines_are_counted_and_passed_over() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            cut(&[b"a\n\n \t\r\nb\r\n", b"\n", b"c"], 9),
            [(1, some("a")), (4, some("b\r")), (6, some("c"))]
        );
        assert_eq!(cut(&[b""], 9), []);
        assert_eq!(cut(&[b"\n\n"], 9), []);
    }

    #[test]
    fn long_lines_are_reported_and_skipped() {
        let some = |text: &str| Some(text.to_owned());
        let expected = [(1, some("abc")), (2, None), (3, some("d")), (4, None)];
        for size in 1..=18 {
            let chunks: Vec<&[u8]> = b"abc\nabcd\nd\nabcdefg".chunks(size).collect();
            assert_eq!(cut(&chunks, 3), expected, "{size}");
        }
    }

    proptest! {
        #[test]
        fn chunk_boundaries_do_not_matter(
            text in "[ab\n]{0,40}",
            ends in prop::collection::vec(0_usize..41, 0..6),
        ) {
            let mut ends: Vec<usize> = ends.into_iter().map(|end| end.min(text.len())).collect();
            ends.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for end in ends.into_iter().chain([text.len()]) {
                chunks.push(&text.as_bytes()[from..end]);
                from = end;
            }
            prop_assert_eq!(cut(&chunks, 5), cut(&[text.as_bytes()], 5));
        }
    }
}
