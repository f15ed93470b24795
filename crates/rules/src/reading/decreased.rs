use crate::prelude::*;
use rust_decimal::Decimal;

/// A reading lower than the previous one.
///
/// Both lists of the meter count. Earlier means an earlier day; of several readings of the latest
/// earlier day the lowest counts, so that the order of the payload does not matter. Readings of
/// metered electricity that name no register are compared with each other.
pub(super) const RDG_06: Rule = Rule {
    id: RuleId("RDG-06"),
    codes: &[Code::ReadingDecreased],
    place: "`MP.meters.#.transfer_readings.#.reading_value`, `MP.meters.#.reading_history.#.reading_value`",
    condition: "lower than the latest earlier reading of the same register (or meter)",
    level: Level::Warning,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if meter.first_pass().never_decreases {
        return;
    }
    let Some(points) = meter.series() else { return };
    for of_one_register in points.chunk_by(|a, b| a.register == b.register) {
        let mut lowest = Lowest::from(of_one_register[0].day, of_one_register[0].value);
        for point in of_one_register {
            if lowest.is_decrease(point.day, point.value) {
                let reading = at.item(point.member, point.index);
                checker.report(reading.member("reading_value"), Code::ReadingDecreased);
            }
        }
    }
}

/// The lowest readings of the current day and of the day before, while readings are visited by day.
#[derive(Debug, Clone, Copy)]
struct Lowest {
    day: NaiveDate,
    /// The lowest reading of that day.
    lowest: Decimal,
    /// The lowest reading of the latest earlier day.
    before: Option<Decimal>,
}

impl Lowest {
    fn from(day: NaiveDate, value: Decimal) -> Self {
        Self { day, lowest: value, before: None }
    }

    /// Takes the next reading, and returns true if it is lower than the latest earlier one.
    fn is_decrease(&mut self, day: NaiveDate, value: Decimal) -> bool {
        if day > self.day {
            *self = Self { day, lowest: value, before: Some(self.lowest) };
        } else if value < self.lowest {
            self.lowest = value;
        }
        self.before.is_some_and(|before| value < before)
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use proptest::prelude::*;

    /// A list of readings, each `register day value`; register `-` is none.
    fn readings(texts: &[&str]) -> Value {
        let reading = |text: &&str| {
            let [register, day, value] = text.split(' ').collect::<Vec<_>>()[..] else {
                return json!(text);
            };
            let register = if register == "-" { json!(null) } else { json!(register) };
            let mut reading = json!({"reading_date": format!("2026-01-{day}"), "reading_value": value});
            if !register.is_null() {
                reading["register_id"] = register;
            }
            reading
        };
        texts.iter().map(reading).collect()
    }

    /// Readings at which the rule fires: `h1` is the second of the history, `t0` the first transfer reading.
    fn decreases(kind: &str, history: &[&str], transfer: &[&str]) -> Vec<String> {
        let body = json!({"reading_history": readings(history), "transfer_readings": readings(transfer)});
        let short = |line: String| {
            let line = line.strip_suffix(".reading_value reading_decreased (warning)").unwrap().to_owned();
            line.replace("reading_history.", "h").replace("transfer_readings.", "t")
        };
        found("RDG-06", meter(kind, body)).into_iter().map(short).collect()
    }

    #[test]
    fn decreasing_readings_are_reported() {
        for (history, transfer, expected) in [
            (&["- 01 10", "- 02 20"][..], &["- 03 30"][..], &[][..]),
            (&["- 01 10", "- 02 9.999"], &[], &["h1"]),
            (&["- 01 10", "- 02 10.0"], &[], &[]),
            (&["- 01 10", "- 02 5", "- 03 7"], &[], &["h1"]),
            (&["- 03 7", "- 02 5", "- 01 10"], &[], &["h1"]),
            (&["- 01 10"], &["- 02 9"], &["t0"]),
            (&["- 02 9"], &["- 01 10"], &["h0"]),
            (&["- 01 10", "- 01 9"], &[], &[]),
            (&["- 01 10", "- 01 20", "- 02 15"], &[], &[]),
            (&["- 01 10", "- 01 20", "- 02 9", "- 02 10"], &[], &["h2"]),
            (&["- 01 10", "- 02 x", "- 03 9"], &[], &[]),
            (&["- 01 10", "- 99 10", "- 03 9"], &[], &[]),
            (&["- 01 10", "- 03 9"], &["x"], &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS", "EMBEDDED_GAS", "EMBEDDED_WATER"] {
                assert_eq!(decreases(kind, history, transfer), expected, "{kind} {history:?} {transfer:?}");
            }
        }
    }

    #[test]
    fn registers_are_compared_separately() {
        let history = ["E1 01 100", "E2 01 10", "E1 02 110", "E2 02 9", "E1 03 90"];
        for kind in ["ELECTRICITY", "EMBEDDED_ELECTRICITY"] {
            assert_eq!(decreases(kind, &history, &["E2 03 9", "E3 04 1"]), ["h3", "h4"], "{kind}");
        }
        assert_eq!(decreases("ELECTRICITY", &history[..4], &["- 03 1", "- 04 0"]), ["h3", "t1"]);
        assert!(decreases("EMBEDDED_ELECTRICITY", &history, &["- 03 1"]).is_empty(), "required there");
        let faulty = json!({"reading_history": readings(&history), "transfer_readings": 7});
        assert!(found("RDG-06", meter("ELECTRICITY", faulty)).is_empty());
    }

    proptest! {
        /// A reading falls if some reading of its register's latest earlier day, and so the lowest
        /// of them, is higher; whatever the order of the payload.
        #[test]
        fn agrees_with_the_definition(readings in prop::collection::vec((0..3u8, 1..9u8, 0..9u8), 0..40)) {
            let texts: Vec<_> = readings.iter().map(|(r, day, v)| format!("E{r} 0{day} {v}")).collect();
            let texts: Vec<_> = texts.iter().map(String::as_str).collect();
            let fires = |(register, day, value): &(u8, u8, u8)| {
                let of_register = || readings.iter().filter(|(r, ..)| r == register);
                let latest = of_register().filter(|(_, d, _)| d < day).map(|(_, d, _)| d).max();
                let lowest = of_register().filter(|(_, d, _)| Some(d) == latest).map(|(.., v)| v).min();
                lowest.is_some_and(|lowest| value < lowest)
            };
            let expected: Vec<_> =
                (0..readings.len()).filter(|i| fires(&readings[*i])).map(|i| format!("h{i}")).collect();
            prop_assert_eq!(decreases("ELECTRICITY", &texts, &[]), expected);
        }
    }
}
