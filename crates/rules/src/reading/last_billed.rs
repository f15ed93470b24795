use crate::prelude::*;
use cutover_model::choices::SupplyType;

/// A billed reading after the last billed date.
pub(super) const RDG_04: Rule = Rule {
    id: RuleId("RDG-04"),
    codes: &[Code::BilledReadingAfterLastBilledToDate],
    place: "`MP.meters.#.reading_history.#.reading_date`",
    condition: "billed reading after its [last billed date](#84-last-billed-date); if that is absent, after the latest \
        transfer reading of the register (or meter)",
    on: On::Several(&[On::HistoricalReading(billed), On::Meter(billed_after_transfer)]),
    ..Rule::OF_PAYLOAD
};

/// A transfer reading on another day than the last billed date.
pub(super) const RDG_05: Rule = Rule {
    id: RuleId("RDG-05"),
    codes: &[Code::TransferReadingDatesMustMatchLastBilledToDate],
    place: "`MP.meters.#.transfer_readings.#.reading_date`",
    condition: "differs from its [last billed date](#84-last-billed-date) (silent about a meter that MTR-17 reports)",
    level: Level::Warning,
    on: On::TransferReading(transfer),
    ..Rule::OF_PAYLOAD
};

fn billed(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if reading.billed != Presence::Usable(true) {
        return;
    }
    let Some((date, last)) = dates(reading, meter) else { return };
    if date > last {
        checker.report(at.member("reading_date"), Code::BilledReadingAfterLastBilledToDate);
    }
}

/// Without a last billed date, readings after the latest transfer reading cannot have been billed.
fn billed_after_transfer(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    // A register has a date of its own only beside others, so that few meters come further.
    if !meter.point.account.last_billed_to_date.is_absent() {
        return;
    }
    let Some(mut latest) = latest_transfers(meter) else { return };
    meter.reading_history.each(|index, reading| {
        let (Some(date), Some(register)) = (reading.reading_date.usable(), register(&reading)) else {
            return;
        };
        let is_late = reading.billed == Presence::Usable(true)
            && last_billed_to_date(&reading, meter).is_some_and(Field::is_absent)
            && latest.slot(register, None).is_some_and(|latest| *date > latest);
        if is_late {
            let at = at.item("reading_history", index);
            checker.report(at.member("reading_date"), Code::BilledReadingAfterLastBilledToDate);
        }
    });
}

/// Returns the day of the latest transfer reading of each register, or `None` if a fault may hide it.
fn latest_transfers<'a>(meter: &Meter<'a, '_>) -> Option<SmallMap<Option<&'a str>, Option<NaiveDate>>> {
    let mut latest = SmallMap::new();
    let mut is_known = meter.transfer_readings.is_free_of_faults();
    meter.transfer_readings.each(|_, reading| match (reading.reading_date.usable(), register(&reading)) {
        (Some(date), Some(register)) => {
            let slot = latest.slot(register, None);
            *slot = (*slot).max(Some(*date));
        }
        _ => is_known = false,
    });
    is_known.then_some(latest)
}

/// Returns the register of a reading, the inner `None` if it is of the meter, or the outer if it is faulty.
#[expect(clippy::option_option, reason = "outer: known or not; inner: a register or the meter")]
fn register<'a>(reading: &Reading<'a, '_>) -> Option<Option<&'a str>> {
    match reading.source {
        Source::Register(Presence::Usable(id)) => Some(Some(id)),
        Source::Register(Presence::Faulty) => None,
        Source::Register(Presence::Absent) | Source::Meter => Some(None),
    }
}

fn transfer(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some((date, last)) = dates(reading, meter).filter(|_| !meter.is_fully_billed()) else { return };
    if date != last {
        checker.report(at.member("reading_date"), Code::TransferReadingDatesMustMatchLastBilledToDate);
    }
}

/// Returns the date of the reading and its last billed date, if both are usable.
fn dates(reading: &Reading<'_, '_>, meter: &Meter<'_, '_>) -> Option<(NaiveDate, NaiveDate)> {
    let last = last_billed_to_date(reading, meter)?.usable()?;
    Some((*reading.reading_date.usable()?, *last))
}

