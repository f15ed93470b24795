//! Checks of the accounts of a supplier.

use super::facts::Facts;
use super::{Finding, count};
use crate::port::HoldCause;

/// Maximum number of contracts that are named.
const NAMED: usize = 3;

pub(super) fn contracts(facts: &Facts) -> Finding {
    let absent = &facts.absent_contracts;
    if absent.is_empty() {
        return Finding::ok("Every contract that waiting accounts name exists.");
    }
    let more = if absent.len() > NAMED { " and others" } else { "" };
    let named = absent.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    Finding::stop(
        format!("Waiting accounts name contracts that do not exist: {named}{more}."),
        "Send the businesses with these contracts, or cancel the accounts.",
    )
}

/// Judges failures of the last stretch that were not sent again. As many as the setting allows of the accounts that ended
/// are within it; after a hold for errors, as many as it allows of the window.
pub(super) fn failures(facts: &Facts) -> Finding {
    let Some(last) = &facts.last else {
        return Finding::ok("No run or wave has begun, and no share of failures is set.");
    };
    let detail = format!(
        "{} of {} accounts {} have failed and were not sent again",
        count(last.failed),
        count(last.ended),
        last.name
    );
    let action = format!(
        "Correct these accounts and send them again: `cutover process list {} --status ERRORED` names them.",
        facts.supplier.code
    );
    let hold = facts.gate.as_ref().and_then(|gate| gate.hold.as_ref());
    let is_held_for_errors = hold.is_some_and(|hold| hold.is_by(HoldCause::ErrorRate));
    match facts.supplier.settings.hold_on_errors {
        _ if last.failed == 0 => Finding::ok(format!("{detail}.")),
        None => Finding::warn(format!("{detail}; no share of failures is set."), action),
        Some(share) => {
            let allowed = share.allowed(if is_held_for_errors { 0 } else { last.ended });
            let detail = format!("{detail}; {share} allows {}.", count(allowed));
            if last.failed > allowed { Finding::stop(detail, action) } else { Finding::ok(detail) }
        }
    }
}

pub(super) fn unresolved(facts: &Facts) -> Finding {
    let action = "Correct them and send them again, or agree that they stay out.";
    let failed = format!("Failed accounts that were not sent again: {}", count(facts.failed));
    match (facts.failed, facts.refused) {
        (0, 0) => Finding::ok("No failed or refused account waits to be sent again."),
        (_, 0) => Finding::warn(format!("{failed}."), action),
        (0, refused) => {
            Finding::warn(format!("Refused accounts, not accepted since: {}.", count(refused)), action)
        }
        (_, refused) => {
            Finding::warn(format!("{failed}; refused, not accepted since: {}.", count(refused)), action)
        }
    }
}
