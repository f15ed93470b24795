use super::reading::{Reading, Readings, Source};
use crate::form::SmallMap;
use chrono::NaiveDate;
use cutover_model::Presence;
use cutover_model::choices::SupplyType;
use rust_decimal::Decimal;

/// A reading that is more than this many times the one before it may have jumped (rules 8.6).
pub(crate) const JUMP: Decimal = Decimal::from_parts(10, 0, 0, false, 0);

/// The result of comparing each reading of a meter with the one sent before it, history first. If the readings are sent by
/// day, and never fall or jump, the rules need not copy and sort them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstPass {
    /// True if each reading is neither earlier nor lower than the one sent before it for the same register.
    pub(crate) never_decreases: bool,
    /// True if `never_decreases`, and no reading is more than [`JUMP`] times the one before.
    pub(crate) never_jumps: bool,
}

impl FirstPass {
    pub(super) fn over(kind: SupplyType, lists: [Readings<'_, '_>; 2]) -> Self {
        let mut last = SmallMap::new();
        let (mut never_decreases, mut may_jump) = (true, false);
        each(lists, |_, _, reading| {
            let Some((register, day, value)) = never_decreases.then(|| known(reading, kind)).flatten() else {
                never_decreases = false;
                return;
            };
            let last = last.slot(register, (day, value));
            let (is_lower, is_far_higher) = compare(value, last.1);
            never_decreases = day >= last.0 && !is_lower;
            may_jump |= is_far_higher;
            *last = (day, value);
        });
        Self { never_decreases, never_jumps: never_decreases && !may_jump }
    }
}

/// Returns whether a reading is lower than the one before, and whether it may be more than [`JUMP`] times as high. Compares
/// mantissas if the scales are equal, as they nearly always are, and takes eight times for enough: a shift is cheap.
fn compare(value: Decimal, before: Decimal) -> (bool, bool) {
    if value.scale() == before.scale() {
        let (value, before) = (value.mantissa(), before.mantissa());
        (value < before, value >> 3 > before)
    } else {
        (value < before, value > before * JUMP)
    }
}

/// A reading of a register, or of the meter if `register` is `None`.
#[derive(Debug)]
pub(crate) struct Point<'a> {
    pub(crate) register: Option<&'a str>,
    pub(crate) day: NaiveDate,
    pub(crate) value: Decimal,
    /// The list, and the index in it.
    pub(crate) member: &'static str,
    pub(crate) index: u32,
}

/// Returns every reading of a meter of this kind, by register and day, or `None` if one is faulty (rules 1.3).
pub(super) fn series<'a>(kind: SupplyType, lists: [Readings<'a, '_>; 2]) -> Option<Vec<Point<'a>>> {
    let mut is_known = lists.iter().all(|readings| readings.is_free_of_faults());
    let mut points = Vec::new();
    each(lists, |member, index, reading| match known(reading, kind) {
        Some((register, day, value)) => points.push(Point { register, day, value, member, index }),
        None => is_known = false,
    });
    points.sort_unstable_by_key(|point| (point.register, point.day));
    is_known.then_some(points)
}

/// Calls `f` with the list, the index and the content of each usable reading.
fn each<'a, 'j>(lists: [Readings<'a, 'j>; 2], mut f: impl FnMut(&'static str, u32, &Reading<'a, 'j>)) {
    for readings in lists {
        let member = readings.list().member();
        readings.each(|index, reading| f(member, index, &reading));
    }
}

/// Returns register, day and value of a reading, or `None` if one of them is faulty or a required one is
/// absent.
fn known<'a>(reading: &Reading<'a, '_>, kind: SupplyType) -> Option<(Option<&'a str>, NaiveDate, Decimal)> {
    let register = match reading.source {
        Source::Meter => None,
        Source::Register(Presence::Usable(id)) => Some(id),
        Source::Register(Presence::Absent) if kind == SupplyType::Electricity => None,
        Source::Register(Presence::Absent | Presence::Faulty) => return None,
    };
    Some((register, *reading.reading_date.usable()?, reading.reading_value.usable()?.value()))
}
