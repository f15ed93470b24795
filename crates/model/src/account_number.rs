//! Reads the number of an account without decoding its payload.

use crate::json::{Cursor, Next, SyntaxErrorKind};
use memchr::memchr2_iter;
use std::borrow::Cow;

const NUMBER: &str = "external_account_number";

/// Reads the number of the account in the body of a create, trimmed (contract D1), without decoding the rest: usually only
/// the body's beginning. Of a body whose number can be decoded, faulty or not, this is that number; of others it may be
/// `None` or any text.
pub fn account_number_in(body: &[u8]) -> Option<Cow<'_, str>> {
    let number = of_request(&mut Cursor::new(body).ok()?).ok()??;
    Some(match number {
        Cow::Borrowed(text) => Cow::Borrowed(cutover_core::trimmed(text)),
        Cow::Owned(text) => Cow::Owned(cutover_core::trimmed(&text).to_owned()),
    })
}

type Number<'j> = Result<Option<Cow<'j, str>>, SyntaxErrorKind>;

/// Reads the number of a bare account or of one in an envelope. Of members with one name the first counts, as in the decoder.
fn of_request<'j>(cursor: &mut Cursor<'j>) -> Number<'j> {
    let mut bare = None;
    let mut more = cursor.peek()? == Next::Object && cursor.open_object()?;
    while more {
        match &*cursor.name()? {
            "payload" => return of_account(cursor),
            NUMBER if bare.is_none() => {
                let number = text(cursor)?;
                if !may_name_number(cursor.rest().unwrap_or_default()) {
                    return Ok(number);
                }
                bare = Some(number);
            }
            _ => cursor.skip()?,
        }
        more = cursor.more_members()?;
    }
    Ok(bare.flatten())
}

/// Reads the number of the next value, if it is an account.
fn of_account<'j>(cursor: &mut Cursor<'j>) -> Number<'j> {
    let mut more = cursor.peek()? == Next::Object && cursor.open_object()?;
    while more {
        if cursor.name()? == NUMBER {
            return text(cursor);
        }
        cursor.skip()?;
        more = cursor.more_members()?;
    }
    Ok(None)
}

/// Reads the next value, if it is a string.
fn text<'j>(cursor: &mut Cursor<'j>) -> Number<'j> {
    if cursor.peek()? == Next::String {
        return cursor.string().map(Some);
    }
    cursor.skip()?;
    Ok(None)
}

/// Returns false if no name in a text can be that of the number, not even with escapes of its letters: then no envelope
/// follows either, as it would have the number in its payload.
fn may_name_number(text: &[u8]) -> bool {
    // Both bytes are rare in payloads, so one search for them costs less than one for the name.
    memchr2_iter(b'x', b'\\', text).any(|at| match &text[at..] {
        [b'\\', b'u', b'0', b'0', b'5'..=b'7', ..] => true,
        rest => rest.starts_with(b"xternal_account_number"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_account;
    use cutover_core::Zone;
    use proptest::prelude::*;

    fn decoded(body: &str) -> Option<String> {
        let request = decode_account(body.as_bytes(), Zone::UTC).ok()?.draft?;
        Some(request.account.usable()?.external_account_number.usable()?.trimmed().to_owned())
    }

    fn read(body: &str) -> Option<String> {
        account_number_in(body.as_bytes()).map(Cow::into_owned)
    }

    #[test]
    fn the_number_is_read_wherever_it_is() {
        for body in [
            r#"{"external_account_number":"A-1"}"#,
            r#"{"import_supplier":7,"customers":[{"email":null}], "external_account_number" : "\tA-1 ","x":{}}"#,
            r#"{"external_account_number":"A\u002d1","notes":[{"body":"a\nb"}]}"#,
            r#"{"external_account\u005fnumber":"A-1"}"#,
            r#"{"external_account_number":"A-1","external_account_number":"A-2"}"#,
            r#"{"payload":{"import_supplier":"S","external_account_number":"A-1"}}"#,
            r#"{"task_params":{},"payload":{"external_account_number":"A-1"},"payload":{}}"#,
            r#"{"external_account_number":"A-2","payload":{"external_account_number":"A-1"}}"#,
            r#"{"external_account_number":"A-2","p\u0061yload":{"external_account_number":"A-1"}}"#,
            r#"{"external_account_number":"A-1","notes":[{"body":"Zo\u00eb\n"}],"nmuber":"A-1"}"#,
            r#"{"external_account_number":"A-1","notes":[{"body":"\"payload\""}]}"#,
        ] {
            assert_eq!((read(body), decoded(body)), (Some("A-1".into()), Some("A-1".into())), "{body}");
        }
    }

    #[test]
    fn there_may_be_no_number() {
        for body in [
            "",
            "7",
            "{}",
            "[1",
            r#"{"import_supplier":"A-1"}"#,
            r#"{"external_account_number":7}"#,
            r#"{"external_account_number":null,"external_account_number":"A-1"}"#,
            r#"{"payload":[{"external_account_number":"A-1"}]}"#,
            r#"{"payload":null,"payload":{"external_account_number":"A-1"}}"#,
            "\u{FEFF}{\"external_account_number\":\"A-1\"}",
        ] {
            assert_eq!((read(body), decoded(body)), (None, None), "{body}");
        }
        assert_eq!(account_number_in(b"{\"external_account_number\":\"\xFF\"}"), None);
    }

    #[test]
    fn it_may_be_any_text_if_none_is_decoded() {
        for body in [
            r#"{"external_account_number":"A-1","task_params":{}}"#,
            r#"{"external_account_number":"A-1","t\u0061sk\u005fparams":{}}"#,
            r#"{"external_account_number":"A-1","payload":[]}"#,
        ] {
            assert_eq!((read(body), decoded(body)), (Some("A-1".into()), None), "{body}");
        }
    }

    proptest! {
        #[test]
        fn it_is_the_number_that_is_decoded(
            members in prop::collection::vec(
                prop::sample::select(vec![
                    r#""external_account_number":"A-1""#,
                    r#""external_account_number":"A-2""#,
                    r#""external_account_number":1"#,
                    r#""payload":{"external_account_number":" A-3"}"#,
                    r#""payload":{"notes":[],"external_account_number":"A-4"}"#,
                    r#""payload":[]"#,
                    r#""task_params":{"is_dry_run":true}"#,
                    r#""t\u0061sk_params":{}"#,
                    r#""notes":[{"body":"payload"}]"#,
                    r#""other":{"payload":{"external_account_number":"A-5"}}"#,
                ]),
                0..5,
            ),
        ) {
            let body = format!("{{{}}}", members.join(","));
            let number = decoded(&body);
            prop_assert!(number.is_none() || read(&body) == number, "{}", body);
        }
    }
}
