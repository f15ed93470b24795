//! The hash of a JSON value's content, which says whether two texts say the same.

use crate::SyntaxError;
use crate::json::{Cursor, Next, PlainNumber, SyntaxErrorKind, Writer};
use crate::value::canonical_number;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt::{self, Write};
use std::ops::Range;

/// The SHA-256 hash of a value's canonical text, see [`content_hash`]. Displayed as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Hashes the content of a JSON text: equal for texts that differ in white space, in the order of members, in the
/// notation of numbers or in the escapes of strings, and different for all others (contract D5).
///
/// The canonical text that is hashed has
/// - no white space,
/// - members in the order of their names by code points; of several members of one name the first,
/// - strings with the escapes `\"`, `\\`, `\n`, `\r`, `\t`, and `\u001f` (four digits in lower case) for the other
///   control characters below U+0020, and no others,
/// - numbers as their significant digits without zeros at either end, after `-` if below 0, followed by `e` and the
///   power of ten unless that is 0: `1.50` is `15e-1`, `100` is `1e2`, every zero is `0`.
///
/// # Errors
/// If the text is not JSON.
///
/// ```
/// use cutover_model::content_hash;
///
/// let sent = content_hash(br#"{"balance": 1.50, "name": "Zo\u00eb"}"#)?;
/// assert_eq!(sent, content_hash(r#"{"name":"Zoë","balance":15e-1}"#.as_bytes())?);
/// assert_ne!(sent, content_hash(r#"{"name":"Zoë","balance":"1.50"}"#.as_bytes())?);
/// # Ok::<(), cutover_model::SyntaxError>(())
/// ```
pub fn content_hash(json: &[u8]) -> Result<ContentHash, SyntaxError> {
    Ok(ContentHash(Sha256::digest(canonical(json)?).into()))
}

/// The canonical text of a value, see [`content_hash`].
pub(crate) fn canonical(json: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let mut cursor = Cursor::new(json)?;
    let mut text = Text::with_capacity(json.len());
    let written = text.value(&mut cursor).and_then(|()| cursor.finish());
    written.map_err(|kind| cursor.broken(kind))?;
    Ok(text.out)
}

/// The number of orders of members that are remembered. Payloads have objects of some thirty kinds.
const ORDERS: usize = 64;

/// The canonical text as it is written, and buffers that are used again.
struct Text<'j> {
    out: Vec<u8>,
    sorted: Vec<u8>,
    number: String,
    /// Names and texts of the members of the open objects.
    members: Vec<(Cow<'j, str>, Range<usize>)>,
    orders: Orders<'j>,
}

impl<'j> Text<'j> {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            out: Vec::with_capacity(capacity),
            sorted: Vec::new(),
            number: String::new(),
            members: Vec::new(),
            orders: Orders::default(),
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'j>) -> Result<(), SyntaxErrorKind> {
        let next = cursor.peek()?;
        match next {
            Next::Object => self.object(cursor)?,
            Next::Array => {
                self.out.push(b'[');
                let mut more = cursor.open_array()?;
                while more {
                    self.value(cursor)?;
                    more = cursor.more_items()?;
                    if more {
                        self.out.push(b',');
                    }
                }
                self.out.push(b']');
            }
            Next::String => {
                let string = cursor.string()?;
                self.string(&string, has_escapes(&string));
            }
            Next::Number => self.number(cursor.number()?),
            Next::True | Next::False | Next::Null => {
                let start = cursor.mark();
                cursor.word(next)?;
                self.out.extend_from_slice(cursor.since(start).as_bytes());
            }
        }
        Ok(())
    }

    fn object(&mut self, cursor: &mut Cursor<'j>) -> Result<(), SyntaxErrorKind> {
        let (start, first) = (self.out.len(), self.members.len());
        let mut more = cursor.open_object()?;
        while more {
            let name = cursor.name()?;
            self.out.push(if self.members.len() == first { b'{' } else { b',' });
            let from = self.out.len();
            self.string(&name, has_escapes(&name));
            self.out.push(b':');
            self.value(cursor)?;
            self.members.push((name, from..self.out.len()));
            more = cursor.more_members()?;
        }
        let members = &self.members[first..];
        if members.is_empty() {
            self.out.push(b'{');
        } else if !members.is_sorted_by(|a, b| a.0 < b.0) {
            self.sorted.clear();
            for &place in self.orders.of(members) {
                self.sorted.push(if self.sorted.is_empty() { b'{' } else { b',' });
                self.sorted.extend_from_slice(&self.out[members[place].1.clone()]);
            }
            self.out.truncate(start);
            self.out.append(&mut self.sorted);
        }
        self.out.push(b'}');
        self.members.truncate(first);
        Ok(())
    }

    fn number(&mut self, text: &str) {
        self.number.clear();
        match PlainNumber::at(text.as_bytes(), 0).filter(|number| number.end == text.len()) {
            Some(number) => plain_number(number, &mut self.number),
            None => canonical_number(text, &mut self.number),
        }
        self.out.extend_from_slice(self.number.as_bytes());
    }

    /// Writes a string that was sent with escapes if `has_escapes`. Any other needs none.
    fn string(&mut self, text: &str, has_escapes: bool) {
        if has_escapes {
            let mut writer = Writer::new().into(std::mem::take(&mut self.out));
            writer.string(text);
            self.out = writer.into_bytes();
        } else {
            self.out.push(b'"');
            self.out.extend_from_slice(text.as_bytes());
            self.out.push(b'"');
        }
    }
}

