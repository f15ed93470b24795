use cutover_model::{Field, List, Presence};

/// Whether the member is absent or an array without items; not if it is faulty.
pub(crate) fn is_absent_or_empty<T>(field: &Field<List<T>>) -> bool {
    match field.presence() {
        Presence::Absent => true,
        Presence::Usable(list) => list.is_empty(),
        Presence::Faulty => false,
    }
}
