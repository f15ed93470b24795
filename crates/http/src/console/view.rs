//! Values as pages show them.

use super::links;
use chrono::{DateTime, TimeZone};
use cutover_process::{State, StatusV2};

/// A moment, for people and for programs.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    pub(super) shown: String,
    pub(super) exact: String,
}

impl<Z: TimeZone> From<DateTime<Z>> for Moment {
    fn from(at: DateTime<Z>) -> Self {
        let at = at.fixed_offset();
        Self { shown: at.format("%Y-%m-%d %H:%M:%S %:z").to_string(), exact: at.to_rfc3339() }
    }
}

/// A status: the word of the API, that for people, and the name of its look.
#[derive(Debug, Clone)]
pub(super) struct Status {
    pub(super) word: &'static str,
    pub(super) label: String,
    pub(super) class: String,
}

impl From<State> for Status {
    fn from(state: State) -> Self {
        let class = state.as_str().to_ascii_lowercase();
        let mut label = class.replace('_', " ");
        if let Some(first) = label.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        Self { word: state.as_str(), label, class }
    }
}

/// An account in a list.
pub(super) struct AccountRow {
    pub(super) supplier: String,
    pub(super) number: String,
    pub(super) link: String,
    pub(super) status: Status,
    /// Its number here.
    pub(super) account: Option<String>,
    pub(super) error: Option<&'static str>,
    pub(super) changed: Moment,
}

impl AccountRow {
    /// An account of a supplier.
    pub(super) fn new(supplier: &str, number: String, status: &StatusV2) -> Self {
        Self {
            supplier: supplier.to_owned(),
            link: links::account(supplier, &number),
            number,
            status: status.status.into(),
            account: status.service_identifier.as_ref().map(ToString::to_string),
            error: status.latest_error.as_ref().map(|error| error.code.as_str()),
            changed: status.modified_at.into(),
        }
    }
}

/// A choice in a form.
pub(super) struct Choice {
    pub(super) status: Status,
    pub(super) is_chosen: bool,
}

/// Every status, one of them chosen or none.
pub(super) fn statuses(chosen: Option<State>) -> Vec<Choice> {
    let choice = |state: &State| Choice { status: (*state).into(), is_chosen: Some(*state) == chosen };
    State::ALL.iter().map(choice).collect()
}
