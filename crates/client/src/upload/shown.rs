//! The summary of a run in the words of what it sent: accounts, or other requests.

use super::sent::Sent;
use super::summary::Summary;
use crate::report::Page;

/// One JSON document for programs.
pub(super) fn json(summary: &Summary) -> String {
    summary.requests.map_or_else(|| summary.json(), |what| Sent::of(what, summary).json())
}

/// Text for people.
pub(super) fn text(summary: &Summary) -> String {
    summary.requests.map_or_else(|| summary.text(), |what| Sent::of(what, summary).text())
}

/// Content of the HTML report.
pub(super) fn page(summary: &Summary) -> Page {
    summary.requests.map_or_else(|| summary.page(), |what| Sent::of(what, summary).page())
}
