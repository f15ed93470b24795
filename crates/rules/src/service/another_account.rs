use crate::MeterPointKey;
use crate::prelude::*;

/// A meter point that another imported account still has.
pub(crate) const PST_12: Rule = Rule {
    id: RuleId("PST-12"),
    codes: &[Code::MeterPointOfAnotherAccount],
    place: "`MP.mpxn`",
    condition: "another imported account of the organisation has it without, or with a later, supply end",
    level: Level::Warning,
    fixed: false,
    on: On::MeterPoint(check),
    ..Rule::OF_SERVICE
};

fn check(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(taken) = checker.facts.taken_meter_points.filter(|taken| !taken.is_empty()) else { return };
    if let Some(holder) = MeterPointKey::of(point.point).and_then(|key| taken.get(&key)) {
        let text = format_args!("Account {} of {} has this meter point.", holder.number, holder.supplier);
        checker.report_as(at.member("mpxn"), Code::MeterPointOfAnotherAccount, text);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use crate::{MeterPointHolder, MeterPointKey};
    use std::collections::HashMap;

    fn found(taken: &HashMap<MeterPointKey, MeterPointHolder>, own: Value) -> Vec<String> {
        run_with("PST-12", point(own), Facts { taken_meter_points: Some(taken), ..facts() })
    }

    #[test]
    fn a_meter_point_of_another_account_is_reported() {
        let key = MeterPointKey { mpxn: "6001".into(), supply_start_date: "2026-01-01".parse().unwrap() };
        let holder = MeterPointHolder { supplier: "ACME".into(), number: "A-1".into() };
        let (taken, none) = (HashMap::from([(key, holder)]), HashMap::new());
        let own = json!({"mpxn": " 6001 ", "supply_start_date": "2026-01-01"});
        let expected = ["supply_addresses.0.meter_points.0.mpxn meter_point_of_another_account (warning)"];
        assert_eq!(found(&taken, own.clone()), expected);
        assert_eq!(found(&none, own.clone()), [""; 0]);
        assert_eq!(run_with("PST-12", point(own), facts()), [""; 0]);
        for other in [
            json!({"mpxn": "6002", "supply_start_date": "2026-01-01"}),
            json!({"mpxn": "6001", "supply_start_date": "2026-01-02"}),
            json!({"mpxn": "6001", "supply_start_date": "2026-02-30"}),
            json!({"mpxn": "6001"}),
            json!({"mpxn": 6001, "supply_start_date": "2026-01-01"}),
            json!({"mpxn": "6001", "supply_start_date": "2026-01-01", "supply_type": "STEAM"}),
        ] {
            assert_eq!(found(&taken, other), [""; 0]);
        }
    }
}
