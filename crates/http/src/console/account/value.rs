use serde::Deserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// JSON for display: members in their written order, numbers with their digits.
#[derive(Debug, PartialEq)]
pub(in crate::console) enum Value {
    /// Null.
    Null,
    /// A string.
    Text(String),
    /// A number or a boolean as written, or free content.
    Plain(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Members with free content, which is shown as written.
const FREE: &[&str] = &["params"];

impl Value {
    /// Reads JSON of our own serializers, whose depth the model bounds.
    ///
    /// # Errors
    /// If it is not JSON.
    pub(in crate::console) fn read(json: &str) -> serde_json::Result<Self> {
        Ok(match json.trim_start().as_bytes().first() {
            Some(b'{') => {
                let members = Members::read(json)?;
                let read = |(name, raw): (String, &RawValue)| {
                    let is_free = FREE.contains(&name.as_str());
                    let value =
                        if is_free { Self::Plain(raw.get().to_owned()) } else { Self::read(raw.get())? };
                    Ok((name, value))
                };
                Self::Object(members.into_iter().map(read).collect::<serde_json::Result<_>>()?)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(json)?;
                Self::List(
                    items
                        .into_iter()
                        .map(|item| Self::read(item.get()))
                        .collect::<serde_json::Result<_>>()?,
                )
            }
            Some(b'"') => Self::Text(serde_json::from_str(json)?),
            Some(b'n') => Self::Null,
            Some(_) => Self::Plain(json.trim().to_owned()),
            None => return Err(serde_json::Error::custom("nothing")),
        })
    }
}

/// Visits the members of an object in their order.
struct Members;

impl Members {
    fn read(json: &str) -> serde_json::Result<Vec<(String, &RawValue)>> {
        serde_json::Deserializer::from_str(json).deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_digits_stay() {
        let json = r#"{"b":"1.10","a":[1.100,true,null,{}],"params":{"x": 1e400, "n":[[[]]]}}"#;
        let Value::Object(members) = Value::read(json).unwrap() else { panic!() };
        let text = |text: &str| Value::Plain(text.into());
        assert_eq!(members[0], ("b".into(), Value::Text("1.10".into())));
        let list = Value::List(vec![text("1.100"), text("true"), Value::Null, Value::Object(vec![])]);
        assert_eq!(members[1], ("a".into(), list));
        assert_eq!(members[2], ("params".into(), text(r#"{"x": 1e400, "n":[[[]]]}"#)));
        for broken in ["", "{", "[1,]", "\"a"] {
            assert!(Value::read(broken).is_err(), "{broken}");
        }
    }
}
