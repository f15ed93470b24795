use super::date::{parse_date, two};
use chrono::{Datelike, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use cutover_core::Zone;
use std::borrow::Cow;

/// A datetime as sent; without an offset it is in the supplier's zone (fields 1.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DateTime<'j> {
    sent: Cow<'j, str>,
    local: NaiveDateTime,
    offset: Option<FixedOffset>,
}

/// The result of reading a text as a datetime in a zone.
#[derive(Debug)]
pub(crate) enum Reading<'j> {
    /// An instant in any zone.
    Usable(DateTime<'j>),
    /// An instant in this zone, but perhaps not in others.
    Edge(DateTime<'j>),
    /// Outside the years 1 to 9999; with `by_zone`, perhaps not in other zones.
    OutOfRange { by_zone: bool },
    /// Not a datetime.
    Invalid,
}

impl<'j> DateTime<'j> {
    /// The text as sent.
    pub fn as_sent(&self) -> &str {
        &self.sent
    }

    /// The calendar day as written, without converting the offset (rules 1.6).
    pub fn day(&self) -> NaiveDate {
        self.local.date()
    }

    /// Date and time of day as written.
    pub fn local(&self) -> NaiveDateTime {
        self.local
    }

    /// The offset as written, if one was.
    pub fn offset(&self) -> Option<FixedOffset> {
        self.offset
    }

    /// The instant. `zone` is the zone of the supplier, which applies if no offset was sent.
    /// `None` outside the years 1 to 9999 in UTC, which does not happen for a usable value.
    pub fn instant(&self, zone: Zone) -> Option<chrono::DateTime<Utc>> {
        let instant = match self.offset {
            Some(offset) => self.local.checked_sub_offset(offset)?.and_utc(),
            None => zone.instant(self.local)?,
        };
        (1..=9999).contains(&instant.year()).then_some(instant)
    }

    /// The instant with the offset of the zone at that time; in UTC if that cannot be written as a datetime,
    /// because the offset has seconds or exceeds 14 hours, or the year is outside 1 to 9999.
    pub fn at(instant: chrono::DateTime<Utc>, zone: Zone) -> DateTime<'static> {
        let local = zone.local(instant);
        let offset = local.offset().local_minus_utc();
        if offset % 60 == 0 && offset.abs() <= 14 * 3600 && (1..=9999).contains(&local.year()) {
            local.into()
        } else {
            instant.fixed_offset().into()
        }
    }

    /// A copy that borrows nothing.
    pub fn into_owned(self) -> DateTime<'static> {
        DateTime { sent: Cow::Owned(self.sent.into_owned()), local: self.local, offset: self.offset }
    }

    /// Reads a text. `zone` determines if a datetime without offset is in range.
    pub(crate) fn read(sent: Cow<'j, str>, zone: Zone) -> Reading<'j> {
        let Some((local, offset)) = parse(sent.as_bytes()) else { return Reading::Invalid };
        let datetime = DateTime { sent, local, offset };
        // Only in the first and last year can a zone or offset lead out of the years 1 to 9999.
        if !matches!(local.year(), 1 | 9999) {
            return Reading::Usable(datetime);
        }
        match (datetime.instant(zone), offset) {
            (Some(_), Some(_)) => Reading::Usable(datetime),
            (Some(_), None) => Reading::Edge(datetime),
            (None, offset) => Reading::OutOfRange { by_zone: offset.is_none() },
        }
    }
}

impl std::str::FromStr for DateTime<'static> {
    type Err = InvalidDateTime;

    /// Reads a text outside a payload, for example a query parameter, by the rules for payloads.
    fn from_str(text: &str) -> Result<Self, InvalidDateTime> {
        match Self::read(Cow::Owned(text.to_owned()), Zone::UTC) {
            Reading::Usable(datetime) | Reading::Edge(datetime) => Ok(datetime),
            Reading::OutOfRange { .. } | Reading::Invalid => Err(InvalidDateTime),
        }
    }
}

/// The error for a text that is not a datetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a datetime")]
pub struct InvalidDateTime;

impl From<chrono::DateTime<FixedOffset>> for DateTime<'static> {
    fn from(datetime: chrono::DateTime<FixedOffset>) -> Self {
        let sent = datetime.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true);
        DateTime { sent: Cow::Owned(sent), local: datetime.naive_local(), offset: Some(*datetime.offset()) }
    }
}

