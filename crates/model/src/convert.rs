//! How values of payloads are encoded, copied and turned from drafts into plain ones.

use crate::content;
use crate::decode::{Blank, List};
use crate::json::Writer;
use crate::value::{DateTime, Decimal, Free, Integer, Nullable, Text, TextOrInteger};
use chrono::{Datelike, NaiveDate};
use std::borrow::Cow;

/// Writes a value as JSON, equal to the decoded one and with the digits as sent.
pub trait Encode {
    /// Writes the value.
    fn encode(&self, writer: &mut Writer);

    /// Writes the object without some members, which are stored elsewhere.
    fn encode_without(&self, left_out: &[&str], writer: &mut Writer);

    /// The value as JSON text.
    fn to_json(&self) -> Vec<u8> {
        let mut writer = Writer::new();
        self.encode(&mut writer);
        writer.into_bytes()
    }
}

/// An object of the contract.
pub(crate) trait Object {
    fn encode_members(&self, writer: &mut Writer, keep: impl Fn(&str) -> bool);
}

impl<T: Object> Encode for T {
    fn encode(&self, writer: &mut Writer) {
        writer.object(|writer| self.encode_members(writer, |_| true));
    }

    fn encode_without(&self, left_out: &[&str], writer: &mut Writer) {
        writer.object(|writer| self.encode_members(writer, |name| !left_out.contains(&name)));
    }
}

pub(crate) fn write_member(writer: &mut Writer, name: &'static str, value: &impl EncodeValue) {
    writer.name(name);
    value.encode_value(writer);
}

pub(crate) fn write_optional(writer: &mut Writer, name: &'static str, value: &impl EncodeValue) {
    if writer.zones().is_none() || !value.is_empty_array() {
        write_member(writer, name, value);
    }
}

pub(crate) fn write_null(writer: &mut Writer, name: &'static str, required: bool) {
    if writer.zones().is_none() || required {
        writer.name(name);
        writer.raw("null");
    }
}

/// A value of a member: an object, an array or a leaf.
pub(crate) trait EncodeValue {
    fn encode_value(&self, writer: &mut Writer);

    fn is_empty_array(&self) -> bool {
        false
    }
}

impl<T: Object> EncodeValue for T {
    fn encode_value(&self, writer: &mut Writer) {
        self.encode(writer);
    }
}

impl<T: EncodeValue> EncodeValue for Vec<T> {
    fn encode_value(&self, writer: &mut Writer) {
        writer.array(|writer| self.iter().for_each(|item| item.encode_value(writer)));
    }

    fn is_empty_array(&self) -> bool {
        self.is_empty()
    }
}

/// Conversion to a value that does not borrow from the payload.
pub trait IntoOwned {
    /// The type without a lifetime.
    type Owned: 'static;

    /// Copies all borrowed texts.
    fn into_owned(self) -> Self::Owned;
}

impl<T: IntoOwned> IntoOwned for Option<T> {
    type Owned = Option<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Nullable<T> {
    type Owned = Nullable<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.map(T::into_owned)
    }
}

impl<T: IntoOwned> IntoOwned for Vec<T> {
    type Owned = Vec<T::Owned>;

    fn into_owned(self) -> Self::Owned {
        self.into_iter().map(T::into_owned).collect()
    }
}

/// Conversion of a draft to the plain value; `None` if any value is faulty or a required one is missing.
pub(crate) trait IntoValid {
    type Valid;

    fn into_valid(self) -> Option<Self::Valid>;
}

impl<T: IntoValid> IntoValid for List<T> {
    type Valid = Vec<T::Valid>;

    fn into_valid(self) -> Option<Self::Valid> {
        self.into_all()?.into_iter().map(T::into_valid).collect()
    }
}

macro_rules! leaves {
    ($($type:ident $(<$life:lifetime>)? => $owned:ty, |$value:ident, $writer:ident| $encode:expr, $own:expr;)*) => {
        $(
            impl $(<$life>)? EncodeValue for $type $(<$life>)? {
                fn encode_value(&self, $writer: &mut Writer) {
                    let $value = self;
                    $encode
                }
            }

            impl $(<$life>)? IntoOwned for $type $(<$life>)? {
                type Owned = $owned;

                fn into_owned(self) -> Self::Owned {
                    let $value = self;
                    $own
                }
            }

            impl $(<$life>)? IntoValid for $type $(<$life>)? {
                type Valid = Self;

                fn into_valid(self) -> Option<Self> {
                    Some(self)
                }
            }
        )*
    };
}

leaves! {
    Text<'j> => Text<'static>, |v, w| w.string(v.as_sent()), Text::into_owned(v);
    TextOrInteger<'j> => TextOrInteger<'static>, |v, w| write_text_or_integer(v, w), TextOrInteger::into_owned(v);
    NaiveDate => NaiveDate, |v, w| write_date(*v, w), v;
    DateTime<'j> => DateTime<'static>, |v, w| write_datetime(v, w), DateTime::into_owned(v);
    Decimal<'j> => Decimal<'static>, |v, w| write_decimal(v, w), Decimal::into_owned(v);
    Integer<'j> => Integer<'static>, |v, w| write_number(v.as_sent(), v.is_quoted(), &|| v.canonical(), w), Integer::into_owned(v);
    Free<'j> => Free<'static>, |v, w| write_free(v, w), Free::into_owned(v);
    bool => bool, |v, w| w.raw(if *v { "true" } else { "false" }), v;
}

