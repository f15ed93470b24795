use crate::prelude::*;

/// An account number that has to be escaped in a URL.
pub(super) const ACC_09: Rule = Rule {
    id: RuleId("ACC-09"),
    codes: &[Code::ExternalAccountNumberNotUrlSafe],
    place: "`external_account_number`",
    condition: "holds `/`, `?`, `#`, `%` or a control character (it becomes a path segment)",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(number) = account.external_account_number.usable() else { return };
    if number.trimmed().contains(|c: char| matches!(c, '/' | '?' | '#' | '%') || c.is_control()) {
        let at = At::ROOT.member("external_account_number");
        checker.report(at, Code::ExternalAccountNumberNotUrlSafe);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn characters_that_are_special_in_urls_are_reported() {
        let expected = ["external_account_number external_account_number_not_url_safe (warning)"];
        for number in ["A/1", "A?1", "#1", "1%", "A\t1", "A\u{7f}", "A\u{85}1"] {
            assert_eq!(run("ACC-09", json!({"external_account_number": number})), expected, "{number:?}");
        }
        for number in
            [json!("A-1 ü&=+"), json!(" A-1\n"), json!(" \t"), json!("A\u{0}/"), json!(7), json!(null)]
        {
            assert_eq!(run("ACC-09", json!({"external_account_number": number})), [""; 0]);
        }
        assert_eq!(run("ACC-09", json!({})), [""; 0]);
    }
}
