use crate::describe::{AnswerKind, Shown};
use chrono::{DateTime, Datelike, FixedOffset, TimeZone};
use serde::ser::{Serialize, Serializer};
use std::fmt;
use std::ops::Deref;

/// A datetime in an answer, written `2026-11-21T13:00:00.123456+11:00`, UTC as `+00:00` (contract D3). It is
/// written in UTC if the offset has seconds or exceeds 14 hours, or the year is outside 1 to 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub DateTime<FixedOffset>);

impl Deref for Timestamp {
    type Target = DateTime<FixedOffset>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl From<DateTime<FixedOffset>> for Timestamp {
    fn from(time: DateTime<FixedOffset>) -> Self {
        Self(time)
    }
}

impl<Z: TimeZone> PartialEq<DateTime<Z>> for Timestamp {
    fn eq(&self, other: &DateTime<Z>) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = self.0.offset().local_minus_utc();
        let has_form = offset % 60 == 0 && offset.abs() <= 14 * 3_600 && (1..=9_999).contains(&self.0.year());
        let time = if has_form { self.0 } else { self.0.to_utc().fixed_offset() };
        time.format("%Y-%m-%dT%H:%M:%S%.6f%:z").fmt(f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Shown for Timestamp {
    const KIND: AnswerKind = AnswerKind::DateTime;
}

#[cfg(test)]
mod tests {
    use super::Timestamp;
    use cutover_core::Zone;

    #[test]
    fn times_have_microseconds_and_the_offset_of_their_zone() {
        let shown = |zone: &str, time: &str| {
            Timestamp(zone.parse::<Zone>().unwrap().local(time.parse().unwrap())).to_string()
        };
        let instant = "2026-11-21T02:00:00.123456Z";
        assert_eq!(shown("Australia/Sydney", instant), "2026-11-21T13:00:00.123456+11:00");
        assert_eq!(shown("UTC", "2026-11-21T02:00:00Z"), "2026-11-21T02:00:00.000000+00:00");
        for edge in ["9999-12-31T23:59:59", "1880-01-01T00:00:00", "0001-01-01T00:00:00"] {
            assert_eq!(shown("Australia/Sydney", &format!("{edge}Z")), format!("{edge}.000000+00:00"));
        }
    }
}
