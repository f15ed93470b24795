use std::collections::HashSet;
use std::hash::Hash;

/// The values seen so far, for rules about duplicates.
///
/// A few values are compared one by one, without allocation; more are hashed, so that the cost stays linear
/// for ten thousand hostile ones.
#[derive(Debug)]
pub(crate) struct Seen<K> {
    few: [Option<K>; FEW],
    len: usize,
    many: HashSet<K>,
}

const FEW: usize = 16;

impl<K: Copy + Eq + Hash> Seen<K> {
    /// Creates an empty set.
    pub(crate) fn new() -> Self {
        Self { few: [None; FEW], len: 0, many: HashSet::new() }
    }

    /// Returns true if the value was seen before, and remembers it.
    #[inline]
    pub(crate) fn before(&mut self, value: K) -> bool {
        if self.len < FEW {
            let before = self.few[..self.len].contains(&Some(value));
            self.few[self.len] = Some(value);
            self.len += 1;
            return before;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().flatten());
        }
        !self.many.insert(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_long_lists_agree() {
        let mut seen = Seen::new();
        for i in 0..40 {
            assert!(!seen.before(i), "{i} is new");
            assert!(seen.before(i), "{i} was met");
            assert!(seen.before(0));
        }
    }
}
