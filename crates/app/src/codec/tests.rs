use super::*;

const DICTIONARY_HASH: &str = "752afdde891f94035dc56a69ae290b8fa9b8f878440bb228c04254adfebf10f5";

const PAYLOAD: &str = include_str!("../../../../fixtures/accounts/valid/electricity.json");

#[test]
fn what_is_packed_unpacks() {
    for payload in [PAYLOAD.as_bytes(), b"{}", b"", PAYLOAD.repeat(50).as_bytes()] {
        assert_eq!(unpack(&pack(payload).unwrap()).unwrap(), payload);
    }
}

#[test]
fn what_was_packed_without_a_dictionary_unpacks() {
    let packed = zstd::bulk::compress(PAYLOAD.as_bytes(), LEVEL).unwrap();
    assert_eq!(unpack(&packed).unwrap(), PAYLOAD.as_bytes());
}

/// Rows are lost to whoever has another one.
#[test]
fn the_dictionary_is_the_one_that_rows_were_packed_with() {
    assert_eq!(blake3::hash(DICTIONARY).to_string(), DICTIONARY_HASH);
    assert_eq!(zstd::zstd_safe::get_dict_id_from_dict(DICTIONARY).map(u32::from), Some(1));
    let packed = pack(PAYLOAD.as_bytes()).unwrap();
    assert_eq!(zstd::zstd_safe::get_dict_id_from_frame(&packed).map(u32::from), Some(1));
}

#[test]
fn the_dictionary_is_of_use() {
    let payload: serde_json::Value = serde_json::from_str(PAYLOAD).unwrap();
    let payload = payload.to_string();
    let without = zstd::bulk::compress(payload.as_bytes(), LEVEL).unwrap();
    let with = pack(payload.as_bytes()).unwrap().len();
    assert!(with * 4 < without.len() * 3, "{with} bytes, {} without, of {}", without.len(), payload.len());
}

#[test]
fn what_is_no_packed_payload_is_corrupt() {
    let mut torn = pack(PAYLOAD.as_bytes()).unwrap();
    torn.pop();
    for stored in [b"{}".as_slice(), &torn] {
        assert!(matches!(unpack(stored), Err(StoreError::Corrupt(_))));
    }
}

/// Else an account that is sent again would always have its content compared.
#[test]
fn what_is_packed_twice_is_the_same() {
    let fingerprints =
        [PAYLOAD, "{}", PAYLOAD].map(|payload| fingerprint(&pack(payload.as_bytes()).unwrap()));
    assert_eq!(fingerprints[0], fingerprints[2]);
    assert_ne!(fingerprints[0], fingerprints[1]);
}
