//! The rule catalogue of the service: pure functions from a payload and facts to issues.
//!
//! [`RULES`] is the only list of rules, in the order of the catalogue. It drives the checks, the levels that
//! an operator can set, and the reference. It includes the field checks, which run in the decoder. No rule
//! knows the clock or the store: its inputs are in [`Facts`].

mod at;
mod catalogue;
mod check;
mod checker;
mod country;
mod country_rules;
mod facts;
mod form;
mod lookups;
mod place;
mod prelude;
mod profile;
pub mod reference;
mod report;
mod rule;
pub mod service;
#[cfg(test)]
mod testing;
mod view;
mod walk;

mod account;
mod address;
mod agreement;
mod business;
mod customer;
mod document;
mod event;
mod great_britain;
mod instruction;
mod ledger;
mod levels;
mod meter;
mod meter_point;
mod note;
mod quality;
mod reading;
mod schedule;
mod statement;
mod structure;
mod tariff;
mod transaction;
mod window;

pub use catalogue::{RULES, rule, rules_with};
pub use check::{
    check_account, check_account_from, check_account_search, check_business,
    check_business_payment_instruction, check_historical_statements, check_manifest, check_manifest_numbers,
    check_notes, check_payment_instruction, check_run, check_transactions,
};
pub use country::Country;
pub use facts::{DocumentState, Facts, MeterPointHolder, MeterPointKey, UniqueDetail, WantedDocument};
pub use form::is_stored_path;
pub use levels::LevelSource;
pub use lookups::{
    contract_to_look_up, details_to_look_up, documents_of_account, documents_of_notes,
    documents_of_statements, level_of_erased, looks_up_similar_numbers, meter_points_to_look_up,
    vendors_to_look_up,
};
pub use place::rules_about;
pub use profile::{
    ChangedLevel, InvalidProfile, Profile, ProfileName, RuleValue, UndocumentedMembers, set_values,
};
pub use quality::is_in_wrong_encoding;
pub use report::{Report, Verdict, listed};
pub use rule::{Needs, Rule};
