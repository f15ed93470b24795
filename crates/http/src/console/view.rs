//! Values formatted for pages.

use super::links;
use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use cutover_app::account::{AccountStatus, StatusCount};
use cutover_app::operator::{AccountMatch, FoundAccount, FoundBy, RefusedAccount};
pub(super) use cutover_core::grouped;
use cutover_core::{Word, Zone};
use cutover_process::State;

/// Rows of a table on a page: longer pages are hard to read, and slow on a small device.
pub(super) const ROWS: usize = 25;

/// A moment in the zone of its page, for people and for programs.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub(super) shown: String,
    pub(super) exact: String,
}

impl Moment {
    /// Formats an instant in the zone that the page names ([`Frame::in_zone`](super::page::Frame::in_zone)).
    pub(super) fn new(at: DateTime<Utc>, zone: Zone) -> Self {
        let at = zone.local(at);
        Self { shown: at.format("%Y-%m-%d %H:%M:%S %:z").to_string(), exact: at.to_rfc3339() }
    }
}

/// Reads a time: in a zone, as fields for times send it, or with an offset.
pub(super) fn time(text: &str, zone: Zone) -> Option<DateTime<Utc>> {
    let plain = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%.f"];
    let plain = plain.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let exact = || DateTime::parse_from_rfc3339(text).ok().map(|at| at.to_utc());
    plain.map_or_else(exact, |at| zone.instant(at))
}

/// Writes a time for a field for times, in a zone.
pub(super) fn field_of_time(at: DateTime<Utc>, zone: Zone) -> String {
    zone.local(at).format("%Y-%m-%dT%H:%M").to_string()
}

/// A status: its name, its label, and the name of its style.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) word: String,
    pub(super) label: String,
    pub(super) class: String,
}

impl From<State> for Status {
    fn from(state: State) -> Self {
        Self::new(&state.into(), state)
    }
}

impl Status {
    /// A stored status, in the style of a known one.
    pub(super) fn new(stored: &Word<State>, like: State) -> Self {
        let mut label = stored.as_str().to_ascii_lowercase().replace('_', " ");
        if let Some(first) = label.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Self { word: stored.to_string(), label, class: like.as_str().to_ascii_lowercase() }
    }

    /// The status of a cancelled account whose import was undone.
    pub(super) fn undone() -> Self {
        Self { label: "Undone".to_owned(), ..State::Cancelled.into() }
    }
}

/// The number of accounts in a state.
pub(super) struct Count {
    pub(super) status: Status,
    pub(super) count: String,
    /// The link to these accounts.
    pub(super) link: String,
    /// Start and width of its part of a bar, in thousandths.
    pub(super) begin: u64,
    pub(super) width: u64,
}

/// Returns the states with at least one account, with their parts of a bar.
pub(super) fn counts(supplier: &str, counts: &[StatusCount]) -> Vec<Count> {
    let all: u64 = counts.iter().map(|count| count.accounts).sum();
    let thousandth = |count: u64| (u128::from(count) * 1_000 / u128::from(all.max(1))) as u64;
    let mut before = 0;
    let in_order =
        SHOWN_FIRST.iter().flat_map(|state| counts.iter().filter(move |count| count.status == *state));
    let shown = in_order.flat_map(parts).filter(|part| part.accounts > 0).map(|part| {
        let begin = thousandth(before);
        before += part.accounts;
        Count {
            link: format!("{}{}#accounts", links::supplier(supplier), part.query),
            status: part.status,
            count: grouped(&part.accounts.to_string()),
            begin,
            // Computed from the rounded ends, so that no gaps appear.
            width: thousandth(before) - begin,
        }
    });
    shown.collect()
}

/// Accounts of a state that are counted and linked together.
struct Part {
    status: Status,
    accounts: u64,
    /// The filter that selects them.
    query: String,
}

/// Returns what is counted of a state: cancelled accounts apart from those whose import was undone.
fn parts(count: &StatusCount) -> Vec<Part> {
    let status = Status::new(&count.stored, count.status);
    // Unknown states have no filter of their own.
    let query = count.stored.known().map(|state| format!("?status={state}")).unwrap_or_default();
    if count.undone == 0 {
        return vec![Part { status, accounts: count.accounts, query }];
    }
    let cancelled = count.accounts.saturating_sub(count.undone);
    vec![
        Part { status, accounts: cancelled, query: format!("{query}&undone=false") },
        Part { status: Status::undone(), accounts: count.undone, query: format!("{query}&undone=true") },
    ]
}

/// The order of states in a row of counts, by progress.
const SHOWN_FIRST: [State; State::ALL.len()] = [
    State::Processed,
    State::DryRunSucceeded,
    State::InProgress,
    State::Pending,
    State::Errored,
    State::DryRunErrored,
    State::Cancelled,
];

