//! Events of a timeline in words.

use super::failures::{Burst, end};
use super::{TimelineEvent, TimelineKind, local};
use crate::port::{
    AuditAction, AuditRecord, Detail, HoldCause, HoldReason, Job, JobKind, ServiceHold, StoredCertificate,
    SupplierNote,
};
use chrono::{DateTime, Utc};
use cutover_core::{Word, Zone};

/// Details that are shown apart from the text.
const APART: [&str; 6] = ["because", "by", "forced", "held-by", "next-wave", "still-held-by"];

fn event(at: DateTime<Utc>, zone: Zone, kind: TimelineKind, text: String) -> TimelineEvent {
    TimelineEvent { at: local(at, zone), kind, text, by: None, because: None, is_forced: false }
}

pub(super) fn of_note(note: SupplierNote, zone: Zone) -> TimelineEvent {
    let SupplierNote { at, by, text } = note;
    TimelineEvent { by: Some(by.to_string()), ..event(at, zone, TimelineKind::Note, text) }
}

pub(super) fn of_hold(hold: ServiceHold, zone: Zone) -> TimelineEvent {
    let ServiceHold { at, by, wave, ended, failed } = hold;
    let reason = HoldReason { by, owner: None, since: at, because: None };
    let accounts = if ended == 1 { "account" } else { "accounts" };
    let text = format!("Held {}: {ended} {accounts} had ended, {failed} had failed", reason.words(wave));
    event(at, zone, TimelineKind::Hold, text)
}

pub(super) fn of_wave((at, wave): (DateTime<Utc>, u32), zone: Zone) -> TimelineEvent {
    let text = if wave == 0 { "Waves are counted anew".to_owned() } else { format!("Wave {wave} began") };
    event(at, zone, TimelineKind::Wave, text)
}

pub(super) fn of_job(job: &Job, zone: Zone) -> TimelineEvent {
    let text = format!("{} began (job={}, matched={})", job_words(job), job.name, job.matched);
    TimelineEvent { by: Some(job.actor.clone()), ..event(job.created_at, zone, TimelineKind::Job, text) }
}

fn job_words(job: &Job) -> &'static str {
    match job.kind.known() {
        Some(JobKind::Retry) => "Retry of accounts",
        Some(JobKind::Cancel) => "Cancelling of accounts",
        Some(JobKind::Undo) => "Undo of imports",
        Some(JobKind::Erase) => "Erasure of rehearsed accounts",
        Some(JobKind::EraseSupplier) => "Erasure of the supplier",
        None => "Another job",
    }
}

pub(super) fn of_certificate(certificate: &StoredCertificate, zone: Zone) -> TimelineEvent {
    let text = format!("Certificate {} issued", certificate.name);
    event(certificate.begun_at, zone, TimelineKind::Certificate, text)
}

fn word(detail: &Detail, name: &str) -> Option<String> {
    detail.facts().find(|(other, _)| *other == name).map(|(_, fact)| fact.to_string())
}

/// Returns the other details, such as ` (waves=100,rest)`.
fn rest(detail: &Detail) -> String {
    let shown = detail.facts().filter(|(name, _)| !APART.contains(name));
    let shown: Vec<_> = shown.map(|(name, fact)| format!("{name}={fact}")).collect();
    if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
}

/// Returns the reasons of a hold in words, from their names in the trail with their owners.
fn held_words(held: &str) -> String {
    let words = |reason: &str| {
        let (by, owner) = reason.split_once(' ').unwrap_or((reason, ""));
        let reason =
            HoldReason { by: Word::read(by), owner: None, since: DateTime::UNIX_EPOCH, because: None };
        let words = reason.words(None);
        if owner.is_empty() { words } else { format!("{words} ({owner})") }
    };
    held.split(", ").map(words).collect::<Vec<_>>().join(", ")
}

/// Returns true for an action of the supplier itself.
fn is_own(detail: &Detail) -> bool {
    word(detail, "by").is_some_and(|by| by == HoldCause::Supplier.as_str())
}

