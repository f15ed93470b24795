use super::progress::{MigrationProgress, STATUSES, TopCause};
use crate::output::{grouped, money};
use chrono::{DateTime, Utc};
use cutover_core::{Code, State, plain};
use cutover_model::{HoldReasonShown, HoldShown, Others, Totals};
use std::collections::BTreeSet;

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
    rows.extend(progress.hold.as_ref().map(|hold| ("Held".to_owned(), held(hold))));
    if progress.open() > 0 {
        rows.push(("Rate".to_owned(), format!("{} a minute", rate(progress))));
        rows.extend(left(progress, now).map(|left| ("Left".to_owned(), left)));
    }
    rows.extend(progress.totals().map(|totals| sums(&totals, progress)).into_iter().flatten());
    let text: String = rows.into_iter().map(|(name, value)| format!("{name:16}{value}\n")).collect();
    text + &causes("Errors", &progress.top_errors, &progress.other_errors)
        + &causes("Warnings", &progress.top_warnings, &progress.other_warnings)
}

/// Formats the totals of the imported accounts, beside those that are declared.
fn sums(totals: &Totals, progress: &MigrationProgress) -> Vec<(String, String)> {
    let manifest = progress.manifest.as_ref();
    let (declared, sent) = (manifest.and_then(|m| m.declared()), manifest.and_then(|m| m.sent()));
    let beside = |imported: String, of: &dyn Fn(&Totals) -> String| match (&declared, &sent) {
        (Some(declared), Some(sent)) => {
            format!("{imported} imported, {} sent, {} declared", of(sent), of(declared))
        }
        _ => imported,
    };
    let count = |of: fn(&Totals) -> u64| beside(grouped(of(totals)), &|totals| grouped(of(totals)));
    let mut rows = Vec::new();
    if declared.is_some() {
        rows.push(("Accounts".to_owned(), count(|totals| totals.accounts)));
    }
    let balance = beside(money(totals.ledger_balance), &|totals| money(totals.ledger_balance));
    rows.push(("Ledger balance".to_owned(), balance));
    rows.push(("Readings".to_owned(), count(|totals| totals.readings)));
    rows.push(("Transactions".to_owned(), count(|totals| totals.transactions)));
    rows.push(("Documents".to_owned(), count(|totals| totals.documents)));
    if let (Some(declared), Some(sent)) = (declared, sent) {
        let tables = manifest.map(|manifest| manifest.differing_tables()).unwrap_or_default();
        let agrees = if declared == sent && tables.is_empty() {
            "what was sent is as declared"
        } else {
            "what was sent is not as declared"
        };
        rows.push(("Manifest".to_owned(), agrees.to_owned()));
        for (table, numbers) in tables {
            let [imported, sent, declared] = numbers.map(grouped);
            let text = format!("{table}: {imported} imported, {sent} sent, {declared} declared");
            rows.push(("  rows".to_owned(), text));
        }
    }
    rows
}

/// Formats the progress as one line.
pub(super) fn line(progress: &MigrationProgress, now: DateTime<Utc>) -> String {
    let count = |status| grouped(progress.count(status));
    format!(
        "pending {}, in progress {}, imported {}, errored {}; {} a minute{}{}\n",
        count(State::Pending),
        count(State::InProgress),
        count(State::Processed),
        grouped(progress.errored()),
        rate(progress),
        left(progress, now).map(|left| format!(", {left} left")).unwrap_or_default(),
        progress.hold.as_ref().map(|hold| format!("; held {}", held(hold))).unwrap_or_default(),
    )
}

/// Says why and since when imports are held.
fn held(hold: &HoldShown) -> String {
    let reason = |by: &str, since: &str, because: Option<&String>, failed: &str| {
        let why = match by {
            "operator" => "by the operator".to_owned(),
            "supplier" => "by the supplier itself".to_owned(),
            "wave" => format!("after wave {}", hold.wave.unwrap_or_default()),
            "error_rate" => format!("because {failed} accounts failed"),
            other => format!("by {}", plain(other)),
        };
        let because = because.map(|because| format!(": {}", plain(because))).unwrap_or_default();
        format!("{why} since {}{because}", plain(since))
    };
    let first = reason(&hold.by, &hold.since, hold.because.as_ref(), &grouped(hold.failed));
    let also = hold.also.iter().map(|HoldReasonShown { by, since, because }| {
        format!("; also {}", reason(by, since, because.as_ref(), "too many"))
    });
    std::iter::once(first).chain(also).collect()
}

