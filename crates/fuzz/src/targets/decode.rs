use super::Target;
use super::body::{Body, Kind, seeds};
use super::invariants::decoded;
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
    description: "bodies of all requests: validity of the JSON, findings, and a round trip through the encoder",
    run,
    seeds,
    words: &[],
    max: 64 << 10,
    executions: 110_000,
};

/// Checks that a body without faults encodes to JSON that decodes to the same value and encodes to the same
/// bytes.
macro_rules! check_round_trip {
    ($decode:path, $body:expr, $zone:expr) => {{
        let decode = |body| $decode(body, $zone, Limits::default());
        let Some(decoded) = decoded($body, decode).filter(is_sound) else { return };
        let plain =
            decoded.draft.and_then(|draft| draft.into_valid()).expect("a body without faults is valid");
        let encoded = plain.to_json();
        let again = taken(decode(&encoded)).and_then(|draft| draft.into_valid());
        let again = again.expect("the encoded body is accepted");
        assert!(again == plain, "the encoded body decodes to another value");
        assert!(again.to_json() == encoded, "the same value is encoded differently");
    }};
}

fn run(input: &[u8]) {
    let Some(body) = Body::of(input) else { return };
    let (bytes, zone) = (body.bytes, body.zone());
    match body.kind {
        Kind::Account => account(bytes, zone),
        Kind::Notes => check_round_trip!(decode_notes, bytes, zone),
        Kind::Transactions => check_round_trip!(decode_transactions, bytes, zone),
        Kind::Statements => check_round_trip!(decode_historical_statements, bytes, zone),
        Kind::Instruction => check_round_trip!(decode_payment_instruction, bytes, zone),
        Kind::Business => check_round_trip!(decode_business, bytes, zone),
        Kind::BusinessInstruction => check_round_trip!(decode_business_payment_instruction, bytes, zone),
    }
}

fn account(body: &[u8], zone: Zone) {
    let Some(decoded) = decoded(body, |body| decode_account(body, zone)).filter(is_sound) else { return };
    let plain = decoded.draft.and_then(AccountRequest::into_valid);
    let (account, params) = plain.expect("a body without faults is valid");
    let encoded = envelope(&account, params.as_ref());
    let again = taken(decode_account(&encoded, zone)).and_then(AccountRequest::into_valid);
    let again = again.expect("the encoded body is accepted");
    assert!(again == (account.clone(), params), "the encoded body decodes to another value");
    assert!(envelope(&again.0, again.1.as_ref()) == encoded, "the same value is encoded differently");
    check_stored_form(&account, zone);
}

/// True if all errors are about members that are not encoded again: unknown and repeated ones.
fn is_sound<T>(decoded: &Decoded<T>) -> bool {
    let is_left_out = |code| matches!(code, Code::UnknownField | Code::DuplicateField);
    let mut errors = decoded.findings.iter().filter(|finding| finding.check.level == Level::Error);
    errors.all(|finding| is_left_out(finding.check.code))
}

/// Draft of an encoded value, which has no errors.
fn taken<T>(decoded: Result<Decoded<T>, SyntaxError>) -> Option<T> {
    let decoded = decoded.unwrap_or_else(|error| panic!("the encoded body is not JSON: {error}"));
    let errors = decoded.findings.iter().filter(|finding| finding.check.level == Level::Error);
    let errors: Vec<_> = errors.map(|finding| format!("{}: {}", finding.attr, finding.check.code)).collect();
    assert!(errors.is_empty(), "the encoded body is refused: {errors:?}");
    decoded.draft
}

fn envelope(account: &Account<'_>, params: Option<&TaskParams<'_>>) -> Vec<u8> {
    let params = params.map_or_else(|| b"null".to_vec(), Encode::to_json);
    [&b"{\"payload\":"[..], &account.to_json(), b",\"task_params\":", &params, b"}"].concat()
}

/// Checks that the stored form of an account can be read and has the same totals.
fn check_stored_form(account: &Account<'_>, zone: Zone) {
    let mut writer = Writer::normal(zone, Zone::UTC);
    account.encode(&mut writer);
    let kept = writer.into_bytes();
    let read = read_account(&kept).expect("the stored form can be read");
    assert_eq!(Totals::of(&read, Zone::UTC), Totals::of(account, zone));
}
