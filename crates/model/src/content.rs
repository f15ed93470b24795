//! The hash of a JSON value's content, which says whether two texts say the same.

use crate::SyntaxError;
use crate::json::{Cursor, Next, PlainNumber, SyntaxErrorKind, Writer};
use crate::value::canonical_number;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;
use std::io::Write;

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
    let mut hash = Sha256::new();
    let mut out = Vec::with_capacity(2 * PART);
    let mut part = |out: &mut Vec<u8>| {
        if out.len() >= PART {
            hash.update(&*out);
            out.clear();
        }
    };
    Tree::read(json)?.write(&mut out, &mut part);
    Ok(ContentHash(hash.chain_update(out).finalize().into()))
}

/// The canonical text of a value, see [`content_hash`].
pub(crate) fn canonical(json: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let mut text = Vec::with_capacity(json.len());
    Tree::read(json)?.write(&mut text, &mut |_| {});
    Ok(text)
}

/// The bytes of canonical text that are collected before they are hashed.
const PART: usize = 8 << 10;

/// All values of a JSON text in the order in which they were sent. Nothing is copied but what has escapes.
pub(crate) struct Tree<'j> {
    nodes: Vec<Node<'j>>,
    /// Orders of the members of objects.
    orders: Vec<Vec<usize>>,
}

/// The values inside a value, by their places in the [`Tree`].
pub(crate) enum Inside<'t> {
    /// The members of an object in the order of their names, of several of one name the first.
    Members(Vec<(&'t str, usize)>),
    /// The items of an array.
    Items(Vec<usize>),
    /// It has none: it is no array and no object, or it is empty.
    Nothing,
}

struct Node<'j> {
    /// The name of a member; empty for other values.
    name: Cow<'j, str>,
    /// The value as it was sent; empty for arrays and objects.
    text: &'j str,
    kind: Kind,
    /// The place after the values inside.
    end: usize,
}

enum Kind {
    /// The text is canonical as it was sent: most strings, `true`, whole numbers.
    Sent,
    /// The text is a member whose name and value both are, with nothing between them.
    SentMember,
    /// A string that was sent with escapes.
    String,
    /// A number in another form.
    Number,
    Array,
    /// Its members are in this order.
    Object(usize),
}

impl<'j> Tree<'j> {
    pub(crate) fn read(json: &'j [u8]) -> Result<Self, SyntaxError> {
        let tree = Tree { nodes: Vec::with_capacity(json.len() / 24 + 1), orders: Vec::new() };
        let known = vec![Known::default()];
        let mut reader = Reader { cursor: Cursor::new(json)?, tree, known };
        let read = reader.value(Cow::default(), None).and_then(|()| reader.cursor.finish());
        read.map_err(|kind| reader.cursor.broken(kind))?;
        Ok(reader.tree)
    }

    /// Appends the canonical text to `out`. `part` is called now and then and may empty it.
    fn write(&self, out: &mut Vec<u8>, part: &mut impl FnMut(&mut Vec<u8>)) {
        TreeWriter { tree: self, members: Vec::new(), out, part }.value(0);
    }

    /// Appends the canonical text of the value at a place, without its name.
    pub(crate) fn write_value(&self, place: usize, out: &mut Vec<u8>) {
        let node = &self.nodes[place];
        match node.kind {
            Kind::SentMember => {
                let value = node.text.get(node.name.len() + "\"\":".len()..).unwrap_or_default();
                out.extend_from_slice(value.as_bytes());
            }
            _ => TreeWriter { tree: self, members: Vec::new(), out, part: &mut |_: &mut Vec<u8>| {} }
                .value(place),
        }
    }

    /// Returns the values inside the one at a place. The whole text is at 0.
    pub(crate) fn inside(&self, place: usize) -> Inside<'_> {
        let node = &self.nodes[place];
        let (mut places, mut next) = (Vec::new(), place + 1);
        while next < node.end {
            places.push(next);
            next = self.nodes[next].end;
        }
        match node.kind {
            _ if places.is_empty() => Inside::Nothing,
            Kind::Object(order) => {
                let member = |sent: &usize| (&*self.nodes[places[*sent]].name, places[*sent]);
                Inside::Members(self.orders[order].iter().map(member).collect())
            }
            _ => Inside::Items(places),
        }
    }
}

struct TreeWriter<'t, 'j, F> {
    tree: &'t Tree<'j>,
    /// The places of the members of the open objects.
    members: Vec<usize>,
    out: &'t mut Vec<u8>,
    part: &'t mut F,
}

