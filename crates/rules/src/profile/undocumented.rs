use cutover_core::{AttrPath, Level, Segment};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// What becomes of members that the contract does not document (rule STR-15).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum UndocumentedMembers {
    /// Each is an error.
    #[default]
    Error,
    /// Each is a warning: it is kept as it was sent, and not imported.
    Warning,
    /// Those of these names are warnings, wherever they are; others are errors. Not empty.
    Named(Arc<BTreeSet<String>>),
}

/// Maximum number of names, and of bytes of one.
const NAMES: usize = 200;
const NAME: usize = 100;

impl UndocumentedMembers {
    /// Returns the level of a member at this path.
    pub(crate) fn level(&self, attr: &AttrPath) -> Level {
        let is_named = |names: &BTreeSet<String>| match attr.segments().last() {
            Some(Segment::Name(name)) => names.contains(&**name),
            _ => false,
        };
        match self {
            Self::Error => Level::Error,
            Self::Warning => Level::Warning,
            Self::Named(names) if is_named(names) => Level::Warning,
            Self::Named(_) => Level::Error,
        }
    }
}

impl fmt::Display for UndocumentedMembers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error => f.write_str("error"),
            Self::Warning => f.write_str("warning"),
            Self::Named(names) => f.write_str(&Vec::from_iter(names.iter().map(String::as_str)).join(",")),
        }
    }
}

impl FromStr for UndocumentedMembers {
    type Err = &'static str;

    /// Reads `error`, `warning`, or names with commas between them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_name = |name: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
            (1..=NAME).contains(&name.len()) && name.chars().all(plain)
        };
        match text {
            "error" => Ok(Self::Error),
            "warning" => Ok(Self::Warning),
            _ => {
                let names: BTreeSet<_> = text.split(',').map(|name| name.trim().to_owned()).collect();
                let is_list = names.len() <= NAMES && names.iter().all(|name| is_name(name));
                is_list
                    .then(|| Self::Named(Arc::new(names)))
                    .ok_or("not error, warning, or up to 200 names of members with commas between them")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_it_is_read() {
        for text in ["error", "warning", "meter_read_type", "a-b,market_type,x.y"] {
            assert_eq!(text.parse::<UndocumentedMembers>().unwrap().to_string(), text);
        }
        assert_eq!(" b, a ".parse::<UndocumentedMembers>().unwrap().to_string(), "a,b");
        for bad in ["", "a,", "a b", "naïve", "a\nb", &"x".repeat(101), "x;x"] {
            assert!(bad.parse::<UndocumentedMembers>().is_err(), "{bad:?}");
        }
        let names = |count: usize| Vec::from_iter((0..count).map(|n| format!("m{n}"))).join(",");
        assert!(names(200).parse::<UndocumentedMembers>().is_ok());
        assert!(names(201).parse::<UndocumentedMembers>().is_err());
    }

    #[test]
    fn names_count_wherever_they_are() {
        let named: UndocumentedMembers = "market_type".parse().unwrap();
        let at = |name: &'static str| AttrPath::root().name("meters").index(0).name(name);
        assert_eq!(named.level(&at("market_type")), Level::Warning);
        assert_eq!(named.level(&at("market_types")), Level::Error);
        assert_eq!(named.level(&at("market_type").index(1)), Level::Error);
        assert_eq!(UndocumentedMembers::Warning.level(&at("x")), Level::Warning);
        assert_eq!(UndocumentedMembers::Error.level(&at("market_type")), Level::Error);
    }
}
