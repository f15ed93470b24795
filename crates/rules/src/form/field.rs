use chrono::NaiveDate;
use cutover_core::Zone;
use cutover_model::{DateTime, Field, List, Presence};

/// Whether both days are usable and the end lies before the start.
pub(crate) fn dates_reversed(start: &Field<NaiveDate>, end: &Field<NaiveDate>) -> bool {
    matches!((start.usable(), end.usable()), (Some(start), Some(end)) if end < start)
}

/// Whether both datetimes are usable and the end is an instant before the start; `zone` is that of
/// the supplier, for those without an offset.
pub(crate) fn datetimes_reversed(start: &Field<DateTime<'_>>, end: &Field<DateTime<'_>>, zone: Zone) -> bool {
    let instant = |field: &Field<DateTime<'_>>| field.usable()?.instant(zone);
    matches!((instant(start), instant(end)), (Some(start), Some(end)) if end < start)
}

/// Whether the member is absent or an array without items; not if it is faulty.
pub(crate) fn is_absent_or_empty<T>(field: &Field<List<T>>) -> bool {
    match field.presence() {
        Presence::Absent => true,
        Presence::Usable(list) => list.is_empty(),
        Presence::Faulty => false,
    }
}
