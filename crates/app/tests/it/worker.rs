use crate::house::House;

#[test]
fn of_notes_at_one_instant_one_is_made_as_the_warning_says() {
    let notes = r#""unknown_occupier":true,"notes":[{"body":"N","created_at":"2026-01-01T12:00:00Z"},
        {"body":"N","created_at":"2026-01-01T22:00:00+10:00"},{"body":"N","created_at":"2026-01-01 12:00"}]"#;
    let house = House::with(notes);
    let report = house.report();
    let attrs: Vec<&str> = report.issues.warnings.iter().map(|warning| warning.attr.as_str()).collect();
    assert_eq!(attrs, ["notes.1", "notes.2"]);
    assert_eq!(report.account.unwrap().account.notes.unwrap().len(), 1);
}
