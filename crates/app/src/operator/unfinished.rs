use super::{Operations, OperatorError};
use crate::App;
use crate::account::{NumberDifference, StatusCount, number_examples};
use crate::port::{StoreError, Supplier, read};
use cutover_process::State;

/// Accounts of a supplier that are not imported and may still be: a migration that is completed leaves them behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Number of accounts that wait or are being imported.
    pub waiting: u64,
    /// Number of accounts that failed.
    pub failed: u64,
    /// Number of accounts that were refused and not accepted since.
    pub refused: u64,
    /// Number of accounts that the supplier has declared and not sent.
    pub missing: u64,
    /// The first three of these, if the supplier has declared account numbers.
    pub examples: Vec<String>,
}

/// Maximum number of accounts that are named.
const EXAMPLES: usize = 3;

impl Unfinished {
    /// Returns true if there are none.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Returns a sentence about them, without a full stop.
    pub fn sentence(&self) -> String {
        let parts = [
            (self.waiting, "waits or is being imported", "wait or are being imported"),
            (self.failed, "has failed", "have failed"),
            (self.refused, "was refused and not accepted since", "were refused and not accepted since"),
            (self.missing, "of the manifest was not sent", "of the manifest were not sent"),
        ];
        let said = parts.into_iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| match count {
            1 => format!("1 account {one}"),
            count => format!("{count} accounts {many}"),
        });
        let mut said: Vec<String> = said.collect();
        if let Some(last) = said.last_mut().filter(|_| self.missing > 0 && !self.examples.is_empty()) {
            let more = if self.missing > self.examples.len() as u64 { ", …" } else { "" };
            *last = format!("{last} ({}{more})", self.examples.join(", "));
        }
        match said.pop() {
            Some(last) if said.is_empty() => last,
            Some(last) => format!("{}, and {last}", said.join(", ")),
            None => "no account is left".to_owned(),
        }
    }
}

impl App {
    /// Counts the accounts of a supplier that are not imported and may still be, from kept figures.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn unfinished_accounts(&self, supplier: &Supplier) -> Result<Unfinished, StoreError> {
        self.settle_refused(supplier.id);
        // One snapshot, so that the counts agree.
        let (counts, refused, figures, examples) = read(&*self.store, |tx| {
            let refused = tx.refused_figures(supplier.id, 0)?;
            let examples = number_examples(tx, supplier.id, NumberDifference::Missing, EXAMPLES)?;
            let figures = tx.reconciliation(supplier.id)?;
            Ok::<_, StoreError>((tx.state_counts(supplier.id)?, refused, figures, examples))
        })?;
        let declared = figures.manifest.map_or(0, |manifest| manifest.declared.accounts);
        // A refused account that was accepted before is counted twice here, but then some are refused anyway.
        let missing = declared.saturating_sub(figures.sent.accounts + refused.accounts);
        // As many may have been sent as were declared, and others.
        let missing = missing.max(examples.len() as u64);
        let mut open = Unfinished { refused: refused.accounts, missing, examples, ..Unfinished::default() };
        for count in StatusCount::of(&counts) {
            match count.status {
                State::Pending | State::InProgress => open.waiting += count.accounts,
                State::Errored => open.failed += count.accounts,
                // One that was only rehearsed is missing if it is declared.
                State::DryRunErrored | State::DryRunSucceeded => {}
                State::Processed | State::Cancelled => {}
            }
        }
        Ok(open)
    }
}

impl Operations<'_> {
    /// Returns an error if a supplier has accounts that are not imported and may still be, or has declared more than it
    /// has sent.
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
        let said = |[waiting, failed, refused, missing]: [u64; 4]| {
            Unfinished { waiting, failed, refused, missing, examples: Vec::new() }.sentence()
        };
        assert_eq!(said([1, 0, 0, 0]), "1 account waits or is being imported");
        assert_eq!(said([0, 2, 0, 0]), "2 accounts have failed");
        assert_eq!(said([3, 1, 0, 0]), "3 accounts wait or are being imported, and 1 account has failed");
        assert_eq!(
            said([0, 1, 50, 20]),
            "1 account has failed, 50 accounts were refused and not accepted since, and 20 accounts of the \
             manifest were not sent"
        );
        let examples = vec!["A-1".to_owned(), "A-2".to_owned()];
        let named = |missing| Unfinished { missing, examples: examples.clone(), ..Unfinished::default() };
        assert_eq!(named(2).sentence(), "2 accounts of the manifest were not sent (A-1, A-2)");
        assert_eq!(named(9).sentence(), "9 accounts of the manifest were not sent (A-1, A-2, …)");
        assert!(Unfinished::default().is_none());
    }
}
