use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::DateTime;
use cutover_app::account::ImportCursor;
use cutover_app::port::FeedPosition;

/// Encodes a cursor for clients: opaque and safe in URLs. It is not signed, since it gives access to nothing that
/// the client could not read.
pub(super) fn encode(cursor: ImportCursor) -> String {
    let ImportCursor { supplier_id, position: (imported_at, id), events_after } = cursor;
    let numbers = [supplier_id, imported_at.timestamp_micros(), id, events_after.written_in, events_after.id];
    BASE64_URL_SAFE_NO_PAD.encode(numbers.map(i64::to_be_bytes).concat())
}

/// Returns the cursor that a text encodes; `None` if it is not one.
pub(super) fn decode(text: &str) -> Option<ImportCursor> {
    let bytes: [u8; 40] = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
    let (numbers, _) = bytes.as_chunks::<8>();
    let [supplier_id, micros, id, written_in, event] =
        <[_; 5]>::try_from(numbers).ok()?.map(i64::from_be_bytes);
    let events_after = FeedPosition { written_in, id: event };
    let position = (DateTime::from_timestamp_micros(micros)?, id);
    (written_in >= 0 && event >= 0).then_some(ImportCursor { supplier_id, position, events_after })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_cursor_decodes_to_itself(
            micros in -62_135_596_800_000_000..253_402_300_800_000_000_i64,
            supplier_id: i64,
            id: i64,
            written_in in 0..i64::MAX,
            event in 0..i64::MAX,
        ) {
            let position = (DateTime::from_timestamp_micros(micros).unwrap(), id);
            let cursor =
                ImportCursor { supplier_id, position, events_after: FeedPosition { written_in, id: event } };
            let text = encode(cursor);
            prop_assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            prop_assert_eq!(decode(&text), Some(cursor));
        }

        #[test]
        fn a_valid_cursor_is_the_encoding_of_itself(text in "[A-Za-z0-9_-]{54}") {
            if let Some(cursor) = decode(&text) {
                prop_assert_eq!(encode(cursor), text);
            }
        }

        #[test]
        fn arbitrary_values_are_decoded(text: String) {
            let _ = decode(&text);
        }
    }

    #[test]
    fn other_texts_are_not_cursors() {
        let good = "A".repeat(54);
        assert!(decode(&good).is_some());
        let negative = format!("{}_{}", &good[..32], &good[33..]);
        let never = BASE64_URL_SAFE_NO_PAD.encode([0x7f; 40]);
        for bad in ["", "1", &good[1..], &format!("{good}=="), &format!("{good}A"), &negative, &never] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