impl<F: FnMut(&mut Vec<u8>)> TreeWriter<'_, '_, F> {
    fn value(&mut self, place: usize) {
        let node = &self.tree.nodes[place];
        match node.kind {
            Kind::Sent | Kind::SentMember => self.out.extend_from_slice(node.text.as_bytes()),
            Kind::String => {
                // It was read before, so it is a string.
                if let Ok(Ok(string)) = Cursor::new(node.text.as_bytes()).map(|mut cursor| cursor.string()) {
                    self.string(&string);
                }
            }
            Kind::Number => write_number(node.text, self.out),
            Kind::Array => self.array(place, node.end),
            Kind::Object(order) => self.object(place, node.end, order),
        }
    }

    fn array(&mut self, place: usize, end: usize) {
        self.out.push(b'[');
        let mut item = place + 1;
        while item < end {
            if item > place + 1 {
                self.out.push(b',');
            }
            self.value(item);
            item = self.tree.nodes[item].end;
        }
        self.out.push(b']');
        (self.part)(self.out);
    }

    fn object(&mut self, place: usize, end: usize, order: usize) {
        let (first, mut member) = (self.members.len(), place + 1);
        while member < end {
            self.members.push(member);
            member = self.tree.nodes[member].end;
        }
        self.out.push(b'{');
        for (n, sent) in self.tree.orders[order].iter().enumerate() {
            if n > 0 {
                self.out.push(b',');
            }
            self.member(self.members[first + sent]);
        }
        self.out.push(b'}');
        self.members.truncate(first);
        (self.part)(self.out);
    }

    fn member(&mut self, place: usize) {
        match &self.tree.nodes[place] {
            Node { kind: Kind::SentMember, .. } => {}
            // It was sent without escapes, so it needs none.
            Node { name: Cow::Borrowed(name), .. } => {
                self.out.push(b'"');
                self.out.extend_from_slice(name.as_bytes());
                self.out.extend_from_slice(b"\":");
            }
            Node { name: Cow::Owned(name), .. } => {
                self.string(name);
                self.out.push(b':');
            }
        }
        self.value(place);
    }

    fn string(&mut self, text: &str) {
        let mut writer = Writer::new();
        writer.string(text);
        self.out.extend_from_slice(&writer.into_bytes());
    }
}

/// Returns true for whole numbers that do not end in a zero, and for 0.
fn is_canonical(number: &str) -> bool {
    number == "0"
        || !number.ends_with('0') && number.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())
}

fn write_number(text: &str, out: &mut Vec<u8>) {
    match PlainNumber::at(text.as_bytes(), 0).filter(|number| number.end == text.len()) {
        Some(number) => write_plain_number(number, out),
        None => {
            let mut number = String::new();
            canonical_number(text, &mut number);
            out.extend_from_slice(number.as_bytes());
        }
    }
}

/// Writes a number of the usual form as [`canonical_number`] does.
fn write_plain_number(number: PlainNumber, out: &mut Vec<u8>) {
    let PlainNumber { mut digits, is_negative, after, .. } = number;
    if digits == 0 {
        return out.push(b'0');
    }
    let mut exponent = -i64::from(after);
    while digits.is_multiple_of(10) {
        digits /= 10;
        exponent += 1;
    }
    if is_negative {
        out.push(b'-');
    }
    let first = out.len();
    while digits > 0 {
        out.push(b'0' + (digits % 10) as u8);
        digits /= 10;
    }
    out[first..].reverse();
    if exponent != 0 {
        // Writing to memory does not fail.
        let _ = write!(out, "e{exponent}");
    }
}

struct Reader<'j> {
    cursor: Cursor<'j>,
    tree: Tree<'j>,
    /// The names of the objects so far, as a tree: the first entry has no name, and the first names of objects come
    /// next to it. Most objects have the names of one before them: these are only compared, and sorted once.
    known: Vec<Known<'j>>,
}

/// A name that was sent, after the names that led to it.
#[derive(Default)]
struct Known<'j> {
    /// The name in quotes with its colon.
    sent: &'j str,
    /// A name that came next.
    next: Option<usize>,
    /// Another name that came next to the same names.
    other: Option<usize>,
    /// The order of the members, if this was the last name of an object.
    order: Option<usize>,
}

/// The number of next names that are remembered: a search must not grow with the text.
const NEXT: usize = 32;

