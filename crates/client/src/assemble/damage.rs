//! Finds values that spreadsheets and exporters have damaged. Nothing is repaired.

use cutover_core::Code;
use cutover_model::tables::{Column, ColumnType};
use cutover_rules::is_in_wrong_encoding;
use std::collections::HashMap;

/// Why a value is in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum CellFault {
    #[error("it is not written as the mapping's `date`")]
    Date,
    #[error("it is not written as the mapping's `datetime`")]
    DateTime,
    #[error("its marks are not those of the mapping's `decimal_mark` and `thousands_mark`")]
    Decimal,
    #[error("a spreadsheet has made a number with an exponent of it, and may have lost digits")]
    Exponent,
    #[error("it is written as a number with a fraction, and may have lost leading zeros")]
    Fraction,
    #[error("it is the number of a day, as spreadsheets store days")]
    DayNumber,
    #[error("it is a day in the order of a country: the mapping names such an order")]
    DayOrder,
    #[error(
        "it is the error of a formula or a word for no value: `null` of the mapping names words for absent values"
    )]
    ErrorValue,
    #[error("it was read in the wrong encoding before it was written here")]
    WrongEncoding,
    #[error("it has fewer digits than values of the column with leading zeros, and may have lost its own")]
    LostZeros,
}

impl CellFault {
    const ALL: [Self; 10] = [
        Self::Date,
        Self::DateTime,
        Self::Decimal,
        Self::Exponent,
        Self::Fraction,
        Self::DayNumber,
        Self::DayOrder,
        Self::ErrorValue,
        Self::WrongEncoding,
        Self::LostZeros,
    ];

    /// The fault with this number among all, which `as u8` gives.
    pub(super) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The code of the finding about it.
    pub(super) fn code(self) -> Code {
        match self {
            Self::Date | Self::DateTime | Self::Decimal => Code::UnexpectedForm,
            Self::Exponent => Code::ExponentInIdentifier,
            Self::Fraction => Code::FractionInIdentifier,
            Self::DayNumber => Code::DayNumber,
            Self::DayOrder => Code::DayOrder,
            Self::ErrorValue => Code::ErrorValue,
            Self::WrongEncoding => Code::TextInWrongEncoding,
            Self::LostZeros => Code::LostZeros,
        }
    }

    /// What is wrong with a value, by itself.
    pub(super) fn of(text: &str, column: &Column) -> Option<Self> {
        if is_error(text) && column.column_type != ColumnType::Json {
            return Some(Self::ErrorValue);
        }
        match column.column_type {
            ColumnType::Date | ColumnType::DateTime if is_day_number(text) => Some(Self::DayNumber),
            ColumnType::Date | ColumnType::DateTime if is_in_day_order(text) => Some(Self::DayOrder),
            ColumnType::Text if column.is_identifier() && has_exponent(text) => Some(Self::Exponent),
            ColumnType::Text if column.is_identifier() && has_zero_fraction(text) => Some(Self::Fraction),
            ColumnType::Text | ColumnType::Json if is_in_wrong_encoding(text) => Some(Self::WrongEncoding),
            _ => None,
        }
    }
}

