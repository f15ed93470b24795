use crate::support::{create, imported, steps, submission};
use cutover_core::Zone;
use cutover_process::{Event, Process, v1, v2};

fn every_status() -> Vec<Process> {
    let claim =
        |dry, then: Vec<Event>| steps(&create(submission(dry)), [Event::Claimed].into_iter().chain(then));
    vec![
        create(submission(false)),
        claim(false, vec![]),
        steps(&create(submission(false)), [Event::Cancelled]),
        claim(false, vec![imported()]),
        claim(true, vec![Event::DryRunPassed]),
        claim(false, vec![Event::Rejected]),
        claim(true, vec![Event::DryRunFailed]),
    ]
}

#[test]
fn version_1_knows_three_words() {
    let lines = every_status().into_iter().map(|process| {
        let view = v1(&process);
        format!("{}: {} {:?}\n", process.state(), view.status, view.service_account_number)
    });
    insta::assert_snapshot!(lines.collect::<String>());
}

#[test]
fn version_2_shows_status_event_and_error_in_the_suppliers_zone() {
    let zone: Zone = "Australia/Brisbane".parse().unwrap();
    let lines = every_status().into_iter().map(|process| {
        let view = v2(&process, zone);
        let event = &view.latest_event;
        assert_eq!((view.status, &view.latest_error), (process.state(), &event.data));
        let account = view.service_identifier.map_or("null".to_owned(), |number| number.to_string());
        let error =
            view.latest_error.map_or("null".to_owned(), |error| format!("{} {}", error.domain(), error.code));
        let (created, modified) = (view.created_at.to_rfc3339(), view.modified_at.to_rfc3339());
        let shown = format!("{} {}", event.event, event.occurred_at.to_rfc3339());
        format!("{}\n  {account}, {created}, {modified}\n  {shown}\n  {error}\n", view.status)
    });
    insta::assert_snapshot!(lines.collect::<String>());
}
