use crate::prelude::*;
use crate::tariff::{self, End};

/// An agreement on a tariff that there is not, or not so long.
pub(super) const AGR_09: Rule = Rule {
    id: RuleId("AGR-09"),
    codes: &[Code::ProductCodeDoesNotExist, Code::OpenEndedAgreementForEndDatedProduct],
    place: "`MP.agreements.#.tariff_code`, `MP.agreements.#.effective_to`",
    condition: "where the supplier has a list of tariffs: not in the list; open, or longer than the last day of its tariff",
    on: On::Agreement(check),
    ..Rule::OF_SETTINGS
};

fn check(agreement: &Agreement<'_>, _: &MeterPoint<'_, '_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let (Some(tariffs), Some(code)) = (&checker.values.tariff_codes, agreement.tariff_code.usable()) else {
        return;
    };
    match tariff::end_of(tariffs, code.trimmed()) {
        End::NoTariff => checker.report(at.member("tariff_code"), Code::ProductCodeDoesNotExist),
        End::Open => {}
        End::On(last) => {
            let is_longer = match agreement.effective_to.presence() {
                // The day itself is not part of the agreement.
                Presence::Usable(end) => end.pred_opt().is_some_and(|day| day > last),
                Presence::Absent => true,
                Presence::Faulty => false,
            };
            if is_longer {
                checker.report(at.member("effective_to"), Code::OpenEndedAgreementForEndDatedProduct);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use cutover_model::{RuleValues, TariffCode};

    fn tariffs() -> RuleValues {
        let tariff = |code: &str, end: Option<&str>| TariffCode {
            code: code.into(),
            ends_on: end.map(|end| end.parse().unwrap()),
        };
        let tariff_codes = Some(vec![tariff("A", None), tariff("B", Some("2026-12-31"))]);
        RuleValues { tariff_codes, ..RuleValues::default() }
    }

    fn found(agreement: Value) -> Vec<String> {
        let found = run_with_values("AGR-09", point(json!({"agreements": [agreement]})), tariffs());
        found
            .into_iter()
            .map(|line| line.replace("supply_addresses.0.meter_points.0.agreements.0.", ""))
            .collect()
    }

    #[test]
    fn agreements_are_on_tariffs_of_the_list() {
        assert_eq!(found(json!({"tariff_code": "a"})), ["tariff_code product_code_does_not_exist (error)"]);
        for agreement in [json!({"tariff_code": " A "}), json!({"tariff_code": 7}), json!({})] {
            assert_eq!(found(agreement), [""; 0]);
        }
        let unknown = point(json!({"agreements": [{"tariff_code": "a"}]}));
        assert_eq!(run_with_values("AGR-09", unknown, RuleValues::default()), [""; 0]);
    }

    #[test]
    fn agreements_end_with_their_tariff() {
        let late = ["effective_to open_ended_agreement_for_end_dated_product (error)"];
        let until = |end: Value| found(json!({"tariff_code": "B", "effective_to": end}));
        assert_eq!(
            (until(json!("2027-01-02")), until(json!(null))),
            (late.map(String::from).to_vec(), late.map(String::from).to_vec())
        );
        assert_eq!((until(json!("2027-01-01")), until(json!("soon"))), (vec![], vec![]));
        assert_eq!(found(json!({"tariff_code": "B"})), late);
    }
}
