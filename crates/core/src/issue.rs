use crate::{AttrPath, Code};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// The id of a rule in the catalogue, such as `PIN-01`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub &'static str);

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a finding of a rule means (rules 1.5). Ordered: the higher level counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The rule is not run.
    Off,
    /// Recorded and shown; never changes an answer's status.
    Warning,
    /// The request is refused.
    Error,
}

impl Level {
    /// The word for it: `off`, `warning` or `error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl AsRef<str> for Level {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

/// The word is none of `error`, `warning`, `off`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a level is error, warning or off, not {0:?}")]
pub struct InvalidLevel(String);

impl FromStr for Level {
    type Err = InvalidLevel;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "off" => Ok(Self::Off),
            "warning" => Ok(Self::Warning),
            "error" => Ok(Self::Error),
            _ => Err(InvalidLevel(word.to_owned())),
        }
    }
}

/// One finding about a payload: where, what, by which rule, how grave (contract 7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The offending input.
    pub attr: AttrPath,
    /// The stable code of the kind of error.
    pub code: Code,
    /// The rule that found it.
    pub rule: RuleId,
    /// Error or warning, as the supplier's profile has it.
    pub level: Level,
    /// Text for people; never holds a value of the payload.
    pub detail: Cow<'static, str>,
}

impl Issue {
    /// The order of an answer: by attr, then by code (rules 1.4).
    pub fn key(&self) -> (&AttrPath, &'static str) {
        (&self.attr, self.code.as_str())
    }
}