/// Formats a duration in its two largest units.
pub(super) fn duration(time: TimeDelta) -> String {
    let (days, hours, minutes) = (time.num_days(), time.num_hours() % 24, time.num_minutes() % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => "< 1 min".to_owned(),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{} d {hours} h", grouped(&days.to_string())),
    }
}

/// An account in a list.
pub(super) struct AccountRow {
    pub(super) supplier: String,
    pub(super) number: String,
    pub(super) link: String,
    pub(super) status: Status,
    /// Where it stands.
    pub(super) sentence: String,
    /// What a search has found it by.
    pub(super) found_by: Vec<&'static str>,
    /// The codes of its error.
    pub(super) errors: Vec<String>,
    pub(super) changed: Moment,
}

impl AccountRow {
    /// Creates the row for an account of a supplier, with times in a zone.
    pub(super) fn new(supplier: &str, account: AccountStatus, zone: Zone) -> Self {
        let AccountStatus { number, status, stored_status, is_undone, error_codes, sentence, .. } = account;
        Self {
            supplier: supplier.to_owned(),
            link: links::account(supplier, &number),
            number,
            status: if is_undone { Status::undone() } else { Status::new(&stored_status, status.status) },
            sentence,
            found_by: Vec::new(),
            errors: error_codes,
            changed: Moment::new(status.modified_at.0.to_utc(), zone),
        }
    }

    /// Creates the row for an account that a search has found.
    pub(super) fn found(AccountMatch { supplier, account, found_by }: AccountMatch, zone: Zone) -> Self {
        let found_by = found_by.into_iter().map(FoundBy::as_str).collect();
        let RefusedAccount { number, refused_at, error_codes, sentence, .. } = match account {
            FoundAccount::Accepted(account) => {
                return Self { found_by, ..Self::new(&supplier, *account, zone) };
            }
            FoundAccount::Refused(refused) => refused,
        };
        Self {
            link: links::refused(&supplier, &number),
            supplier,
            number,
            status: Status { label: "Not accepted".to_owned(), ..State::Errored.into() },
            sentence,
            found_by,
            errors: error_codes,
            changed: Moment::new(refused_at, zone),
        }
    }
}

/// An option of a form.
pub(super) struct Choice {
    pub(super) status: Status,
    pub(super) is_chosen: bool,
}

/// Returns all statuses, with the chosen one selected.
pub(super) fn statuses(chosen: Option<State>) -> Vec<Choice> {
    let choice = |state: &State| Choice { status: (*state).into(), is_chosen: Some(*state) == chosen };
    State::ALL.iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_groups() {
        for (number, shown) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.8910", "-1,234,567.8910"),
            ("-100", "-100"),
        ] {
            assert_eq!(grouped(number), shown);
        }
    }

    #[test]
    fn durations_are_short() {
        let shown = |seconds| duration(TimeDelta::seconds(seconds));
        assert_eq!([59, 60, 3_599].map(shown), ["< 1 min", "1 min", "59 min"]);
        assert_eq!([3_600, 86_399, 90_000].map(shown), ["1 h 0 min", "23 h 59 min", "1 d 1 h"]);
    }

    #[test]
    fn the_parts_of_a_bar_fill_it_despite_rounding() {
        let count =
            |status: State, accounts| StatusCount { stored: status.into(), status, accounts, undone: 0 };
        let parts = [State::Pending, State::Processed, State::Errored].map(|state| count(state, 1));
        let parts = counts("A", &parts);
        let ends: Vec<_> = parts.iter().map(|part| (part.begin, part.begin + part.width)).collect();
        assert_eq!(ends, [(0, 333), (333, 666), (666, 1_000)]);
        assert!(counts("A", &[count(State::Pending, 0)]).is_empty());
    }

    #[test]
    fn undone_accounts_are_counted_apart() {
        let cancelled = |accounts, undone| {
            let (stored, status) = (State::Cancelled.into(), State::Cancelled);
            let counts = counts("A", &[StatusCount { stored, status, accounts, undone }]);
            counts.into_iter().map(|part| (part.status.label, part.count, part.link)).collect::<Vec<_>>()
        };
        let part = |label: &str, count: &str, undone: &str| {
            let link = format!("/console/suppliers/A/?status=CANCELLED{undone}#accounts");
            (label.to_owned(), count.to_owned(), link)
        };
        assert_eq!(cancelled(3, 0), [part("Cancelled", "3", "")]);
        assert_eq!(
            cancelled(123, 120),
            [part("Cancelled", "3", "&undone=false"), part("Undone", "120", "&undone=true")]
        );
        assert_eq!(cancelled(120, 120), [part("Undone", "120", "&undone=true")]);
    }
}
