use super::*;
use cutover_testkit::SeededRandom;
use proptest::prelude::*;

const PAYLOAD: Place<'_> = Place::Payload { supplier_id: 7, number: "A-1" };
const ROW: Place<'_> = Place::Row { table: "payment_instructions", owner: 7, position: 1 };

/// A sealer with keys of these names, each made of its name.
fn sealer(names: &[&str]) -> Sealer {
    let line = |name: &&str| format!("{name}:{}\n", STANDARD_NO_PAD.encode([name.as_bytes()[0]; 32]));
    let keys = EncryptionKeys::parse(&names.iter().map(line).collect::<String>()).unwrap();
    Sealer::new(keys, Arc::new(SeededRandom::new(1)))
}

fn sealed(sealer: &Sealer, place: Place<'_>, value: &[u8]) -> Vec<u8> {
    sealer.seal(place, value).unwrap().into_owned()
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
fn what_is_sealed_begins_with_its_head_and_is_not_sealed_again() {
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
fn a_key_that_is_not_here_is_an_error_of_its_own() {
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
fn what_is_moved_to_another_place_is_refused() {
    let sealer = sealer(&["a"]);
    let value = sealed(&sealer, PAYLOAD, b"abc");
    let text = sealer.seal_text(ROW, "abc".into()).unwrap();
    let elsewhere = [
        Place::Payload { supplier_id: 8, number: "A-1" },
        Place::Payload { supplier_id: 7, number: "A-10" },
        Place::Row { table: "payloads", owner: 7, position: 1 },
        Place::Row { table: "payment_instructions", owner: 1, position: 7 },
        Place::Row { table: "payment_instructions", owner: 7, position: 2 },
        Place::Row { table: "account_instructions", owner: 7, position: 1 },
        Place::SigningKey { kid: "A-1" },
    ];
    for place in elsewhere {
        assert!(is_corrupt(sealer.open(place, value.clone())), "{place:?}");
        assert!(is_corrupt(sealer.open_text(place, text.clone())), "{place:?}");
    }
}

#[test]
fn a_head_that_says_another_key_is_refused() {
    // The same key under two names: only the name is another.
    let key = STANDARD_NO_PAD.encode([9; 32]);
    let keys = EncryptionKeys::parse(&format!("a:{key}\nb:{key}")).unwrap();
    let sealer = Sealer::new(keys, Arc::new(SeededRandom::new(1)));
    let mut value = sealed(&sealer, PAYLOAD, b"abc");
    value[9] = b'b';
    assert!(is_corrupt(sealer.open(PAYLOAD, value)));
}

#[test]
fn errors_and_debugging_name_no_content() {
    let sealer = sealer(&["a"]);
    let mut value = sealed(&sealer, Place::Payload { supplier_id: 7, number: "CANARY" }, b"CANARY");
    let length = value.len();
    value[length - 1] ^= 1;
    let error = sealer.open(Place::Payload { supplier_id: 7, number: "CANARY" }, value).unwrap_err();
    let shown = format!("{error:?} {sealer:?}");
    assert!(!shown.contains("CANARY") && !shown.contains(&STANDARD_NO_PAD.encode([b'a'; 32])), "{shown}");
}

proptest! {
    #[test]
    fn whatever_was_sealed_opens(value: Vec<u8>, text: String, supplier_id: i64, number: String) {
        let sealer = sealer(&["a"]);
        let place = Place::Payload { supplier_id, number: &number };
        // Whatever begins like a sealed value is taken for one; nothing that is kept does.
        prop_assume!(!Sealer::is_sealed(&value));
        prop_assert_eq!(sealer.open(place, sealed(&sealer, place, &value)).unwrap(), value);
        let stored = sealer.seal_text(ROW, text.clone()).unwrap();
        prop_assert_eq!(sealer.open_text(ROW, stored).unwrap(), text);
    }

    #[test]
    fn whatever_was_changed_is_refused(value: Vec<u8>, at: prop::sample::Index, flip in 1_u8..) {
        let sealer = sealer(&["a"]);
        let mut stored = sealed(&sealer, PAYLOAD, &value);
        // Without the mark it would lie open, and be no payload.
        let at = MARK.len() + at.index(stored.len() - MARK.len());
        stored[at] ^= flip;
        let opened = sealer.open(PAYLOAD, stored);
        prop_assert!(matches!(opened, Err(Error::Corrupt(_) | Error::KeyMissing(_))));
    }

    #[test]
    fn whatever_was_cut_is_refused(value: Vec<u8>, length: prop::sample::Index) {
        let sealer = sealer(&["a"]);
        let stored = sealed(&sealer, PAYLOAD, &value);
        let length = MARK.len() + length.index(stored.len() - MARK.len());
        prop_assert!(is_corrupt(sealer.open(PAYLOAD, stored[..length].to_vec())));
        let text = sealer.seal_text(ROW, "{}".into()).unwrap();
        let length = length.min(text.len() - 1);
        prop_assert!(is_corrupt(sealer.open_text(ROW, text[..length].to_owned())));
    }
}
