//! The value of a cell as the contract writes it.

use super::damage::CellFault;
use super::mapping::Mapping;
use chrono::{NaiveDate, NaiveDateTime};
use cutover_model::tables::{Column, ColumnType};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Converts values as a mapping says.
pub(super) struct Converter<'m> {
    mapping: &'m Mapping,
    date: Option<String>,
    datetime: Option<String>,
}

impl<'m> Converter<'m> {
    pub(super) fn new(mapping: &'m Mapping) -> Self {
        let (date, datetime) = (mapping.date.as_deref(), mapping.datetime.as_deref());
        Self { mapping, date: date.map(chrono_format), datetime: datetime.map(chrono_format) }
    }

    /// The value of a cell; `None` if its word means that it is absent. A value with a fault is left as it is, and so is one
    /// that has a type in the file: the mapping says how texts are written.
    pub(super) fn value<'t>(
        &self,
        (text, is_typed): (Cow<'t, str>, bool),
        column: &Column,
        codes: Option<&BTreeMap<String, String>>,
    ) -> (Option<Cow<'t, str>>, Option<CellFault>) {
        let text = if self.mapping.guarded_formulas { unguarded(text) } else { text };
        if self.mapping.null.iter().any(|word| *word == *text) {
            return (None, None);
        }
        if let Some(code) = codes.and_then(|codes| codes.get(&*text)) {
            return (Some(Cow::Owned(code.clone())), None);
        }
        let (converted, mismatch) = match column.column_type {
            _ if is_typed => (Some(Converted::AsItIs), CellFault::Decimal),
            ColumnType::Date => (self.date(&text), CellFault::Date),
            ColumnType::DateTime => (self.datetime(&text), CellFault::DateTime),
            ColumnType::Decimal { .. } => (self.decimal(&text), CellFault::Decimal),
            _ => (Some(Converted::AsItIs), CellFault::Decimal),
        };
        let fault = match converted {
            Some(Converted::To(value)) => return (Some(Cow::Owned(value)), None),
            Some(Converted::AsItIs) => CellFault::of(&text, column),
            None => Some(self.named(CellFault::of(&text, column)).unwrap_or(mismatch)),
        };
        (Some(text), fault)
    }

    /// The fault of a value that is not written as the mapping says. Where it names the order of a country itself, another
    /// day in such an order is one of another form.
    fn named(&self, fault: Option<CellFault>) -> Option<CellFault> {
        let formats = [&self.mapping.date, &self.mapping.datetime];
        let has_order = formats.into_iter().flatten().any(|format| !format.starts_with("YYYY"));
        fault.filter(|fault| *fault != CellFault::DayOrder || !has_order)
    }

    fn date(&self, text: &str) -> Option<Converted> {
        let Some(format) = &self.date else { return Some(Converted::AsItIs) };
        let day = NaiveDate::parse_from_str(text, format).ok()?;
        // Each part has all its digits: otherwise a year of two would be one of antiquity.
        (self.mapping.date.as_ref()?.len() == text.len()).then(|| Converted::To(day.to_string()))
    }

    fn datetime(&self, text: &str) -> Option<Converted> {
        let Some(format) = &self.datetime else { return Some(Converted::AsItIs) };
        let with_seconds =
            if format.contains("%S") { Cow::Borrowed(&**format) } else { format!("{format}:%S").into() };
        let padded = if format.contains("%S") { Cow::Borrowed(text) } else { format!("{text}:00").into() };
        let time = NaiveDateTime::parse_from_str(&padded, &with_seconds).ok()?;
        let is_whole = self.mapping.datetime.as_ref()?.len() == text.len();
        is_whole.then(|| Converted::To(time.format("%Y-%m-%dT%H:%M:%S").to_string()))
    }

    fn decimal(&self, text: &str) -> Option<Converted> {
        let (mark, thousands) = (self.mapping.decimal_mark, self.mapping.thousands_mark);
        if mark.is_none() && thousands.is_none() {
            return Some(Converted::AsItIs);
        }
        let mark = mark.unwrap_or('.');
        let (whole, fraction) =
            text.split_once(mark).map_or((text, None), |(whole, rest)| (whole, Some(rest)));
        let sign = if whole.starts_with(['-', '+']) { &whole[..1] } else { "" };
        let mut groups = whole[sign.len()..].split(|c| Some(c) == thousands);
        let first = groups.next()?;
        let mut digits = first.to_owned();
        for group in groups {
            // `.234` and `0.234` are fractions with the other mark.
            let has_thousands = (1..=3).contains(&first.len()) && !first.starts_with('0');
            if group.len() != 3 || !has_thousands {
                return None;
            }
            digits.push_str(group);
        }
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(&digits) || fraction.is_some_and(|fraction| !is_number(fraction)) {
            return None;
        }
        let fraction = fraction.map(|fraction| format!(".{fraction}")).unwrap_or_default();
        Some(Converted::To(format!("{}{digits}{fraction}", sign.trim_start_matches('+'))))
    }
}