fn write_text_or_integer(value: &TextOrInteger<'_>, writer: &mut Writer) {
    if value.is_number {
        writer.raw(value.text.as_sent());
    } else {
        writer.string(value.text.as_sent());
    }
}

/// Writes digit by digit: payloads have many dates, and a format string would be parsed for each.
fn write_date(date: NaiveDate, writer: &mut Writer) {
    let mut text = *b"0000-00-00";
    // Dates of payloads are in the years 1 to 9999 (fields 1.5).
    for (place, mut number) in [(0..4, date.year().unsigned_abs()), (5..7, date.month()), (8..10, date.day())]
    {
        for digit in text[place].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
    }
    writer.plain_string(&text);
}

fn write_datetime(value: &DateTime<'_>, writer: &mut Writer) {
    let instant = writer.zones().and_then(|(from, to)| Some((value.instant(from)?, to)));
    match instant {
        Some((instant, to)) => writer.string(DateTime::at(instant, to).as_sent()),
        None => writer.string(value.as_sent()),
    }
}

fn write_decimal(value: &Decimal<'_>, writer: &mut Writer) {
    if writer.zones().is_some() {
        writer.string(&value.digits());
    } else {
        write_number(value.as_sent(), value.is_quoted(), &|| value.canonical(), writer);
    }
}

/// Writes a number. A quoted one is a string, and strings are compared as sent.
fn write_number<'n>(sent: &str, quoted: bool, canonical: &dyn Fn() -> Cow<'n, str>, writer: &mut Writer) {
    if quoted {
        writer.string(sent);
    } else if writer.is_canonical() || writer.zones().is_some() {
        writer.raw(&canonical());
    } else {
        writer.raw(sent);
    }
}

fn write_free(value: &Free<'_>, writer: &mut Writer) {
    if writer.is_canonical() {
        writer.raw(&canonical_free(value));
    } else {
        writer.raw(value.json());
    }
}

/// Free content with sorted members and numbers by value, for comparison (contract D5).
fn canonical_free<'f>(value: &'f Free<'_>) -> Cow<'f, str> {
    let text = content::canonical(value.json().as_bytes()).ok().and_then(|text| String::from_utf8(text).ok());
    // Content comes from a checked payload, so this cannot fail; if it did, it would equal no other.
    text.map_or(Cow::Borrowed(value.json()), Cow::Owned)
}

impl Blank for Text<'_> {
    fn is_blank(&self) -> bool {
        Text::is_blank(self)
    }
}

impl Blank for TextOrInteger<'_> {
    fn is_blank(&self) -> bool {
        self.text.is_blank()
    }
}

impl Blank for NaiveDate {}
impl Blank for DateTime<'_> {}
impl Blank for Decimal<'_> {}
impl Blank for Integer<'_> {}
impl Blank for Free<'_> {}
impl Blank for bool {}

/// Implements the traits of leaves for a closed list.
macro_rules! choice_leaf {
    ($name:ident) => {
        impl $crate::convert::EncodeValue for $name {
            fn encode_value(&self, writer: &mut $crate::Writer) {
                writer.string(self.as_str());
            }
        }

        shown_by_debug!($name);
        no_rows!($name);

        impl $crate::Blank for $name {
            fn is_blank(&self) -> bool {
                self.as_str().is_empty()
            }
        }

        impl $crate::convert::IntoOwned for $name {
            type Owned = Self;

            fn into_owned(self) -> Self {
                self
            }
        }

        impl $crate::convert::IntoValid for $name {
            type Valid = Self;

            fn into_valid(self) -> Option<Self> {
                Some(self)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(json: &str) -> String {
        canonical_free(&Free::from_json(json).unwrap()).into_owned()
    }

    #[test]
    fn equal_content_has_one_canonical_form() {
        assert_eq!(canonical(r#"{"b": 1.0, "a": [1e2, "x"]}"#), canonical(r#"{"a":[100,"\u0078"],"b":1}"#));
        assert_ne!(canonical(r#"{"a": 1}"#), canonical(r#"{"a": "1"}"#));
        assert_ne!(canonical("[1,2]"), canonical("[2,1]"));
        assert_ne!(canonical("[null]"), canonical("[]"));
    }

    #[test]
    fn numbers_beyond_every_type_stay_exact() {
        assert_eq!(canonical("[1e400]"), canonical("[10e399]"));
        assert_ne!(canonical("[1e400]"), canonical("[1e401]"));
        assert_eq!(canonical("[-0, 0.0, 0e9]"), canonical("[0,0,0]"));
    }
}
