use std::sync::atomic::{AtomicUsize, Ordering};

/// How many accounts a worker writes in one commit. It halves when a commit took too long and grows by one after a
/// turn in which none did, so that a worker comes to the number that fits, whatever makes the database slow.
pub(super) struct Pace {
    limit: AtomicUsize,
    most: usize,
}

impl Pace {
    pub(super) fn new(most: usize) -> Self {
        Self { limit: AtomicUsize::new(most), most }
    }

    /// The number of accounts that the next commit may hold.
    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// A commit of so many accounts took too long.
    pub(super) fn slow_down(&self, accounts: usize) {
        self.limit.store((accounts / 2).max(1), Ordering::Relaxed);
    }

    /// No commit of a turn took too long.
    pub(super) fn speed_up(&self) {
        self.limit.store((self.limit() + 1).min(self.most), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_halves_and_grows_by_one() {
        let pace = Pace::new(16);
        pace.speed_up();
        assert_eq!(pace.limit(), 16);
        let halved = [16, 8, 4, 2, 1, 1].map(|accounts| {
            pace.slow_down(accounts);
            pace.limit()
        });
        assert_eq!(halved, [8, 4, 2, 1, 1, 1]);
        pace.speed_up();
        assert_eq!(pace.limit(), 2);
    }
}
