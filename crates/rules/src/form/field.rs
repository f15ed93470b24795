use chrono::NaiveDate;
use cutover_core::Zone;
use cutover_model::{DateTime, Field, List, Presence};

/// Returns true if both dates are usable and the end is before the start.
pub(crate) fn dates_reversed(start: &Field<NaiveDate>, end: &Field<NaiveDate>) -> bool {
    matches!((start.usable(), end.usable()), (Some(start), Some(end)) if end < start)
}

/// Returns true if both datetimes are usable and the end is before the start. Datetimes without an offset are
/// in `zone`, that of the supplier.
pub(crate) fn datetimes_reversed(start: &Field<DateTime<'_>>, end: &Field<DateTime<'_>>, zone: Zone) -> bool {
    let instant = |field: &Field<DateTime<'_>>| field.usable()?.instant(zone);
    matches!((instant(start), instant(end)), (Some(start), Some(end)) if end < start)
}

/// Returns true if the member is absent or an empty array.
pub(crate) fn is_absent_or_empty<T>(field: &Field<List<T>>) -> bool {
    match field.presence() {
        Presence::Absent => true,
        Presence::Usable(list) => list.is_empty(),
        Presence::Faulty => false,
    }
}
