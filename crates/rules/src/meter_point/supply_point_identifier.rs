use crate::prelude::*;

/// A malformed supply point identifier.
pub(super) const MPT_01: Rule = Rule {
    id: RuleId("MPT-01"),
    codes: &[Code::InvalidSupplyPointIdentifier],
    place: "`MP.mpxn` (electricity and embedded electricity: NMI; gas: MIRN), `MP.parent_nmi`, `MP.parent_mirn`",
    condition: "not of the [form](#103-supply-points) of its kind",
    level: Level::Warning,
    on: On::MeterPoint(form),
    ..Rule::OF_PAYLOAD
};

/// A supply point identifier with a wrong check digit.
pub(super) const MPT_02: Rule = Rule {
    id: RuleId("MPT-02"),
    codes: &[Code::InvalidCheckDigit],
    place: "`MP.mpxn` of ELECTRICITY and EMBEDDED_ELECTRICITY, `MP.parent_nmi` (as NMI); `MP.mpxn` of GAS, `MP.parent_mirn` (as MIRN)",
    condition: "has eleven characters of the [form](#103-supply-points), and the eleventh is not the check digit",
    level: Level::Warning,
    on: On::MeterPoint(check_digit),
    ..Rule::OF_PAYLOAD
};

fn form(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    for (name, form, id) in identifiers(point) {
        if !form.is_form_of(id) {
            checker.report(at.member(name), Code::InvalidSupplyPointIdentifier);
        }
    }
}

fn check_digit(point: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    for (name, form, id) in identifiers(point) {
        if form.has_wrong_check_digit(id) {
            checker.report(at.member(name), Code::InvalidCheckDigit);
        }
    }
}

/// Returns the usable members with an identifier: name, expected form and value.
fn identifiers<'a>(
    point: &MeterPoint<'a, '_>,
) -> impl Iterator<Item = (&'static str, SupplyPointId, &'a str)> {
    let mpxn = point.mpxn_form().map(|form| ("mpxn", form, &point.point.common.mpxn));
    let parent_nmi = point.parent_nmi().map(|field| ("parent_nmi", SupplyPointId::Nmi, field));
    let parent_mirn = point.parent_mirn().map(|field| ("parent_mirn", SupplyPointId::Mirn, field));
    let members = [mpxn, parent_nmi, parent_mirn].into_iter().flatten();
    members.filter_map(|(name, form, field)| field.usable().map(|id: &Text<'_>| (name, form, id.trimmed())))
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn forms_depend_on_the_kind_of_meter_point() {
        for (body, expected) in [
            (json!({"mpxn": "20019857328"}), &[][..]),
            (json!({"mpxn": " qaaavzzzzz "}), &[]),
            (json!({"mpxn": "QAAAVZZZZO"}), &["mpxn"]),
            (json!({"mpxn": "QAAAVZZZZO", "supply_type": "EMBEDDED_ELECTRICITY"}), &["mpxn"]),
            (json!({"mpxn": "QAAAVZZZZZ", "supply_type": "GAS"}), &["mpxn"]),
            (json!({"mpxn": "53109237084", "supply_type": "GAS"}), &[]),
            (
                json!({"mpxn": "any", "supply_type": "UNMETERED_ELECTRICITY", "parent_nmi": "any"}),
                &["parent_nmi"],
            ),
            (json!({"mpxn": "any", "supply_type": "UNMETERED_GAS", "parent_mirn": "any"}), &["parent_mirn"]),
            (
                json!({"mpxn": "any", "supply_type": "EMBEDDED_GAS", "parent_mirn": "4310923708"}),
                &["parent_mirn"],
            ),
            (json!({"mpxn": "any", "supply_type": "EMBEDDED_WATER", "parent_mirn": null}), &[]),
            (json!({"mpxn": "EMBEDDED_ELECTRICITY_1", "parent_nmi": "1"}), &["mpxn", "parent_nmi"]),
            (json!({"mpxn": 7}), &[]),
            (json!({"mpxn": "any", "supply_type": "NONE"}), &[]),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|at| format!("{at} invalid_supply_point_identifier (warning)")).collect();
            assert_eq!(found("MPT-01", point(body.clone())), expected, "{body}");
        }
    }

    #[test]
    fn only_whole_identifiers_have_a_check_digit() {
        for (body, expected) in [
            (json!({"mpxn": "20019857328"}), &[][..]),
            (json!({"mpxn": "20019857329"}), &["mpxn"]),
            (json!({"mpxn": "2001985732"}), &[]),
            (json!({"mpxn": "200198573X9"}), &["mpxn"]),
            (json!({"mpxn": "20019857328X"}), &[]),
            (json!({"mpxn": "20019857329", "supply_type": "EMBEDDED_ELECTRICITY"}), &["mpxn"]),
            (json!({"mpxn": "53109237085", "supply_type": "GAS"}), &["mpxn"]),
            (json!({"mpxn": "20019857329", "supply_type": "UNMETERED_ELECTRICITY"}), &[]),
            (
                json!({"mpxn": "any", "supply_type": "UNMETERED_ELECTRICITY", "parent_nmi": "20019857329"}),
                &["parent_nmi"],
            ),
            (
                json!({"mpxn": "any", "supply_type": "EMBEDDED_GAS", "parent_mirn": "40000000001"}),
                &["parent_mirn"],
            ),
            (json!({"mpxn": "any", "supply_type": "EMBEDDED_GAS", "parent_mirn": "55000002784"}), &[]),
            (json!({"mpxn": "20019857329", "supply_type": "NONE"}), &[]),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|at| format!("{at} invalid_check_digit (warning)")).collect();
            assert_eq!(found("MPT-02", point(body.clone())), expected, "{body}");
        }
    }
}