fn rate(progress: &MigrationProgress) -> String {
    plain(&cutover_core::grouped(&progress.rate()))
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

/// Formats the most frequent errors or warnings in columns, and counts the others; empty if there are none.
pub(super) fn causes(title: &str, causes: &[TopCause], others: &Others) -> String {
    if causes.is_empty() {
        return String::new();
    }
    let attr = |cause: &TopCause| cause.attr.as_deref().map_or("-".to_owned(), plain);
    let width = |length: fn(&TopCause) -> usize| causes.iter().map(length).max().unwrap_or_default();
    let (codes, attrs) =
        (width(|cause| cause.code.len()), width(|cause| cause.attr.as_ref().map_or(4, |a| a.len().max(4))));
    let mut text = format!("\n{title:>10}  {:codes$}  {:attrs$}  examples\n", "code", "path");
    let mut explained = BTreeSet::new();
    for cause in causes {
        let (code, examples) = (plain(&cause.code), plain(&cause.examples.join(", ")));
        text += &format!("{:>10}  {code:codes$}  {:attrs$}  {examples}\n", grouped(cause.count), attr(cause));
        if let Some(known) = Code::from_word(&cause.code).filter(|_| explained.insert(&cause.code)) {
            text += &format!("{:>10}    {}\n", "", known.detail());
        }
    }
    if let Some(others) = others.words() {
        text += &format!("{:>10}  and {others}; report --report FILE has the errors of every account\n", "");
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
            "top_errors": [
                {"code": "document_gone", "attr": "notes.#.document_paths.#", "count": 2, "examples": ["A-1", "A-\u{1b}2"]},
                {"code": "schedule_window_missed", "attr": null, "count": 1, "examples": ["A-3"]},
            ],
            "top_warnings": [{"code": "duplicate_note", "attr": "notes.#", "count": 1_200, "examples": ["A-4"]}],
            "rate_per_minute": "1061.5",
            "estimated_finish_at": "2026-11-21T13:01:30.000000+11:00",
            "totals": {"accounts": 12_345, "ledger_balance": "-1234567.80", "readings": 9, "transactions": 8,
                "documents": 7}
        }))
        .unwrap()
    }

    #[test]
    fn a_hold_is_shown_with_its_reason() {
        let mut progress = progress(1);
        for (by, because) in [("operator", Some("tariffs are wrong")), ("wave", None), ("error_rate", None)] {
            progress.hold = Some(HoldShown {
                by: by.to_owned(),
                since: "2026-11-21T12:00:00.000000+11:00".to_owned(),
                wave: Some(2),
                ended: 57,
                failed: 3,
                window: None,
                because: because.map(str::to_owned),
                also: vec![HoldReasonShown {
                    by: "error_rate".to_owned(),
                    since: "12:30".to_owned(),
                    because: None,
                }],
            });
            let shown = line(&progress, at("2026-11-21T02:00:00Z"));
            let wanted = match by {
                "operator" => {
                    "held by the operator since 2026-11-21T12:00:00.000000+11:00: tariffs are wrong"
                }
                "wave" => "held after wave 2 since",
                _ => "held because 3 accounts failed since",
            };
            assert!(shown.contains(wanted), "{shown}");
            assert!(shown.contains("; also because too many accounts failed since 12:30"), "{shown}");
        }
    }

    #[test]
    fn what_is_declared_is_beside_what_was_sent_and_imported() {
        let now = at("2026-11-21T02:00:00Z");
        let mut progress = progress(120);
        let sums = |accounts: u64| {
            json!({"accounts": accounts, "ledger_balance": "-1234567.80", "readings": 9,
            "transactions": 8, "documents": 7})
        };
        for declared in [12_345, 20_000] {
            let manifest =
                json!({"declared": sums(declared), "sent": sums(12_345), "imported": sums(12_000)});
            progress.manifest = Some(serde_json::from_value(manifest).unwrap());
            let shown = text("ACME", &progress, now);
            let line = |name: &str| shown.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
            assert!(line("Accounts").contains(" 12,345 sent, "), "{shown}");
            assert_eq!(line("Manifest").ends_with(" not as declared"), declared == 20_000, "{shown}");
        }
    }

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn progress_is_shown_to_people() {
        let now = at("2026-11-21T02:00:00Z");
        insta::assert_snapshot!(text("ACME", &progress(120), now) + "\n" + &line(&progress(120), now));
    }

    /// A service of an earlier version does not tell what the others come to.
    #[test]
    fn causes_that_are_not_listed_are_counted() {
        let mut progress = progress(120);
        let now = at("2026-11-21T02:00:00Z");
        assert!(!text("ACME", &progress, now).contains("other kinds"));
        progress.other_errors = Others { kinds: 7, count: 1_234 };
        progress.other_warnings = Others { kinds: 1, count: 2 };
        let shown = text("ACME", &progress, now);
        for line in ["and 1,234 of 7 other kinds; report", "and 2 of 1 other kind; report"] {
            assert!(shown.contains(line), "{shown}");
        }
    }

    #[test]
    fn the_remaining_time_has_two_units() {
        let left = |now| left(&progress(1), at(now)).unwrap();
        assert_eq!(left("2026-11-21T02:01:00Z"), "30 s");
        assert_eq!(left("2026-11-21T01:00:00Z"), "1 h 01 min");
        assert_eq!(left("2026-11-22T00:00:00Z"), "0 s");
    }
}
