use crate::prelude::*;

/// An installation id that is not ten digits.
pub(super) const MPT_10: Rule = Rule {
    id: RuleId("MPT-10"),
    codes: &[Code::InstallationIdShouldBeInteger],
    place: "`MP.installation_id`",
    condition: "not ten ASCII digits",
    on: On::MeterPoint(check),
    ..Rule::OF_PAYLOAD
};

/// An installation id of zeros.
pub(super) const MPT_20: Rule = Rule {
    id: RuleId("MPT-20"),
    codes: &[Code::InstallationIdOutOfRange],
    place: "`MP.installation_id`",
    condition: "ten zeros",
    level: Level::Warning,
    on: On::MeterPoint(zero),
    ..Rule::OF_PAYLOAD
};

fn zero(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Variant::EmbeddedWater(own) = &point.point.variant else { return };
    if own.installation_id.usable().is_some_and(|id| id.trimmed() == "0000000000") {
        checker.report(at.member("installation_id"), Code::InstallationIdOutOfRange);
    }
}

fn check(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Variant::EmbeddedWater(own) = &point.point.variant else { return };
    if own.installation_id.usable().is_some_and(|id| !is_ten_digits(id.trimmed())) {
        checker.report(at.member("installation_id"), Code::InstallationIdShouldBeInteger);
    }
}

fn is_ten_digits(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_installation_id_is_ten_digits() {
        let refused = ["installation_id installation_id_should_be_integer (error)"];
        for (id, expected) in [
            (json!("0123456789"), &[][..]),
            (json!("012345678X"), &refused),
            (json!("-123456789"), &refused),
            (json!(" 12345678 "), &refused),
            (json!("٠١٢٣٤٥٦٧٨٩"), &refused),
            // The field checks report these.
            (json!("123"), &[]),
            (json!("          "), &[]),
            (json!(123), &[]),
        ] {
            let water = json!({"supply_type": "EMBEDDED_WATER", "installation_id": id});
            assert_eq!(found("MPT-10", point(water)), expected, "{id}");
        }
    }

    #[test]
    fn an_installation_id_is_not_zero() {
        let expected = ["installation_id installation_id_out_of_range (warning)"];
        let found = |id: Value| {
            found("MPT-20", point(json!({"supply_type": "EMBEDDED_WATER", "installation_id": id})))
        };
        assert_eq!(found(json!("0000000000")), expected);
        for id in [json!("0000000001"), json!("000000000"), json!(0), json!(null)] {
            assert!(found(id).is_empty());
        }
    }
}
