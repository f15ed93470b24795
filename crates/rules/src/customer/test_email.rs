use crate::prelude::*;

/// An e-mail address that looks made up for a test.
pub(super) const CUS_04: Rule = Rule {
    id: RuleId("CUS-04"),
    codes: &[Code::PossibleTestEmailAddress],
    place: "`customers.#.email`",
    condition: "lower-cased, starts `test@` or `xxx@`, or ends `@test.com`, `@test.co.uk`, `.xxx`, `.xx`, or \
                `@example.` + anything",
    level: Level::Warning,
    on: On::Customer(check),
    ..Rule::OF_PAYLOAD
};

fn check(customer: &Customer<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if customer.email.usable().is_some_and(|email| is_for_tests(email.trimmed().as_bytes())) {
        checker.report(at.member("email"), Code::PossibleTestEmailAddress);
    }
}

fn is_for_tests(email: &[u8]) -> bool {
    let starts = |start: &[u8]| email.get(..start.len()).is_some_and(|s| s.eq_ignore_ascii_case(start));
    let ends =
        |end: &[u8]| email.len() >= end.len() && email[email.len() - end.len()..].eq_ignore_ascii_case(end);
    let mut windows = email.windows(EXAMPLE.len());
    [&b"test@"[..], b"xxx@"].into_iter().any(starts)
        || [&b"@test.com"[..], b"@test.co.uk", b".xxx", b".xx"].into_iter().any(ends)
        || windows.any(|window| window.eq_ignore_ascii_case(EXAMPLE))
}

const EXAMPLE: &[u8] = b"@example.";

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(email: Value) -> Vec<String> {
        run("CUS-04", json!({"customers": [{"email": email}]}))
    }

    #[test]
    fn addresses_made_up_for_tests_are_reported() {
        for email in [
            " Test@here.org",
            "XXX@here.org",
            "ann@TEST.com",
            "ann@test.co.uk",
            "ann@here.xxx",
            "@test.com",
            "ann@here.xx",
            "ann@Example.net",
            "ann@example.com.au",
        ] {
            let expected = ["customers.0.email possible_test_email_address (warning)"];
            assert_eq!(found(json!(email)), expected, "{email}");
        }
        for email in [
            "ann@here.org",
            "atest@here.org",
            "ann@test.org",
            "ann@atest.com.au",
            "ann@my.example.com",
            "xx",
            "ann@exampleton.org",
            "ann@herexx",
        ] {
            assert_eq!(found(json!(email)), [""; 0], "{email}");
        }
        for email in [json!(null), json!(7), json!("")] {
            assert_eq!(found(email), [""; 0]);
        }
    }
}
