use crate::json::{Cursor, Next, Writer};
use crate::{SyntaxError, SyntaxErrorKind};

/// A JSON value that keeps the order of members and the digits of numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number, as its digits.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object without members.
    pub fn object() -> Self {
        Self::Object(Vec::new())
    }

    /// An array of these.
    pub fn list<T: Into<Self>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// Sets a member of an object; leaves other values unchanged.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Self>) -> Self {
        if let Self::Object(members) = &mut self {
            match members.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value.into(),
                None => members.push((name.to_owned(), value.into())),
            }
        }
        self
    }

    /// Sets a member if there is a value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl Into<Self>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Parses a JSON text.
    ///
    /// # Errors
    /// [`SyntaxError`] if it is not JSON.
    pub fn parse(text: &[u8]) -> Result<Self, SyntaxError> {
        let mut cursor = Cursor::new(text)?;
        let value = read(&mut cursor).and_then(|value| cursor.finish().map(|()| value));
        value.map_err(|kind| cursor.broken(kind))
    }

    /// The JSON text, indented by two spaces, with a line break at the end. Arrays of plain values take one
    /// line.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }

    fn is_plain(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Object(_))
    }

    fn write(&self, out: &mut String, depth: usize) {
        let (inner, outer) = (line(depth + 1), line(depth));
        match self {
            Self::Null => out.push_str("null"),
            Self::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(digits) => out.push_str(digits),
            Self::Text(text) => out.push_str(&quoted(text)),
            Self::List(items) if items.iter().all(Self::is_plain) => {
                series(out, ("[", " ", "]"), items, |out, item| item.write(out, depth));
            }
            Self::List(items) => {
                series(out, (&format!("[{inner}"), &inner, &format!("{outer}]")), items, |out, item| {
                    item.write(out, depth + 1);
                });
            }
            Self::Object(members) if members.is_empty() => out.push_str("{}"),
            Self::Object(members) => {
                let edges = (&*format!("{{{inner}"), &*inner, &*format!("{outer}}}"));
                series(out, edges, members, |out, (name, value)| {
                    out.push_str(&quoted(name));
                    out.push_str(": ");
                    value.write(out, depth + 1);
                });
            }
        }
    }
}

/// A line break and the indentation of a depth.
fn line(depth: usize) -> String {
    format!("\n{}", "  ".repeat(depth))
}

/// Writes items between `open` and `close`, each separated by a comma and `between`.
fn series<T>(
    out: &mut String,
    (open, between, close): (&str, &str, &str),
    items: &[T],
    write: impl Fn(&mut String, &T),
) {
    out.push_str(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push(',');
            out.push_str(between);
        }
        write(out, item);
    }
    out.push_str(close);
}

fn quoted(text: &str) -> String {
    let mut writer = Writer::new();
    writer.string(text);
    String::from_utf8_lossy(&writer.into_bytes()).into_owned()
}

fn read(cursor: &mut Cursor<'_>) -> Result<Json, SyntaxErrorKind> {
    let next = cursor.peek()?;
    match next {
        Next::String => Ok(Json::Text(cursor.string()?.into_owned())),
        Next::Number => Ok(Json::Number(cursor.number()?.to_owned())),
        Next::True | Next::False | Next::Null => {
            cursor.word(next)?;
            Ok(if next == Next::Null { Json::Null } else { Json::Boolean(next == Next::True) })
        }
        Next::Object => {
            let mut members = Vec::new();
            let mut more = cursor.open_object()?;
            while more {
                let name = cursor.name()?.into_owned();
                members.push((name, read(cursor)?));
                more = cursor.more_members()?;
            }
            Ok(Json::Object(members))
        }
        Next::Array => {
            let mut items = Vec::new();
            let mut more = cursor.open_array()?;
            while more {
                items.push(read(cursor)?);
                more = cursor.more_items()?;
            }
            Ok(Json::List(items))
        }
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::Number(value.to_string())
    }
}

impl From<u32> for Json {
    fn from(value: u32) -> Self {
        Self::Number(value.to_string())
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        Self::List(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_and_written_with_its_order_and_digits() {
        let text = r#"{"b": [1.10, "é\n", null], "a": {}, "c": [{"x": [true]}, []]}"#;
        let value = Json::parse(text.as_bytes()).unwrap();
        assert_eq!(
            value.pretty(),
            "{\n  \"b\": [1.10, \"é\\n\", null],\n  \"a\": {},\n  \"c\": [\n    {\n      \"x\": [true]\n    },\n    []\n  ]\n}\n"
        );
        assert_eq!(Json::parse(value.pretty().as_bytes()).unwrap(), value);
        assert!(Json::parse(b"{} {}").is_err());
    }

    #[test]
    fn a_member_has_one_value() {
        let value = Json::object().with("a", 1_u32).with("a", "x").with_some("b", None::<u32>);
        assert_eq!(value, Json::Object(vec![("a".into(), "x".into())]));
        assert_eq!(Json::Null.with("a", 1_u32), Json::Null);
    }
}
