use super::{Timestamp, WaitsFor};
use cutover_core::{ServiceAccountNumber, State};
use serde::Serialize;

answers! {
    /// The result of a search for accounts (contract D12).
    AccountsFoundShown (Debug, Eq, Serialize) {
        /// The accounts, by supplier and number; at most 100 accepted and as many refused ones of each supplier.
        accounts: Vec<AccountFoundShown>;
        /// A sentence for people that says why there may be more; `null` if these are all.
        more: Option<String>;
    }

    /// An account that a search found (contract D12).
    AccountFoundShown (Debug, Eq, Serialize) {
        /// The code of its supplier.
        supplier: String;
        /// The account's number at its previous supplier.
        external_account_number: String;
        /// A status word of contract 3; `null` if its last create was refused, and it was not accepted since.
        status: Option<State>;
        /// The account's number here, once it is imported.
        service_identifier: Option<ServiceAccountNumber>;
        /// When it last took a step or was refused, with the offset of the supplier's zone.
        modified_at: Timestamp;
        /// What it waits for, if it is `PENDING`.
        waits_for: Option<WaitsFor>;
        /// The codes of its errors, sorted, each once.
        error_codes: Vec<String>;
        /// A sentence that says where it stands, without a full stop; its wording may change.
        sentence: String;
        /// What it was found by: `number`, `service_number`, `name`, `email`, `phone`, `address`, `meter_point`, `meter_serial` or
        /// `business`. Later versions may add words.
        found_by: Vec<&'static str>;
    }
}
