use crate::prelude::*;

/// An event of the imported history in the future.
pub(super) const EVT_01: Rule = Rule {
    id: RuleId("EVT-01"),
    codes: &[Code::DateInFuture],
    place: "`events.#.occurred_at`",
    condition: "after now (it is history)",
    level: Level::Warning,
    on: On::Event(check),
    ..Rule::OF_PAYLOAD
};

fn check(event: &AccountEvent<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let now = checker.facts.now;
    let occurred = event.occurred_at.usable().and_then(|occurred| occurred.instant(now.zone));
    if occurred.is_some_and(|occurred| occurred > now.instant) {
        checker.report(at.member("occurred_at"), Code::DateInFuture);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn at(occurred: Value) -> Value {
        json!({"events": [{"occurred_at": occurred}]})
    }

    #[test]
    fn events_after_now_are_reported() {
        let expected = ["events.0.occurred_at date_in_future (warning)"];
        for occurred in ["2026-11-21T02:00:01Z", "2026-11-21T02:00:00.000001", "2026-11-21T12:30+10:00"] {
            assert_eq!(run("EVT-01", at(json!(occurred))), expected);
        }
        for occurred in
            [json!("2026-11-21T02:00:00Z"), json!("2026-11-21T12:00+10:00"), json!("2027-11-21"), json!(null)]
        {
            assert_eq!(run("EVT-01", at(occurred)), [""; 0]);
        }
    }

    #[test]
    fn a_datetime_without_an_offset_is_in_the_suppliers_zone() {
        let noon = at(json!("2026-11-21T12:00:00"));
        let found = |zone| run_with("EVT-01", &noon, facts_at("2026-11-21T02:00:00Z", zone)).len();
        assert_eq!(
            [found("Australia/Sydney"), found("Australia/Adelaide"), found("Australia/Perth")],
            [0, 0, 1]
        );
    }
}
