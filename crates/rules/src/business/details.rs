use crate::prelude::*;

/// A fact about a business that does not have the form of its key.
pub(super) const BUS_08: Rule = Rule {
    id: RuleId("BUS-08"),
    codes: &[Code::BusinessDetailFailedValidation],
    place: "`business.details.#.value`",
    condition: "`key` `abn`: not a valid [ABN](#106-company-numbers); `acn`: not a valid [ACN](#106-company-numbers); \
        `anzsic`: not four digits",
    level: Level::Warning,
    on: On::Business(check),
    ..Rule::OF_PAYLOAD
};

fn check(business: &Business<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    items(&business.details, "details", at, |detail, at| {
        if let (Some(key), Some(value)) = (detail.key.usable(), detail.value.usable())
            && !has_form(key.trimmed(), value.trimmed())
        {
            checker.report(at.member("value"), Code::BusinessDetailFailedValidation);
        }
    });
}

fn has_form(key: &str, value: &str) -> bool {
    match key {
        "abn" => CompanyNumber::read(value) == Some(CompanyNumber::Abn),
        "acn" => CompanyNumber::read(value) == Some(CompanyNumber::Acn),
        // A class of the Australian and New Zealand classification of industries.
        "anzsic" => value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit()),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(key: Value, value: Value) -> Vec<String> {
        run_business("BUS-08", json!({"business": {"details": [{"key": key, "value": value}]}}), facts())
    }

    #[test]
    fn facts_have_the_form_of_their_key() {
        for (key, value) in [
            ("abn", "12345678901"),
            ("abn", "004085616"),
            ("acn", "51824753556"),
            ("acn", "004085617"),
            ("anzsic", "530"),
            ("anzsic", "53O9"),
            ("anzsic ", "53 09"),
        ] {
            let expected = ["business.details.0.value business_detail_failed_validation (warning)"];
            assert_eq!(found(json!(key), json!(value)), expected, "{key} {value}");
        }
        for (key, value) in [
            (json!("abn"), json!("51 824 753 556 ")),
            (json!("acn"), json!("004 085 616")),
            (json!("anzsic"), json!("5309")),
            (json!("frmp"), json!("any")),
            (json!("ABN"), json!("12345678901")),
            (json!("abn"), json!(12_345_678_901_u64)),
            (json!("abn"), json!("")),
            (json!(7), json!("12345678901")),
        ] {
            assert_eq!(found(key.clone(), value.clone()), [""; 0], "{key} {value}");
        }
    }
}
