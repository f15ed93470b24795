use crate::prelude::*;
use crate::view::{JUMP, Point};
use rust_decimal::Decimal;

/// A reading far above the others, as after a lost decimal point.
///
/// A new meter begins low, and an empty house uses nothing: so a reading must stand out from the one before it, and its
/// use from that of all other times.
pub(super) const RDG_08: Rule = Rule {
    id: RuleId("RDG-08"),
    codes: &[Code::ReadingJumped],
    place: "`MP.meters.#.transfer_readings.#.reading_value`, `MP.meters.#.reading_history.#.reading_value`",
    condition: "[jumps](#86-jumps-of-readings) by more than the factor of the supplier, 10 by default",
    level: Level::Warning,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

/// The least earlier reading that is compared alone: lower ones are those of a new meter.
const OF_NEW_METER: Decimal = Decimal::ONE_HUNDRED;

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let factor = checker.values.jump_factor.map_or(JUMP, Decimal::from);
    if factor >= JUMP && meter.first_pass().never_jumps {
        return;
    }
    let Some(points) = meter.series() else { return };
    for of_one_register in points.chunk_by(|a, b| a.register == b.register) {
        jumps(of_one_register, factor, |point| {
            let reading = at.item(point.member, point.index);
            checker.report(reading.member("reading_value"), Code::ReadingJumped);
        });
    }
}

/// The lowest reading of a day, and what was used a day since the day before it in the list.
#[derive(Debug, Clone, Copy)]
struct Use {
    amount: Decimal,
    days: Decimal,
}

impl Use {
    fn since(earlier: (NaiveDate, Decimal), day: NaiveDate, value: Decimal) -> Self {
        Self { amount: value - earlier.1, days: (day - earlier.0).num_days().into() }
    }

    /// Returns true if more is used in a day than so many times the other.
    fn exceeds(self, times: Decimal, other: Self) -> bool {
        self.amount * other.days > other.amount * times * self.days
    }
}

/// Calls `f` with the readings of a register that jump by more than a factor. They are sorted by day.
fn jumps<'p>(points: &'p [Point<'p>], factor: Decimal, mut f: impl FnMut(&'p Point<'p>)) {
    let days = || points.chunk_by(|a, b| a.day == b.day);
    let lowest = |of_a_day: &[Point<'_>]| of_a_day.iter().map(|point| point.value).min().unwrap_or_default();
    let fastest = two_fastest(days().map(|of_a_day| (of_a_day[0].day, lowest(of_a_day))));
    let mut before: Option<(NaiveDate, Decimal)> = None;
    for of_a_day in days() {
        let day = of_a_day[0].day;
        for point in of_a_day {
            let Some(before) = before else { break };
            let other = fastest.iter().flatten().find(|(other, _)| *other != day).map(|(_, other)| *other);
            let is_jump = point.value > before.1 * factor
                && match other {
                    Some(other) => Use::since(before, day, point.value).exceeds(factor, other),
                    None => before.1 >= OF_NEW_METER && point.value > before.1 * factor * factor,
                };
            if is_jump {
                f(point);
            }
        }
        before = Some((day, lowest(of_a_day)));
    }
}

/// Returns the two days up to which most was used a day, the first of them first. Times without use do not count.
fn two_fastest(days: impl Iterator<Item = (NaiveDate, Decimal)>) -> [Option<(NaiveDate, Use)>; 2] {
    let (mut fastest, mut before) = ([None, None], None);
    for (day, value) in days {
        let new = before.replace((day, value)).map(|before| Use::since(before, day, value));
        let Some(new) = new.filter(|new| new.amount > Decimal::ZERO) else { continue };
        let is_faster =
            |than: Option<(NaiveDate, Use)>| than.is_none_or(|(_, other)| new.exceeds(Decimal::ONE, other));
        if is_faster(fastest[0]) {
            fastest = [Some((day, new)), fastest[0]];
        } else if is_faster(fastest[1]) {
            fastest[1] = Some((day, new));
        }
    }
    fastest
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// Runs the rule on readings `month value` of one register, the last of them the transfer reading. Returns the
    /// indexes of those that are reported.
    fn jumps(kind: &str, values: &[&str]) -> Vec<usize> {
        let reading = |text: &&str| {
            let (month, value) = text.split_once(' ').unwrap();
            json!({"register_id": "E1", "reading_date": format!("2026-{month}-01"), "reading_value": value})
        };
        let history: Value = values[..values.len() - 1].iter().map(reading).collect();
        let transfer = json!([reading(&values[values.len() - 1])]);
        let found =
            found("RDG-08", meter(kind, json!({"reading_history": history, "transfer_readings": transfer})));
        let place = |i: usize| match values.len() - 1 {
            last if i == last => "transfer_readings.0".to_owned(),
            _ => format!("reading_history.{i}"),
        };
        let expected =
            |i: &usize| found.contains(&format!("{}.reading_value reading_jumped (warning)", place(*i)));
        let indexes: Vec<_> = (0..values.len()).filter(expected).collect();
        assert_eq!(indexes.len(), found.len(), "{found:?}");
        indexes
    }

    #[test]
    fn a_lost_decimal_point_is_a_jump() {
        for kind in ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"] {
            for (values, expected) in [
                (&["01 4821.5", "04 4987.25", "07 5169.75", "10 5380.125"][..], &[][..]),
                (&["01 4821.5", "04 4987.25", "07 5169.75", "10 53801.25"], &[3]),
                (&["01 4821.5", "04 4987.25", "07 5169.75", "10 5380125"], &[3]),
                (&["01 4821.5", "04 4987250", "07 5169.75", "10 5380.125"], &[1]),
                (&["01 4821.5", "04 4987.25", "07 5169750", "10 5380125"], &[2]),
                (&["10 5380125", "01 4821.5", "04 4987.25", "07 5169.75"], &[0]),
                (&["01 4821.5", "01 4821500", "07 5169.75"], &[]),
                (&["01 5380.125", "10 5380125"], &[1]),
                (&["01 5380.125", "10 538012.5"], &[]),
            ] {
                assert_eq!(jumps(kind, values), expected, "{kind} {values:?}");
            }
        }
    }

    #[test]
    fn a_new_meter_and_an_empty_house_do_not_jump() {
        for values in [
            &["01 0", "04 500", "07 1000"][..],
            &["01 5", "04 500", "07 1000", "10 1600"],
            &["01 5", "04 5000"],
            &["01 99", "04 99999"],
            &["01 5000", "04 5000", "07 5000", "10 7000"],
            &["01 5000", "04 5001", "07 5002", "10 7000"],
            &["01 0", "04 0", "07 700"],
        ] {
            assert_eq!(jumps("GAS", values), [0; 0], "{values:?}");
        }
    }

    #[test]
    fn registers_are_judged_separately_and_faults_silence_the_meter() {
        let reading = |register: &str, month: u8, value: &str| json!({"register_id": register, "reading_date": format!("2026-{month:02}-01"), "reading_value": value});
        let mut history = vec![
            reading("E1", 1, "500000"),
            reading("B1", 1, "1200"),
            reading("E1", 4, "500001"),
            reading("B1", 4, "1300"),
            reading("B1", 7, "140000"),
            reading("E1", 7, "501000"),
        ];
        let found =
            |history: &[Value]| found("RDG-08", meter("ELECTRICITY", json!({"reading_history": history})));
        assert_eq!(found(&history), ["reading_history.4.reading_value reading_jumped (warning)"]);
        history.push(reading("E1", 8, "x"));
        assert_eq!(found(&history), [""; 0]);
    }
}
