use super::*;

const DICTIONARY_HASH: &str = "752afdde891f94035dc56a69ae290b8fa9b8f878440bb228c04254adfebf10f5";

const PAYLOAD: &str = include_str!("../../../../fixtures/accounts/valid/electricity.json");

#[test]
fn compressed_payloads_decompress() {
    for payload in [PAYLOAD.as_bytes(), b"{}", b"", PAYLOAD.repeat(50).as_bytes()] {
        assert_eq!(unpack(&pack(payload).unwrap()).unwrap(), payload);
    }
}

#[test]
fn payloads_compressed_without_a_dictionary_decompress() {
    let packed = zstd::bulk::compress(PAYLOAD.as_bytes(), LEVEL).unwrap();
    assert_eq!(unpack(&packed).unwrap(), PAYLOAD.as_bytes());
}

/// Another dictionary would make stored rows unreadable.
#[test]
fn the_dictionary_never_changes() {
    assert_eq!(blake3::hash(DICTIONARY).to_string(), DICTIONARY_HASH);
    assert_eq!(zstd::zstd_safe::get_dict_id_from_dict(DICTIONARY).map(u32::from), Some(1));
    let packed = pack(PAYLOAD.as_bytes()).unwrap();
    assert_eq!(zstd::zstd_safe::get_dict_id_from_frame(&packed).map(u32::from), Some(1));
}

#[test]
fn the_dictionary_saves_a_quarter() {
    let payload: serde_json::Value = serde_json::from_str(PAYLOAD).unwrap();
    let payload = payload.to_string();
    let without = zstd::bulk::compress(payload.as_bytes(), LEVEL).unwrap();
    let with = pack(payload.as_bytes()).unwrap().len();
    assert!(with * 4 < without.len() * 3, "{with} bytes, {} without, of {}", without.len(), payload.len());
}

#[test]
fn other_bytes_are_a_corrupt_payload() {
    let mut torn = pack(PAYLOAD.as_bytes()).unwrap();
    torn.pop();
    for stored in [b"{}".as_slice(), &torn] {
        assert!(matches!(unpack(stored), Err(StoreError::Corrupt(_))));
    }
}

/// Otherwise the content of every account that is sent again would have to be compared.
#[test]
fn equal_payloads_have_equal_fingerprints() {
    let fingerprints =
        [PAYLOAD, "{}", PAYLOAD].map(|payload| fingerprint(&pack(payload.as_bytes()).unwrap()));
    assert_eq!(fingerprints[0], fingerprints[2]);
    assert_ne!(fingerprints[0], fingerprints[1]);
}
