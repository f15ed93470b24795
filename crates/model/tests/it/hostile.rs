use super::findings;
use cutover_model::{
    Code, Field, Level, Limits, MAX_EXPANSION, SyntaxErrorKind, Zone, decode_account, decode_account_within,
    draft,
};
use cutover_testkit::payload::{Dice, account_json};
use proptest::prelude::*;

fn verdict(body: &[u8]) -> Result<(), SyntaxErrorKind> {
    decode_account(body, Zone::UTC).map(drop).map_err(|e| e.kind)
}

/// Damages a body slightly, so that it is often no longer JSON.
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
fn texts_that_are_not_json_are_refused() {
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
fn syntax_errors_have_line_and_column() {
    let error = decode_account(b"{\n  \"a\": nul\n}", Zone::UTC).unwrap_err();
    assert_eq!(error.to_string(), "a value is expected at line 2 column 8");
}

#[test]
fn a_body_must_be_an_object() {
    for body in ["[]", "null", "\"x\"", "7", "true"] {
        assert_eq!(findings(body), ["non_field_errors: invalid"]);
    }
}

#[test]
fn the_envelope_is_recognised_by_its_members() {
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
fn repeated_members_are_reported_and_the_first_counts() {
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
fn items_beyond_the_general_limit_are_not_checked() {
    let items = |n: usize| vec!["7"; n].join(",");
    let body =
        |n| format!(r#"{{"import_supplier":"A","external_account_number":"1","notes":[{}]}}"#, items(n));
    assert_eq!(findings(&body(10_001)), ["notes: too_many_items"]);
    assert_eq!(findings(&body(10_000)).len(), 1_001);
}

/// A body with this many times the text in the innermost of some arrays.
fn repeated(head: &str, item: &str, count: usize, tail: &str) -> String {
    format!("{head}{}{tail}", vec![item; count].join(","))
}

/// The bodies that take most memory for their length: nested lists of the shortest valid items, of maximum
/// length.
fn widest() -> [(&'static str, String); 3] {
    let address = r#"{"customer_at_supply_address_from_date":"2020-01-01","supply_address":{"administrative_area":"V",
        "country":"AU","locality":"L","postal_code":"3000","structured_street_address":{}},"meter_points":["#;
    let ledgers = r#"{"ledgers":[{"current_statement_transactions":["#;
    let transaction =
        r#"{"transaction_id":"1","transaction_date":"2020-01-01","amount":1,"type":"CREDIT","line_items":["#;
    let line =
        r#"{"start_date":"2020-01-01","end_date":"2020-01-01","number_of_units":1,"net_amount":1,"units":["#;
    let administrators = repeated(&format!(r#"{address}],"property_administrators":["#), "{}", 10_000, "]}");
    let point = r#"{"mpxn":"1","supply_start_date":"2020-01-01"}"#;
    let units = repeated(line, "1", 10_000, "]}");
    let addresses = |items: &str, count| repeated(r#"{"supply_addresses":["#, items, count, "]}");
    [
        ("administrators", addresses(&administrators, 277)),
        ("meter points", addresses(&repeated(address, point, 10_000, "]}"), 18)),
        ("units", repeated(&format!("{ledgers}{transaction}"), &units, 400, "]}]}]}")),
    ]
}

#[test]
fn a_body_within_its_limit_may_have_arrays_of_maximum_length() {
    for (what, body) in widest() {
        assert!((7 << 20..=8 << 20).contains(&body.len()), "{what}: {}", body.len());
        let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
        let account = decoded.draft.unwrap().account;
        let account = account.usable().unwrap();
        let is_kept = account.supply_addresses.usable().is_some() || account.ledgers.usable().is_some();
        assert!(is_kept, "{what}");
        let found = decoded.findings.iter().map(|finding| finding.attr.to_string());
        let known = ["external_account_number", "import_supplier"];
        let others: Vec<_> =
            found.filter(|attr| !known.contains(&attr.as_str()) && !attr.contains("meter_points")).collect();
        assert_eq!(others, <[String; 0]>::default(), "{what}");
        assert!(!decoded.findings.iter().any(|f| f.check.code == Code::TooManyItems), "{what}");
    }
}

#[test]
fn lists_of_empty_objects_fit_even_in_a_short_body() {
    let empty = |n: usize| vec!["{}"; n].join(",");
    for list in ["customers", "ledgers", "notes"] {
        let body = format!(r#"{{"{list}":[{}]}}"#, empty(10_000));
        assert_eq!(
            findings(&body),
            ["external_account_number: required", "import_supplier: required"],
            "{list}"
        );
    }
}

/// Nested arrays multiply: an item without its required members is short in JSON and large in memory.
#[test]
fn nested_arrays_do_not_multiply_without_bound() {
    let point = repeated(r#"{"meter_points":["#, "{}", 10_000, "]}");
    let body = repeated(r#"{"supply_addresses":["#, &point, 40, "]}");
    let decoded = decode_account(body.as_bytes(), Zone::UTC).unwrap();
    assert_eq!(decoded.findings.iter().filter(|f| f.check.level == Level::Error).count(), 1_001);
    assert!(!decoded.findings.iter().any(|f| f.check.code == Code::TooManyItems));
    let whole = 400_000 * size_of::<draft::MeterPoint<'_>>();
    assert!(whole > 4 * MAX_EXPANSION * body.len());
    let account = decoded.draft.unwrap().account;
    assert_eq!(account.usable().unwrap().supply_addresses, Field::Faulty, "items are missing");
}

/// With little memory a payload of many items is refused, and never accepted without some of them.
#[test]
fn items_beyond_the_memory_are_an_error() {
    let note = r#"{"body":"x","created_at":"2024-01-01T00:00:00Z"}"#;
    let list = repeated(r#""notes":["#, note, 1_000, "]");
    let body = format!(r#"{{"import_supplier":"ACME","external_account_number":"A-1",{list}}}"#);
    let decoded = |memory| {
        let limits = Limits { memory, ..Limits::default() };
        decode_account_within(body.as_bytes(), Zone::UTC, limits).unwrap()
    };
    let whole = 1_000 * size_of::<draft::Note<'_>>();
    let codes = |memory| decoded(memory).findings.iter().map(|f| f.check.code).collect::<Vec<_>>();
    assert!(!codes(2 * whole).contains(&Code::TooManyItems));
    assert!(decoded(2 * whole).draft.unwrap().into_valid().is_some());
    assert_eq!(codes(whole / 2), [Code::TooManyItems]);
    assert!(decoded(whole / 2).draft.unwrap().into_valid().is_none());
}

#[test]
fn items_that_are_not_stored_are_still_checked() {
    let point = repeated(r#"{"meter_points":["#, "{}", 10_000, "]}");
    let body = repeated(r#"{"supply_addresses":["#, &point, 40, r#"],"billing_name":7}"#);
    let found = findings(&body);
    assert!(found.contains(&"billing_name: invalid".to_owned()), "{}", found[0]);
    assert!(found.contains(&"supply_addresses.0.meter_points.0.mpxn: required".to_owned()));
    let broken = format!("{}x", &body[..body.len() - 1]);
    assert!(verdict(broken.as_bytes()).is_err());
}
