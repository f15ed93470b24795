use std::collections::HashMap;
use std::hash::Hash;

/// A map that usually has few keys. These are compared one by one, without allocation; further keys are
/// hashed, so that the cost stays linear for ten thousand hostile keys.
#[derive(Debug)]
pub(crate) struct SmallMap<K, V> {
    few: [Option<(K, V)>; FEW],
    len: usize,
    many: Option<HashMap<K, V>>,
}

const FEW: usize = 16;

impl<K: Copy + Eq + Hash, V: Copy> SmallMap<K, V> {
    /// An empty map.
    pub(crate) fn new() -> Self {
        Self { few: [None; FEW], len: 0, many: None }
    }

    /// Returns the value of the key, after inserting `new` if there is none.
    #[inline]
    pub(crate) fn slot(&mut self, key: K, new: V) -> &mut V {
        let place = self.few[..self.len].iter().position(|entry| matches!(entry, Some((k, _)) if *k == key));
        let place = match place {
            Some(place) => place,
            None if self.len == FEW => {
                return self.many.get_or_insert_default().entry(key).or_insert(new);
            }
            None => {
                self.len += 1;
                self.len - 1
            }
        };
        &mut self.few[place].get_or_insert((key, new)).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_keys_keep_their_values() {
        let mut map = SmallMap::new();
        for key in 0..40 {
            assert_eq!(*map.slot(key, None), None);
            *map.slot(key, None) = Some(key * 2);
        }
        for key in 0..40 {
            assert_eq!(*map.slot(key, None), Some(key * 2));
        }
    }
}
