use std::sync::atomic::{AtomicUsize, Ordering};

/// Adaptive limit on the accounts per commit: halves after a commit that took too long, and grows by one
/// after a round without one.
pub(super) struct Pace {
    limit: AtomicUsize,
    most: usize,
}

impl Pace {
    pub(super) fn new(most: usize) -> Self {
        Self { limit: AtomicUsize::new(most), most }
    }

    /// Maximum number of accounts in the next commit.
    pub(super) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Halves the limit after a commit of this many accounts took too long.
    pub(super) fn slow_down(&self, accounts: usize) {
        self.limit.store((accounts / 2).max(1), Ordering::Relaxed);
    }

    /// Raises the limit after a round in which no commit took too long.
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
