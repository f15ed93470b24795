use crate::house::{House, account};

#[test]
fn of_notes_at_one_instant_one_is_made_as_the_warning_says() {
    let notes = r#""unknown_occupier":true,"notes":[{"body":"N","created_at":"2026-01-01T12:00:00Z"},
        {"body":"N","created_at":"2026-01-01T22:00:00+10:00"},{"body":"N","created_at":"2026-01-01 12:00"}]"#;
    let house = House::new();
    let warnings = house.app.validate_account(&house.caller, account(notes).as_bytes()).unwrap();
    let attrs: Vec<String> = warnings.iter().map(|warning| warning.attr.to_string()).collect();
    assert_eq!(attrs, ["notes.1", "notes.2"]);
    house.create(notes);
    house.worker.turn().unwrap();
    assert_eq!(house.report().account.unwrap().account.notes.unwrap().len(), 1);
}
