//! Compares the accounts of the inputs with each other: numbers that look alike, values that only one account should
//! have, and dates of birth that many accounts share. Accounts are compared in the order of the inputs, each once.

mod births;
mod firsts;
mod numbers;
mod shared;

pub(crate) use births::SharedBirth;
pub(crate) use firsts::{Firsts, Seen};

use crate::identity::Identity;
use crate::input::Location;
use births::{AccountBirths, Births};
use cutover_core::Code;
use cutover_model::{AccountRequest, Decoded};
use numbers::{NumberKeys, Numbers};
use shared::{OwnValue, SharedValues};
use std::borrow::Cow;

/// What is compared of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    number: Option<NumberKeys>,
    births: AccountBirths,
    values: Vec<OwnValue>,
}

impl Compared {
    pub(crate) fn of(identity: Option<&Identity>, decoded: &Decoded<AccountRequest<'_>>) -> Self {
        let account = decoded.draft.as_ref().and_then(|request| request.account.usable());
        let births = account.map(AccountBirths::of).unwrap_or_default();
        let supplier = identity.and_then(|identity| identity.supplier.as_deref()).unwrap_or_default();
        let values = account.map(|account| OwnValue::all(supplier, account)).unwrap_or_default();
        Self { number: identity.and_then(NumberKeys::of), births, values }
    }
}

/// Something that an account has in common with an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InCommon {
    /// The code of the warning.
    pub(crate) code: Code,
    /// The path of the value in the account.
    pub(crate) attr: Cow<'static, str>,
    /// The earlier account.
    pub(crate) earlier: Location,
}

/// Compares the accounts of a run.
#[derive(Debug, Default)]
pub(crate) struct Across {
    numbers: Numbers,
    births: Births,
    values: SharedValues,
    not_compared: u64,
}

impl Across {
    /// Takes the next account, which must not be a copy of an earlier one. Returns what it has in common with earlier
    /// accounts.
    pub(crate) fn see(
        &mut self,
        compared: &Compared,
        identity: Option<&Identity>,
        location: Location,
    ) -> Vec<InCommon> {
        self.births.see(&compared.births, identity, location);
        let number = compared.number.map(|number| self.numbers.see(number, location));
        let (similar, number_is_kept) = number.unwrap_or((None, true));
        let (shared, values_are_kept) = self.values.see(&compared.values, location);
        self.not_compared += u64::from(!number_is_kept || !values_are_kept);
        let similar = similar.map(|earlier| InCommon {
            code: Code::SimilarNumberInInput,
            attr: "external_account_number".into(),
            earlier,
        });
        let shared = shared.into_iter().map(|(value, earlier)| InCommon {
            code: value.code(),
            attr: value.attr().into(),
            earlier,
        });
        similar.into_iter().chain(shared).collect()
    }

    /// Dates of birth that many accounts share.
    pub(crate) fn shared_births(&self) -> Vec<SharedBirth> {
        self.births.shared()
    }

    /// Number of accounts with which later ones were not compared, or not with all of their values, because too many came
    /// before them.
    pub(crate) fn not_compared(&self) -> u64 {
        self.not_compared
    }
}
