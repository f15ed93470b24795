use chrono::{DateTime, FixedOffset, MappedLocalTime, NaiveDate, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::Tz;
use std::fmt;
use std::str::FromStr;

/// The time zone of an import supplier: an IANA name, `UTC` by default (contract D1, D3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Zone(Tz);

impl Zone {
    /// Coordinated Universal Time, the zone of an unknown supplier.
    pub const UTC: Self = Self(Tz::UTC);

    /// The IANA name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The instant of a local time. A time in a gap takes the offset before the gap, an ambiguous one
    /// the earlier offset (contract D3). `None` outside the years that chrono supports.
    pub fn instant(self, local: NaiveDateTime) -> Option<DateTime<Utc>> {
        let offset = match self.0.offset_from_local_datetime(&local) {
            MappedLocalTime::Single(offset) | MappedLocalTime::Ambiguous(offset, _) => offset.fix(),
            MappedLocalTime::None => {
                let before = local.checked_sub_signed(chrono::Duration::hours(24))?;
                self.0.offset_from_utc_datetime(&before).fix()
            }
        };
        local.checked_sub_offset(offset).map(|utc| utc.and_utc())
    }

    /// The instant with the offset of the zone at that time.
    pub fn local(self, instant: DateTime<Utc>) -> DateTime<FixedOffset> {
        instant.with_timezone(&self.0).fixed_offset()
    }
}

impl Default for Zone {
    fn default() -> Self {
        Self::UTC
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no time zone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an IANA time zone; examples are Australia/Melbourne and UTC")]
pub struct InvalidZone(String);

impl FromStr for Zone {
    type Err = InvalidZone;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse().map(Self).map_err(|_| InvalidZone(name.to_owned()))
    }
}

/// The current instant in a zone (rules 1.6), passed to the code that needs the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// The instant.
    pub instant: DateTime<Utc>,
    /// The zone of the payload's import supplier.
    pub zone: Zone,
}

impl Now {
    /// The instant in a zone.
    pub fn new(instant: DateTime<Utc>, zone: Zone) -> Self {
        Self { instant, zone }
    }

    /// The current day in the zone.
    pub fn today(&self) -> NaiveDate {
        self.zone.local(self.instant).date_naive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(zone: &str, local: &str) -> String {
        let zone: Zone = zone.parse().unwrap();
        let local = NaiveDateTime::parse_from_str(local, "%Y-%m-%d %H:%M").unwrap();
        zone.instant(local).unwrap().format("%Y-%m-%d %H:%M").to_string()
    }

    #[test]
    fn gaps_take_the_offset_before_and_overlaps_the_earlier() {
        // Melbourne: clocks go from 02:00 (+10) to 03:00 (+11) and back at 03:00 (+11) to 02:00 (+10).
        assert_eq!(utc("Australia/Melbourne", "2025-10-05 02:30"), "2025-10-04 16:30");
        assert_eq!(utc("Australia/Melbourne", "2025-04-06 02:30"), "2025-04-05 15:30");
        assert_eq!(utc("Australia/Melbourne", "2025-07-01 00:00"), "2025-06-30 14:00");
        assert_eq!(utc("UTC", "2025-07-01 00:00"), "2025-07-01 00:00");
        // Samoa left out a whole day.
        assert_eq!(utc("Pacific/Apia", "2011-12-30 12:00"), "2011-12-30 22:00");
    }

    #[test]
    fn today_is_the_day_of_the_zone() {
        let instant = "2026-11-21T14:30:00Z".parse().unwrap();
        let day = |zone: &str| Now::new(instant, zone.parse().unwrap()).today().to_string();
        assert_eq!(day("UTC"), "2026-11-21");
        assert_eq!(day("Australia/Sydney"), "2026-11-22");
        assert_eq!(day("America/New_York"), "2026-11-21");
    }

    #[test]
    fn an_unknown_zone_is_named_in_the_error() {
        let error = "Mars/Olympus".parse::<Zone>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"Mars/Olympus\" is not an IANA time zone; examples are Australia/Melbourne and UTC"
        );
    }
}
