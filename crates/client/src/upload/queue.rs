use super::prepare::Prepared;
use super::sender::{Batch, MAX_BYTES, MAX_LINES};
use std::sync::Arc;

/// The batch that is being filled.
pub(super) struct BatchQueue {
    max_lines: usize,
    batch: Batch,
    bytes: usize,
}

impl BatchQueue {
    pub(super) fn new(one_by_one: bool) -> Self {
        Self { max_lines: if one_by_one { 1 } else { MAX_LINES }, batch: Vec::new(), bytes: 0 }
    }

    /// True if the batch would exceed its size with this account.
    pub(super) fn would_overflow(&self, account: &Prepared) -> bool {
        self.bytes + size(account) > MAX_BYTES
    }

    pub(super) fn push(&mut self, account: Prepared) {
        self.bytes += size(&account);
        self.batch.push(Arc::new(account));
    }

    /// True if the batch has as many lines as it may have.
    pub(super) fn is_full(&self) -> bool {
        self.batch.len() >= self.max_lines
    }

    /// Returns the batch and begins an empty one.
    pub(super) fn take(&mut self) -> Batch {
        self.bytes = 0;
        std::mem::take(&mut self.batch)
    }
}

fn size(account: &Prepared) -> usize {
    account.body.as_ref().map_or(0, |body| body.line().len())
}
