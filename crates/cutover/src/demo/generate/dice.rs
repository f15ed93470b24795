/// A seeded source of choices: the same seed makes the same accounts.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        // An xorshift generator must not begin at 0.
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number from `least` to `most`, both included.
    pub(super) fn number(&mut self, least: i64, most: i64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        least + ((self.0 >> 16) % (most - least + 1) as u64) as i64
    }

    /// One of a list that is not empty.
    pub(super) fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.number(0, all.len() as i64 - 1) as usize]
    }

    /// True in so many cases of a hundred.
    pub(super) fn percent(&mut self, chance: i64) -> bool {
        self.number(1, 100) <= chance
    }

    /// So many decimal digits.
    pub(super) fn digits(&mut self, count: usize) -> String {
        (0..count).map(|_| char::from(b'0' + self.number(0, 9) as u8)).collect()
    }
}
