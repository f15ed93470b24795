use super::*;
use cutover_testkit::SeededRandom;
use proptest::prelude::*;

const PAYLOAD: Location<'_> = Location::Payload { supplier_id: 7, number: "A-1" };
const ROW: Location<'_> = Location::Row { table: "payment_instructions", owner: 7, position: 1 };

/// Creates a sealer with keys of these names. Each key is made from its name.
fn sealer(names: &[&str]) -> Sealer {
    let line = |name: &&str| format!("{name}:{}\n", STANDARD_NO_PAD.encode([name.as_bytes()[0]; 32]));
    let keys = EncryptionKeys::parse(&names.iter().map(line).collect::<String>()).unwrap();
    Sealer::new(keys, Arc::new(SeededRandom::new(1)))
}

fn sealed(sealer: &Sealer, location: Location<'_>, value: &[u8]) -> Vec<u8> {
    sealer.seal(location, value).unwrap().into_owned()
}

fn is_corrupt<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Corrupt(_)))
}

#[test]
fn without_keys_values_stay_as_they_are() {
    let none = Sealer::none();
    assert_eq!(none.seal(PAYLOAD, b"abc").unwrap(), Cow::Borrowed(b"abc"));
    assert_eq!(none.seal_text(ROW, "{}".into()).unwrap(), "{}");
    assert_eq!(sealer(&["a"]).open(PAYLOAD, b"abc".to_vec()).unwrap(), b"abc", "open ones stay readable");
}

#[test]
fn a_sealed_value_begins_with_its_head_and_is_not_sealed_again() {
    let sealer = sealer(&["a", "b"]);
    let first = sealed(&sealer, PAYLOAD, b"abc");
    assert!(first.starts_with(b"sealed:1:a:"));
    assert_eq!(first.len(), 11 + NONCE + 3 + TAG);
    assert_ne!(sealed(&sealer, PAYLOAD, b"abc"), first, "each has a nonce of its own");
    assert_eq!(sealed(&sealer, PAYLOAD, &first), first);
    assert_eq!(sealer.seal_of(&first), Seal::Key("a".into(), KeyState::Seals));
    assert_eq!(sealer.seal_of(b"\x28\xb5\x2f\xfd"), Seal::Open);
    assert_eq!(sealer.seal_of(b"sealed:2:a:"), Seal::Unknown);
}

#[test]
fn any_key_of_the_list_opens() {
    let value = sealed(&sealer(&["a"]), PAYLOAD, b"abc");
    let both = sealer(&["b", "a"]);
    assert_eq!(both.open(PAYLOAD, value.clone()).unwrap(), b"abc");
    assert_eq!(both.seal_of(&value), Seal::Key("a".into(), KeyState::Opens));
    let text = sealer(&["a"]).seal_text(ROW, "{\"bsb\":\"é\"}".into()).unwrap();
    assert!(text.starts_with("sealed:1:a:") && !text.contains("bsb"), "{text}");
    assert_eq!(both.open_text(ROW, text).unwrap(), "{\"bsb\":\"é\"}");
}

#[test]
fn a_missing_key_is_reported_as_such() {
    let value = sealed(&sealer(&["a"]), PAYLOAD, b"abc");
    for other in [Sealer::none(), &sealer(&["b"])] {
        let missing = other.open(PAYLOAD, value.clone());
        assert!(matches!(missing, Err(Error::KeyMissing(name)) if name == "a"));
        assert_eq!(other.seal_of(&value), Seal::Key("a".into(), KeyState::Missing));
    }
    let keys = format!("b:{}\na:lost", STANDARD_NO_PAD.encode([b'b'; 32]));
    let lost = Sealer::new(EncryptionKeys::parse(&keys).unwrap(), Arc::new(SeededRandom::new(1)));
    assert!(is_corrupt(lost.open(PAYLOAD, value.clone())));
    assert_eq!(lost.seal_of(&value), Seal::Key("a".into(), KeyState::Lost));
}

#[test]
fn another_key_of_the_same_name_opens_nothing() {
    let value = sealed(&sealer(&["a"]), PAYLOAD, b"abc");
    let keys = EncryptionKeys::parse(&format!("a:{}", STANDARD_NO_PAD.encode([0; 32]))).unwrap();
    assert!(is_corrupt(Sealer::new(keys, Arc::new(SeededRandom::new(1))).open(PAYLOAD, value)));
}

