use super::{Operations, OperatorError};
use crate::App;
use crate::account::StatusCount;
use crate::port::{StoreError, Supplier, read_committed};
use cutover_process::State;

/// Accounts of a supplier that are not imported and may still be: a migration that is completed leaves them behind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Number of accounts that wait or are being imported.
    pub waiting: u64,
    /// Number of accounts that failed.
    pub failed: u64,
}

impl Unfinished {
    /// Returns true if there are none.
    pub fn is_none(&self) -> bool {
        self.waiting + self.failed == 0
    }

    /// Returns a sentence about them, without a full stop.
    pub fn sentence(&self) -> String {
        let counted = |count, one: &str, many: &str| match count {
            1 => format!("1 account {one}"),
            count => format!("{count} accounts {many}"),
        };
        let waiting = counted(self.waiting, "waits or is being imported", "wait or are being imported");
        let failed = counted(self.failed, "has failed", "have failed");
        match (self.waiting, self.failed) {
            (_, 0) => waiting,
            (0, _) => failed,
            _ => format!("{waiting}, and {failed}"),
        }
    }
}

impl App {
    /// Counts the accounts of a supplier that are not imported and may still be, from kept figures.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn unfinished_accounts(&self, supplier: &Supplier) -> Result<Unfinished, StoreError> {
        let counts = read_committed(&*self.store, |tx| tx.state_counts(supplier.id))?;
        let mut open = Unfinished::default();
        for count in StatusCount::of(&counts) {
            match count.status {
                State::Pending | State::InProgress => open.waiting += count.accounts,
                State::Errored | State::DryRunErrored => open.failed += count.accounts,
                State::Processed | State::DryRunSucceeded | State::Cancelled => {}
            }
        }
        Ok(open)
    }
}

impl Operations<'_> {
    /// Returns an error if a supplier has accounts that are not imported and may still be.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier; [`OperatorError::Refused`] if it has some.
    pub fn check_finished(&self, code: &str) -> Result<(), OperatorError> {
        let open = self.app.unfinished_accounts(&self.show_supplier(code)?)?;
        match open.is_none() {
            true => Ok(()),
            false => {
                Err(OperatorError::Refused(format!("{}: with --yes they are left behind", open.sentence())))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_counted_in_words() {
        let said = |waiting, failed| Unfinished { waiting, failed }.sentence();
        assert_eq!(said(1, 0), "1 account waits or is being imported");
        assert_eq!(said(0, 2), "2 accounts have failed");
        assert_eq!(said(3, 1), "3 accounts wait or are being imported, and 1 account has failed");
        assert!(Unfinished::default().is_none());
    }
}
