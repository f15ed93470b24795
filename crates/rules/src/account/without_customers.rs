use crate::prelude::*;

/// An account without customers whose occupier is not unknown.
pub(super) const ACC_04: Rule = Rule {
    id: RuleId("ACC-04"),
    codes: &[Code::AccountWithoutCustomers],
    place: "`customers`",
    condition: "absent or empty, and `unknown_occupier` not true",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let is_known = matches!(account.unknown_occupier.presence(), Presence::Absent | Presence::Usable(false));
    if is_known && is_absent_or_empty(&account.customers) {
        checker.report(At::ROOT.member("customers"), Code::AccountWithoutCustomers);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_account_has_customers_or_an_unknown_occupier() {
        for body in [json!({}), json!({"customers": []}), json!({"customers": [], "unknown_occupier": false})]
        {
            assert_eq!(run("ACC-04", body), ["customers account_without_customers (warning)"]);
        }
        let silent = [
            json!({"customers": [{}]}),
            json!({"customers": [null]}),
            json!({"customers": {}}),
            json!({"unknown_occupier": true}),
            json!({"unknown_occupier": "no"}),
        ];
        for body in silent {
            assert_eq!(run("ACC-04", body), [""; 0]);
        }
    }
}
