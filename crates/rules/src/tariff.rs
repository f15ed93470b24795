//! The tariffs that a supplier has.

use chrono::NaiveDate;
use cutover_model::TariffCode;

/// The end of a tariff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// There is no such tariff.
    NoTariff,
    /// It has none.
    Open,
    /// Its last day.
    On(NaiveDate),
}

/// Returns the end of the tariff with this code, in a list that is sorted by code.
pub(crate) fn end_of(tariffs: &[TariffCode], code: &str) -> End {
    match tariffs.binary_search_by(|tariff| tariff.code.as_str().cmp(code)) {
        Ok(found) => tariffs[found].ends_on.map_or(End::Open, End::On),
        Err(_) => End::NoTariff,
    }
}
