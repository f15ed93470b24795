//! Rules about values that are well-formed and yet cannot be right: what exports and spreadsheets make of missing or
//! foreign values. All of them are warnings.

mod encoding;
mod filler_date;
mod invisible;
mod placeholder;
mod state;
mod texts;

pub use encoding::is_in_wrong_encoding;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] =
    &[placeholder::QUA_01, encoding::QUA_02, state::QUA_03, filler_date::QUA_04, invisible::QUA_05];
