/// Longest text that is compared, in characters: no known word is longer by far.
const LONGEST: usize = 64;

/// Returns the word that the text was probably meant to be: the one with the fewest letters to change, insert,
/// remove or swap, if they are at most a third of the longer one's. Case does not count, and a blank, `-` and `_` are
/// equal. Of words that are equally near the first one is returned.
///
/// The time is bounded by the number of words: long texts are not compared.
pub fn nearest(text: &str, words: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    let text = Folded::of(text.trim())?;
    let mut best = None;
    let mut most = LONGEST;
    for word in words {
        let Some(other) = Folded::of(word) else { continue };
        let limit = most.min(text.length.max(other.length) / 3);
        if let Some(distance) = text.distance(&other, limit) {
            if distance == 0 {
                return Some(word);
            }
            best = Some(word);
            // Of equally near words the first one is kept.
            most = distance - 1;
        }
    }
    best
}

/// A text in lower case on the stack, and the set of its letters.
struct Folded {
    chars: [char; LONGEST],
    length: usize,
    letters: u64,
}

impl Folded {
    fn of(text: &str) -> Option<Self> {
        let mut folded = Self { chars: ['\0'; LONGEST], length: 0, letters: 0 };
        for char in text.chars() {
            let char = match char {
                '-' | ' ' => '_',
                char => char.to_ascii_lowercase(),
            };
            *folded.chars.get_mut(folded.length)? = char;
            folded.letters |= 1 << (u32::from(char) % 64);
            folded.length += 1;
        }
        (folded.length > 0).then_some(folded)
    }

    /// Number of changes between two texts, if it is at most `limit`.
    fn distance(&self, other: &Self, limit: usize) -> Option<usize> {
        // Each change adds or removes at most two letters.
        let letters = (self.letters ^ other.letters).count_ones() as usize;
        if self.length.abs_diff(other.length) > limit || letters > 2 * limit {
            return None;
        }
        let (a, b) = (&self.chars[..self.length], &other.chars[..other.length]);
        let mut rows = [[0; LONGEST + 1]; 3];
        for (column, cell) in rows[1].iter_mut().enumerate() {
            *cell = column;
        }
        for i in 1..=a.len() {
            let [before, last, next] = &mut rows;
            next[0] = i;
            for j in 1..=b.len() {
                let changed = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                next[j] = changed.min(last[j] + 1).min(next[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    next[j] = next[j].min(before[j - 2] + 1);
                }
            }
            rows.rotate_left(1);
        }
        let distance = rows[1][b.len()];
        (distance <= limit).then_some(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const WORDS: [&str; 6] = ["ELECTRICITY", "EMBEDDED_GAS", "GAS", "VIC", "Mr", "Mrs"];

    #[test]
    fn the_nearest_word_is_returned_if_it_is_near() {
        for (text, word) in [
            ("electricity", "ELECTRICITY"),
            ("ELECTRICTIY", "ELECTRICITY"),
            ("ELECTRIC", "ELECTRICITY"),
            (" embedded gas ", "EMBEDDED_GAS"),
            ("Embedded-Gaz", "EMBEDDED_GAS"),
            ("VIK", "VIC"),
            ("mr", "Mr"),
            ("Mr.", "Mr"),
            ("MRS", "Mrs"),
        ] {
            assert_eq!(nearest(text, WORDS), Some(word), "{text}");
        }
    }

    #[test]
    fn nothing_is_returned_for_other_texts() {
        for text in ["", "  ", "X", "WATER", "Victoria", "電気", &"ELECTRICITY".repeat(6)] {
            assert_eq!(nearest(text, WORDS), None, "{text}");
        }
    }
}
