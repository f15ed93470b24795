use crate::prelude::*;

const PLACE: &str =
    "`mobile` and `landline` of `customers.#` and `supply_addresses.#.property_administrators.#`";

/// A malformed phone number.
pub(super) const CUS_01: Rule = Rule {
    id: RuleId("CUS-01"),
    codes: &[Code::InvalidPhoneNumber],
    place: PLACE,
    condition: "not a [phone number](#101-phone-numbers)",
    on: On::Several(&[On::Customer(customer_form), On::Administrator(administrator_form)]),
    ..Rule::OF_PAYLOAD
};

/// A landline number given as mobile, or the other way round.
pub(super) const CUS_02: Rule = Rule {
    id: RuleId("CUS-02"),
    codes: &[Code::PhoneNumberWrongKind],
    place: PLACE,
    condition: "`mobile` a number not of [mobile form](#101-phone-numbers), or `landline` of mobile form",
    level: Level::Warning,
    on: On::Several(&[On::Customer(customer_kind), On::Administrator(administrator_kind)]),
    ..Rule::OF_PAYLOAD
};

/// A number of another country, for suppliers whose customers all have Australian ones.
pub(super) const CUS_11: Rule = Rule {
    id: RuleId("CUS-11"),
    codes: &[Code::InvalidPhoneNumber],
    place: PLACE,
    condition: "a [phone number](#101-phone-numbers) outside `+61`",
    level: Level::Off,
    on: On::Several(&[On::Customer(customer_country), On::Administrator(administrator_country)]),
    ..Rule::OF_PAYLOAD
};

fn customer_country(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    country(&customer.mobile, "mobile", at, checker);
    country(&customer.landline, "landline", at, checker);
}

fn administrator_country(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    country(&administrator.mobile, "mobile", at, checker);
    country(&administrator.landline, "landline", at, checker);
}

fn country(number: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if number.usable().is_some_and(|number| Phone::read(number.trimmed()) == Some(Phone::Foreign)) {
        checker.report_as(
            at.member(name),
            Code::InvalidPhoneNumber,
            format_args!("This is a phone number of another country."),
        );
    }
}

fn customer_form(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    form(&customer.mobile, "mobile", at, checker);
    form(&customer.landline, "landline", at, checker);
}

fn administrator_form(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    form(&administrator.mobile, "mobile", at, checker);
    form(&administrator.landline, "landline", at, checker);
}

fn customer_kind(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    kind(&customer.mobile, &customer.landline, at, checker);
}

fn administrator_kind(administrator: &PropertyAdministrator<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    kind(&administrator.mobile, &administrator.landline, at, checker);
}

fn form(number: &Field<Text<'_>>, name: &'static str, at: &At<'_>, checker: &mut Checker<'_>) {
    if number.usable().is_some_and(|number| Phone::read(number.trimmed()).is_none()) {
        checker.report(at.member(name), Code::InvalidPhoneNumber);
    }
}

/// Silent about malformed numbers, which CUS-01 reports.
fn kind(mobile: &Field<Text<'_>>, landline: &Field<Text<'_>>, at: &At<'_>, checker: &mut Checker<'_>) {
    let read = |number: &Field<Text<'_>>| Phone::read(number.usable()?.trimmed());
    if read(mobile) == Some(Phone::Fixed) {
        checker.report(at.member("mobile"), Code::PhoneNumberWrongKind);
    }
    if read(landline) == Some(Phone::Mobile) {
        checker.report(at.member("landline"), Code::PhoneNumberWrongKind);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    /// Runs a rule on the numbers of a customer and on those of a property administrator.
    fn found(rule: &str, phones: Value) -> [Vec<String>; 2] {
        let administered = json!([{"property_administrators": [phones]}]);
        [run(rule, json!({"customers": [phones]})), run(rule, json!({"supply_addresses": administered}))]
    }

    fn lines(member: &str, code: &str) -> [Vec<String>; 2] {
        let person = ["customers.0", "supply_addresses.0.property_administrators.0"];
        person.map(|person| vec![format!("{person}.{member} {code}")])
    }

    #[test]
    fn malformed_numbers_are_reported() {
        let code = "invalid_phone_number (error)";
        assert_eq!(
            found("CUS-01", json!({"mobile": "abcde", "landline": "0212345678"})),
            lines("mobile", code)
        );
        assert_eq!(found("CUS-01", json!({"landline": "0612345678"})), lines("landline", code));
        for phones in [
            json!({"mobile": "\t0488 008 221\n", "landline": "1300123456"}),
            json!({"mobile": null, "landline": " "}),
            json!({"mobile": 7, "landline": "1".repeat(33)}),
            json!({}),
        ] {
            assert_eq!(found("CUS-01", phones), [[""; 0]; 2]);
        }
    }

    #[test]
    fn numbers_of_other_countries_are_reported_if_asked_for() {
        let code = "invalid_phone_number (warning)";
        let phones = json!({"mobile": "+44 20 7946 0958", "landline": "+61 2 8008 2213"});
        assert_eq!(found("CUS-11", phones), lines("mobile", code));
        assert_eq!(found("CUS-11", json!({"landline": "0011 44 20 7946 0958"})), lines("landline", code));
        for phones in [
            json!({"mobile": "0488008221", "landline": "1300123456"}),
            json!({"mobile": "12", "landline": "abc"}),
            json!({"mobile": null, "landline": 7}),
        ] {
            assert_eq!(found("CUS-11", phones), [[""; 0]; 2]);
        }
        assert_eq!(crate::rule("CUS-11").unwrap().level, cutover_core::Level::Off);
    }

    #[test]
    fn swapped_kinds_of_numbers_are_reported() {
        let code = "phone_number_wrong_kind (warning)";
        let swapped = json!({"mobile": "+44 20 7946 0958", "landline": "+61488008221"});
        assert_eq!(found("CUS-02", swapped), lines("landline", code));
        assert_eq!(found("CUS-02", json!({"mobile": "\n1300123456"})), lines("mobile", code));
        for phones in [
            json!({"mobile": "0488008221", "landline": "0212345678"}),
            json!({"mobile": "12", "landline": "+44 20 7946 0958"}),
            json!({"mobile": ["0212345678"], "landline": null}),
        ] {
            assert_eq!(found("CUS-02", phones), [[""; 0]; 2]);
        }
    }
}
