//! Functions that only the service needs: reading stored accounts back, parts of requests, sums and the
//! bodies of some answers. Other programs need none of them, and they may change in any release.

pub use crate::imported::NoteIdentity;
pub use crate::response::v1::{historical_statements, transaction_data, transaction_results};
pub use crate::totals::{documents_of_note, exact_sum, names_document};

use crate::convert::IntoValid;
use crate::decode::Limits;
use crate::json::{Cursor, Next};
use crate::request::{decode, decode_stored};
use crate::rows::rows_of;
use crate::{Account, Note, RowCounts, SyntaxError, Transaction, Zone, draft};
use cutover_core::Level;

/// The error for a stored text that is not an account.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableAccount {
    /// It is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A member has a value that no payload can have.
    #[error("{attr}: {code}")]
    Fault {
        /// The path of the first such member.
        attr: String,
        /// The code of the fault.
        code: &'static str,
    },
}

/// Reads an account that a normal [`Writer`](crate::Writer) wrote. The usual limits of arrays and decimals do
/// not apply, because both grow after the import.
///
/// # Errors
/// [`UnreadableAccount`] if the text is not such an account.
pub fn read_account(json: &[u8]) -> Result<Account<'_>, UnreadableAccount> {
    let decoded = decode_stored::<draft::Account<'_>>(json)?;
    if let Some(account) = decoded.draft.and_then(IntoValid::into_valid) {
        return Ok(account);
    }
    let fault = decoded.findings.iter().find(|f| f.check.level == Level::Error);
    Err(UnreadableAccount::Fault {
        attr: fault.map(|f| f.attr.to_string()).unwrap_or_default(),
        code: fault.map_or("invalid", |f| f.check.code.as_str()),
    })
}

/// Counts the rows of a note that is added after the import.
pub fn rows_of_note(note: &Note<'_>) -> RowCounts {
    rows_of(note)
}

/// Counts the rows of a transaction that is added after the import.
pub fn rows_of_transaction(transaction: &Transaction<'_>) -> RowCounts {
    rows_of(transaction)
}

/// Reads a single transaction; `None` if it has a fault.
pub fn read_transaction(json: &str) -> Option<Transaction<'_>> {
    let decoded = decode::<draft::Transaction<'_>>(json.as_bytes(), Zone::UTC, Limits::default()).ok()?;
    decoded.draft.and_then(IntoValid::into_valid)
}

