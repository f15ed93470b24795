use super::all_meter_points;
use crate::prelude::*;
use cutover_model::draft::MeterPoint;

/// Billed transactions without a last billed date, of the account or of one of its registers.
pub(super) const ACC_08: Rule = Rule {
    id: RuleId("ACC-08"),
    codes: &[Code::LastBilledToDateNotFound],
    place: "`last_billed_to_date`, `MP.meters.#.registers.#.last_billed_to_date`",
    condition: "a ledger has historical transactions, the account gives no last billed date, and: metered or \
                embedded points have meters, and no register gives one; or another register gives one, and this one \
                of a meter in place does not",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    if !account.last_billed_to_date.is_absent() || !has_history(account) {
        return;
    }
    if has_undated_meters(account) == Some(true) {
        checker.report(At::ROOT.member("last_billed_to_date"), Code::LastBilledToDateNotFound);
    }
    undated_registers(account, checker);
}

/// A register without a date beside one with a date would never be billed.
fn undated_registers(account: &Account<'_>, checker: &mut Checker<'_>) {
    let mut is_any_dated = false;
    each_electricity_register(account, |_, r, _| is_any_dated |= r.last_billed_to_date.usable().is_some());
    if is_any_dated {
        each_electricity_register(account, |meter, register, at| {
            if meter.removed_on.is_absent() && register.last_billed_to_date.is_absent() {
                checker.report(at.member("last_billed_to_date"), Code::LastBilledToDateNotFound);
            }
        });
    }
}

/// Nothing from which the first day to bill can be told.
pub(super) const ACC_10: Rule = Rule {
    id: RuleId("ACC-10"),
    codes: &[Code::CannotDetermineResponsibleForBillingFromDate],
    place: "`last_billed_to_date`",
    condition: "a meter point is [on supply](#4-meter-points-and-agreements), and the account has neither a last billed \
                date (its own or of a register) nor a ledger with `last_statement_closing_date` nor an agreement",
    on: On::Account(first_day),
    ..Rule::OF_PAYLOAD
};

fn first_day(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(mut points) = all_meter_points(account) else { return };
    if account.last_billed_to_date.is_absent()
        && points.any(|point| is_on_supply(point, checker.today))
        && has_no_agreement(account)
        && has_no_closing_date(account)
        && has_undated_meters(account).is_some()
    {
        let at = At::ROOT.member("last_billed_to_date");
        checker.report(at, Code::CannotDetermineResponsibleForBillingFromDate);
    }
}

fn has_no_agreement(account: &Account<'_>) -> bool {
    let points = all_meter_points(account);
    points.is_some_and(|mut points| points.all(|point| is_absent_or_empty(&point.common.agreements)))
}

fn has_no_closing_date(account: &Account<'_>) -> bool {
    let has_none = |list: &List<Ledger<'_>>| {
        list.is_whole() && list.usable().all(|(_, ledger)| ledger.last_statement_closing_date.is_absent())
    };
    account.ledgers.is_absent() || account.ledgers.usable().is_some_and(has_none)
}

fn has_history(account: &Account<'_>) -> bool {
    let mut ledgers = account.ledgers.usable().into_iter().flat_map(List::usable);
    ledgers.any(|(_, l)| l.historical_statement_transactions.usable().is_some_and(|list| !list.is_empty()))
}

/// Returns whether there are meters, or `None` if a register has or may have a date.
fn has_undated_meters(account: &Account<'_>) -> Option<bool> {
    let mut found = false;
    for point in all_meter_points(account)? {
        found |= point_has_undated_meters(point)?;
    }
    Some(found)
}

fn point_has_undated_meters(point: &MeterPoint<'_>) -> Option<bool> {
    match &point.variant {
        Variant::Electricity(own) => optional(&own.meters, is_undated),
        Variant::Gas(own) => optional(&own.meters, |_| true),
        Variant::EmbeddedElectricity(own) => required(&own.meters, |_| true),
        Variant::EmbeddedGas(own) => required(&own.meters, |_| true),
        Variant::EmbeddedWater(own) => required(&own.meters, |_| true),
        Variant::UnmeteredElectricity(_) | Variant::UnmeteredGas(_) => Some(false),
        Variant::Undecided => None,
    }
}

/// Returns whether the list has items, or `None` if it or an item is not usable, or an item is not undated.
fn required<T>(meters: &Field<List<T>>, is_undated: impl Fn(&T) -> bool) -> Option<bool> {
    let meters = meters.usable().filter(|list| list.is_whole())?;
    meters.usable().all(|(_, meter)| is_undated(meter)).then(|| !meters.is_empty())
}

fn optional<T>(meters: &Field<List<T>>, is_undated: impl Fn(&T) -> bool) -> Option<bool> {
    if meters.is_absent() { Some(false) } else { required(meters, is_undated) }
}

