//! The parts of a payload that are looked up before its rules run, from usable values only.

use crate::form::stored_path;
use crate::service::{BUS_10, PST_12, PST_17, PST_18, PST_20};
use crate::{MeterPointKey, Profile, UniqueDetail, WantedDocument};
use cutover_core::Level;
use cutover_model::draft;
use cutover_model::{AccountRequest, Blank, Field, List, Text};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the documents that an account payload names (rules DOC-02, DOC-03): safe paths, each once, in
/// order.
pub fn documents_of_account(request: &AccountRequest<'_>) -> Vec<WantedDocument> {
    let mut documents = Documents::default();
    if let Some(account) = request.account.usable() {
        documents.of_notes(&account.notes);
        documents.of_statements(&account.statements, |statement| &statement.statement_path);
    }
    documents.finish()
}

/// Returns the documents that a notes request names (rule DOC-02): safe paths, each once, in order.
pub fn documents_of_notes(request: &draft::NotesRequest<'_>) -> Vec<WantedDocument> {
    let mut documents = Documents::default();
    documents.of_notes(&request.notes);
    documents.finish()
}

/// Returns the documents that a historical statements request names (rules DOC-02, DOC-03): safe paths, each
/// once, in order.
pub fn documents_of_statements(request: &draft::HistoricalStatementsRequest<'_>) -> Vec<WantedDocument> {
    let mut documents = Documents::default();
    documents.of_statements(&request.statements, |statement| &statement.statement_path);
    documents.finish()
}

/// Returns the business contract that an account names (rule PST-10), trimmed.
pub fn contract_to_look_up<'r>(request: &'r AccountRequest<'_>) -> Option<&'r str> {
    let business = request.account.usable()?.business.usable()?;
    Some(business.business_contract_identifier.usable()?.trimmed())
}

/// Returns the meter points of an account that are looked up among other accounts, each once. There are none
/// if the profile turns the rule off that asks for them (PST-12).
pub fn meter_points_to_look_up(request: &AccountRequest<'_>, profile: &Profile) -> Vec<MeterPointKey> {
    if profile.level(&PST_12) == Level::Off {
        return Vec::new();
    }
    let Some(account) = request.account.usable() else { return Vec::new() };
    let points = usable(&account.supply_addresses).flat_map(|entry| usable(&entry.meter_points));
    let mut keys: Vec<_> = points.filter_map(MeterPointKey::of).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the payment vendors that an account names, trimmed, each once. There are none if the profile turns the rule off
/// that asks for them (PST-18).
pub fn vendors_to_look_up(request: &AccountRequest<'_>, profile: &Profile) -> BTreeSet<String> {
    let account = request.account.usable().filter(|_| profile.level(&PST_18) != Level::Off);
    let instructions = account.into_iter().flat_map(|account| usable(&account.payment_instructions));
    instructions.filter_map(|instruction| Some(instruction.vendor.usable()?.trimmed().to_owned())).collect()
}

/// Returns the facts of a business that are looked up among other businesses, each once. There are none if the profile turns the
/// rule off that asks for them (BUS-10).
pub fn details_to_look_up(request: &draft::BusinessRequest<'_>, profile: &Profile) -> BTreeSet<UniqueDetail> {
    let business = request.business.usable().filter(|_| profile.level(&BUS_10) != Level::Off);
    let details = business.into_iter().flat_map(|business| usable(&business.details));
    details.filter_map(UniqueDetail::of_draft).collect()
}

/// Returns true unless the profile turns the rule off for which numbers that look alike are looked up (PST-20).
pub fn looks_up_similar_numbers(profile: &Profile) -> bool {
    profile.level(&PST_20) != Level::Off
}

/// Returns the level of the rule about erased accounts (PST-17), which has to be looked up unless it is off.
pub fn level_of_erased(profile: &Profile) -> Level {
    profile.level(&PST_17)
}

fn usable<T: Blank>(list: &Field<List<T>>) -> impl Iterator<Item = &T> {
    list.usable().into_iter().flat_map(List::usable).map(|(_, item)| item)
}

/// The paths so far, each with true if it must be a PDF.
#[derive(Default)]
struct Documents<'r>(BTreeMap<&'r str, bool>);

impl<'r> Documents<'r> {
    fn of_notes(&mut self, notes: &'r Field<List<draft::Note<'_>>>) {
        for document in usable(notes).flat_map(|note| usable(&note.document_paths)) {
            self.add(&document.document_path, false);
        }
    }

