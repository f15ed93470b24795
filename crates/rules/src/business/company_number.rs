use crate::prelude::*;

/// A company number that is neither an ACN nor an ABN.
pub(super) const BUS_06: Rule = Rule {
    id: RuleId("BUS-06"),
    codes: &[Code::InvalidCompanyNumber],
    place: "`business.company_number`",
    condition: "neither a valid [ACN nor a valid ABN](#106-company-numbers)",
    level: Level::Warning,
    on: On::Business(check),
    ..Rule::OF_PAYLOAD
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if business.company_number.usable().is_some_and(|number| CompanyNumber::read(number.trimmed()).is_none())
    {
        checker.report(at.member("company_number"), Code::InvalidCompanyNumber);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(number: Value) -> Vec<String> {
        run_business("BUS-06", json!({"business": {"company_number": number}}), facts())
    }

    #[test]
    fn a_company_number_is_an_acn_or_an_abn() {
        for number in ["004085617", "HRB 4711", "0040856160"] {
            assert_eq!(found(json!(number)), ["business.company_number invalid_company_number (warning)"]);
        }
        for number in
            [json!("004 085 616"), json!("\t51824753556"), json!(""), json!(4085616), json!("4".repeat(101))]
        {
            assert_eq!(found(number), [""; 0]);
        }
        assert_eq!(run_business("BUS-06", json!({"business": {}}), facts()), [""; 0]);
    }
}
