use super::all_meter_points;
use crate::prelude::*;

/// An account without a meter point on supply.
pub(super) const ACC_07: Rule = Rule {
    id: RuleId("ACC-07"),
    codes: &[Code::NoSupplyPointOnSupply],
    place: "`supply_addresses`",
    condition: "no meter point without, or with a future, `supply_end_date`",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(mut points) = all_meter_points(account) else { return };
    let ended =
        points.all(|point| point.common.supply_end_date.usable().is_some_and(|end| *end <= checker.today));
    if ended {
        checker.report(At::ROOT.member("supply_addresses"), Code::NoSupplyPointOnSupply);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    const EXPECTED: [&str; 1] = ["supply_addresses no_supply_point_on_supply (warning)"];

    /// Two entries, the first with a point whose supply has ended.
    fn with(second: Value) -> Vec<String> {
        let ended = json!({"meter_points": [{"supply_end_date": "2026-11-21"}]});
        run("ACC-07", json!({"supply_addresses": [ended, second]}))
    }

    #[test]
    fn an_account_without_a_point_on_supply_is_reported() {
        assert_eq!(with(json!({"meter_points": [{"supply_end_date": "2020-01-01"}]})), EXPECTED);
        assert_eq!(with(json!({"meter_points": []})), EXPECTED);
        assert_eq!(run("ACC-07", json!({"supply_addresses": []})), EXPECTED);
        assert_eq!(with(json!({"meter_points": [{"supply_end_date": "2026-11-22"}]})), [""; 0]);
        assert_eq!(with(json!({"meter_points": [{"supply_end_date": null}]})), [""; 0]);
    }

    #[test]
    fn silent_unless_every_point_is_known() {
        for second in [
            json!({"meter_points": [{"supply_end_date": "2026-13-01"}]}),
            json!({"meter_points": [null]}),
            json!({"meter_points": "none"}),
            json!({}),
            json!(null),
        ] {
            assert_eq!(with(second), [""; 0]);
        }
        assert_eq!(run("ACC-07", json!({"supply_addresses": {}})), [""; 0]);
        assert_eq!(run("ACC-07", json!({})), [""; 0]);
    }
}
