use super::progress::{MigrationProgress, STATUSES, TopError};
use crate::output::{group_digits, grouped, money};
use chrono::{DateTime, Utc};
use cutover_core::{State, plain};

/// Formats the progress as several lines.
pub(super) fn text(supplier: &str, progress: &MigrationProgress, now: DateTime<Utc>) -> String {
    let mut rows = vec![("Supplier".to_owned(), plain(supplier))];
    for (status, name) in STATUSES {
        let count = progress.count(status);
        if count > 0
            || matches!(status, State::Pending | State::InProgress | State::Processed | State::Errored)
        {
            rows.push((format!("  {name}"), grouped(count)));
        }
    }
    if progress.open() > 0 {
        rows.push(("Rate".to_owned(), format!("{} a minute", rate(progress))));
        rows.extend(left(progress, now).map(|left| ("Left".to_owned(), left)));
    }
    if let Some(totals) = progress.totals() {
        rows.push(("Ledger balance".to_owned(), money(totals.ledger_balance)));
        rows.push(("Readings".to_owned(), grouped(totals.readings)));
        rows.push(("Transactions".to_owned(), grouped(totals.transactions)));
        rows.push(("Documents".to_owned(), grouped(totals.documents)));
    }
    let text: String = rows.into_iter().map(|(name, value)| format!("{name:16}{value}\n")).collect();
    text + &errors(&progress.top_errors)
}

/// Formats the progress as one line.
pub(super) fn line(progress: &MigrationProgress, now: DateTime<Utc>) -> String {
    let count = |status| grouped(progress.count(status));
    format!(
        "pending {}, in progress {}, imported {}, errored {}; {} a minute{}\n",
        count(State::Pending),
        count(State::InProgress),
        count(State::Processed),
        grouped(progress.errored()),
        rate(progress),
        left(progress, now).map(|left| format!(", {left} left")).unwrap_or_default(),
    )
}

fn rate(progress: &MigrationProgress) -> String {
    plain(&group_digits(&progress.rate()))
}

/// Formats the remaining time at this rate, if known.
fn left(progress: &MigrationProgress, now: DateTime<Utc>) -> Option<String> {
    let seconds = (progress.finish()?.to_utc() - now).num_seconds().max(0);
    let left = match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{} h {minutes:02} min", grouped(hours.unsigned_abs())),
    };
    Some(left)
}

/// Formats the most frequent errors in columns; empty if there are none.
pub(super) fn errors(errors: &[TopError]) -> String {
    if errors.is_empty() {
        return String::new();
    }
    let width = errors.iter().map(|error| error.code.len()).max().unwrap_or_default();
    let mut text = format!("\n{:>10}  {:width$}  examples\n", "Errors", "code");
    for TopError { code, count, examples } in errors {
        text +=
            &format!("{:>10}  {:width$}  {}\n", grouped(*count), plain(code), plain(&examples.join(", ")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn progress(pending: u64) -> MigrationProgress {
        serde_json::from_value(json!({
            "counts": {"PENDING": pending, "IN_PROGRESS": 8, "PROCESSED": 12_345, "ERRORED": 2, "CANCELLED": 0,
                "DRY_RUN_SUCCEEDED": 1, "DRY_RUN_ERRORED": 0},
            "top_errors": [{"code": "document_gone", "count": 2, "examples": ["A-1", "A-\u{1b}2"]}],
            "rate_per_minute": "1061.5",
            "estimated_finish_at": "2026-11-21T13:01:30.000000+11:00",
            "totals": {"accounts": 12_345, "ledger_balance": "-1234567.80", "readings": 9, "transactions": 8,
                "documents": 7}
        }))
        .unwrap()
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn progress_is_shown_to_people() {
        let now = at("2026-11-21T02:00:00Z");
        insta::assert_snapshot!(text("ACME", &progress(120), now) + "\n" + &line(&progress(120), now));
    }

    #[test]
    fn the_remaining_time_has_two_units() {
        let left = |now| left(&progress(1), at(now)).unwrap();
        assert_eq!(left("2026-11-21T02:01:00Z"), "30 s");
        assert_eq!(left("2026-11-21T01:00:00Z"), "1 h 01 min");
        assert_eq!(left("2026-11-22T00:00:00Z"), "0 s");
    }
}
