use super::Finding;
use crate::error::Error;
use crate::open::OpenDatabase;
use crate::settings::Settings;
use cutover_store::{KeyState, Seal, Seals};
use std::collections::BTreeMap;

const CHECK: &str = "at rest";
const GENERATE: &str = "make a key with `cutover encryption-key generate`, or see that the database and its \
                        back-ups are on encrypted disks";
const RESEAL: &str = "run `cutover encryption-key reseal`";
const ABSENT: &str = "add them where keys are configured; of one that nobody has any more the line NAME:lost";
const AGAIN: &str = "have their suppliers send again what was not imported";

/// What of payloads, bank details and signing keys lies open, and with which keys the rest is sealed.
pub(super) fn at_rest(settings: &Settings, database: &OpenDatabase) -> Finding {
    match database.seals() {
        Ok(seals) => judge(settings.encryption.is_configured(), &seals),
        Err(error) => Finding::fail(CHECK, error, "see the database"),
    }
}

/// Keys that cannot be read: without them the database is not opened.
pub(super) fn unusable(error: &Error) -> Finding {
    Finding::fail(CHECK, error, "see that it is there, readable here, and has a NAME:KEY a line")
}

fn judge(is_configured: bool, tables: &[Seals]) -> Finding {
    let detail = detail(is_configured, tables);
    let has = |is: &dyn Fn(&Seal) -> bool| tables.iter().any(|seals| seals.found.keys().any(is));
    let of = |state: KeyState| move |seal: &Seal| matches!(seal, Seal::Key(_, is) if *is == state);
    let is_stale = |seal: &Seal| *seal == Seal::Open || of(KeyState::Opens)(seal);
    match is_configured {
        _ if has(&of(KeyState::Missing)) || has(&of(KeyState::Wrong)) => Finding::fail(CHECK, detail, ABSENT),
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
        parts.push(format!("open: {}", open.join(", ")));
    }
    parts.extend(
        by_key(tables).into_iter().map(|((name, state), count)| format!("{count} {} {name}", words(state))),
    );
    let unknown: u64 = tables.iter().filter_map(|seals| seals.found.get(&Seal::Unknown)).sum();
    if unknown > 0 {
        parts.push(format!("{unknown} sealed as this version cannot read"));
    }
    let sample = if tables.iter().all(|seals| seals.is_all) { "" } else { " (of a sample)" };
    let found = parts.join("; ");
    match (is_configured, parts.is_empty()) {
        (false, true) => {
            "no key is configured: payloads, bank details and signing keys will lie open".to_owned()
        }
        (false, false) => format!("no key is configured; {found}{sample}"),
        (true, true) => "there is a key, and nothing to be sealed yet".to_owned(),
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

fn words(state: KeyState) -> &'static str {
    match state {
        KeyState::Seals => "sealed with",
        KeyState::Opens => "sealed with the older key",
        KeyState::Lost => "given up with the lost key",
        KeyState::Missing => "sealed with a key that is not here,",
        KeyState::Wrong => "not opened by the key of this name here,",
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::finding::Health;
    use super::*;
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
    fn what_lies_how_is_told_and_judged() {
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
    fn a_sample_says_so() {
        let finding = judge(true, &[seals(&[(Seal::Open, 3)], false)]);
        assert!(finding.detail.ends_with("(of a sample)"), "{}", finding.detail);
    }
}
