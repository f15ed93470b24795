use crate::prelude::*;

/// An account of an unknown occupier with customers.
pub(super) const ACC_01: Rule = Rule {
    id: RuleId("ACC-01"),
    codes: &[Code::CustomerWithUnknownOccupier],
    place: "`customers`",
    condition: "`unknown_occupier` true and `customers` not empty",
    on: On::Account(customers),
    ..Rule::OF_PAYLOAD
};

/// An account of an unknown occupier with several supply addresses.
pub(super) const ACC_02: Rule = Rule {
    id: RuleId("ACC-02"),
    codes: &[Code::OccupierAccountWithMultipleSupplyAddresses],
    place: "`supply_addresses`",
    condition: "`unknown_occupier` true and more than one entry",
    on: On::Account(supply_addresses),
    ..Rule::OF_PAYLOAD
};

fn customers(account: &Account<'_>, checker: &mut Checker<'_>) {
    if is_unknown(account) && sent(&account.customers) > 0 {
        checker.report(At::ROOT.member("customers"), Code::CustomerWithUnknownOccupier);
    }
}

fn supply_addresses(account: &Account<'_>, checker: &mut Checker<'_>) {
    if is_unknown(account) && sent(&account.supply_addresses) > 1 {
        let at = At::ROOT.member("supply_addresses");
        checker.report(at, Code::OccupierAccountWithMultipleSupplyAddresses);
    }
}

fn is_unknown(account: &Account<'_>) -> bool {
    account.unknown_occupier.usable() == Some(&true)
}

/// Returns the number of items sent, faulty ones included.
fn sent<T>(list: &Field<List<T>>) -> usize {
    list.usable().map_or(0, List::len)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    #[test]
    fn an_unknown_occupier_has_no_customers() {
        let cases = [
            (json!(true), json!([{}]), 1),
            (json!(true), json!([null]), 1),
            (json!(true), json!([]), 0),
            (json!(true), json!("none"), 0),
            (json!(true), Value::Null, 0),
            (json!(false), json!([{}]), 0),
            (json!("true"), json!([{}]), 0),
        ];
        for (unknown, customers, count) in cases {
            let found = run("ACC-01", json!({"unknown_occupier": unknown, "customers": customers}));
            assert_eq!(found, vec!["customers customer_with_unknown_occupier (error)"; count]);
        }
        assert_eq!(run("ACC-01", json!({"customers": [{}]})), [""; 0]);
        assert_eq!(run("ACC-01", json!({"unknown_occupier": true})), [""; 0]);
    }

    #[test]
    fn an_unknown_occupier_has_one_supply_address() {
        let expected = "supply_addresses occupier_account_with_multiple_supply_addresses (error)";
        let cases = [
            (json!(true), json!([{}, {}]), 1),
            (json!(true), json!([{}, 7]), 1),
            (json!(true), json!([{}]), 0),
            (json!(true), json!({}), 0),
            (json!(false), json!([{}, {}]), 0),
            (json!(1), json!([{}, {}]), 0),
        ];
        for (unknown, entries, count) in cases {
            let found = run("ACC-02", json!({"unknown_occupier": unknown, "supply_addresses": entries}));
            assert_eq!(found, vec![expected; count]);
        }
    }
}