#[test]
fn a_moved_value_is_refused() {
    let sealer = sealer(&["a"]);
    let value = sealed(&sealer, PAYLOAD, b"abc");
    let text = sealer.seal_text(ROW, "abc".into()).unwrap();
    let elsewhere = [
        Location::Payload { supplier_id: 8, number: "A-1" },
        Location::Payload { supplier_id: 7, number: "A-10" },
        Location::Row { table: "payloads", owner: 7, position: 1 },
        Location::Row { table: "payment_instructions", owner: 1, position: 7 },
        Location::Row { table: "payment_instructions", owner: 7, position: 2 },
        Location::Row { table: "account_instructions", owner: 7, position: 1 },
        Location::SigningKey { kid: "A-1" },
    ];
    for location in elsewhere {
        assert!(is_corrupt(sealer.open(location, value.clone())), "{location:?}");
        assert!(is_corrupt(sealer.open_text(location, text.clone())), "{location:?}");
    }
}

#[test]
fn a_head_with_the_name_of_another_key_is_refused() {
    // Both names have the same key, so only the name differs.
    let key = STANDARD_NO_PAD.encode([9; 32]);
    let keys = EncryptionKeys::parse(&format!("a:{key}\nb:{key}")).unwrap();
    let sealer = Sealer::new(keys, Arc::new(SeededRandom::new(1)));
    let mut value = sealed(&sealer, PAYLOAD, b"abc");
    value[9] = b'b';
    assert!(is_corrupt(sealer.open(PAYLOAD, value)));
}

#[test]
fn errors_and_debug_output_show_no_content() {
    let sealer = sealer(&["a"]);
    let mut value = sealed(&sealer, Location::Payload { supplier_id: 7, number: "CANARY" }, b"CANARY");
    let length = value.len();
    value[length - 1] ^= 1;
    let error = sealer.open(Location::Payload { supplier_id: 7, number: "CANARY" }, value).unwrap_err();
    let shown = format!("{error:?} {sealer:?}");
    assert!(!shown.contains("CANARY") && !shown.contains(&STANDARD_NO_PAD.encode([b'a'; 32])), "{shown}");
}

proptest! {
    #[test]
    fn sealed_values_open(value: Vec<u8>, text: String, supplier_id: i64, number: String) {
        let sealer = sealer(&["a"]);
        let location = Location::Payload { supplier_id, number: &number };
        // A value that begins like a sealed one is taken for one. No stored value does.
        prop_assume!(!Sealer::is_sealed(&value));
        prop_assert_eq!(sealer.open(location, sealed(&sealer, location, &value)).unwrap(), value);
        let stored = sealer.seal_text(ROW, text.clone()).unwrap();
        prop_assert_eq!(sealer.open_text(ROW, stored).unwrap(), text);
    }

    #[test]
    fn changed_values_are_refused(value: Vec<u8>, at: prop::sample::Index, flip in 1_u8..) {
        let sealer = sealer(&["a"]);
        let mut stored = sealed(&sealer, PAYLOAD, &value);
        // Without the mark it would be unsealed, and not a payload.
        let at = MARK.len() + at.index(stored.len() - MARK.len());
        stored[at] ^= flip;
        let opened = sealer.open(PAYLOAD, stored);
        prop_assert!(matches!(opened, Err(Error::Corrupt(_) | Error::KeyMissing(_))));
    }

    #[test]
    fn truncated_values_are_refused(value: Vec<u8>, length: prop::sample::Index) {
        let sealer = sealer(&["a"]);
        let stored = sealed(&sealer, PAYLOAD, &value);
        let length = MARK.len() + length.index(stored.len() - MARK.len());
        prop_assert!(is_corrupt(sealer.open(PAYLOAD, stored[..length].to_vec())));
        let text = sealer.seal_text(ROW, "{}".into()).unwrap();
        let length = length.min(text.len() - 1);
        prop_assert!(is_corrupt(sealer.open_text(ROW, text[..length].to_owned())));
    }
}
