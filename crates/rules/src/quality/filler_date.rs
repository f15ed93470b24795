use crate::prelude::*;

/// A day that systems write where a date is missing.
pub(super) const QUA_04: Rule = Rule {
    id: RuleId("QUA-04"),
    codes: &[Code::FillerDate],
    place: "`customers.#.date_of_birth`, `date_of_sale`, `supply_addresses.#.customer_at_supply_address_from_date`, \
        `MP.supply_start_date`, `MP.agreements.#.effective_from`, `MP.meters.#.installed_on` / `.active_from`, \
        `payment_instructions.#.valid_from`, `payment_schedules.#.start_date`",
    condition: "1 January of 1900, 1901 or 1970",
    level: Level::Warning,
    on: On::Several(&[
        On::Account(account),
        On::Customer(customer),
        On::MeterPoint(meter_point),
        On::Agreement(agreement),
        On::Meter(meter),
        On::Instruction(instruction),
        On::Schedule(schedule),
    ]),
    ..Rule::OF_PAYLOAD
};

/// The first days that spreadsheets, databases and operating systems know.
const FILLERS: [NaiveDate; 3] = [new_year(1900), new_year(1901), new_year(1970)];

const fn new_year(year: i32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, 1, 1).expect("a day")
}

fn account(account: &Account<'_>, checker: &mut Checker<'_>) {
    check(&account.date_of_sale, "date_of_sale", &At::ROOT, checker);
    items(&account.supply_addresses, "supply_addresses", &At::ROOT, |entry, at| {
        let name = "customer_at_supply_address_from_date";
        check(&entry.customer_at_supply_address_from_date, name, at, checker);
    });
}

fn customer(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&customer.date_of_birth, "date_of_birth", at, checker);
}

fn meter_point(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&point.point.common.supply_start_date, "supply_start_date", at, checker);
}

fn agreement(agreement: &Agreement<'_>, _: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&agreement.effective_from, "effective_from", at, checker);
}

fn meter(meter: &Meter<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let name = match meter.object {
        MeterObject::Electricity(_) | MeterObject::Gas(_) | MeterObject::EmbeddedWater(_) => "installed_on",
        MeterObject::EmbeddedElectricity(_) | MeterObject::EmbeddedGas(_) => "active_from",
    };
    if matches!(meter.life.start, Presence::Usable(start) if FILLERS.contains(&start)) {
        checker.report(at.member(name), Code::FillerDate);
    }
}

fn instruction(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&instruction.valid_from, "valid_from", at, checker);
}

fn schedule(schedule: &PaymentSchedule<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    check(&schedule.start_date, "start_date", at, checker);
}

fn check(date: &Field<NaiveDate>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if date.usable().is_some_and(|date| FILLERS.contains(date)) {
        checker.report(at.member(name), Code::FillerDate);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(date: &str) -> Vec<String> {
        let meter = json!({"installed_on": date});
        let embedded = json!({"active_from": format!("{date}T00:00:00+10:00")});
        let of_kind = |kind: &str, meter: &Value| json!({"supply_type": kind, "meters": [meter]});
        let points = json!([
            {"supply_start_date": date, "agreements": [{"effective_from": date}]},
            of_kind("ELECTRICITY", &meter),
            of_kind("GAS", &meter),
            of_kind("EMBEDDED_WATER", &meter),
            of_kind("EMBEDDED_GAS", &embedded),
            of_kind("EMBEDDED_ELECTRICITY", &embedded),
        ]);
        run(
            "QUA-04",
            json!({
                "date_of_sale": date,
                "customers": [{"date_of_birth": date}],
                "supply_addresses": [{"customer_at_supply_address_from_date": date, "meter_points": points}],
                "payment_instructions": [{"valid_from": date}],
                "payment_schedules": [{"start_date": date}],
            }),
        )
    }

    #[test]
    fn first_days_of_calendars_are_reported() {
        let entry = "supply_addresses.0";
        let expected = [
            "customers.0.date_of_birth".to_owned(),
            "date_of_sale".into(),
            "payment_instructions.0.valid_from".into(),
            "payment_schedules.0.start_date".into(),
            format!("{entry}.customer_at_supply_address_from_date"),
            format!("{entry}.meter_points.0.agreements.0.effective_from"),
            format!("{entry}.meter_points.0.supply_start_date"),
            format!("{entry}.meter_points.1.meters.0.installed_on"),
            format!("{entry}.meter_points.2.meters.0.installed_on"),
            format!("{entry}.meter_points.3.meters.0.installed_on"),
            format!("{entry}.meter_points.4.meters.0.active_from"),
            format!("{entry}.meter_points.5.meters.0.active_from"),
        ]
        .map(|place| format!("{place} filler_date (warning)"));
        for date in ["1900-01-01", "1901-01-01", "1970-01-01"] {
            assert_eq!(found(date), expected, "{date}");
        }
        for date in ["1900-01-02", "1971-01-01", "1970-02-01", "1899-12-31", "1900-13-01"] {
            assert_eq!(found(date), [""; 0], "{date}");
        }
    }
}
