//! What accounts of the inputs have in common and seldom should: numbers that look alike, and a date of birth that many
//! share. Accounts are compared in the order of the inputs, each once.

mod births;
mod numbers;

pub(crate) use births::SharedBirth;

use crate::identity::Identity;
use crate::input::Location;
use births::{AccountBirths, Births};
use cutover_model::{AccountRequest, Decoded};
use numbers::{NumberKeys, Numbers};

/// What is compared of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    number: Option<NumberKeys>,
    births: AccountBirths,
}

impl Compared {
    pub(crate) fn of(identity: Option<&Identity>, decoded: &Decoded<AccountRequest<'_>>) -> Self {
        let account = decoded.draft.as_ref().and_then(|request| request.account.usable());
        let births = account.map(AccountBirths::of).unwrap_or_default();
        Self { number: identity.and_then(NumberKeys::of), births }
    }
}

/// Compares the accounts of a run.
#[derive(Debug, Default)]
pub(crate) struct Across {
    numbers: Numbers,
    births: Births,
}

impl Across {
    /// Takes the next account, which must not be a copy of an earlier one. Returns the first account whose number looks
    /// like its own.
    pub(crate) fn see(
        &mut self,
        compared: &Compared,
        identity: Option<&Identity>,
        location: Location,
    ) -> Option<Location> {
        self.births.see(&compared.births, identity, location);
        self.numbers.see(compared.number?, location)
    }

    /// Dates of birth that many accounts share.
    pub(crate) fn shared_births(&self) -> Vec<SharedBirth> {
        self.births.shared()
    }

    /// Number of accounts with which later ones were not compared, because too many came before them.
    pub(crate) fn not_compared(&self) -> u64 {
        self.numbers.not_kept
    }
}
