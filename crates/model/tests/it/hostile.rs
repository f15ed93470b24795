use super::findings;
use cutover_model::{SyntaxErrorKind, Zone, decode_account};
use cutover_testkit::payload::{Dice, account_json};
use proptest::prelude::*;

fn verdict(body: &[u8]) -> Result<(), SyntaxErrorKind> {
    decode_account(body, Zone::UTC).map(drop).map_err(|e| e.kind)
}

/// Small damage of the kinds that break JSON, or just do not.
fn damage(body: &mut Vec<u8>, dice: &mut Dice) {
    const BITS: [&[u8]; 16] = [
        b"\"", b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"\\ud800", b"\x01", b"\xff", b"null",
        b"-", b"0", b" ",
    ];
    if body.is_empty() {
        body.push(b'{');
    }
    let at = dice.below(body.len() as u64) as usize;
    match dice.below(4) {
        0 => drop(body.remove(at)),
        1 => body.truncate(at.max(1)),
        2 => drop(body.splice(at..at, BITS[dice.below(16) as usize].iter().copied())),
        _ => body[at] = dice.below(256) as u8,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn syntax_verdicts_are_those_of_other_parsers(seed: u64, times in 1usize..4) {
        let mut dice = Dice::new(seed);
        let mut body = account_json(seed % 50).into_bytes();
        (0..times).for_each(|_| damage(&mut body, &mut dice));
        let theirs = std::str::from_utf8(&body).is_ok()
            && serde_json::from_slice::<serde_json::Value>(&body).is_ok()
            && jiter::JsonValue::parse(&body, false).is_ok();
        prop_assert_eq!(verdict(&body).is_ok(), theirs, "{}", String::from_utf8_lossy(&body));
    }
}

#[test]
fn depth_is_bounded() {
    let nested = |n: usize| format!("{{\"x\":{}{}}}", "[".repeat(n), "]".repeat(n));
    assert_eq!(verdict(nested(99).as_bytes()), Ok(()));
    assert_eq!(verdict(nested(100).as_bytes()), Err(SyntaxErrorKind::TooDeep));
    assert_eq!(verdict("[".repeat(100_000).as_bytes()), Err(SyntaxErrorKind::TooDeep));
}

#[test]
fn what_is_no_json() {
    let bodies: [(&[u8], SyntaxErrorKind); 12] = [
        (b"", SyntaxErrorKind::UnexpectedEnd),
        (b"\xEF\xBB\xBF{}", SyntaxErrorKind::ByteOrderMark),
        (b"{\"a\":\"\xff\"}", SyntaxErrorKind::Encoding),
        (b"{} x", SyntaxErrorKind::Trailing),
        (b"{\"a\":NaN}", SyntaxErrorKind::ExpectedValue),
        (b"{\"a\":Infinity}", SyntaxErrorKind::ExpectedValue),
        (b"{\"a\":01}", SyntaxErrorKind::ExpectedCommaOrEnd),
        (b"{\"a\":1.}", SyntaxErrorKind::Number),
        (b"{'a':1}", SyntaxErrorKind::ExpectedName),
        (b"{\"a\":\"\\ud800\"}", SyntaxErrorKind::LoneSurrogate),
        (b"{\"\\udc00\":1}", SyntaxErrorKind::LoneSurrogate),
        (b"{\"a\":1,}", SyntaxErrorKind::ExpectedName),
    ];
    for (body, kind) in bodies {
        assert_eq!(verdict(body), Err(kind), "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn line_and_column_are_told() {
    let error = decode_account(b"{\n  \"a\": nul\n}", Zone::UTC).unwrap_err();
    assert_eq!(error.to_string(), "a value is expected at line 2 column 8");
}

#[test]
fn what_is_no_object() {
    for body in ["[]", "null", "\"x\"", "7", "true"] {
        assert_eq!(findings(body), ["non_field_errors: invalid"]);
    }
}

#[test]
fn the_envelope_is_told_by_its_members() {
    assert_eq!(
        findings(r#"{"payload":{"import_supplier":7}}"#),
        ["external_account_number: required", "import_supplier: invalid"]
    );
    assert_eq!(
        findings(r#"{"import_supplier":"A","payload":{}}"#)[..2],
        ["external_account_number: required", "import_supplier: required"]
    );
    assert_eq!(findings(r#"{"task_params":{}}"#), ["payload: required"]);
    assert_eq!(
        findings(r#"{"task_params":{"is_dry_run":1,"x":2},"payload":null}"#),
        ["payload: null", "task_params.is_dry_run: invalid", "task_params.x: unknown_field"]
    );
    assert_eq!(
        findings(
            r#"{"payload":{"import_supplier":"A","external_account_number":"1"},"task_params":null,"import_supplier":"A"}"#
        ),
        ["import_supplier: unknown_field"]
    );
}

#[test]
fn repeated_members_are_told_and_the_first_counts() {
    assert_eq!(
        findings(r#"{"import_supplier":"A","external_account_number":"1","import_supplier":7,"x":1,"x":2}"#),
        ["import_supplier: duplicate_field", "x: duplicate_field", "x: unknown_field"]
    );
}

#[test]
fn findings_are_capped_in_answer_order() {
    let customers: Vec<String> = (0..9_000).map(|_| r#"{"given_name":7,"email":7}"#.to_owned()).collect();
    let body = format!(r#"{{"statements":5,"customers":[{}],"billing_name":3}}"#, customers.join(","));
    let found = findings(&body);
    assert_eq!(found.len(), 1_001);
    assert_eq!(
        found[..3],
        ["billing_name: invalid", "customers.0.email: invalid", "customers.0.given_name: invalid"]
    );
    assert_eq!(found[1_000], "customers.499.given_name: invalid");
}

#[test]
fn long_names_are_cut_in_paths() {
    let nul = vec![r#""\u0000""#; 4_000].join(",");
    for name in ["n".repeat(10_000), "é".repeat(10_000), format!(r"\n{}", "n".repeat(10_000))] {
        let params = format!(r#"{{"{name}":[{nul}]}}"#);
        let body = format!(
            r#"{{"ledgers":[{{"current_statement_transactions":[{{"line_items":[{{"params":{params}}}]}}]}}],"{name}":1}}"#
        );
        let found = findings(&body);
        assert_eq!(found.len(), 1_001);
        assert!(found.iter().all(|line| line.chars().count() < 300), "{}", found[0].len());
    }
    let (kept, cut) = ("n".repeat(128), "n".repeat(129));
    let body = format!(r#"{{"import_supplier":"A","external_account_number":"1","{kept}":1,"{cut}":1}}"#);
    assert_eq!(findings(&body), [format!("{kept}: unknown_field"), format!("{kept}…: unknown_field")]);
}

#[test]
fn beyond_the_general_limit_items_are_not_looked_at() {
    let items = |n: usize| vec!["7"; n].join(",");
    let body =
        |n| format!(r#"{{"import_supplier":"A","external_account_number":"1","notes":[{}]}}"#, items(n));
    assert_eq!(findings(&body(10_001)), ["notes: too_many_items"]);
    assert_eq!(findings(&body(10_000)).len(), 1_001);
}

#[test]
fn nested_arrays_do_not_multiply_without_bound() {
    let point = r#"{"meter_points":[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]}"#;
    let body = format!(r#"{{"supply_addresses":[{}]}}"#, vec![point; 9_000].join(","));
    assert_eq!(findings(&body)[2..], ["supply_addresses: too_many_items"]);
    let body = format!(r#"{{"supply_addresses":[{}]}}"#, vec![point; 4_000].join(","));
    assert!(!findings(&body).contains(&"supply_addresses: too_many_items".to_owned()));
}
