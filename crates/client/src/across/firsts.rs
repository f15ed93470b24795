use crate::input::Location;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The first account of each key. A key costs 20 to 40 bytes.
#[derive(Debug)]
pub(crate) struct Firsts {
    first: HashMap<u64, Location>,
    max_keys: usize,
}

/// An account with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is the first one.
    First,
    /// This earlier account has the key too.
    Earlier(Location),
    /// It is the first one, and there is no room for it: later accounts are not compared with it.
    NoRoom,
}

impl Firsts {
    pub(crate) fn with_room_for(max_keys: usize) -> Self {
        Self { first: HashMap::new(), max_keys }
    }

    /// Takes a key of the next account.
    pub(crate) fn see(&mut self, key: u64, location: Location) -> Seen {
        let has_room = self.first.len() < self.max_keys;
        match self.first.entry(key) {
            Entry::Occupied(known) => Seen::Earlier(*known.get()),
            Entry::Vacant(vacant) if has_room => {
                vacant.insert(location);
                Seen::First
            }
            Entry::Vacant(_) => Seen::NoRoom,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_room_keys_are_compared_with_earlier_ones_only() {
        let mut firsts = Firsts::with_room_for(2);
        let at = |line| Location { source: 0, line };
        let seen: Vec<Seen> =
            (1..).zip([7, 8, 9, 9, 7]).map(|(line, key)| firsts.see(key, at(line))).collect();
        assert_eq!(seen, [Seen::First, Seen::First, Seen::NoRoom, Seen::NoRoom, Seen::Earlier(at(1))]);
        assert_eq!(firsts.first.len(), 2);
    }
}
