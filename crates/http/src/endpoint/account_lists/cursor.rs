use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::DateTime;
use cutover_app::port::Position;

/// Encodes a position for clients: opaque and safe in URLs. It is not signed, since it gives access to
/// nothing that the client could not list.
pub(crate) fn encode(position: Position) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes(position))
}

/// Returns the position of a cursor; `None` if it is not one.
pub(crate) fn decode(cursor: &str) -> Option<Position> {
    of_bytes(&BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?)
}

/// Returns a position as the bytes of a cursor.
pub(in crate::endpoint) fn bytes((created_at, id): Position) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&created_at.timestamp_micros().to_be_bytes());
    bytes[8..].copy_from_slice(&id.to_be_bytes());
    bytes
}

/// Returns the position of the bytes of a cursor; `None` if they are not one.
pub(in crate::endpoint) fn of_bytes(bytes: &[u8]) -> Option<Position> {
    let (micros, id) = bytes.split_first_chunk::<8>()?;
    let created_at = DateTime::from_timestamp_micros(i64::from_be_bytes(*micros))?;
    Some((created_at, i64::from_be_bytes(id.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_decodes_to_its_position(
            micros in -62_135_596_800_000_000..253_402_300_800_000_000_i64,
            id: i64,
        ) {
            let position = (DateTime::from_timestamp_micros(micros).unwrap(), id);
            let cursor = encode(position);
            prop_assert!(cursor.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            prop_assert_eq!(decode(&cursor), Some(position));
        }

        #[test]
        fn a_valid_cursor_is_the_encoding_of_its_position(cursor in "[A-Za-z0-9_-]{22}") {
            if let Some(position) = decode(&cursor) {
                prop_assert_eq!(encode(position), cursor);
            }
        }

        #[test]
        fn arbitrary_values_are_decoded(text: String) {
            let _ = decode(&text);
        }
    }

    #[test]
    fn other_texts_are_not_cursors() {
        let good = encode((DateTime::UNIX_EPOCH, 1));
        assert_eq!(good, "AAAAAAAAAAAAAAAAAAAAAQ");
        let never = BASE64_URL_SAFE_NO_PAD.encode([0x7f; 16]);
        for bad in [
            "",
            "1",
            " AAAAAAAAAAAAAAAAAAAAAQ",
            "AAAAAAAAAAAAAAAAAAAAAQ==",
            "AAAAAAAAAAAAAAAAAAAAAR",
            "AAAAAAAAAAAAAAAAAAAA",
            "AAAAAAAAAAAAAAAAAAAAAQAA",
            "AAAAAAAAAAAAAAAAAAAA/Q",
            &never,
        ] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
