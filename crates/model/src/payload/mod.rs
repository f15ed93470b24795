//! The declarations of the objects of the contract (fields 2 to 6).

#[macro_use]
mod declare;

mod account;
mod account_search;
mod address;
mod business;
mod customer;
mod envelope;
mod history;
mod imported;
mod ledger;
mod manifest;
mod manifest_counts;
mod meter_point;
mod payment;
mod post_import;
mod run;
mod supply;

pub use account::{Account, AccountBusinessLink};
pub use account_search::AccountSearchRequest;
pub use address::{Address, GasAddress, GasHouse, GasStreet, StructuredStreetAddress};
pub use business::{Business, BusinessDetail, BusinessRequest, Contract, ContractVersion};
pub use customer::{Customer, PropertyAdministrator};
pub use envelope::{AccountEnvelope, TaskParams};
pub use history::{AccountEvent, AccountStatement, Note, NoteDocument};
pub use imported::{AccountAdditions, VerifiedBankAccount, VerifiedCard, VerifiedPaymentInstruction};
pub use ledger::{Ledger, LineItem, TaxItem, Transaction};
pub use manifest::{ManifestNumbersRequest, ManifestRequest};
pub use manifest_counts::ManifestCounts;
pub use meter_point::*;
pub use payment::{AccountPaymentInstruction, BankAccount, Card, PaymentSchedule};
pub use post_import::*;
pub use run::RunRequest;
pub use supply::{Agreement, SupplyAddressEntry};

/// The drafts of the objects: every member is absent, usable or faulty (rules 1.2).
pub mod draft {
    pub use super::account::draft::*;
    pub use super::account_search::draft::*;
    pub use super::address::draft::*;
    pub use super::business::draft::*;
    pub use super::customer::draft::*;
    pub use super::envelope::draft::*;
    pub use super::history::draft::*;
    pub use super::imported::draft::*;
    pub use super::ledger::draft::*;
    pub use super::manifest::draft::*;
    pub use super::manifest_counts::draft::*;
    pub use super::meter_point::draft::*;
    pub use super::payment::draft::*;
    pub use super::post_import::draft::*;
    pub use super::run::draft::*;
    pub use super::supply::draft::*;
}

/// The names that declarations of drafts use.
mod prelude {
    pub(in crate::payload) use crate::decode::{Field, List};
}
