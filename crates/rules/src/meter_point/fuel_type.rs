use crate::prelude::*;
use cutover_model::choices::EmbeddedWaterPlantFuelType;

/// A plant that burns natural gas without the MIRN of its parent.
pub(super) const MPT_16: Rule = Rule {
    id: RuleId("MPT-16"),
    codes: &[Code::FieldRequiredForFuelType],
    place: "`MP.parent_mirn` (EMBEDDED_WATER)",
    condition: "absent, `plant_fuel_type` NG",
    on: On::MeterPoint(required),
    ..Rule::OF_PAYLOAD
};

/// A plant that runs on electricity with the MIRN of a parent.
pub(super) const MPT_17: Rule = Rule {
    id: RuleId("MPT-17"),
    codes: &[Code::FieldNotAllowedForFuelType],
    place: "`MP.parent_mirn` (EMBEDDED_WATER)",
    condition: "given, `plant_fuel_type` ELECTRICITY",
    level: Level::Warning,
    on: On::MeterPoint(not_allowed),
    ..Rule::OF_PAYLOAD
};

fn required(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Variant::EmbeddedWater(own) = &point.point.variant else { return };
    let is_gas = own.plant_fuel_type.usable() == Some(&EmbeddedWaterPlantFuelType::Ng);
    if is_gas && own.parent_mirn.is_absent() {
        checker.report(at.member("parent_mirn"), Code::FieldRequiredForFuelType);
    }
}

fn not_allowed(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Variant::EmbeddedWater(own) = &point.point.variant else { return };
    let is_electric = own.plant_fuel_type.usable() == Some(&EmbeddedWaterPlantFuelType::Electricity);
    if is_electric && own.parent_mirn.usable().is_some() {
        checker.report(at.member("parent_mirn"), Code::FieldNotAllowedForFuelType);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn the_parent_of_a_plant_depends_on_its_fuel() {
        let required = "parent_mirn field_required_for_fuel_type (error)";
        let not_allowed = "parent_mirn field_not_allowed_for_fuel_type (warning)";
        for (kind, fuel, mirn, expected) in [
            ("EMBEDDED_WATER", "NG", json!(null), Some(required)),
            ("EMBEDDED_WATER", "NG", json!(" "), Some(required)),
            ("EMBEDDED_WATER", "ELECTRICITY", json!("52401122342"), Some(not_allowed)),
            ("EMBEDDED_WATER", "NG", json!("52401122342"), None),
            ("EMBEDDED_WATER", "NG", json!(7), None),
            ("EMBEDDED_WATER", "ELECTRICITY", json!(null), None),
            ("EMBEDDED_WATER", "ELECTRICITY", json!(7), None),
            ("EMBEDDED_WATER", "LP", json!(null), None),
            ("EMBEDDED_WATER", "LP", json!("52401122342"), None),
            ("EMBEDDED_WATER", "COAL", json!(null), None),
            ("EMBEDDED_GAS", "NG", json!(null), None),
        ] {
            let body = json!({"supply_type": kind, "plant_fuel_type": fuel, "parent_mirn": mirn});
            let found = [found("MPT-16", point(body.clone())), found("MPT-17", point(body.clone()))].concat();
            assert_eq!(found, Vec::from_iter(expected), "{body}");
        }
    }
}
