use chrono::{DateTime, Utc};
use cutover_app::account::shown_time;
use cutover_core::Zone;
use serde::{Serialize, Serializer};
use std::fmt;

/// An instant in a zone: text shows it to the second, JSON as the API does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ZonedTime {
    instant: DateTime<Utc>,
    /// The zone of the text.
    zone: Zone,
    /// The zone of the JSON.
    in_json: Zone,
}

impl ZonedTime {
    /// An instant in the zone of a supplier.
    pub(crate) fn local(instant: DateTime<Utc>, zone: Zone) -> Self {
        Self { instant, zone, in_json: zone }
    }

    /// An instant in UTC.
    pub(crate) fn utc(instant: DateTime<Utc>) -> Self {
        Self::local(instant, Zone::UTC)
    }

    /// An instant that may concern several suppliers: text shows it in the zone that they have in common, and names that
    /// zone; JSON has it in UTC, whatever suppliers there are.
    pub(crate) fn common(instant: DateTime<Utc>, zone: Zone) -> Self {
        Self { instant, zone, in_json: Zone::UTC }
    }
}

impl fmt::Display for ZonedTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.zone.local(self.instant);
        write!(f, "{}", local.format("%Y-%m-%d %H:%M:%S"))?;
        if self.zone == Zone::UTC { f.write_str("Z") } else { write!(f, "{}", local.offset()) }
    }
}

impl Serialize for ZonedTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&shown_time(self.in_json.local(self.instant)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_zone() {
        let instant = "2026-11-20T14:30:05.25Z".parse().unwrap();
        let at = ZonedTime::local(instant, "Australia/Melbourne".parse().unwrap());
        assert_eq!(at.to_string(), "2026-11-21 01:30:05+11:00");
        assert_eq!(serde_json::to_string(&at).unwrap(), "\"2026-11-21T01:30:05.250000+11:00\"");
        assert_eq!(ZonedTime::utc(instant).to_string(), "2026-11-20 14:30:05Z");
        let common = ZonedTime::common(instant, "Australia/Melbourne".parse().unwrap());
        assert_eq!(common.to_string(), at.to_string());
        let utc = serde_json::to_string(&ZonedTime::utc(instant)).unwrap();
        assert_eq!(serde_json::to_string(&common).unwrap(), utc);
    }
}