/// Returns the member with the last billed date of a reading (rules 8.4), or `None` if faults hide which one
/// it is.
fn last_billed_to_date<'a>(reading: &Reading<'_, '_>, meter: &Meter<'a, '_>) -> Option<&'a Field<NaiveDate>> {
    let account = &meter.point.account.last_billed_to_date;
    if meter.kind != SupplyType::Electricity || meter.registers.list.is_absent_or_empty() {
        return Some(account);
    }
    let register = match reading.source {
        _ if !meter.registers.is_known => return None,
        Source::Register(Presence::Faulty) => return None,
        Source::Register(Presence::Usable(id)) => meter.registers.first(id),
        Source::Register(Presence::Absent) | Source::Meter => None,
    };
    let own = register.and_then(|register| register.last_billed_to_date);
    Some(own.filter(|own| own.is_sent()).unwrap_or(account))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    const KINDS: [&str; 5] = ["ELECTRICITY", "GAS", "EMBEDDED_ELECTRICITY", "EMBEDDED_GAS", "EMBEDDED_WATER"];

    fn account(kind: &str, body: Value, last_billed: Value) -> Value {
        let mut account = meter(kind, body);
        account["last_billed_to_date"] = last_billed;
        account
    }

    #[test]
    fn billed_readings_are_not_dated_after_the_last_billed_date() {
        let late = ["reading_history.0.reading_date billed_reading_after_last_billed_to_date (error)"];
        for kind in KINDS {
            let check = |date: Value, last: Value| {
                let history = json!({"reading_history": [{"reading_date": date, "billed": true}]});
                found("RDG-04", account(kind, history, last))
            };
            assert_eq!(check(json!("2026-01-02"), json!("2026-01-01")), late, "{kind}");
            assert!(check(json!("2026-01-01"), json!("2026-01-01")).is_empty());
            assert!(check(json!("2026-01-02"), json!(null)).is_empty());
            assert!(check(json!(7), json!("2026-01-01")).is_empty());
        }
    }

    #[test]
    fn embedded_gas_and_water_history_is_billed_unless_it_says_otherwise() {
        for kind in KINDS {
            let check = |mut reading: Value| {
                reading["reading_date"] = json!("2026-01-02");
                let history = json!({"reading_history": [reading]});
                found("RDG-04", account(kind, history, json!("2026-01-01"))).len()
            };
            let by_default = ["EMBEDDED_GAS", "EMBEDDED_WATER"].contains(&kind);
            assert_eq!(check(json!({})), usize::from(by_default), "{kind}");
            for billed in [json!(null), json!(false), json!("true")] {
                assert_eq!(check(json!({"billed": billed})), 0, "{kind} {billed}");
            }
        }
    }

    #[test]
    fn transfer_readings_are_dated_on_the_last_billed_date() {
        let other = [
            "transfer_readings.0.reading_date transfer_reading_dates_must_match_last_billed_to_date (warning)",
        ];
        for kind in KINDS {
            let check = |date: Value, last: Value| {
                found("RDG-05", account(kind, json!({"transfer_readings": [{"reading_date": date}]}), last))
            };
            assert_eq!(check(json!("2026-01-02"), json!("2026-01-01")), other, "{kind}");
            assert_eq!(check(json!("2025-12-31"), json!("2026-01-01")), other, "{kind}");
            assert!(check(json!("2026-01-01"), json!("2026-01-01")).is_empty());
            assert!(check(json!("2026-01-02"), json!("soon")).is_empty());
        }
    }

    /// Returns true if a transfer reading of 2 January differs from its last billed date. The account is
    /// billed up to 1 January.
    fn differs(kind: &str, registers: Value, reading: Value) -> bool {
        let mut reading = reading;
        reading["reading_date"] = json!("2026-01-02");
        let body = json!({"registers": registers, "transfer_readings": [reading]});
        !found("RDG-05", account(kind, body, json!("2026-01-01"))).is_empty()
    }

    #[test]
    fn the_date_of_the_register_precedes_that_of_the_account() {
        let billed = |id: &str, last: Value| json!({"register_id": id, "last_billed_to_date": last});
        let own =
            json!([billed("E1", json!("2026-01-02")), {"register_id": "E2"}, billed("E3", json!("2026"))]);
        let named = |id: &str| json!({"register_id": id});
        for (registers, reading, expected) in [
            (own.clone(), named("E1 "), false),
            (own.clone(), named("E2"), true),
            (own.clone(), named("E3"), false),
            (own.clone(), named("E4"), true),
            (own.clone(), json!({}), true),
            (own.clone(), json!({"register_id": 7}), false),
            (json!([]), named("E1"), true),
            (json!([]), json!({"register_id": 7}), true),
            (json!(null), named("E1"), false),
            (json!(7), named("E1"), false),
            (json!([{"register_id": "E2"}, {}]), named("E2"), false),
            (json!([{"register_id": "E2"}, 7]), named("E2"), false),
            (json!([{"register_id": "E2"}, billed("E2", json!("2026-01-02"))]), named("E2"), true),
        ] {
            assert_eq!(
                differs("ELECTRICITY", registers.clone(), reading.clone()),
                expected,
                "{registers} {reading}"
            );
        }
        assert!(
            differs("EMBEDDED_ELECTRICITY", json!([{}]), named("E1")),
            "the account's, whatever the list"
        );
    }

    #[test]
    fn a_reading_after_the_transfer_is_not_billed() {
        let late = ["reading_history.1.reading_date billed_reading_after_last_billed_to_date (error)"];
        let named = |id: &str, date: &str| json!({"register_id": id, "reading_date": date, "billed": true});
        let history = json!([named("E1", "2026-09-30"), named("E1", "2026-10-15")]);
        let check = |kind: &str, transfer: Value| {
            found("RDG-04", meter(kind, json!({"reading_history": history, "transfer_readings": transfer})))
        };
        for kind in KINDS {
            let of_e1 = |dates: &[&str]| dates.iter().map(|date| named("E1", date)).collect::<Value>();
            assert_eq!(check(kind, of_e1(&["2026-09-30", "2026-01-01"])), late, "{kind}");
            assert_eq!(check(kind, of_e1(&["2026-10-15"])), [""; 0]);
            assert_eq!(check(kind, of_e1(&["2026-10-15", "2026-13-15"])), [""; 0]);
            assert_eq!(check(kind, json!([])), [""; 0]);
            assert_eq!(check(kind, json!(7)), [""; 0]);
        }
        assert_eq!(check("ELECTRICITY", json!([named("E2", "2026-09-30")])), [""; 0], "of another register");
        for last in [json!("2026-10-15"), json!("2026-10-32")] {
            let body = json!({"reading_history": history, "transfer_readings": [named("E1", "2026-09-30")]});
            assert_eq!(found("RDG-04", account("GAS", body, last)), [""; 0]);
        }
        let unbilled = json!({"reading_date": "2026-10-15", "billed": false});
        let body =
            json!({"reading_history": [unbilled], "transfer_readings": [{"reading_date": "2026-09-30"}]});
        assert_eq!(found("RDG-04", meter("GAS", body)), [""; 0]);
        let register = json!({"register_id": "E1", "last_billed_to_date": "2026-10-15"});
        let body = json!({
            "registers": [register], "reading_history": history, "transfer_readings": [named("E1", "2026-09-30")],
        });
        assert_eq!(found("RDG-04", meter("ELECTRICITY", body)), [""; 0], "billed up to that day");
    }

    #[test]
    fn transfer_readings_of_a_meter_billed_to_its_end_are_left_to_another_rule() {
        let body = json!({"removed_on": "2019-03-14", "transfer_readings": [{"reading_date": "2019-03-14"}]});
        assert_eq!(found("RDG-05", account("GAS", body.clone(), json!("2026-09-30"))), [""; 0]);
        assert_eq!(found("RDG-05", account("GAS", body, json!("2019-03-13"))).len(), 1);
    }
}