impl<'j> Reader<'j> {
    /// Reads a value. That of a member has a name, which starts at `start`.
    fn value(&mut self, name: Cow<'j, str>, start: Option<usize>) -> Result<(), SyntaxErrorKind> {
        let next = self.cursor.peek()?;
        let from = self.cursor.mark();
        let place = self.tree.nodes.len();
        let mut node = Node { name, text: "", kind: Kind::Sent, end: place + 1 };
        match next {
            Next::Object | Next::Array => {
                node.kind = Kind::Array;
                self.tree.nodes.push(node);
                if next == Next::Object {
                    self.tree.nodes[place].kind = Kind::Object(self.members(place)?);
                } else {
                    self.items()?;
                }
                self.tree.nodes[place].end = self.tree.nodes.len();
                return Ok(());
            }
            Next::String if self.cursor.plain_string().is_some() => {}
            Next::String => {
                self.cursor.string()?;
                node.kind = Kind::String;
            }
            Next::Number if is_canonical(self.cursor.number()?) => {}
            Next::Number => node.kind = Kind::Number,
            Next::True | Next::False | Next::Null => self.cursor.word(next)?,
        }
        node.text = self.cursor.since(from);
        if let (Kind::Sent, Some(start), Cow::Borrowed(name)) = (&node.kind, start, &node.name)
            && from == start + name.len() + "\"\":".len()
        {
            (node.kind, node.text) = (Kind::SentMember, self.cursor.since(start));
        }
        self.tree.nodes.push(node);
        Ok(())
    }

    fn items(&mut self) -> Result<(), SyntaxErrorKind> {
        let mut more = self.cursor.open_array()?;
        while more {
            self.value(Cow::default(), None)?;
            more = self.cursor.more_items()?;
        }
        Ok(())
    }

    /// Reads the members of the object at a place, and returns their order.
    fn members(&mut self, place: usize) -> Result<usize, SyntaxErrorKind> {
        let mut known = Some(0);
        let mut more = self.cursor.open_object()?;
        while more {
            let start = self.cursor.mark();
            let name;
            (name, known) = self.name(known)?;
            self.value(name, Some(start))?;
            more = self.cursor.more_members()?;
        }
        match known.map(|known| (known, self.known[known].order)) {
            Some((_, Some(order))) => Ok(order),
            Some((known, None)) => {
                let order = self.sort(place);
                self.known[known].order = Some(order);
                Ok(order)
            }
            None => Ok(self.sort(place)),
        }
    }

    /// Reads a name that follows a known one, and returns its own entry.
    fn name(&mut self, before: Option<usize>) -> Result<(Cow<'j, str>, Option<usize>), SyntaxErrorKind> {
        let Some(before) = before else { return Ok((self.cursor.name()?, None)) };
        let (mut next, mut others) = (self.known[before].next, 0);
        while let Some(known) = next {
            let Known { sent, other, .. } = self.known[known];
            if self.cursor.take_name(sent) {
                return Ok((Cow::Borrowed(&sent[1..sent.len() - 2]), next));
            }
            (next, others) = (other, others + 1);
        }
        let start = self.cursor.mark();
        let name = self.cursor.name()?;
        let sent = self.cursor.since(start);
        let is_compact = matches!(name, Cow::Borrowed(_)) && sent.len() == name.len() + "\"\":".len();
        if !is_compact || others == NEXT {
            return Ok((name, None));
        }
        let known = self.known.len();
        self.known.push(Known { sent, other: self.known[before].next, ..Known::default() });
        self.known[before].next = Some(known);
        Ok((name, Some(known)))
    }

    /// Adds the order of the members of the object at a place: by their names, of several of one name the first.
    fn sort(&mut self, place: usize) -> usize {
        let (mut names, mut member) = (Vec::new(), place + 1);
        while let Some(node) = self.tree.nodes.get(member) {
            names.push(&*node.name);
            member = node.end;
        }
        let mut order: Vec<usize> = (0..names.len()).collect();
        // The sort is stable.
        order.sort_by_key(|n| names[*n]);
        order.dedup_by_key(|n| names[*n]);
        self.tree.orders.push(order);
        self.tree.orders.len() - 1
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
        fn numbers_of_the_usual_form_are_written_like_all_others(text in "-?(0|[1-9][0-9]{0,11})([.][0-9]{1,6})?") {
            let (mut quick, mut slow) = (Vec::new(), String::new());
            write_number(&text, &mut quick);
            canonical_number(&text, &mut slow);
            prop_assert_eq!(String::from_utf8(quick).unwrap(), &*slow);
            prop_assert_eq!(is_canonical(&text), text == slow);
        }

        #[test]
        fn the_form_depends_only_on_the_content(value in any_value()) {
            let canonical = text(&value.to_string());
            prop_assert_eq!(&text(&otherwise(&value)), &canonical);
            prop_assert_eq!(&text(&canonical), &canonical);
        }
    }
}
