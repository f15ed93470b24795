use super::Target;
use super::body::{Body, Kind, seeds};
use super::invariants::{Names, decoded};
use cutover_app::port::Clock;
use cutover_core::{Code, Issue, Level, Now};
use cutover_model::{
    Limits, MAX_FINDINGS, decode_account, decode_business, decode_business_payment_instruction,
    decode_historical_statements, decode_notes, decode_payment_instruction, decode_transactions,
};
use cutover_rules::{
    DocumentState, Facts, MeterPointHolder, Profile, RULES, Report, WantedDocument, check_account,
    check_account_from, check_business, check_business_payment_instruction, check_historical_statements,
    check_notes, check_payment_instruction, check_transactions, documents_of_account, documents_of_notes,
    documents_of_statements, meter_points_to_look_up, rule,
};
use cutover_testkit::FakeClock;
use std::collections::HashMap;

/// The rules.
pub(crate) const TARGET: Target = Target {
    name: "rules",
    description: "bodies of all requests: reports are deterministic, bounded and ordered, with declared codes and paths",
    run,
    seeds,
    words: &[],
    max: 64 << 10,
    executions: 150_000,
};

/// Decodes, checks twice, and compares; an accepted body must convert to its valid form.
macro_rules! check {
    ($decode:expr, $check:path, $documents:expr, $body:expr) => {{
        let Some(decoded) = decoded($body.bytes, $decode) else { return };
        let wanted: Vec<WantedDocument> = decoded.draft.as_ref().map($documents).unwrap_or_default();
        let documents = documents($body.variation, wanted);
        let facts = Facts { documents: documents.as_ref(), ..facts(&$body) };
        let profile = profile($body.variation);
        let report = $check(&decoded, facts, &profile);
        assert!(report == $check(&decoded, facts, &profile), "a repeated check differs");
        check_report(&report, $body.bytes);
        if report.errors.is_empty() {
            assert!(decoded.draft.and_then(|draft| draft.into_valid()).is_some(), "accepted, but invalid");
        }
    }};
}

fn run(input: &[u8]) {
    let Some(body) = Body::of(input) else { return };
    let (zone, limits) = (body.zone(), Limits::default());
    match body.kind {
        Kind::Account => account(&body),
        Kind::Notes => {
            check!(|bytes| decode_notes(bytes, zone, limits), check_notes, documents_of_notes, body)
        }
        Kind::Transactions => {
            check!(|bytes| decode_transactions(bytes, zone, limits), check_transactions, none, body)
        }
        Kind::Statements => check!(
            |bytes| decode_historical_statements(bytes, zone, limits),
            check_historical_statements,
            documents_of_statements,
            body
        ),
        Kind::Instruction => check!(
            |bytes| decode_payment_instruction(bytes, zone, limits),
            check_payment_instruction,
            none,
            body
        ),
        Kind::Business => {
            check!(|bytes| decode_business(bytes, zone, limits), check_business, none, body)
        }
        Kind::BusinessInstruction => check!(
            |bytes| decode_business_payment_instruction(bytes, zone, limits),
            check_business_payment_instruction,
            none,
            body
        ),
    }
}

fn account(body: &Body<'_>) {
    let zone = body.zone();
    let Some(decoded) = decoded(body.bytes, |bytes| decode_account(bytes, zone)) else { return };
    let profile = profile(body.variation);
    let holder = || MeterPointHolder { supplier: "ACME".into(), number: "A-1".into() };
    let taken: Option<HashMap<_, _>> = decoded.draft.as_ref().map(|request| {
        let points = meter_points_to_look_up(request, &profile);
        points.into_iter().step_by(2).map(|point| (point, holder())).collect()
    });
    let wanted = decoded.draft.as_ref().map(documents_of_account).unwrap_or_default();
    let documents = documents(body.variation, wanted);
    let facts = Facts { taken_meter_points: taken.as_ref(), documents: documents.as_ref(), ..facts(body) };
    let report = check_account(&decoded, facts, &profile);
    assert!(report == check_account(&decoded, facts, &profile), "a repeated check differs");
    let errors = check_account_from(Level::Error, &decoded, facts, &profile);
    assert!(
        errors == Report { warnings: Vec::new(), ..report.clone() },
        "without warnings the errors differ"
    );
    check_report(&report, body.bytes);
    if report.errors.is_empty() {
        assert!(decoded.draft.and_then(|draft| draft.into_valid()).is_some(), "accepted, but invalid");
    }
}

/// For requests without documents.
fn none<T>(_: &T) -> Vec<WantedDocument> {
    Vec::new()
}

/// Facts selected by the variation.
fn facts(body: &Body<'_>) -> Facts<'static> {
    let known = [None, Some(true), Some(false)];
    let of = |n: u8| known[usize::from(body.variation / n) % 3];
    let now = Now::new(FakeClock::of_fixtures().now(), body.zone());
    Facts { supplier_known: of(4), contract_known: of(12), ..Facts::at(now) }
}

fn documents(variation: u8, wanted: Vec<WantedDocument>) -> Option<HashMap<String, DocumentState>> {
    const STATES: [DocumentState; 3] = [DocumentState::Pdf, DocumentState::Present, DocumentState::Missing];
    let of = |(n, document): (usize, WantedDocument)| (document.path, STATES[n % STATES.len()]);
    (variation.is_multiple_of(2)).then(|| wanted.into_iter().enumerate().map(of).collect())
}

/// The default profile, or one with other levels, by the variation.
fn profile(variation: u8) -> Profile {
    const LEVELS: [Level; 3] = [Level::Off, Level::Warning, Level::Error];
    if variation.is_multiple_of(4) {
        return Profile::default();
    }
    let may_be_set = RULES.iter().enumerate().filter(|(_, rule)| !rule.fixed);
    let levels = may_be_set.map(|(n, rule)| (rule.id.0, LEVELS[(n + usize::from(variation)) % LEVELS.len()]));
    Profile::new(levels).expect("rules that are not fixed")
}

fn check_report(report: &Report, body: &[u8]) {
    let names = Names::of(body);
    assert!(report.errors.len() <= MAX_FINDINGS + 1 && report.warnings.len() <= MAX_FINDINGS);
    for (level, issues) in [(Level::Error, &report.errors), (Level::Warning, &report.warnings)] {
        let (last, sorted) = match issues.as_slice() {
            [sorted @ .., last] if last.code == Code::TooManyErrors => (Some(last), sorted),
            sorted => (None, sorted),
        };
        assert!(last.is_none() || sorted.len() == MAX_FINDINGS, "truncated too early");
        assert!(sorted.is_sorted_by(|a, b| a.key() < b.key()), "out of order, or repeated");
        issues.iter().for_each(|issue| check_issue(issue, level, &names));
    }
}

fn check_issue(issue: &Issue, level: Level, names: &Names) {
    let is_declared = rule(issue.rule.0).is_some_and(|rule| rule.codes.contains(&issue.code));
    assert!(is_declared || issue.code == Code::TooManyErrors, "{} does not give {}", issue.rule, issue.code);
    assert_eq!(issue.level, level);
    // A text of the payload that got into a detail would show in one of these, as inputs are hostile.
    assert!(issue.detail.is_ascii() && issue.detail.len() <= 600, "the detail may contain input");
    names.check_path(&issue.attr);
}
