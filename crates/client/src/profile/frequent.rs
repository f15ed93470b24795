use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Number of values that are counted at the same time.
const COUNTERS: usize = 256;

/// Finds the most frequent values in bounded memory, by the algorithm of Misra and Gries: a value that finds no counter
/// takes one from each. So each counter is too small by `taken` at most, and a value without one came so often at most.
#[derive(Debug)]
pub(super) struct Frequent {
    counters: HashMap<u64, Counter>,
    max_counters: usize,
    taken: u64,
}

#[derive(Debug)]
struct Counter {
    text: Box<str>,
    count: u64,
}

/// A frequent value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Often<'f> {
    /// The beginning of its text.
    pub(super) text: &'f str,
    pub(super) at_least: u64,
    pub(super) at_most: u64,
}

impl Default for Frequent {
    fn default() -> Self {
        Self::with_counters(COUNTERS)
    }
}

impl Frequent {
    fn with_counters(max_counters: usize) -> Self {
        Self { counters: HashMap::new(), max_counters, taken: 0 }
    }

    /// Takes a value: its hash and its beginning.
    pub(super) fn see(&mut self, hash: u64, text: &str) {
        let has_room = self.counters.len() < self.max_counters;
        match self.counters.entry(hash) {
            Entry::Occupied(mut known) => known.get_mut().count += 1,
            Entry::Vacant(vacant) if has_room => {
                vacant.insert(Counter { text: text.into(), count: 1 });
            }
            Entry::Vacant(_) => {
                self.taken += 1;
                self.counters.retain(|_, counter| {
                    counter.count -= 1;
                    counter.count > 0
                });
            }
        }
    }

    /// The most frequent values, at most `max`, and how often any other one came at most. A value is left out if its
    /// counter says too little: if it may be less than half of what it came.
    pub(super) fn most(&self, max: usize) -> (Vec<Often<'_>>, u64) {
        let mut all: Vec<&Counter> = self.counters.values().collect();
        all.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.text.cmp(&other.text)));
        let known = all.iter().take(max).take_while(|counter| counter.count > self.taken).count();
        let others = all.get(known).map_or(0, |counter| counter.count) + self.taken;
        let often = all[..known].iter().map(|counter| Often {
            text: &counter.text,
            at_least: counter.count,
            at_most: counter.count + self.taken,
        });
        (often.collect(), others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts texts of one letter.
    fn count(max_counters: usize, texts: &str) -> Frequent {
        let mut frequent = Frequent::with_counters(max_counters);
        texts.char_indices().for_each(|(at, c)| frequent.see(c.into(), &texts[at..=at]));
        frequent
    }

    fn often(text: &str, at_least: u64, at_most: u64) -> Often<'_> {
        Often { text, at_least, at_most }
    }

    #[test]
    fn few_values_are_counted_exactly() {
        let frequent = count(3, "abacab");
        assert_eq!(frequent.most(2), (vec![often("a", 3, 3), often("b", 2, 2)], 1));
        assert_eq!(frequent.most(9).1, 0);
    }

    #[test]
    fn of_many_values_the_frequent_ones_are_found_wherever_they_come() {
        let frequent = count(2, "bcdeafaagahaiajaaa");
        let (most, others) = frequent.most(9);
        assert_eq!(most.len(), 1);
        let Often { text, at_least, at_most } = most[0];
        assert!(text == "a" && at_least <= 9 && 9 <= at_most, "{most:?}");
        assert!(others < at_most);
    }

    #[test]
    fn values_that_come_once_are_not_frequent() {
        let frequent = count(2, "abcdefghijkl");
        let (most, others) = frequent.most(9);
        assert_eq!(most, []);
        assert!(others >= 1);
    }
}
