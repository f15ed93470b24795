use crate::prelude::*;
use cutover_model::choices::{PaymentInstructionType, PaymentMeans};

/// A payment schedule whose means has no payment instruction.
pub(super) const SCH_05: Rule = Rule {
    id: RuleId("SCH-05"),
    codes: &[Code::ScheduleMeansWithoutInstruction],
    place: "`payment_schedules.#.means`",
    condition: "DD or CARD without an instruction of type DIRECT_DEBIT or CARD, respectively",
    level: Level::Warning,
    on: On::Account(check),
    ..Rule::OF_PAYLOAD
};

fn check(account: &Account<'_>, checker: &mut Checker<'_>) {
    let Some(schedules) = account.payment_schedules.usable() else { return };
    let no_debit = has_none(account, PaymentInstructionType::DirectDebit);
    let no_card = has_none(account, PaymentInstructionType::Card);
    for (index, schedule) in schedules.usable() {
        let misses = match schedule.means.usable() {
            Some(PaymentMeans::Dd) => no_debit,
            Some(PaymentMeans::Card) => no_card,
            _ => false,
        };
        if misses {
            let at = At::ROOT.item("payment_schedules", index);
            checker.report(at.member("means"), Code::ScheduleMeansWithoutInstruction);
        }
    }
}

/// Returns true if no instruction can be of this type. A faulty instruction, or one with a faulty type, can.
fn has_none(account: &Account<'_>, kind: PaymentInstructionType) -> bool {
    match account.payment_instructions.presence() {
        Presence::Absent => true,
        Presence::Faulty => false,
        Presence::Usable(list) => {
            list.is_whole()
                && list.usable().all(|(_, one)| one.kind.usable().is_some_and(|other| *other != kind))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(means: &str, instructions: Value) -> usize {
        let body = json!({"payment_schedules": [{}, {"means": means}], "payment_instructions": instructions});
        let found = run("SCH-05", body);
        assert!(
            found
                .iter()
                .all(|line| line == "payment_schedules.1.means schedule_means_without_instruction (warning)")
        );
        found.len()
    }

    #[test]
    fn means_without_an_instruction_are_reported() {
        let (debit, card) = (json!({"type": "DIRECT_DEBIT"}), json!({"type": "CARD"}));
        assert_eq!(found("DD", json!([card])), 1);
        assert_eq!(found("DD", json!([])), 1);
        assert_eq!(found("DD", json!([card, debit])), 0);
        assert_eq!(found("CARD", json!([debit, {"type": "BPAY"}])), 1);
        assert_eq!(found("CARD", json!([card])), 0);
        for means in ["MANUAL", "PAYMENT_SLIP", "CHEQUE"] {
            assert_eq!(found(means, json!([])), 0);
        }
        assert_eq!(run("SCH-05", json!({"payment_schedules": [{"means": "DD"}]})).len(), 1);
        assert_eq!(run("SCH-05", json!({"payment_instructions": []})), [""; 0]);
    }

    #[test]
    fn silent_unless_every_instruction_is_known() {
        let card = json!({"type": "CARD"});
        for instructions in
            [json!([card, null]), json!([card, {"type": "debit"}]), json!([card, {}]), json!("none")]
        {
            assert_eq!(found("DD", instructions), 0);
        }
    }
}