/// Returns true if a string was sent with escapes: otherwise it is a part of the text.
#[expect(clippy::ptr_arg, reason = "it is about the kind of the reference")]
const fn has_escapes(text: &Cow<'_, str>) -> bool {
    matches!(text, Cow::Owned(_))
}

/// Writes a number of the usual form as [`canonical_number`] does.
fn plain_number(number: PlainNumber, out: &mut String) {
    let PlainNumber { mut digits, is_negative, after, .. } = number;
    if digits == 0 {
        return out.push('0');
    }
    let mut exponent = -i64::from(after);
    while digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    let sign = if is_negative { "-" } else { "" };
    // Writing to a string does not fail.
    let _ = match exponent {
        0 => write!(out, "{sign}{digits}"),
        _ => write!(out, "{sign}{digits}e{exponent}"),
    };
}

/// The order of the members of objects, by the names in the order in which they were sent: most objects have the names of
/// an object before them, and comparing those is cheaper than sorting.
#[derive(Default)]
struct Orders<'j>(Vec<(Vec<Cow<'j, str>>, Vec<usize>)>);

impl<'j> Orders<'j> {
    /// Returns the places of the members in the order of their names; of several members of one name the first.
    fn of(&mut self, members: &[(Cow<'j, str>, Range<usize>)]) -> &[usize] {
        let is_of = |names: &[Cow<'_, str>]| {
            names.len() == members.len() && names.iter().zip(members).all(|(name, member)| *name == member.0)
        };
        let known = self.0.iter().position(|(names, _)| is_of(names)).unwrap_or_else(|| {
            // The sort is stable.
            let mut order: Vec<usize> = (0..members.len()).collect();
            order.sort_by(|a, b| members[*a].0.cmp(&members[*b].0));
            order.dedup_by(|later, first| members[*later].0 == members[*first].0);
            self.0.truncate(ORDERS - 1);
            self.0.push((members.iter().map(|(name, _)| name.clone()).collect(), order));
            self.0.len() - 1
        });
        &self.0[known].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn text(json: &str) -> String {
        String::from_utf8(canonical(json.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn a_text_has_one_canonical_form() {
        let sent = r#" { "b" : 1.0 , "a":[1e2, "\u0078\u001F", -0.0, {}, [] ], "é":null, "z":{"y":true,"x":"\/"} } "#;
        assert_eq!(text(sent), r#"{"a":[1e2,"x\u001f",0,{},[]],"b":1,"z":{"x":"/","y":true},"é":null}"#);
        assert_eq!(text("-12.3400"), "-1234e-2");
    }

    #[test]
    fn different_content_has_different_texts() {
        for (one, other) in
            [("{}", r#"{"a":null}"#), ("[1,2]", "[2,1]"), ("1", r#""1""#), ("1e400", "1e401"), ("[]", "[[]]")]
        {
            assert_ne!(text(one), text(other), "{one} {other}");
        }
    }

    #[test]
    fn the_first_of_several_members_of_one_name_counts() {
        assert_eq!(text(r#"{"b":1,"a":2,"b":3}"#), r#"{"a":2,"b":1}"#);
        assert_eq!(text(r#"{"a":1,"\u0061":2}"#), r#"{"a":1}"#);
    }

    #[test]
    fn other_texts_are_refused() {
        for json in ["", "{", "[1 2]", "nul", "1 1", "{\"a\":01}", "\u{feff}1"] {
            assert!(content_hash(json.as_bytes()).is_err(), "{json}");
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".{0,3}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Writes a value in another way: members reversed, white space between all tokens.
    fn otherwise(value: &Value) -> String {
        match value {
            Value::Object(members) => {
                let members = members.iter().rev();
                let each = members.map(|(n, v)| format!("{} : {}", Value::from(n.as_str()), otherwise(v)));
                format!("{{ {} }}", each.collect::<Vec<_>>().join(" , "))
            }
            Value::Array(items) => {
                format!("[ {} ]", items.iter().map(otherwise).collect::<Vec<_>>().join("\n,"))
            }
            Value::Number(number) => format!("{number}.000"),
            other => other.to_string(),
        }
    }

    proptest! {
        #[test]
        fn numbers_of_the_usual_form_are_written_like_all_others(text in "-?[0-9]{1,12}([.][0-9]{1,6})?") {
            let (mut quick, mut slow) = (String::new(), String::new());
            plain_number(PlainNumber::at(text.as_bytes(), 0).unwrap(), &mut quick);
            canonical_number(&text, &mut slow);
            prop_assert_eq!(quick, slow);
        }

        #[test]
        fn the_form_depends_only_on_the_content(value in any_value()) {
            let canonical = text(&value.to_string());
            prop_assert_eq!(&text(&otherwise(&value)), &canonical);
            prop_assert_eq!(&text(&canonical), &canonical);
        }
    }
}
