use crate::cli::doctor::finding::Finding;

use crate::open::OpenDatabase;
use crate::settings::{Settings, SettingsError};
use cutover_store::{KeyState, Seal, Seals};
use std::collections::BTreeMap;

const CHECK: &str = "at rest";
const GENERATE: &str = "create a key with `cutover encryption-key generate`, or make sure that the database and its \
                        backups are on encrypted disks";
const RESEAL: &str = "run `cutover encryption-key reseal`";
const MISSING: &str = "add them where keys are configured; for a key that is lost, add the line NAME:lost";
const AGAIN: &str = "ask the suppliers to send again what was not imported";

/// Checks which payloads, bank details and signing keys are unencrypted, and with which keys the others are encrypted.
pub(super) fn at_rest(settings: &Settings, database: &OpenDatabase) -> Finding {
    match database.seals() {
        Ok(seals) => judge(settings.encryption.is_configured(), &seals),
        Err(error) => Finding::fail(CHECK, error, "check the database"),
    }
}

/// The finding for unreadable keys, without which the database is not opened.
pub(super) fn unusable(error: &SettingsError) -> Finding {
    Finding::fail(CHECK, error, "check that the file exists, is readable, and has one NAME:KEY a line")
}

fn judge(is_configured: bool, tables: &[Seals]) -> Finding {
    let detail = detail(is_configured, tables);
    let has = |is: &dyn Fn(&Seal) -> bool| tables.iter().any(|seals| seals.found.keys().any(is));
    let of = |state: KeyState| move |seal: &Seal| matches!(seal, Seal::Key(_, is) if *is == state);
    let is_stale = |seal: &Seal| *seal == Seal::Open || of(KeyState::Opens)(seal);
    match is_configured {
        _ if has(&of(KeyState::Missing)) || has(&of(KeyState::Wrong)) => {
            Finding::fail(CHECK, detail, MISSING)
        }
        _ if has(&|seal| *seal == Seal::Unknown) => {
            Finding::fail(CHECK, detail, "run the newer version of this program that was here")
        }
        false if has(&is_stale) => Finding::warn(CHECK, detail, GENERATE),
        true if has(&is_stale) => Finding::warn(CHECK, detail, RESEAL),
        true if has(&of(KeyState::Lost)) => Finding::warn(CHECK, detail, AGAIN),
        _ => Finding::ok(CHECK, detail),
    }
}

fn detail(is_configured: bool, tables: &[Seals]) -> String {
    let mut parts = Vec::new();
    let open = |seals: &Seals| Some(format!("{} {}", seals.found.get(&Seal::Open)?, seals.table.as_str()));
    let open: Vec<String> = tables.iter().filter_map(open).collect();
    if !open.is_empty() {
        parts.push(format!("unencrypted: {}", open.join(", ")));
    }
    parts.extend(
        by_key(tables)
            .into_iter()
            .map(|((name, state), count)| format!("{count} {} {name}", describe(state))),
    );
    let unknown: u64 = tables.iter().filter_map(|seals| seals.found.get(&Seal::Unknown)).sum();
    if unknown > 0 {
        parts.push(format!("{unknown} encrypted in a way that this version cannot read"));
    }
    let sample = if tables.iter().all(|seals| seals.is_all) { "" } else { " (of a sample)" };
    let found = parts.join("; ");
    match (is_configured, parts.is_empty()) {
        (false, true) => {
            "no key is configured: payloads, bank details and signing keys will not be encrypted".to_owned()
        }
        (false, false) => format!("no key is configured; {found}{sample}"),
        (true, true) => "a key is configured, and there is nothing to encrypt yet".to_owned(),
        (true, false) => format!("{found}{sample}"),
    }
}

fn by_key(tables: &[Seals]) -> BTreeMap<(&str, KeyState), u64> {
    let mut counts = BTreeMap::new();
    for (seal, count) in tables.iter().flat_map(|seals| &seals.found) {
        if let Seal::Key(name, state) = seal {
            *counts.entry((name.as_str(), *state)).or_default() += count;
        }
    }
    counts
}

fn describe(state: KeyState) -> &'static str {
    match state {
        KeyState::Seals => "encrypted with",
        KeyState::Opens => "encrypted with the older key",
        KeyState::Lost => "lost with the key",
        KeyState::Missing => "encrypted with the missing key",
        KeyState::Wrong => "not decrypted by the local key of the name",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Health;
    use cutover_store::SealedTable;

    fn seals(found: &[(Seal, u64)], is_all: bool) -> Seals {
        Seals { table: SealedTable::Payloads, found: found.iter().cloned().collect(), is_all }
    }

    fn line(is_configured: bool, found: &[(Seal, u64)]) -> (Health, String) {
        let finding = judge(is_configured, &[seals(found, true), seals(&[], true)]);
        (finding.result, finding.detail)
    }

    fn key(name: &str, state: KeyState) -> Seal {
        Seal::Key(name.to_owned(), state)
    }

    #[test]
    fn keys_and_their_use_are_described_and_judged() {
        let cases: [(bool, &[(Seal, u64)]); 9] = [
            (false, &[]),
            (false, &[(Seal::Open, 3)]),
            (false, &[(key("a", KeyState::Missing), 2)]),
            (true, &[]),
            (true, &[(key("b", KeyState::Seals), 4)]),
            (true, &[(key("b", KeyState::Seals), 4), (key("a", KeyState::Opens), 1), (Seal::Open, 3)]),
            (true, &[(key("b", KeyState::Seals), 4), (key("a", KeyState::Lost), 1)]),
            (true, &[(key("b", KeyState::Wrong), 4), (Seal::Open, 3)]),
            (true, &[(Seal::Unknown, 1)]),
        ];
        let lines: Vec<String> = cases
            .iter()
            .map(|(is_configured, found)| line(*is_configured, found))
            .map(|(result, detail)| format!("{result:?} {detail}"))
            .collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn a_sample_is_marked() {
        let finding = judge(true, &[seals(&[(Seal::Open, 3)], false)]);
        assert!(finding.detail.ends_with("(of a sample)"), "{}", finding.detail);
    }
}
