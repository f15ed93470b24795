use crate::prelude::*;
use chrono::Months;

/// A card that has expired, or that expires before the instruction is valid.
pub(super) const PIN_06: Rule = Rule {
    id: RuleId("PIN-06"),
    codes: &[Code::CardExpired],
    place: "`payment_instructions.#.card.expiry_year`",
    condition: "last day of the expiry month before today, or before `valid_from`",
    level: Level::Warning,
    on: On::Instruction(check),
    ..Rule::OF_PAYLOAD
};

fn check(instruction: &AccountPaymentInstruction<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let Some(last_day) = instruction.card.usable().and_then(last_day) else { return };
    let Some(valid_from) = instruction.valid_from.usable() else { return };
    if last_day < checker.today || last_day < *valid_from {
        checker.report(at.member("card").member("expiry_year"), Code::CardExpired);
    }
}

/// Returns the last day on which a card can be used.
fn last_day(card: &Card<'_>) -> Option<NaiveDate> {
    let (year, month) = (card.expiry_year.usable()?.value(), card.expiry_month.usable()?.value());
    let first = NaiveDate::from_ymd_opt(year.try_into().ok()?, month.try_into().ok()?, 1)?;
    first.checked_add_months(Months::new(1))?.pred_opt()
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(valid_from: Value, month: Value, year: Value) -> Vec<String> {
        let card = json!({"expiry_month": month, "expiry_year": year});
        run("PIN-06", json!({"payment_instructions": [{"valid_from": valid_from, "card": card}]}))
    }

    #[test]
    fn a_card_is_valid_until_the_end_of_its_month() {
        let expected = ["payment_instructions.0.card.expiry_year card_expired (warning)"];
        for (from, month, year) in [
            ("2020-01-01", 10, 2026),
            ("2026-12-01", 11, 2026),
            ("2028-03-01", 2, 2028),
            ("2020-01-01", 12, 1000),
        ] {
            assert_eq!(found(json!(from), json!(month), json!(year)), expected);
        }
        for (from, month, year) in [
            ("2020-01-01", 11, 2026),
            ("2026-12-31", 12, 2026),
            ("2028-02-29", 2, 2028),
            ("2020-01-01", 12, 9999),
        ] {
            assert_eq!(found(json!(from), json!(month), json!(year)), [""; 0]);
        }
    }

    #[test]
    fn a_card_is_valid_on_its_last_day() {
        let card = json!({"expiry_month": 11, "expiry_year": 2026});
        let body = json!({"payment_instructions": [{"valid_from": "2020-01-01", "card": card}]});
        let on = |instant| run_with("PIN-06", &body, facts_at(instant, "UTC")).len();
        assert_eq!([on("2026-11-30T23:59:59Z"), on("2026-12-01T00:00:00Z")], [0, 1]);
    }

    #[test]
    fn silent_if_a_part_is_missing_or_faulty() {
        for (from, month, year) in [
            (json!("soon"), json!(1), json!(2020)),
            (json!("2020-01-01"), json!(13), json!(2020)),
            (json!("2020-01-01"), json!(1), json!(20)),
        ] {
            assert_eq!(found(from, month, year), [""; 0]);
        }
        for instruction in [
            json!({"valid_from": "2020-01-01"}),
            json!({"valid_from": "2020-01-01", "card": {"expiry_year": 2020}}),
            json!({"valid_from": "2020-01-01", "card": {"expiry_month": 1}}),
            json!({"card": {"expiry_month": 1, "expiry_year": 2020}}),
        ] {
            assert_eq!(run("PIN-06", json!({"payment_instructions": [instruction]})), [""; 0]);
        }
    }
}