/// Returns an item of an array of a request as it was sent. The first of several members of the same name
/// counts (fields 1.1).
pub fn item_as_sent<'j>(body: &'j [u8], member: &str, index: usize) -> Option<&'j str> {
    let mut cursor = Cursor::new(body).ok()?;
    let mut more = cursor.peek().ok()? == Next::Object && cursor.open_object().ok()?;
    while more && cursor.name().ok()? != member {
        cursor.skip().ok()?;
        more = cursor.more_members().ok()?;
    }
    more = more && cursor.peek().ok()? == Next::Array && cursor.open_array().ok()?;
    for _ in 0..index {
        cursor.skip().ok()?;
        more = more && cursor.more_items().ok()?;
    }
    if !more {
        return None;
    }
    let start = cursor.mark();
    cursor.skip().ok()?;
    Some(cursor.since(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Encode, Writer, decode_account};

    /// Stores a payload of one zone and shows it in another.
    fn kept(body: &str, from: &str, to: &str) -> String {
        let zone: Zone = from.parse().unwrap();
        let request = decode_account(body.as_bytes(), zone).unwrap().draft.unwrap();
        let (account, _) = request.into_valid().unwrap();
        let mut writer = Writer::normal(zone, to.parse().unwrap());
        account.encode(&mut writer);
        let json = String::from_utf8(writer.into_bytes()).unwrap();
        read_account(json.as_bytes()).unwrap();
        json
    }

    fn account(members: &str) -> String {
        format!(r#"{{"import_supplier":"A","external_account_number":"1",{members}}}"#)
    }

    #[test]
    fn decimals_become_strings_with_their_digits() {
        for (sent, digits) in [
            ("10.10", "10.10"),
            (r#""007.50""#, "007.50"),
            ("-0", "-0"),
            ("1.50e2", "150"),
            ("1e-3", "0.001"),
            ("0.1000000000000000000000000000000000000000000000000", "0.1"),
        ] {
            let json = kept(&account(&format!(r#""transfer_balance":{sent}"#)), "UTC", "UTC");
            assert_eq!(json, account(&format!(r#""transfer_balance":"{digits}""#)), "{sent}");
        }
    }

    #[test]
    fn datetimes_move_to_the_zone() {
        for (sent, from, to, shown) in [
            ("2026-07-01 10:00", "Australia/Sydney", "UTC", "2026-07-01T00:00:00Z"),
            ("2026-07-01T00:00:00.5Z", "UTC", "Australia/Sydney", "2026-07-01T10:00:00.500+10:00"),
            ("2026-01-01T00:00:00+11:00", "UTC", "Australia/Perth", "2025-12-31T21:00:00+08:00"),
            // Local mean time had offsets of seconds, and the zone's day may lie outside the years.
            ("1880-01-01T00:00:00Z", "UTC", "Australia/Melbourne", "1880-01-01T00:00:00Z"),
            ("9999-12-31T23:00:00Z", "UTC", "Australia/Sydney", "9999-12-31T23:00:00Z"),
        ] {
            let note = |at: &str| account(&format!(r#""notes":[{{"created_at":"{at}"}}]"#));
            assert_eq!(kept(&note(sent), from, to), note(shown), "{sent}");
        }
    }

    #[test]
    fn null_and_empty_optional_members_are_left_out() {
        let sent =
            account(r#""customers":[],"last_payment_review_date":null,"notes":[{"document_paths":[]}]"#);
        assert_eq!(kept(&sent, "UTC", "UTC"), account(r#""notes":[{}]"#));
    }

    #[test]
    fn items_are_returned_as_sent() {
        let body = br#"{"a": [7], "items": [ {"x" :1} , [2, 3],"z"], "items": [9]}"#;
        let item = |member, index| item_as_sent(body, member, index);
        assert_eq!(item("items", 0), Some(r#"{"x" :1}"#));
        assert_eq!(item("items", 1), Some("[2, 3]"));
        assert_eq!(item("items", 2), Some(r#""z""#));
        for (member, index) in [("items", 3), ("a", 1), ("b", 0)] {
            assert_eq!(item(member, index), None);
        }
        for body in [&b"[]"[..], b"{}", br#"{"a":{}}"#, br#"{"a":[]}"#, b"{"] {
            assert_eq!(item_as_sent(body, "a", 0), None);
        }
    }

    #[test]
    fn a_transaction_is_read_on_its_own() {
        let good = r#"{"transaction_id":"T","transaction_date":"2026-01-01","amount":"1","type":"CREDIT"}"#;
        assert!(read_transaction(good).is_some());
        assert!(read_transaction(&good.replace("CREDIT", "credit")).is_none());
    }

    #[test]
    fn members_can_be_left_out() {
        let body = account(r#""billing_name":"B","notes":[{"body":"N"}]"#);
        let request = decode_account(body.as_bytes(), Zone::UTC).unwrap().draft.unwrap();
        let (account, _) = request.into_valid().unwrap();
        let mut writer = Writer::new();
        account.encode_without(&["import_supplier", "external_account_number", "notes"], &mut writer);
        assert_eq!(writer.into_bytes(), br#"{"billing_name":"B"}"#);
    }

    #[test]
    fn longer_arrays_are_read() {
        let notes = vec![r#"{"body":"N"}"#; 20_000].join(",");
        let json = account(&format!(r#""notes":[{notes}]"#));
        assert_eq!(read_account(json.as_bytes()).unwrap().notes.unwrap().len(), 20_000);
    }

    #[test]
    fn longer_balances_are_read() {
        let json = account(r#""ledgers":[{"ledger_balance":"-123456789012345.00000000001"}]"#);
        let balance =
            read_account(json.as_bytes()).unwrap().ledgers.unwrap().remove(0).ledger_balance.unwrap();
        assert_eq!(balance.as_sent(), "-123456789012345.00000000001");
    }

    #[test]
    fn errors_do_not_contain_values() {
        let error = read_account(account(r#""transfer_balance":"secret""#).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), "transfer_balance: invalid");
        for text in ["", "{", "x}", "[}"] {
            assert!(matches!(read_account(text.as_bytes()), Err(UnreadableAccount::Syntax(_))), "{text}");
        }
        assert_eq!(read_account(b"[]").unwrap_err().to_string(), "non_field_errors: invalid");
    }
}
