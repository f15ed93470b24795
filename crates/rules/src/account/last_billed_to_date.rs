use super::all_meter_points;
use crate::prelude::*;
use cutover_model::draft::MeterPoint;

/// Billed transactions without a last billed date.
pub(super) const ACC_08: Rule = Rule {
    id: RuleId("ACC-08"),
    codes: &[Code::LastBilledToDateNotFound],
    place: "`last_billed_to_date`",
    condition: "metered or embedded points have meters, but neither account nor register gives a last billed \
                date, and a ledger has historical transactions",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let undated = account.last_billed_to_date.is_absent() && has_history(account);
    if undated && has_undated_meters(account) == Some(true) {
        checker.report(At::ROOT.member("last_billed_to_date"), Code::LastBilledToDateNotFound);
    }
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
}
