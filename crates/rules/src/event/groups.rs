use crate::prelude::*;

/// An event in a group that is not that of its type.
pub(super) const EVT_02: Rule = Rule {
    id: RuleId("EVT-02"),
    codes: &[Code::InvalidEventCategoryCombination, Code::InvalidEventSubcategoryCombination],
    place: "`events.#.category` / `.subcategory`",
    condition: "`event_type` known, and not `communications` / not its own: BEST_OFFER_CHECKED_IN_SAP `best_offer`, \
        MIXED_COMMS_PREF_IN_SAP and SHARED_EMAIL_7 `mixed_comms_preference`, PRICE_CHANGE_SENT_IN_SAP `price_change`, \
        SUPPRESS_MIGRATION_COMMS `migration_comms`",
    level: Level::Warning,
    on: On::Event(check),
    ..Rule::OF_PAYLOAD
};

fn check(event: &AccountEvent<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(own) = event.event_type.usable().and_then(|kind| subcategory(kind.trimmed())) else { return };
    if event.category.usable().is_some_and(|category| category.trimmed() != "communications") {
        checker.report(at.member("category"), Code::InvalidEventCategoryCombination);
    }
    if event.subcategory.usable().is_some_and(|subcategory| subcategory.trimmed() != own) {
        checker.report(at.member("subcategory"), Code::InvalidEventSubcategoryCombination);
    }
}

/// Returns the subcategory of a known type of event.
fn subcategory(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "BEST_OFFER_CHECKED_IN_SAP" => "best_offer",
        "MIXED_COMMS_PREF_IN_SAP" | "SHARED_EMAIL_7" => "mixed_comms_preference",
        "PRICE_CHANGE_SENT_IN_SAP" => "price_change",
        "SUPPRESS_MIGRATION_COMMS" => "migration_comms",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::*;
    use cutover_model::known::{EVENT_SUBCATEGORIES, EVENT_TYPES};

    fn found(kind: Value, category: Value, subcategory: Value) -> Vec<String> {
        let event = json!({"event_type": kind, "category": category, "subcategory": subcategory});
        run("EVT-02", json!({"events": [event]}))
    }

    #[test]
    fn each_type_has_its_own_subcategory() {
        let wrong = "events.0.subcategory invalid_event_subcategory_combination (warning)";
        let table = [
            ("BEST_OFFER_CHECKED_IN_SAP", "best_offer"),
            ("MIXED_COMMS_PREF_IN_SAP", "mixed_comms_preference"),
            ("PRICE_CHANGE_SENT_IN_SAP", "price_change"),
            ("SHARED_EMAIL_7", "mixed_comms_preference"),
            ("SUPPRESS_MIGRATION_COMMS", "migration_comms"),
        ];
        assert_eq!(table.map(|(kind, _)| kind), EVENT_TYPES);
        for (kind, own) in table {
            for other in EVENT_SUBCATEGORIES {
                let expected = if *other == own { &[][..] } else { &[wrong] };
                assert_eq!(
                    found(json!(kind), json!("communications"), json!(other)),
                    expected,
                    "{kind} {other}"
                );
            }
        }
    }

    #[test]
    fn the_category_is_communications() {
        let wrong = "events.0.category invalid_event_category_combination (warning)";
        let kind = json!("PRICE_CHANGE_SENT_IN_SAP ");
        assert_eq!(found(kind.clone(), json!("Communications"), json!("price_change ")), [wrong]);
        assert_eq!(found(kind.clone(), json!("communications"), json!("price_change")), [""; 0]);
        assert_eq!(found(kind, json!(7), json!(null)), [""; 0]);
        assert_eq!(found(json!("OTHER"), json!("news"), json!("news")), [""; 0]);
        assert_eq!(found(json!(7), json!("news"), json!("news")), [""; 0]);
    }
}
