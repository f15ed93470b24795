use std::borrow::Cow;
use std::fmt;

/// The path of an issue about the whole payload (contract 7, D4).
pub const NON_FIELD_ERRORS: &str = "non_field_errors";

/// One part of an [`AttrPath`].
///
/// The order of the variants has no effect: a place of a payload holds an object or an array, not both.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A zero-based array index.
    Index(u32),
    /// A member name: borrowed if it is documented, owned if it is as the sender wrote it.
    Name(Cow<'static, str>),
}

impl From<&'static str> for Segment {
    fn from(name: &'static str) -> Self {
        Self::Name(Cow::Borrowed(name))
    }
}

impl From<u32> for Segment {
    fn from(index: u32) -> Self {
        Self::Index(index)
    }
}

/// The dot-delimited path to the offending input: `customers.0.landline` (contract 7).
///
/// Paths are ordered part by part, indexes as numbers and names by code point (rules 1.4). The empty path
/// is the payload itself and is written `non_field_errors`.
///
/// ```
/// use cutover_core::AttrPath;
/// let path = AttrPath::root().name("customers").index(0).name("landline");
/// assert_eq!(path.to_string(), "customers.0.landline");
/// assert!(path < AttrPath::root().name("customers").index(10));
/// assert_eq!(AttrPath::root().to_string(), "non_field_errors");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct AttrPath(Vec<Segment>);

impl AttrPath {
    /// The path of the whole payload.
    pub fn root() -> Self {
        Self::default()
    }

    /// Appends a member name.
    pub fn name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(Segment::Name(name.into()));
        self
    }

    /// Appends an array index.
    pub fn index(mut self, index: u32) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The parts, outermost first.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The path with `#` for indexes and `*` for names of members that are not documented. It is the same for
    /// all accounts with this fault and holds nothing of the payload (contract D13).
    ///
    /// ```
    /// use cutover_core::AttrPath;
    /// let customer = AttrPath::root().name("customers").index(0);
    /// assert_eq!(customer.clone().name("mobile").pattern(), "customers.#.mobile");
    /// assert_eq!(customer.name("Jo Smith".to_owned()).pattern(), "customers.#.*");
    /// assert_eq!(AttrPath::root().pattern(), "non_field_errors");
    /// ```
    pub fn pattern(&self) -> String {
        let part = |segment: &Segment| match segment {
            Segment::Name(Cow::Borrowed(name)) => *name,
            Segment::Name(Cow::Owned(_)) => "*",
            Segment::Index(_) => "#",
        };
        self.key().iter().map(part).collect::<Vec<_>>().join(".")
    }

    /// The sort key: the whole payload sorts as its written name, `non_field_errors`.
    fn key(&self) -> &[Segment] {
        const WHOLE: &[Segment] = &[Segment::Name(Cow::Borrowed(NON_FIELD_ERRORS))];
        if self.0.is_empty() { WHOLE } else { &self.0 }
    }
}

impl PartialOrd for AttrPath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for AttrPath {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(other.key())
    }
}

impl From<Vec<Segment>> for AttrPath {
    fn from(segments: Vec<Segment>) -> Self {
        Self(segments)
    }
}

impl fmt::Display for AttrPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.key().iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            match segment {
                Segment::Name(name) => f.write_str(name)?,
                Segment::Index(index) => write!(f, "{index}")?,
            }
        }
        Ok(())
    }
}
