use std::collections::HashSet;

/// Maximum number of different values of all columns that are kept, as hashes. One costs 10 to 20 bytes.
const MAX_ALL: usize = 5_400_000;
/// Maximum number of different values of a column.
const MAX_OF_COLUMN: usize = 1_800_000;

/// Room for the different values of all columns.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
    of_column: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: MAX_ALL, of_column: MAX_OF_COLUMN }
    }
}

/// The different values of a column.
#[derive(Debug, Default)]
pub(super) struct Distinct {
    seen: HashSet<u64>,
    has_more: bool,
}

impl Distinct {
    /// Takes the hash of a value.
    pub(super) fn see(&mut self, hash: u64, room: &mut Room) {
        if self.seen.contains(&hash) {
            return;
        }
        if room.left == 0 || self.seen.len() == room.of_column {
            self.has_more = true;
            return;
        }
        room.left -= 1;
        self.seen.insert(hash);
    }

    /// The number of different values; an error has the number that there are more than.
    pub(super) fn count(&self) -> Result<u64, u64> {
        let count = self.seen.len() as u64;
        if self.has_more { Err(count) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_without_room_are_not_taken_for_known_ones() {
        let mut room = Room { left: 3, of_column: 2 };
        let (mut one, mut other) = (Distinct::default(), Distinct::default());
        [1, 2, 1, 2].into_iter().for_each(|hash| one.see(hash, &mut room));
        assert_eq!(one.count(), Ok(2));
        one.see(3, &mut room);
        assert_eq!((one.count(), room.left), (Err(2), 1));
        [1, 1, 2].into_iter().for_each(|hash| other.see(hash, &mut room));
        assert_eq!(other.count(), Err(1));
    }
}
