//! Identifier forms (rules 10) and small helpers that several rules share.

mod bsb;
mod company_number;
mod document_path;
mod email;
mod field;
mod folded;
mod luhn;
mod phone;
mod seen;
mod small_map;
mod supply_point;

pub(crate) use bsb::is_bsb;
pub(crate) use company_number::CompanyNumber;
pub use document_path::is_stored_path;
pub(crate) use document_path::{is_document_path, stored_path};
pub(crate) use email::is_email;
pub(crate) use field::{dates_reversed, datetimes_reversed, is_absent_or_empty};
pub(crate) use folded::Folded;
pub(crate) use luhn::holds_card_number;
pub(crate) use phone::{MOST_PHONE_DIGITS, Phone, phone_digits};
pub(crate) use seen::Seen;
pub(crate) use small_map::SmallMap;
pub(crate) use supply_point::SupplyPointId;
