use crate::prelude::*;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_model::AccountRequest;

/// A window that starts in the past.
pub(super) const WIN_01: Rule = Rule {
    id: RuleId("WIN-01"),
    codes: &[Code::ScheduleWindowStartInPast],
    place: "`task_params.schedule_window_start`",
    condition: "more than 5 minutes before now",
    fixed: true,
    on: On::Request(start_in_past),
    ..Rule::OF_PAYLOAD
};

/// A window that ends in the past.
pub(super) const WIN_02: Rule = Rule {
    id: RuleId("WIN-02"),
    codes: &[Code::ScheduleWindowEndInPast],
    place: "`task_params.schedule_window_end`",
    condition: "more than 5 minutes before now",
    fixed: true,
    on: On::Request(end_in_past),
    ..Rule::OF_PAYLOAD
};

/// A window that ends more than four days ahead.
pub(super) const WIN_03: Rule = Rule {
    id: RuleId("WIN-03"),
    codes: &[Code::ScheduleWindowEndTooFarInFuture],
    place: "`task_params.schedule_window_end`",
    condition: "more than 4 days (96 hours) after now",
    fixed: true,
    on: On::Request(end_too_far),
    ..Rule::OF_PAYLOAD
};

/// A window that does not start before it ends.
pub(super) const WIN_04: Rule = Rule {
    id: RuleId("WIN-04"),
    codes: &[Code::ScheduleWindowStartAfterEnd],
    place: "`task_params.schedule_window_start`",
    condition: "not before the end",
    fixed: true,
    on: On::Request(start_not_before_end),
    ..Rule::OF_PAYLOAD
};

const START: &str = "schedule_window_start";
const END: &str = "schedule_window_end";
const GRACE: TimeDelta = TimeDelta::minutes(5);
const LONGEST: TimeDelta = TimeDelta::hours(96);

fn start_in_past(request: &AccountRequest<'_>, checker: &mut Checker<'_>) {
    if let (Some(start), _) = window(request, checker)
        && checker.facts.now.instant - start > GRACE
    {
        checker.report(At::ROOT.member("task_params").member(START), Code::ScheduleWindowStartInPast);
    }
}

fn end_in_past(request: &AccountRequest<'_>, checker: &mut Checker<'_>) {
    if let (_, Some(end)) = window(request, checker)
        && checker.facts.now.instant - end > GRACE
    {
        checker.report(At::ROOT.member("task_params").member(END), Code::ScheduleWindowEndInPast);
    }
}

fn end_too_far(request: &AccountRequest<'_>, checker: &mut Checker<'_>) {
    if let (_, Some(end)) = window(request, checker)
        && end - checker.facts.now.instant > LONGEST
    {
        checker.report(At::ROOT.member("task_params").member(END), Code::ScheduleWindowEndTooFarInFuture);
    }
}

fn start_not_before_end(request: &AccountRequest<'_>, checker: &mut Checker<'_>) {
    if let (Some(start), Some(end)) = window(request, checker)
        && start >= end
    {
        checker.report(At::ROOT.member("task_params").member(START), Code::ScheduleWindowStartAfterEnd);
    }
}

/// Returns the start and the end of the window, as far as they are usable.
fn window(
    request: &AccountRequest<'_>,
    checker: &Checker<'_>,
) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
    let Some(params) = request.task_params.usable() else { return (None, None) };
    let zone = checker.facts.now.zone;
    let start = params.schedule_window_start.usable().and_then(|start| start.instant(zone));
    let end = params.schedule_window_end.usable().and_then(|end| end.instant(zone));
    (start, end)
}

#[cfg(test)]
mod tests {
    use crate::testing::*;

    fn envelope(start: Value, end: Value) -> Value {
        json!({"payload": {}, "task_params": {"schedule_window_start": start, "schedule_window_end": end}})
    }

    /// Returns the number of issues, after checking their path and code.
    fn count(rule: &str, expected: &str, start: &str, end: &str) -> usize {
        let found = run(rule, envelope(json!(start), json!(end)));
        assert!(found.iter().all(|line| *line == format!("task_params.{expected} (error)")), "{found:?}");
        found.len()
    }

    #[test]
    fn windows_in_the_past_are_reported() {
        let start = |at| count("WIN-01", "schedule_window_start schedule_window_start_in_past", at, "");
        let end = |at| count("WIN-02", "schedule_window_end schedule_window_end_in_past", "", at);
        for (at, fires) in [
            ("2026-11-21T01:54:59Z", 1),
            ("2026-11-21T01:55:00Z", 0),
            ("2026-11-21T11:54:59+10:00", 1),
            ("2026-11-21T01:54:59.999999", 1),
            ("0001-01-01T00:00:00Z", 1),
            ("9999-12-31T23:59:59Z", 0),
            ("2026-11-20", 0),
        ] {
            assert_eq!([start(at), end(at)], [fires, fires], "{at}");
        }
    }

    #[test]
    fn a_window_that_ends_in_more_than_four_days_is_reported() {
        let end = |at| {
            count(
                "WIN-03",
                "schedule_window_end schedule_window_end_too_far_in_future",
                "2026-11-21T02:00:00Z",
                at,
            )
        };
        assert_eq!(end("2026-11-25T02:00:00Z"), 0);
        assert_eq!(end("2026-11-25T02:00:00.000001Z"), 1);
        assert_eq!(end("9999-12-31T23:59:59Z"), 1);
        assert_eq!(end("2027-01-01"), 0);
    }

    #[test]
    fn a_window_that_does_not_start_before_it_ends_is_reported() {
        let code = "schedule_window_start schedule_window_start__after_end";
        let fires = |start, end| count("WIN-04", code, start, end);
        assert_eq!(fires("2026-11-22T00:00:01Z", "2026-11-22T00:00:00Z"), 1);
        assert_eq!(fires("2026-11-22T09:00:00Z", "2026-11-22T18:00:00+10:00"), 1);
        assert_eq!(
            fires("2026-11-22T00:00:00Z", "2026-11-22T10:00:00+10:00"),
            1,
            "nothing fits an empty window"
        );
        assert_eq!(fires("2026-11-22T00:00:00Z", "2026-11-22T00:00:00.000001Z"), 0);
        assert_eq!(fires("2026-11-22T00:00:01Z", "soon"), 0);
    }

    #[test]
    fn a_datetime_without_an_offset_is_in_the_suppliers_zone() {
        let noon = envelope(json!("2026-11-21T12:00:00"), json!(null));
        let found = |zone| run_with("WIN-01", &noon, facts_at("2026-11-21T03:06:00Z", zone)).len();
        assert_eq!([found("Australia/Sydney"), found("Asia/Tokyo"), found("Australia/Perth")], [1, 1, 0]);
    }

    #[test]
    fn silent_without_a_window() {
        for body in [
            envelope(json!(null), json!(null)),
            json!({"payload": {}, "task_params": {}}),
            json!({"payload": {}, "task_params": null}),
            json!({"payload": {}, "task_params": []}),
            json!({}),
        ] {
            for rule in ["WIN-01", "WIN-02", "WIN-03", "WIN-04"] {
                assert_eq!(run(rule, &body), [""; 0]);
            }
        }
    }
}