fn held(detail: &Detail) -> &'static str {
    if is_own(detail) { "Held by the supplier itself" } else { "Held by an operator" }
}

fn released_by_supplier(detail: &Detail) -> String {
    match word(detail, "still-held-by") {
        None => "Released by the supplier itself".to_owned(),
        Some(held) => format!("The supplier ended its own hold; it is still held {}", held_words(&held)),
    }
}

fn released(detail: &Detail) -> String {
    if is_own(detail) {
        return released_by_supplier(detail);
    }
    let mut text = match (word(detail, "held-by"), word(detail, "forced")) {
        (None, _) => "Released, although it was not held".to_owned(),
        (Some(held), None) => format!("Released; it was held {}", held_words(&held)),
        (Some(held), Some(checks)) => format!(
            "Released by force, although these checks said stop: {checks}; it was held {}",
            held_words(&held)
        ),
    };
    if word(detail, "next-wave").is_some() {
        text.push_str("; the next wave was begun");
    }
    text
}

/// Returns the event of an action, unless another source has it.
pub(super) fn of_action(record: &AuditRecord, zone: Zone) -> Option<TimelineEvent> {
    let detail = &record.detail;
    let rest = rest(detail);
    let action = record.action.parse::<AuditAction>();
    let (kind, text) = match action {
        Ok(AuditAction::SupplierNoted | AuditAction::CertificateIssued) => return None,
        // Who looked something up did nothing.
        Ok(AuditAction::AccountsSearched | AuditAction::AccountRevealed) => return None,
        Ok(AuditAction::SupplierHeld) => (TimelineKind::Hold, format!("{}{rest}", held(detail))),
        Ok(AuditAction::SupplierReleased) => (TimelineKind::Release, released(detail)),
        Ok(AuditAction::SupplierAdded) => (TimelineKind::Settings, format!("Supplier added{rest}")),
        Ok(AuditAction::SupplierSet) => (TimelineKind::Settings, format!("Settings changed{rest}")),
        Ok(AuditAction::RunStarted) => (TimelineKind::Run, format!("Run started{rest}")),
        Ok(AuditAction::RunEnded) => (TimelineKind::Run, format!("Run ended{rest}")),
        Ok(AuditAction::ProcessRetried) => (TimelineKind::Job, format!("Retry of accounts ended{rest}")),
        Ok(AuditAction::ProcessCancelled) => {
            (TimelineKind::Job, format!("Cancelling of accounts ended{rest}"))
        }
        Ok(AuditAction::ImportsUndone) => (TimelineKind::Job, format!("Undo of imports ended{rest}")),
        Ok(AuditAction::JobStopped) => (TimelineKind::Job, format!("Job stopped{rest}")),
        Ok(AuditAction::JobResumed) => (TimelineKind::Job, format!("Job resumed{rest}")),
        Ok(AuditAction::ManifestRemoved) => (TimelineKind::Action, format!("Manifest removed{rest}")),
        Ok(AuditAction::ProcessesExported) => {
            (TimelineKind::Action, format!("Failed accounts exported{rest}"))
        }
        _ => (TimelineKind::Action, format!("{}{rest}", record.action)),
    };
    Some(TimelineEvent {
        by: Some(record.by.clone()),
        because: word(detail, "because"),
        is_forced: word(detail, "forced").is_some(),
        ..event(record.at, zone, kind, text)
    })
}

pub(super) fn of_failures(burst: Burst, zone: Zone) -> TimelineEvent {
    let (first, last, accounts) = burst;
    let time = |at: DateTime<Utc>| zone.local(at).format("%H:%M").to_string();
    let when = if first == last {
        format!("in the minute of {}", time(first))
    } else {
        format!("from {} to {}", time(first), time(last))
    };
    event(
        end(&burst),
        zone,
        TimelineKind::Failures,
        format!("{accounts} accounts failed or were refused {when}"),
    )
}