/// What spreadsheets show instead of a value, and what programs write for none. `Null` is a name of people.
fn is_error(text: &str) -> bool {
    const WORDS: [&str; 7] = ["NaN", "nan", "NAN", "null", "NULL", "Infinity", "-Infinity"];
    const FORMULAS: [&str; 9] =
        ["#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!"];
    match text.as_bytes() {
        // A column that is too narrow for its values.
        [b'#', rest @ ..] => {
            FORMULAS.contains(&text) || !rest.is_empty() && rest.iter().all(|byte| *byte == b'#')
        }
        _ => WORDS.contains(&text),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `1.2E+12`. A serial number may be `12E3`.
fn has_exponent(text: &str) -> bool {
    let Some((number, exponent)) = text.split_once(['E', 'e']) else { return false };
    let digits = exponent.strip_prefix(['+', '-']);
    let (whole, fraction) = number.split_once(['.', ',']).unwrap_or((number, "0"));
    let is_sure = digits.is_some() || number.len() > whole.len();
    is_sure && is_digits(whole) && is_digits(fraction) && is_digits(digits.unwrap_or(exponent))
}

/// `1234.0`.
fn has_zero_fraction(text: &str) -> bool {
    text.split_once(['.', ',']).is_some_and(|(whole, fraction)| {
        is_digits(whole) && !fraction.is_empty() && fraction.bytes().all(|byte| byte == b'0')
    })
}

/// `45321` or `45321.5`: days from 1927 to 2173.
fn is_day_number(text: &str) -> bool {
    let (day, part) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    day.len() == 5 && is_digits(day) && is_digits(part)
}

/// `3/12/2026`, `03.12.26`, also with a time.
fn is_in_day_order(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let Some(mark) = ['/', '.', '-'].into_iter().find(|mark| day.contains(*mark)) else { return false };
    let mut parts = day.split(mark);
    let mut has_digits =
        |lengths: &[usize]| parts.next().is_some_and(|part| is_digits(part) && lengths.contains(&part.len()));
    has_digits(&[1, 2]) && has_digits(&[1, 2]) && has_digits(&[2, 4]) && parts.next().is_none()
}

/// The lengths of the identifiers with leading zeros, by table and column.
#[derive(Debug, Default)]
pub(super) struct LeadingZeros(HashMap<(usize, usize), usize>);

impl LeadingZeros {
    /// Takes a value of a column.
    pub(super) fn see(&mut self, place: (usize, usize), column: &Column, text: &str) {
        if text.len() > 1 && text.starts_with('0') && column.is_identifier() && is_digits(text) {
            let shortest = self.0.entry(place).or_insert(text.len());
            *shortest = text.len().min(*shortest);
        }
    }

    /// True if a value is a shorter number than all of its column that begin with zeros.
    pub(super) fn are_lost(&self, place: (usize, usize), text: &str) -> bool {
        self.0.get(&place).is_some_and(|shortest| text.len() < *shortest && is_digits(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::tables::Tables;

    fn of(table: &str, column: &str, texts: &[&str]) -> Vec<Option<CellFault>> {
        let tables = Tables::payload();
        let (_, table) = tables.find(table).unwrap();
        let column = &table.columns[table.column(column).unwrap()];
        texts.iter().map(|text| CellFault::of(text, column)).collect()
    }

    #[test]
    fn faults_come_back_from_their_numbers() {
        for fault in CellFault::ALL {
            assert_eq!(CellFault::of_number(fault as u8), Some(fault));
        }
        assert_eq!(CellFault::of_number(10), None);
    }

    #[test]
    fn identifiers_that_became_numbers_are_found() {
        for (table, column) in [
            ("accounts", "external_account_number"),
            ("customers", "mobile"),
            ("customers", "address.postal_code"),
            ("meter_points", "mpxn"),
            ("registers", "meter_serial_number"),
        ] {
            let exponents = of(table, column, &["6.10E+09", "6,1e12", "6E+10", "6E-3"]);
            assert_eq!(exponents, [Some(CellFault::Exponent); 4], "{column}");
            let fractions = of(table, column, &["1234.0", "1234,00"]);
            assert_eq!(fractions, [Some(CellFault::Fraction); 2], "{column}");
            let sound =
                of(table, column, &["12E3", "E+10", "1.20", "0412345678", "+61 4", "1.E+5", "", "1."]);
            assert_eq!(sound, [None; 8], "{column}");
        }
        assert_eq!(of("notes", "body", &["1234.0", "6.10E+09"]), [None; 2]);
    }

    #[test]
    fn days_of_spreadsheets_are_found() {
        let numbers = of("accounts", "date_of_sale", &["45321", "45321.75"]);
        assert_eq!(numbers, [Some(CellFault::DayNumber); 2]);
        let orders =
            of("accounts", "date_of_sale", &["3/12/2026", "03.12.26", "12-03-2026", "3/12/2026 09:30"]);
        assert_eq!(orders, [Some(CellFault::DayOrder); 4]);
        let others =
            of("accounts", "date_of_sale", &["2026-12-03", "4532", "453210", "3/12", "1/2/3/2026", "x"]);
        assert_eq!(others, [None; 6]);
        assert_eq!(of("accounts", "billing_name", &["45321", "3/12/2026"]), [None; 2]);
    }

    #[test]
    fn errors_of_formulas_and_words_for_nothing_are_found() {
        for text in ["#REF!", "#N/A", "#DIV/0!", "NaN", "null", "NULL", "####"] {
            assert_eq!(of("customers", "given_name", &[text]), [Some(CellFault::ErrorValue)], "{text}");
            assert_eq!(of("accounts", "transfer_balance", &[text]), [Some(CellFault::ErrorValue)], "{text}");
        }
        assert_eq!(of("customers", "family_name", &["Null", "#", "#1", "Nan", "#REF! x"]), [None; 5]);
        assert_eq!(of("customers", "family_name", &["MÃ¼ller"]), [Some(CellFault::WrongEncoding)]);
    }

    #[test]
    fn zeros_are_lost_if_other_values_have_them() {
        let tables = Tables::payload();
        let column = |name: &str| {
            let (index, table) = tables.find("customers").unwrap();
            let column = table.column(name).unwrap();
            ((index, column), &table.columns[column])
        };
        let mut zeros = LeadingZeros::default();
        let (place, postcode) = column("address.postal_code");
        for text in ["0800", "03056", "3056", "0", "0x"] {
            zeros.see(place, postcode, text);
        }
        let lost = ["800", "3056", "12345", "80x", "0", ""].map(|text| zeros.are_lost(place, text));
        assert_eq!(lost, [true, false, false, false, true, false]);
        let (house, number) = column("address.structured_street_address.house_number_1");
        zeros.see(house, number, "007");
        assert!(!zeros.are_lost(house, "7"));
    }
}
