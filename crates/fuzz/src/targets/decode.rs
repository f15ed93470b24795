use super::Target;
use super::body::{Body, Kind, seeds};
use super::laws::decoded;
use cutover_core::{Code, Level, Zone};
use cutover_model::service::read_account;
use cutover_model::{
    Account, AccountRequest, Decoded, Encode, Limits, SyntaxError, TaskParams, Totals, Writer,
    decode_account, decode_business, decode_business_payment_instruction, decode_historical_statements,
    decode_notes, decode_payment_instruction, decode_transactions,
};

/// The decoder.
pub(crate) const TARGET: Target = Target {
    name: "decode",
    what: "bodies of all requests: what is JSON, findings, and that what is encoded decodes to the same",
    run,
    seeds,
    words: &[],
    max: 64 << 10,
    executions: 110_000,
};

/// What decodes without a fault encodes to what decodes to the same, and to the same bytes again.
macro_rules! comes_back {
    ($decode:path, $body:expr, $zone:expr) => {{
        let decode = |body| $decode(body, $zone, Limits::default());
        let Some(decoded) = decoded($body, decode).filter(is_sound) else { return };
        let plain = decoded.draft.and_then(|draft| draft.into_valid()).expect("without faults it is plain");
        let encoded = plain.to_json();
        let again = taken(decode(&encoded)).and_then(|draft| draft.into_valid());
        let again = again.expect("what was encoded is taken");
        assert!(again == plain, "what was encoded is something else");
        assert!(again.to_json() == encoded, "what was encoded is encoded otherwise");
    }};
}

fn run(input: &[u8]) {
    let Some(body) = Body::of(input) else { return };
    let (bytes, zone) = (body.bytes, body.zone());
    match body.kind {
        Kind::Account => account(bytes, zone),
        Kind::Notes => comes_back!(decode_notes, bytes, zone),
        Kind::Transactions => comes_back!(decode_transactions, bytes, zone),
        Kind::Statements => comes_back!(decode_historical_statements, bytes, zone),
        Kind::Instruction => comes_back!(decode_payment_instruction, bytes, zone),
        Kind::Business => comes_back!(decode_business, bytes, zone),
        Kind::BusinessInstruction => comes_back!(decode_business_payment_instruction, bytes, zone),
    }
}

fn account(body: &[u8], zone: Zone) {
    let Some(decoded) = decoded(body, |body| decode_account(body, zone)).filter(is_sound) else { return };
    let plain = decoded.draft.and_then(AccountRequest::into_valid);
    let (account, params) = plain.expect("without faults it is plain");
    let encoded = envelope(&account, params.as_ref());
    let again = taken(decode_account(&encoded, zone)).and_then(AccountRequest::into_valid);
    let again = again.expect("what was encoded is taken");
    assert!(again == (account.clone(), params), "what was encoded is something else");
    assert!(envelope(&again.0, again.1.as_ref()) == encoded, "what was encoded is encoded otherwise");
    is_kept(&account, zone);
}

/// Whether all that is wrong is what is not encoded again: members that nobody knows, or that are repeated.
fn is_sound<T>(decoded: &Decoded<T>) -> bool {
    let is_left_out = |code| matches!(code, Code::UnknownField | Code::DuplicateField);
    let mut errors = decoded.findings.iter().filter(|finding| finding.check.level == Level::Error);
    errors.all(|finding| is_left_out(finding.check.code))
}

/// The draft of what we encoded, which has no errors.
fn taken<T>(decoded: Result<Decoded<T>, SyntaxError>) -> Option<T> {
    let decoded = decoded.unwrap_or_else(|error| panic!("what was encoded is no JSON: {error}"));
    let errors = decoded.findings.iter().filter(|finding| finding.check.level == Level::Error);
    let errors: Vec<_> = errors.map(|finding| format!("{}: {}", finding.attr, finding.check.code)).collect();
    assert!(errors.is_empty(), "what was encoded is refused: {errors:?}");
    decoded.draft
}

fn envelope(account: &Account<'_>, params: Option<&TaskParams<'_>>) -> Vec<u8> {
    let params = params.map_or_else(|| b"null".to_vec(), Encode::to_json);
    [&b"{\"payload\":"[..], &account.to_json(), b",\"task_params\":", &params, b"}"].concat()
}

/// What the store keeps of it can be read back, and comes to the same.
fn is_kept(account: &Account<'_>, zone: Zone) {
    let mut writer = Writer::normal(zone, Zone::UTC);
    account.encode(&mut writer);
    let kept = writer.into_bytes();
    let read = read_account(&kept).expect("what is kept cannot be read");
    assert_eq!(Totals::of(&read, Zone::UTC), Totals::of(account, zone));
}
