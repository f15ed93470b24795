use super::decoder::Leaf;
use super::{Check, Decoder, FieldSpec, Kind, Part, Sent};
use crate::json::{Next, SyntaxErrorKind};
use crate::value::{
    Choice, DateTime, Decimal, Free, Integer, NumberFault, Reading, Text, TextOrInteger, date_of,
    digits_of_decimal, parse_date, plain_decimal, read_decimal, read_integer,
};
use chrono::NaiveDate;
use std::borrow::Cow;

type Decoded<T> = Result<Option<T>, SyntaxErrorKind>;

impl<'j> Decoder<'j> {
    /// Decodes the next string. Adds a finding if there is none, or if it contains U+0000.
    #[inline]
    fn string(&mut self) -> Decoded<Cow<'j, str>> {
        match self.cursor.plain_string() {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => self.odd_string(),
        }
    }

    /// Slow path of [`Self::string`].
    #[cold]
    #[inline(never)]
    fn odd_string(&mut self) -> Decoded<Cow<'j, str>> {
        if self.cursor.peek()? != Next::String {
            return self.refuse(&Check::INVALID);
        }
        let text = self.cursor.string()?;
        // A raw U+0000 is not valid JSON, so only a string with escapes can contain one.
        if matches!(&text, Cow::Owned(text) if text.contains('\0')) {
            self.findings.add(&Check::NUL, Sent::Other);
            return Ok(None);
        }
        Ok(Some(text))
    }

    /// Decodes the next string or number. Returns it as sent, and true if it was a string.
    fn string_or_number(&mut self) -> Decoded<(Cow<'j, str>, bool)> {
        match self.cursor.peek()? {
            Next::Number => Ok(Some((Cow::Borrowed(self.cursor.number()?), false))),
            _ => Ok(self.string()?.map(|text| (text, true))),
        }
    }
}

fn longer_than(text: &str, max: u32) -> bool {
    text.len() > max as usize && text.chars().count() > max as usize
}

fn shorter_than(text: &str, min: u32) -> bool {
    text.chars().count() < min as usize
}