    fn of_statements<'j: 'r, T: Blank>(
        &mut self,
        statements: &'r Field<List<T>>,
        path: impl Fn(&'r T) -> &'r Field<Text<'j>>,
    ) {
        usable(statements).for_each(|statement| self.add(path(statement), true));
    }

    fn add(&mut self, path: &'r Field<Text<'_>>, must_be_pdf: bool) {
        if let Some(path) = stored_path(path) {
            *self.0.entry(path).or_default() |= must_be_pdf;
        }
    }

    fn finish(self) -> Vec<WantedDocument> {
        let wanted =
            |(path, must_be_pdf): (&str, bool)| WantedDocument { path: path.to_owned(), must_be_pdf };
        self.0.into_iter().map(wanted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_model::{
        Limits, Zone, decode_account, decode_business, decode_historical_statements, decode_notes,
    };
    use serde_json::{Value, json};

    fn lines(wanted: Vec<WantedDocument>) -> Vec<String> {
        let line = |wanted: WantedDocument| {
            format!("{}{}", wanted.path, if wanted.must_be_pdf { " (PDF)" } else { "" })
        };
        wanted.into_iter().map(line).collect()
    }

    fn account<T>(body: &Value, f: impl FnOnce(&AccountRequest<'_>) -> T) -> T {
        f(&decode_account(body.to_string().as_bytes(), Zone::UTC).unwrap().draft.unwrap())
    }

    fn documents(paths: &[Value]) -> Value {
        paths.iter().map(|path| json!({"document_path": path})).collect()
    }

    fn statements(paths: &[Value]) -> Value {
        paths.iter().map(|path| json!({"statement_path": path})).collect()
    }

    #[test]
    fn documents_are_looked_up_once_and_as_pdfs_for_statements() {
        let body = json!({
            "notes": [
                {"document_paths": documents(&[json!("b.txt"), json!(" /s/1.pdf\n"), json!("/b.txt")])},
                {"document_paths": documents(&[json!("/s/2.pdf"), json!("a.txt")])},
            ],
            "statements": statements(&[json!("s/1.pdf"), json!("s/3.pdf")]),
        });
        let expected = ["a.txt", "b.txt", "s/1.pdf (PDF)", "s/2.pdf", "s/3.pdf (PDF)"];
        assert_eq!(lines(account(&body, documents_of_account)), expected);
        let envelope = json!({"payload": body});
        assert_eq!(lines(account(&envelope, documents_of_account)), expected);
    }

    #[test]
    fn paths_that_are_faulty_or_unsafe_are_never_looked_up() {
        let paths = [
            json!("../a"),
            json!("a//b"),
            json!("/"),
            json!(""),
            json!(7),
            json!(null),
            json!("a".repeat(1_025)),
        ];
        let body = json!({
            "notes": [null, {}, {"document_paths": "a"}, {"document_paths": documents(&paths)}],
            "statements": statements(&paths),
        });
        assert_eq!(lines(account(&body, documents_of_account)), [""; 0]);
        assert_eq!(lines(account(&json!({"payload": 7}), documents_of_account)), [""; 0]);
    }

    #[test]
    fn documents_of_requests_after_the_import_are_looked_up() {
        let notes = json!({"notes": [{"document_paths": documents(&[json!("/a.txt"), json!("a.txt")])}]});
        let notes = notes.to_string();
        let decoded = decode_notes(notes.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        assert_eq!(lines(documents_of_notes(&decoded.draft.unwrap())), ["a.txt"]);
        let body =
            json!({"statements": statements(&[json!("/s.pdf"), json!("s.pdf"), json!("r.pdf")])}).to_string();
        let decoded = decode_historical_statements(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        assert_eq!(lines(documents_of_statements(&decoded.draft.unwrap())), ["r.pdf (PDF)", "s.pdf (PDF)"]);
    }

    #[test]
    fn the_contract_is_looked_up_by_its_usable_identifier() {
        let identifier = |business: Value| {
            account(&json!({"business": business}), |request| contract_to_look_up(request).map(str::to_owned))
        };
        assert_eq!(identifier(json!({"business_contract_identifier": " C-1 "})).as_deref(), Some("C-1"));
        for business in [json!({}), json!({"business_contract_identifier": 7}), json!(null)] {
            assert_eq!(identifier(business), None);
        }
    }

    #[test]
    fn numbers_of_businesses_are_looked_up_by_their_digits() {
        let detail = |key: &str, value: Value| json!({"key": key, "value": value});
        let body = json!({"business": {"details": [
            detail("abn", json!("51 824 753 556")),
            detail(" abn", json!("51824753556")),
            detail("acn ", json!("004-085-616")),
            detail("acn", json!("unknown")),
            detail("acn", json!(4_085_616)),
            detail("anzsic", json!("5309")),
            json!(null),
        ]}});
        let body = body.to_string();
        let decoded = decode_business(body.as_bytes(), Zone::UTC, Limits::default()).unwrap();
        let request = decoded.draft.unwrap();
        let found = |profile: &Profile| -> Vec<String> {
            let details = details_to_look_up(&request, profile);
            details.into_iter().map(|detail| format!("{} {}", detail.key, detail.digits)).collect()
        };
        assert_eq!(found(&Profile::default()), ["abn 51824753556", "acn 004085616"]);
        assert_eq!(found(&Profile::new([("BUS-10", Level::Off)]).unwrap()), [""; 0]);
    }

    #[test]
    fn meter_points_are_looked_up_by_identifier_and_start() {
        let entry = |points: &[Value]| json!({"meter_points": points});
        let point = |mpxn: &str, start: &str| json!({"mpxn": mpxn, "supply_start_date": start});
        let undecided = json!({"mpxn": "9", "supply_start_date": "2026-01-01", "supply_type": "STEAM"});
        let body = json!({"supply_addresses": [
            entry(&[point(" 1", "2026-01-01"), point("2", "2026-02-30"), json!(null), json!({"mpxn": "3"})]),
            {},
            entry(&[undecided, point("4", "2026-01-04"), point("1", "2026-01-01")]),
        ]});
        let keys = |profile: &Profile| -> Vec<String> {
            let points = account(&body, |request| meter_points_to_look_up(request, profile));
            points.into_iter().map(|point| format!("{} {}", point.mpxn, point.supply_start_date)).collect()
        };
        assert_eq!(keys(&Profile::default()), ["1 2026-01-01", "4 2026-01-04"]);
        assert_eq!(keys(&Profile::new([("PST-12", Level::Error)]).unwrap()).len(), 2);
        assert_eq!(keys(&Profile::new([("PST-12", Level::Off)]).unwrap()), [""; 0]);
    }
}
