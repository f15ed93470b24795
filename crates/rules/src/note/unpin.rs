use crate::prelude::*;

/// A pin that ends before the note was created.
pub(super) const NOT_02: Rule = Rule {
    id: RuleId("NOT-02"),
    codes: &[Code::NoteUnpinAtEarlierThanCreationDate],
    place: "`notes.#.unpin_at`",
    condition: "both given, before `created_at`",
    on: On::Note(before_creation),
    ..Rule::OF_PAYLOAD
};

/// A pin that has already ended.
pub(super) const NOT_03: Rule = Rule {
    id: RuleId("NOT-03"),
    codes: &[Code::UnpinAtInPast],
    place: "`notes.#.unpin_at`",
    condition: "before now",
    level: Level::Warning,
    on: On::Note(in_past),
    ..Rule::OF_PAYLOAD
};

fn before_creation(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    if datetimes_reversed(&note.created_at, &note.unpin_at, checker.facts.now.zone) {
        checker.report(at.member("unpin_at"), Code::NoteUnpinAtEarlierThanCreationDate);
    }
}

fn in_past(note: &Note<'_>, at: &At<'_>, checker: &mut Checker<'_>) {
    let now = checker.facts.now;
    let unpin = note.unpin_at.usable().and_then(|unpin| unpin.instant(now.zone));
    if unpin.is_some_and(|unpin| unpin < now.instant) {
        checker.report(at.member("unpin_at"), Code::UnpinAtInPast);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn note(created: Value, unpin: Value) -> Value {
        json!({"notes": [{"created_at": created, "unpin_at": unpin}]})
    }

    #[test]
    fn pins_do_not_end_before_the_note_is_created() {
        let found = |created, unpin| run("NOT-02", note(created, unpin));
        let expected = ["notes.0.unpin_at note_unpin_at_earlier_than_creation_date (error)"];
        assert_eq!(found(json!("2026-01-01T12:00:00Z"), json!("2026-01-01T11:59:59Z")), expected);
        assert_eq!(found(json!("2026-01-01T12:00:00Z"), json!("2026-01-01T21:00:00+10:00")), expected);
        for (created, unpin) in [
            (json!("2026-01-01T12:00:00Z"), json!("2026-01-01T12:00:00")),
            (json!("2026-01-01T12:00:00+10:00"), json!("2026-01-01T11:00:00Z")),
            (json!("2026-01-01"), json!("2020-01-01T11:00:00Z")),
            (json!("2026-01-01T12:00:00Z"), json!(null)),
        ] {
            assert_eq!(found(created, unpin), [""; 0]);
        }
        assert_eq!(run("NOT-02", json!({"notes": [{"unpin_at": "2020-01-01T11:00:00Z"}]})), [""; 0]);
    }

    #[test]
    fn pins_end_in_the_future() {
        let body = |unpin| json!({"notes": [{"unpin_at": unpin}]});
        let expected = ["notes.0.unpin_at unpin_at_in_past (warning)"];
        assert_eq!(run("NOT-03", body(json!("2026-11-21T01:59:59Z"))), expected);
        for unpin in [json!("2026-11-21T02:00:00Z"), json!("2020-01-01"), json!(null)] {
            assert_eq!(run("NOT-03", body(unpin)), [""; 0]);
        }
        assert_eq!(run("NOT-03", json!({"notes": [{}]})), [""; 0]);
        let local = body(json!("2026-11-21T12:00:00"));
        assert_eq!(run_with("NOT-03", &local, facts_at("2026-11-21T02:00:00Z", "Asia/Tokyo")), [""; 0]);
        assert_eq!(run_with("NOT-03", &local, facts_at("2026-11-21T04:00:00Z", "Asia/Tokyo")), expected);
    }
}