/// A cell without the apostrophe that guards it.
fn unguarded(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.starts_with('\'') || !is_formula(&text) {
        return text;
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[1..]),
        Cow::Owned(mut text) => {
            text.remove(0);
            Cow::Owned(text)
        }
    }
}

/// True if a spreadsheet takes a cell for a formula, or would without the apostrophes before it.
pub(crate) fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@'])
}

enum Converted {
    AsItIs,
    To(String),
}

/// `DD/MM/YYYY hh:mm:ss` as chrono writes it.
fn chrono_format(format: &str) -> String {
    let parts =
        [("%", "%%"), ("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("hh", "%H"), ("mm", "%M"), ("ss", "%S")];
    parts.iter().fold(format.to_owned(), |format, (part, of_chrono)| format.replace(part, of_chrono))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::tables::Tables;

    fn converted(mapping: &str, of: ColumnType, text: &str) -> Result<Option<String>, CellFault> {
        let mapping: Mapping = toml::from_str(mapping).unwrap();
        let codes = BTreeMap::from([("E".to_owned(), "ELECTRICITY".to_owned())]);
        let column = Column { column_type: of, ..Tables::payload().get(0).unwrap().columns[0].clone() };
        let (value, fault) =
            Converter::new(&mapping).value((Cow::Borrowed(text), false), &column, Some(&codes));
        if fault.is_some() {
            assert_eq!(value.as_deref(), Some(text));
        }
        fault.map_or(Ok(value.map(Cow::into_owned)), Err)
    }

    fn value(text: &str) -> Result<Option<String>, CellFault> {
        Ok(Some(text.to_owned()))
    }

    #[test]
    fn words_and_codes_are_replaced() {
        let mapping = "null = [\"NULL\", \"-\"]";
        assert_eq!(converted(mapping, ColumnType::Text, "-"), Ok(None));
        assert_eq!(converted(mapping, ColumnType::Text, "E"), value("ELECTRICITY"));
        assert_eq!(converted(mapping, ColumnType::Text, "X"), value("X"));
    }

    #[test]
    fn an_apostrophe_before_a_formula_is_taken_off_if_the_mapping_says_so() {
        let mapping = "guarded_formulas = true";
        for (text, expected) in
            [("'=1", "=1"), ("'-5", "-5"), ("''@x", "'@x"), ("'x", "'x"), ("=1", "=1"), ("'", "'")]
        {
            assert_eq!(converted(mapping, ColumnType::Text, text), value(expected), "{text}");
            assert_eq!(converted("", ColumnType::Text, text), value(text), "{text}");
        }
    }

    #[test]
    fn days_have_the_form_that_the_mapping_names_and_no_other() {
        let mapping = "date = \"DD/MM/YYYY\"\ndatetime = \"DD.MM.YYYY hh:mm\"";
        assert_eq!(converted(mapping, ColumnType::Date, "02/03/2026"), value("2026-03-02"));
        for text in ["2026-03-02", "02/13/2026", "2/3/2026", "02/03/26"] {
            assert_eq!(converted(mapping, ColumnType::Date, text), Err(CellFault::Date), "{text}");
        }
        assert_eq!(converted(mapping, ColumnType::Date, "45321"), Err(CellFault::DayNumber));
        let datetime = converted(mapping, ColumnType::DateTime, "02.03.2026 07:05");
        assert_eq!(datetime, value("2026-03-02T07:05:00"));
        let other = converted(mapping, ColumnType::DateTime, "02.03.2026");
        assert_eq!(other, Err(CellFault::DateTime));
        for mapping in ["", "date = \"YYYY-MM-DD\""] {
            assert_eq!(converted(mapping, ColumnType::Date, "02/03/2026"), Err(CellFault::DayOrder));
            assert_eq!(converted(mapping, ColumnType::Date, "2026-03-02"), value("2026-03-02"));
        }
    }

    #[test]
    fn decimals_have_the_marks_that_the_mapping_names_and_no_other() {
        let decimal = ColumnType::Decimal { before: 9, after: 2 };
        let mapping = "decimal_mark = ','\nthousands_mark = '.'";
        for (text, expected) in
            [("1.234,50", "1234.50"), ("-7", "-7"), ("+0,10", "0.10"), ("12345,6", "12345.6")]
        {
            assert_eq!(converted(mapping, decimal, text), value(expected), "{text}");
        }
        for text in ["1.5", "1,234.50", "1.23.456", "", "1,", "x", "1234.567,0", ".234", "0.234", "012.345"] {
            assert_eq!(converted(mapping, decimal, text), Err(CellFault::Decimal), "{text}");
        }
        assert_eq!(converted("decimal_mark = ','", decimal, "1.234"), Err(CellFault::Decimal));
        assert_eq!(converted("", decimal, "1.234"), value("1.234"));
    }
}
