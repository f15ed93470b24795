use crate::prelude::*;

/// A removed meter without a reading on the day of its removal.
pub(super) const MTR_11: Rule = Rule {
    id: RuleId("MTR-11"),
    codes: &[Code::NoReadingOnRemovedOn],
    place: "`MP.meters.#.reading_history`",
    condition: "removed meter without a reading on the removal day",
    level: Level::Off,
    on: On::Meter(check),
    ..Rule::OF_PAYLOAD
};

/// A meter removed after the last billed day, so that it is still to be billed, without the readings for it.
///
/// Most meters in histories were removed long before, and lack them: hence MTR-11 is off.
pub(super) const MTR_16: Rule = Rule {
    id: RuleId("MTR-16"),
    codes: &[Code::NoTransferReadingOnExchangedMeter, Code::NoReadingOnRemovedOn],
    place: "`MP.meters.#.transfer_readings` / `.reading_history`",
    condition: "removed after the [last billed day](#85-last-billed-day-of-a-meter-point) without a transfer reading / \
        without a reading on the removal day",
    level: Level::Warning,
    on: On::Meter(exchanged),
    ..Rule::OF_PAYLOAD
};

/// A meter that is billed to its end and has transfer readings.
pub(super) const MTR_17: Rule = Rule {
    id: RuleId("MTR-17"),
    codes: &[Code::ReadingMeterFullyBilled],
    place: "`MP.meters.#.transfer_readings`",
    condition: "not empty (faulty ones count), and the meter was removed on the \
        [last billed day](#85-last-billed-day-of-a-meter-point) or before",
    level: Level::Warning,
    on: On::Meter(fully_billed),
    ..Rule::OF_PAYLOAD
};

fn exchanged(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Presence::Usable(removed), Some(billed)) = (meter.life.end, meter.point.last_billed) else { return };
    if removed <= billed {
        return;
    }
    if matches!(meter.transfer_readings.count(), Presence::Absent | Presence::Usable(0)) {
        checker.report(at.member("transfer_readings"), Code::NoTransferReadingOnExchangedMeter);
    }
    if meter.was_read_on(removed) == Some(false) {
        checker.report(at.member("reading_history"), Code::NoReadingOnRemovedOn);
    }
}

fn fully_billed(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if meter.is_fully_billed() && matches!(meter.transfer_readings.count(), Presence::Usable(1..)) {
        checker.report(at.member("transfer_readings"), Code::ReadingMeterFullyBilled);
    }
}