fn parse(text: &[u8]) -> Option<(NaiveDateTime, Option<FixedOffset>)> {
    let (date, rest) = text.split_at_checked(10)?;
    let date = parse_date(date)?;
    let [b'T' | b' ' | b':', h1, h2, b':', m1, m2, rest @ ..] = rest else { return None };
    let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let (second, micro, rest) = match rest {
        [b':', s1, s2, b'.', rest @ ..] => {
            let (micro, rest) = fraction(rest)?;
            (two(*s1, *s2)?, micro, rest)
        }
        [b':', s1, s2, rest @ ..] => (two(*s1, *s2)?, 0, rest),
        rest => (0, 0, rest),
    };
    Some((date.and_hms_micro_opt(hour, minute, second, micro)?, offset(rest)?))
}

/// One to six digits, as microseconds, and what follows them.
fn fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=6).contains(&len) {
        return None;
    }
    let (digits, rest) = text.split_at(len);
    let value = digits.iter().chain([&b'0'; 6]).take(6).fold(0, |v, b| v * 10 + u32::from(b - b'0'));
    Some((value, rest))
}

/// `Some(None)` if there is no offset, which is legal.
#[expect(clippy::option_option, reason = "outer: is the text legal; inner: does it hold an offset")]
fn offset(text: &[u8]) -> Option<Option<FixedOffset>> {
    let (sign, rest) = match text {
        [] => return Some(None),
        [b'Z'] => return Some(FixedOffset::east_opt(0)),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let [h1, h2, b':', m1, m2] = rest else { return None };
    let (hours, minutes) = (two(*h1, *h2)?, two(*m1, *m2)?);
    let total = i32::try_from(hours * 60 + minutes).ok()?;
    if minutes > 59 || total > 14 * 60 {
        return None;
    }
    FixedOffset::east_opt(sign * total * 60).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str, zone: &str) -> Option<String> {
        match DateTime::read(text.into(), zone.parse().unwrap()) {
            Reading::Usable(d) | Reading::Edge(d) => {
                Some(d.instant(zone.parse().unwrap()).unwrap().to_rfc3339())
            }
            Reading::OutOfRange { .. } | Reading::Invalid => None,
        }
    }

    #[test]
    fn the_published_forms_are_read() {
        let noon = Some("2001-01-01T00:00:00+00:00".to_owned());
        for text in [
            "2001-01-01T00:00:00Z",
            "2001-01-01:00:00:00+00:00",
            "2001-01-01 00:00",
            "2001-01-01T00:00:00.000000",
            "2001-01-01T10:00+10:00",
            "2000-12-31T10:00:00-14:00",
        ] {
            assert_eq!(utc(text, "UTC"), noon, "{text}");
        }
        assert_eq!(utc("2001-01-01T00:00:00.5Z", "UTC").unwrap(), "2001-01-01T00:00:00.500+00:00");
        assert_eq!(utc("2026-07-01T10:00", "Australia/Sydney").unwrap(), "2026-07-01T00:00:00+00:00");
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "2001-01-01",
            "2001-01-01T24:00",
            "2001-01-01T00:60",
            "2001-01-01T00:00:60",
            "2001-01-01T00:00.5",
            "2001-01-01T00:00:00.",
            "2001-01-01T00:00:00.1234567",
            "2001-01-01t00:00",
            "2001-01-01  00:00",
            "2001-01-01T00:00z",
            "2001-01-01T00:00+14:01",
            "2001-01-01T00:00+10:60",
            "2001-01-01T00:00+1000",
            "2001-01-01T00:00 ",
            "2001-01-01T0:00",
            "",
            "2001-02-30T00:00",
            "2001-01-01T00:00:00,5",
        ] {
            assert_eq!(utc(text, "UTC"), None, "{text}");
        }
    }

    #[test]
    fn instants_stay_in_years_1_to_9999() {
        assert_eq!(utc("0001-01-01T05:00:00+10:00", "UTC"), None);
        assert_eq!(utc("0001-01-01T05:00:00", "Australia/Sydney"), None);
        assert!(utc("0001-01-01T05:00:00", "UTC").is_some());
        assert_eq!(utc("9999-12-31T23:00:00-02:00", "UTC"), None);
    }
}
