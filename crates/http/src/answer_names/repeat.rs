use super::AnswerNames;
use memchr::{memchr, memchr2};

/// Maximum number of bytes of a member's name or value that is kept; what is longer has no further name.
const LONGEST: usize = 256;

/// Adds members under their further names to JSON that comes in chunks: after each member with a further name and
/// a plain value, the value once more under that name. All other bytes stay as they are.
#[derive(Debug)]
pub(super) struct Repeat {
    names: AnswerNames,
    at: At,
    /// The last string: the name of a member, or a value without further names.
    kept: Kept,
    /// The value of the member with further names.
    value: Kept,
}

/// Where the last chunk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Outside of strings.
    Outside,
    /// In a string that is the name of a member, or a value.
    String { is_escaped: bool },
    /// After a string.
    AfterString,
    /// Before the value of a member with further names.
    BeforeValue,
    /// In a string that is the value of such a member.
    Text { is_escaped: bool },
    /// In a number or a word that is the value of such a member.
    Word,
    /// After the value of such a member.
    Value,
}

/// The first bytes of a name or value.
#[derive(Debug, Default)]
struct Kept(Vec<u8>);

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let most = (LONGEST + 1).saturating_sub(self.0.len());
        self.0.extend_from_slice(&bytes[..bytes.len().min(most)]);
    }

    /// The bytes, if they are whole.
    fn whole(&self) -> Option<&[u8]> {
        (self.0.len() <= LONGEST).then_some(&self.0)
    }
}

impl Repeat {
    pub(super) fn new(names: AnswerNames) -> Self {
        Self { names, at: At::Outside, kept: Kept::default(), value: Kept::default() }
    }

    /// Returns the next bytes with the members that belong after them.
    pub(super) fn chunk(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 8);
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = self.step(rest, &mut out);
            rest = &rest[taken..];
        }
        out
    }

    /// Copies bytes up to where something else begins, and returns their number: 0 if only that has changed.
    fn step(&mut self, rest: &[u8], out: &mut Vec<u8>) -> usize {
        let taken = match self.at {
            At::Outside => memchr(b'"', rest).map_or(rest.len(), |at| {
                self.kept.0.clear();
                self.at = At::String { is_escaped: false };
                at + 1
            }),
            At::String { is_escaped } => {
                let (taken, end) = string(rest, is_escaped);
                self.kept.push(&rest[..taken - usize::from(end == End::Quote)]);
                self.at = end.or(At::AfterString, |is_escaped| At::String { is_escaped });
                taken
            }
            At::AfterString if rest[0] == b':' => {
                let has_names = self.kept.whole().is_some_and(|name| self.names.of(name).next().is_some());
                self.at = if has_names { At::BeforeValue } else { At::Outside };
                1
            }
            At::AfterString | At::BeforeValue if rest[0].is_ascii_whitespace() => 1,
            At::AfterString | At::Value => self.go_on(At::Outside),
            At::BeforeValue => {
                self.value.0.clear();
                match rest[0] {
                    b'{' | b'[' => self.go_on(At::Outside),
                    b'"' => {
                        self.value.push(b"\"");
                        self.at = At::Text { is_escaped: false };
                        1
                    }
                    _ => self.go_on(At::Word),
                }
            }
            At::Text { is_escaped } => {
                let (taken, end) = string(rest, is_escaped);
                self.value.push(&rest[..taken]);
                self.at = end.or(At::Value, |is_escaped| At::Text { is_escaped });
                taken
            }
            At::Word => {
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
                let end = rest.iter().position(ends);
                let taken = end.unwrap_or(rest.len());
                self.value.push(&rest[..taken]);
                self.at = if end.is_some() { At::Value } else { At::Word };
                taken
            }
        };
        out.extend_from_slice(&rest[..taken]);
        if self.at == At::Value {
            self.add(out);
        }
        taken
    }

    fn go_on(&mut self, at: At) -> usize {
        self.at = at;
        0
    }

    /// Adds the member whose value has ended under its further names.
    fn add(&mut self, out: &mut Vec<u8>) {
        self.at = At::Outside;
        let (Some(name), Some(value)) = (self.kept.whole(), self.value.whole()) else { return };
        for further in self.names.of(name) {
            for part in [b",\"", further.as_bytes(), b"\":", value] {
                out.extend_from_slice(part);
            }
        }
    }
}

/// How a part of a string ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// With the quote that ends the string.
    Quote,
    /// Within the string, perhaps after the backslash of an escape.
    Within { is_escaped: bool },
}

impl End {
    fn or(self, ended: At, within: impl FnOnce(bool) -> At) -> At {
        match self {
            Self::Quote => ended,
            Self::Within { is_escaped } => within(is_escaped),
        }
    }
}

/// Finds the end of a string in its next bytes: their number, with the quote, and how they end.
fn string(bytes: &[u8], is_escaped: bool) -> (usize, End) {
    let mut at = usize::from(is_escaped);
    while let Some(found) = memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return (at + 1, End::Quote);
        }
        if at + 1 == bytes.len() {
            return (bytes.len(), End::Within { is_escaped: true });
        }
        at += 2;
    }
    (bytes.len(), End::Within { is_escaped: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const JSON: &str = r#"{"service_identifier" : "A-\"1", "service_account_number":null,
        "x": "service_identifier", "y": ["service_identifier", {"service_business_id":17}], "service_identifier": {},
        "service_identifier": [1], "service_identifierx": "A", "\\": "", "z":[] , "service_business_id":-1.5e3 }"#;

    const REPEATED: &str = r#"{"service_identifier" : "A-\"1","identifier":"A-\"1","own":"A-\"1", "service_account_number":null,
        "x": "service_identifier", "y": ["service_identifier", {"service_business_id":17,"business_id":17}], "service_identifier": {},
        "service_identifier": [1], "service_identifierx": "A", "\\": "", "z":[] , "service_business_id":-1.5e3,"business_id":-1.5e3 }"#;

    fn repeat() -> Repeat {
        let names =
            ["service_identifier=identifier", "service_identifier=own", "service_business_id=business_id"];
        Repeat::new(AnswerNames::new(&names.map(|name| name.parse().unwrap())))
    }

    #[test]
    fn plain_members_come_under_their_further_names_too() {
        assert_eq!(String::from_utf8(repeat().chunk(JSON.as_bytes())).unwrap(), REPEATED);
    }

    #[test]
    fn long_values_are_left_as_they_are() {
        let body = |value: &str| format!(r#"{{"service_identifier":"{value}"}}"#);
        let (short, long) = (body(&"1".repeat(LONGEST - 2)), body(&"1".repeat(LONGEST - 1)));
        assert!(repeat().chunk(short.as_bytes()).len() > short.len());
        assert_eq!(repeat().chunk(long.as_bytes()), long.as_bytes());
        let long = format!(r#"{{"{}":1}}"#, "n".repeat(10_000));
        assert_eq!(repeat().chunk(long.as_bytes()), long.as_bytes());
    }

    proptest! {
        #[test]
        fn chunks_may_end_anywhere(cuts in proptest::collection::vec(0..JSON.len(), 0..40)) {
            let mut cuts = cuts;
            cuts.extend([0, JSON.len()]);
            cuts.sort_unstable();
            let mut repeat = repeat();
            let parts: Vec<u8> =
                cuts.windows(2).flat_map(|cut| repeat.chunk(&JSON.as_bytes()[cut[0]..cut[1]])).collect();
            prop_assert_eq!(String::from_utf8(parts).unwrap(), REPEATED);
        }
    }
}
