use crate::prelude::*;
use cutover_model::choices::CommunicationPreference;

/// A preference for online communication without an e-mail address.
pub(super) const ACC_05: Rule = Rule {
    id: RuleId("ACC-05"),
    codes: &[Code::OnlinePreferenceWithoutEmail],
    place: "`communication_preference`",
    condition: "ONLINE sent and customers given, none with a usable e-mail",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    if account.communication_preference.usable() != Some(&CommunicationPreference::Online) {
        return;
    }
    let Some(customers) = account.customers.usable() else { return };
    // A faulty value may have been meant as an address, so the rule is silent.
    let nobody = customers.is_whole() && customers.usable().all(|(_, customer)| customer.email.is_absent());
    if nobody && !customers.is_empty() {
        checker.report(At::ROOT.member("communication_preference"), Code::OnlinePreferenceWithoutEmail);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn online(customers: Value) -> Vec<String> {
        run("ACC-05", json!({"communication_preference": "ONLINE", "customers": customers}))
    }

    #[test]
    fn online_communication_needs_an_email_address() {
        let expected = ["communication_preference online_preference_without_email (warning)"];
        for customers in [json!([{}]), json!([{"email": null}, {"email": " "}])] {
            assert_eq!(online(customers), expected);
        }
        for customers in [
            json!([{}, {"email": "ann@example.org"}]),
            json!([{}, {"email": 7}]),
            json!([{}, null]),
            json!([]),
            json!("Ann"),
        ] {
            assert_eq!(online(customers), [""; 0]);
        }
        let print = json!({"communication_preference": "PRINT", "customers": [{}]});
        for body in [print, json!({"customers": [{}]}), json!({"communication_preference": "ONLINE"})] {
            assert_eq!(run("ACC-05", body), [""; 0]);
        }
    }
}