/// The checks on a text's length and content, in their order (fields 1.7).
fn check_text(text: &Text<'_>, spec: &FieldSpec) -> Option<&'static Check> {
    let (min, max) = match spec.kind {
        Kind::Text { min, max, .. } => (min, max),
        Kind::Digits { .. } => (0, None),
        Kind::Open { max, .. } => (0, max),
        Kind::TextOrInteger { max } => (0, Some(max)),
        _ => (0, None),
    };
    if spec.refuses_blank() && text.is_blank() {
        return Some(&Check::BLANK);
    }
    if max.is_some_and(|max| longer_than(text.as_sent(), max)) {
        return Some(&Check::MAX_LENGTH);
    }
    if min > 0 && shorter_than(text.as_sent(), min) && !text.is_blank() {
        return Some(&Check::MIN_LENGTH);
    }
    match spec.kind {
        Kind::Digits { min, max } if !is_digits(text.as_sent(), min, max) => Some(&Check::INVALID),
        _ => None,
    }
}

/// The length of a text in characters.
#[cold]
fn counted(text: &Text<'_>) -> Sent {
    Sent::Count(u32::try_from(text.as_sent().chars().count()).unwrap_or(u32::MAX))
}

/// Returns true for `YYYY-MM-DD` with any digits.
fn has_form_of_date(text: &str) -> bool {
    let is_right = |(i, b): (usize, u8)| if matches!(i, 4 | 7) { b == b'-' } else { b.is_ascii_digit() };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

fn is_digits(text: &str, min: u32, max: u32) -> bool {
    (min as usize..=max as usize).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns true if a text passes without the full check: it is not blank, and known or not longer in bytes
/// than its limit in characters.
#[inline]
fn is_plainly_valid(text: &str, spec: &FieldSpec) -> bool {
    let is_filled = text.as_bytes().first().is_some_and(|byte| *byte > b' ');
    is_filled
        && match spec.kind {
            Kind::Text { min: 0, max, .. } => max.is_none_or(|max| text.len() <= max as usize),
            Kind::Open { known, .. } => known.contains(&text),
            _ => false,
        }
}

impl<'j> Leaf<'j> for Text<'j> {
    #[inline]
    fn usual(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Option<Self> {
        decoder
            .cursor
            .plain_string_as(|text| is_plainly_valid(text, spec).then_some(Text(Cow::Borrowed(text))))
    }

    #[inline(never)]
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Decoded<Self> {
        let Some(text) = decoder.string()?.map(Text) else { return Ok(None) };
        if let Some(check) = check_text(&text, spec) {
            return decoder.fault(check, counted(&text));
        }
        if let Kind::Open { known, .. } = spec.kind
            && !text.is_blank()
            && !known.contains(&text.trimmed())
        {
            let sent = decoder.findings.nearest(text.trimmed(), known);
            decoder.findings.add(&Check::UNRECOGNISED, sent);
        }
        Ok(Some(text))
    }
}

impl<'j> Leaf<'j> for TextOrInteger<'j> {
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Decoded<Self> {
        let (text, is_number) = match decoder.cursor.peek()? {
            Next::Number => match read_integer(decoder.cursor.number()?, false) {
                Some(integer) => (Text::from(integer.to_string()), true),
                None => return decoder.fault(&Check::INVALID, Sent::Other),
            },
            _ => match decoder.string()? {
                Some(text) => (Text(text), false),
                None => return Ok(None),
            },
        };
        match check_text(&text, spec) {
            Some(check) => decoder.fault(check, counted(&text)),
            None => Ok(Some(Self { text, is_number })),
        }
    }
}

impl<'j, C: Choice> Leaf<'j> for C {
    #[inline]
    fn usual(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Option<Self> {
        decoder.cursor.plain_string_as(C::of)
    }

    #[inline(never)]
    fn decode(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Decoded<Self> {
        let Some(text) = decoder.string()? else { return Ok(None) };
        match C::of(&text) {
            Some(choice) => Ok(Some(choice)),
            None => {
                let sent = decoder.findings.nearest(&text, C::KNOWN);
                decoder.fault(&Check::INVALID_CHOICE, sent)
            }
        }
    }
}

impl<'j> Leaf<'j> for NaiveDate {
    #[inline]
    fn usual(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Option<Self> {
        decoder.cursor.short_string(date_of)
    }

    #[inline(never)]
    fn decode(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Decoded<Self> {
        let Some(text) = decoder.string()? else { return Ok(None) };
        match parse_date(text.as_bytes()) {
            Some(date) => Ok(Some(date)),
            None if has_form_of_date(&text) => decoder.fault(&Check::INVALID, Sent::NoSuchDay),
            None => decoder.fault(&Check::INVALID, Sent::Other),
        }
    }
}

impl<'j> Leaf<'j> for DateTime<'j> {
    #[inline]
    fn decode(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Decoded<Self> {
        let Some(text) = decoder.string()? else { return Ok(None) };
        match DateTime::read(text, decoder.zone) {
            Reading::Usable(datetime) => Ok(Some(datetime)),
            Reading::OutOfRange { by_zone } => {
                decoder.zone_matters |= by_zone;
                decoder.fault(&Check::INVALID, Sent::OutOfRange)
            }
            Reading::Edge(datetime) => {
                decoder.zone_matters = true;
                Ok(Some(datetime))
            }
            Reading::Invalid => decoder.fault(&Check::INVALID, Sent::Other),
        }
    }
}

impl<'j> Leaf<'j> for Decimal<'j> {
    #[inline]
    fn usual(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Option<Self> {
        let Kind::Decimal { before, after, positive } = spec.kind else { return None };
        let (sent, quoted, value) = decoder.cursor.plain_number(|number| {
            if positive && number.is_negative { None } else { plain_decimal(number, before, after) }
        })?;
        Some(Decimal::new(Cow::Borrowed(sent), quoted, value))
    }

    #[inline(never)]
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Decoded<Self> {
        let Kind::Decimal { before, after, positive } = spec.kind else {
            return decoder.refuse(&Check::INVALID);
        };
        let Some((sent, quoted)) = decoder.string_or_number()? else { return Ok(None) };
        let (before, after) = if decoder.any_digits { (u32::MAX, u32::MAX) } else { (before, after) };
        match read_decimal(&sent, quoted, before, after) {
            Ok(value) if positive && value.is_sign_negative() && !value.is_zero() => {
                decoder.fault(&Check::MIN_VALUE, Sent::Other)
            }
            Ok(value) => Ok(Some(Decimal::new(sent, quoted, value))),
            Err(NumberFault::Invalid) => decoder.fault(&Check::INVALID, Sent::Other),
            Err(NumberFault::TooManyDigits) => {
                let digits =
                    digits_of_decimal(&sent, quoted).map_or(Sent::Other, |(before, _)| Sent::Count(before));
                decoder.fault(&Check::MAX_DIGITS, digits)
            }
            Err(NumberFault::TooManyPlaces) => {
                let digits =
                    digits_of_decimal(&sent, quoted).map_or(Sent::Other, |(_, after)| Sent::Count(after));
                decoder.fault(&Check::MAX_DECIMAL_PLACES, digits)
            }
        }
    }
}

impl<'j> Leaf<'j> for Integer<'j> {
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Decoded<Self> {
        let Some((sent, quoted)) = decoder.string_or_number()? else { return Ok(None) };
        let Kind::Integer { min, max } = spec.kind else {
            return decoder.fault(&Check::INVALID, Sent::Other);
        };
        match read_integer(&sent, quoted) {
            None => decoder.fault(&Check::INVALID, Sent::Other),
            Some(value) if min.is_some_and(|min| value < min) => {
                decoder.fault(&Check::MIN_VALUE, Sent::Other)
            }
            Some(value) if max.is_some_and(|max| value > max) => {
                decoder.fault(&Check::MAX_VALUE, Sent::Other)
            }
            Some(value) => Ok(Some(Integer::new(sent, quoted, value))),
        }
    }
}

impl<'j> Leaf<'j> for bool {
    #[inline]
    fn usual(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Option<Self> {
        decoder.cursor.boolean()
    }

    fn decode(decoder: &mut Decoder<'j>, _: &'static FieldSpec) -> Decoded<Self> {
        // `usual` accepts every boolean.
        decoder.refuse(&Check::INVALID)
    }
}

impl<'j> Leaf<'j> for Free<'j> {
    fn decode(decoder: &mut Decoder<'j>, spec: &'static FieldSpec) -> Decoded<Self> {
        let (wanted, check) = match spec.kind {
            Kind::FreeArray => (Next::Array, &Check::NOT_A_LIST),
            _ => (Next::Object, &Check::INVALID),
        };
        if decoder.cursor.peek()? != wanted {
            return decoder.refuse(check);
        }
        let start = decoder.cursor.mark();
        let count = decoder.findings.count();
        decoder.free()?;
        decoder.findings.thin(count);
        Ok(Some(Free(Cow::Borrowed(decoder.cursor.since(start)))))
    }
}

impl<'j> Decoder<'j> {
    /// Skips free content and checks its strings and names for U+0000 (fields 6).
    fn free(&mut self) -> Result<(), SyntaxErrorKind> {
        match self.cursor.peek()? {
            Next::String => self.string().map(drop),
            Next::Object => self.free_object(),
            Next::Array => self.free_array(),
            Next::Number | Next::True | Next::False | Next::Null => self.cursor.skip(),
        }
    }

    fn free_object(&mut self) -> Result<(), SyntaxErrorKind> {
        let start = self.findings.count();
        let mut more = self.cursor.open_object()?;
        while more {
            let name = self.cursor.name()?;
            if name.contains('\0') {
                self.findings.add(&Check::NUL, Sent::Other);
            }
            let count = self.findings.count();
            self.free()?;
            if self.findings.count() > count {
                self.findings.place(count, &Part::foreign(name), false, None);
            }
            self.findings.thin(start);
            more = self.cursor.more_members()?;
        }
        Ok(())
    }

    fn free_array(&mut self) -> Result<(), SyntaxErrorKind> {
        let start = self.findings.count();
        let mut index = 0;
        let mut more = self.cursor.open_array()?;
        while more {
            let count = self.findings.count();
            self.free()?;
            if self.findings.count() > count {
                self.findings.place(count, &Part::Index(index), false, None);
            }
            self.findings.thin(start);
            index += 1;
            more = self.cursor.more_items()?;
        }
        Ok(())
    }
}