fn is_undated(meter: &ElectricityMeter<'_>) -> bool {
    let registers = &meter.registers;
    is_absent_or_empty(registers) || required(registers, |r| r.last_billed_to_date.is_absent()).is_some()
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// An account with historical transactions and one meter point.
    fn account(point: Value) -> Value {
        json!({
            "supply_addresses": [{"meter_points": [point]}],
            "ledgers": [{}, {"historical_statement_transactions": [{}]}],
        })
    }

    fn electricity(registers: Value) -> Value {
        json!({"supply_type": "ELECTRICITY", "meters": [{}, {"registers": registers}]})
    }

    #[test]
    fn meters_without_a_last_billed_date_are_reported() {
        for point in [
            electricity(json!([{}])),
            electricity(json!([])),
            json!({"supply_type": "ELECTRICITY", "meters": [{}]}),
            json!({"supply_type": "GAS", "meters": [{}]}),
            json!({"supply_type": "EMBEDDED_WATER", "meters": [{}]}),
        ] {
            let found = run("ACC-08", account(point));
            assert_eq!(found, ["last_billed_to_date last_billed_to_date_not_found (warning)"]);
        }
    }

    #[test]
    fn meter_points_without_meters_are_ignored() {
        for without in [json!({"supply_type": "UNMETERED_ELECTRICITY"}), json!({"supply_type": "GAS"})] {
            let mut body = account(electricity(json!([{}])));
            body["supply_addresses"][0]["meter_points"].as_array_mut().unwrap().push(without);
            assert_eq!(run("ACC-08", body).len(), 1);
        }
    }

    #[test]
    fn silent_without_meters_with_a_date_or_after_a_fault() {
        for point in [
            electricity(json!([{"last_billed_to_date": "2026-10-01"}])),
            electricity(json!([{"last_billed_to_date": "October"}])),
            electricity(json!([null])),
            electricity(json!("none")),
            json!({"supply_type": "ELECTRICITY", "meters": []}),
            json!({"supply_type": "ELECTRICITY", "meters": [{}, 7]}),
            json!({"supply_type": "GAS"}),
            json!({"supply_type": "EMBEDDED_GAS"}),
            json!({"supply_type": "UNMETERED_GAS", "meters": [{}]}),
            json!({"supply_type": "STEAM", "meters": [{}]}),
            json!(null),
        ] {
            assert_eq!(run("ACC-08", account(point)), [""; 0]);
        }
    }

    #[test]
    fn silent_if_the_account_has_a_date_or_no_history() {
        let body = account(electricity(json!([{}])));
        let with = |name: &str, value: Value| {
            let mut body = body.clone();
            body[name] = value;
            run("ACC-08", body)
        };
        assert_eq!(with("last_billed_to_date", json!("2026-10-01")), [""; 0]);
        assert_eq!(with("last_billed_to_date", json!("October")), [""; 0]);
        assert_eq!(with("ledgers", json!([{"historical_statement_transactions": []}])), [""; 0]);
        assert_eq!(with("ledgers", json!({})), [""; 0]);
        assert_eq!(with("unknown_occupier", json!(false)).len(), 1);
    }

    #[test]
    fn a_register_without_a_date_beside_one_with_a_date_is_reported() {
        let place = "supply_addresses.0.meter_points.0.meters.1.registers.1.last_billed_to_date";
        let dated = json!({"last_billed_to_date": "2026-09-30"});
        let body = account(electricity(json!([dated, {}, {"last_billed_to_date": "2026-13-01"}])));
        assert_eq!(run("ACC-08", &body), [format!("{place} last_billed_to_date_not_found (warning)")]);
        let mut removed = body.clone();
        removed["supply_addresses"][0]["meter_points"][0]["meters"][1]["removed_on"] = json!("2026-01-01");
        assert_eq!(run("ACC-08", removed), [""; 0]);
        let mut dated_account = body.clone();
        dated_account["last_billed_to_date"] = json!("2026-09-30");
        assert_eq!(run("ACC-08", dated_account), [""; 0]);
        let mut without_history = body;
        without_history["ledgers"] = json!([]);
        assert_eq!(run("ACC-08", without_history), [""; 0]);
    }

    #[test]
    fn the_first_day_to_bill_follows_from_a_date_or_an_agreement() {
        let refused = ["last_billed_to_date cannot_determine_responsible_for_billing_from_date (error)"];
        let check = |point: Value, member: &str, value: Value| {
            run("ACC-10", json!({"supply_addresses": [{"meter_points": [point]}], (member): value}))
        };
        let on_supply = json!({"supply_type": "ELECTRICITY", "supply_start_date": "2024-07-01"});
        for ledgers in [json!([]), json!([{}]), json!([{"last_statement_balance": 0}])] {
            assert_eq!(check(on_supply.clone(), "ledgers", ledgers), refused);
        }
        for (member, value) in [
            ("last_billed_to_date", json!("2026-09-30")),
            ("last_billed_to_date", json!("2026-09-31")),
            ("ledgers", json!([{}, {"last_statement_closing_date": "2026-09-30"}])),
            ("ledgers", json!([{"last_statement_closing_date": 7}])),
            ("ledgers", json!([7])),
            ("ledgers", json!(7)),
        ] {
            assert_eq!(check(on_supply.clone(), member, value.clone()), [""; 0], "{member} {value}");
        }
        for (member, value) in [
            ("agreements", json!([{}])),
            ("agreements", json!(7)),
            ("supply_end_date", json!("2026-11-21")),
            ("supply_end_date", json!("2026-11-32")),
            ("meters", json!([{"registers": [{"last_billed_to_date": "2026-09-30"}]}])),
            ("meters", json!([{"registers": [{"last_billed_to_date": "2026-09-31"}]}])),
            ("meters", json!(7)),
            ("supply_type", json!("STEAM")),
        ] {
            let mut point = on_supply.clone();
            point[member] = value;
            assert_eq!(check(point.clone(), "ledgers", json!([])), [""; 0], "{point}");
        }
    }
}
