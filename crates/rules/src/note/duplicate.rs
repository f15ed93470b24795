use crate::prelude::*;

/// A note given twice.
pub(super) const NOT_04: Rule = Rule {
    id: RuleId("NOT-04"),
    codes: &[Code::DuplicateNote],
    place: "`notes.#`",
    condition: "same body as an earlier note, and the same `created_at` or none: it will not be created",
    level: Level::Warning,
    on: On::Notes(check),
    ..Rule::OF_PAYLOAD
};

fn check(notes: &List<Note<'_>>, checker: &mut Checker<'_>) {
    let zone = checker.facts.now.zone;
    let (mut bodies, mut dated) = (Seen::new(), Seen::new());
    for (index, note) in notes.usable() {
        let Some(body) = note.body.usable().map(|body| body.trimmed()) else { continue };
        let has_body = bodies.before(body);
        let is_duplicate = match note.created_at.presence() {
            Presence::Absent => has_body,
            Presence::Usable(created) => {
                created.instant(zone).is_some_and(|created| dated.before((body, created)))
            }
            Presence::Faulty => false,
        };
        if is_duplicate {
            checker.report(At::ROOT.item("notes", index), Code::DuplicateNote);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn found(notes: Value) -> Vec<String> {
        run("NOT-04", json!({"notes": notes}))
    }

    #[test]
    fn duplicate_notes_are_reported() {
        let bare = json!({"body": "Called."});
        let dated = json!({"body": " Called. ", "created_at": "2026-01-01T12:00:00Z"});
        let same = json!({"body": "Called.", "created_at": "2026-01-01T22:00:00+10:00"});
        let later = json!({"body": "Called.", "created_at": "2026-01-02T12:00:00Z"});
        let faulty = json!({"body": "Called.", "created_at": "2026-01-02"});
        let cases = [
            (json!([bare, bare, bare]), vec![1, 2]),
            (json!([dated, same]), vec![1]),
            (json!([dated, bare]), vec![1]),
            (json!([bare, dated]), vec![]),
            (json!([dated, later, same]), vec![2]),
            (json!([dated, faulty]), vec![]),
            (json!([faulty, bare]), vec![1]),
            (json!([bare, {"body": "called."}, null, {"body": 7}]), vec![]),
            (json!([{}, {}, {"body": " "}]), vec![]),
        ];
        for (notes, indexes) in cases {
            let expected: Vec<_> =
                indexes.iter().map(|i| format!("notes.{i} duplicate_note (warning)")).collect();
            assert_eq!(found(notes), expected);
        }
        assert_eq!(found(json!("Called.")), [""; 0]);
    }
}