fn check(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Presence::Usable(removed) = meter.life.end else { return };
    if meter.was_read_on(removed) == Some(false) {
        checker.report(at.member("reading_history"), Code::NoReadingOnRemovedOn);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn a_removed_meter_has_a_reading_on_the_removal_day() {
        let missing = ["reading_history no_reading_on_removed_on (warning)"];
        let (last, other) = (json!({"reading_date": "2026-01-01"}), json!({"reading_date": "2026-01-02"}));
        for (body, expected) in [
            (json!({"removed_on": "2026-01-01"}), &missing[..]),
            (json!({"removed_on": "2026-01-01", "reading_history": []}), &missing),
            (json!({"removed_on": "2026-01-01", "reading_history": [other]}), &missing),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, last]}), &[]),
            (json!({"removed_on": "2026-01-01", "transfer_readings": [last]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, 7]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": [other, {}]}), &[]),
            (json!({"removed_on": "2026-01-01", "reading_history": 7}), &[]),
            (json!({"removed_on": "2026-01-01", "transfer_readings": 7}), &[]),
            (json!({"removed_on": "2026-01", "reading_history": []}), &[]),
            (json!({"removed_on": null, "reading_history": []}), &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS"] {
                assert_eq!(found("MTR-11", meter(kind, body.clone())), expected, "{body}");
            }
        }
    }

    #[test]
    fn the_end_of_an_embedded_meter_is_its_removal() {
        let check = |date: &str| {
            let body = json!({"active_to": "2026-01-01T23:30:00+10:00", "reading_history": [{"reading_date": date}]});
            found("MTR-11", meter("EMBEDDED_ELECTRICITY", body))
        };
        assert!(check("2026-01-01").is_empty());
        assert_eq!(check("2026-01-02").len(), 1);
    }

    /// Runs a rule on a meter of an account that is billed up to 2026-09-30.
    fn billed(rule: &str, kind: &str, body: &Value) -> Vec<String> {
        let mut account = meter(kind, body.clone());
        account["last_billed_to_date"] = json!("2026-09-30");
        found(rule, account)
    }

    #[test]
    fn a_meter_exchanged_since_the_last_bill_has_its_readings() {
        let transfer = "transfer_readings no_transfer_reading_on_exchanged_meter (warning)";
        let removal = "reading_history no_reading_on_removed_on (warning)";
        let (last, other) = (json!({"reading_date": "2026-10-20"}), json!({"reading_date": "2026-09-30"}));
        for (body, expected) in [
            (json!({"removed_on": "2026-10-20"}), &[removal, transfer][..]),
            (
                json!({"removed_on": "2026-10-20", "transfer_readings": [], "reading_history": []}),
                &[removal, transfer],
            ),
            (json!({"removed_on": "2026-10-20", "transfer_readings": [other]}), &[removal]),
            (json!({"removed_on": "2026-10-20", "reading_history": [last]}), &[transfer]),
            (
                json!({"removed_on": "2026-10-20", "transfer_readings": [other], "reading_history": [last]}),
                &[],
            ),
            (json!({"removed_on": "2026-10-20", "transfer_readings": 7}), &[]),
            (json!({"removed_on": "2026-09-30"}), &[]),
            (json!({"removed_on": "2026-10"}), &[]),
            (json!({"removed_on": null}), &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS"] {
                assert_eq!(billed("MTR-16", kind, &body), expected, "{body}");
            }
        }
        assert!(found("MTR-16", meter("GAS", json!({"removed_on": "2026-10-20"}))).is_empty());
        let register = json!({"register_id": "E1", "last_billed_to_date": "2026-10-20"});
        let meters = json!([{"removed_on": "2026-10-20"}, {"registers": [register]}]);
        let mut account = point(json!({"meters": meters}));
        account["last_billed_to_date"] = json!("2026-09-30");
        assert!(found("MTR-16", account).is_empty(), "the registers in place decide");
    }

    #[test]
    fn a_meter_billed_to_its_end_has_no_transfer_readings() {
        let expected = ["transfer_readings reading_meter_fully_billed (warning)"];
        for (body, expected) in [
            (json!({"removed_on": "2026-09-30", "transfer_readings": [{}]}), &expected[..]),
            (json!({"removed_on": "2019-03-14", "transfer_readings": [7]}), &expected),
            (json!({"removed_on": "2026-10-01", "transfer_readings": [{}]}), &[]),
            (json!({"removed_on": "2019-03-14", "transfer_readings": []}), &[]),
            (json!({"removed_on": "2019-03-14", "transfer_readings": 7}), &[]),
            (json!({"removed_on": "2019-03", "transfer_readings": [{}]}), &[]),
            (json!({"removed_on": null, "transfer_readings": [{}]}), &[]),
        ] {
            for kind in ["ELECTRICITY", "GAS"] {
                assert_eq!(billed("MTR-17", kind, &body), expected, "{body}");
            }
        }
        let embedded = json!({"active_to": "2026-09-30T12:00:00Z", "transfer_readings": [{}]});
        assert_eq!(billed("MTR-17", "EMBEDDED_ELECTRICITY", &embedded), expected);
        let body = json!({"removed_on": "2019-03-14", "transfer_readings": [{}]});
        assert!(found("MTR-17", meter("GAS", body)).is_empty());
    }
}
