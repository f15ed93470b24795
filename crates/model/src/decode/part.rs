use cutover_core::Segment;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Maximum number of characters of a member name in a path.
const MAX_NAME: usize = 128;

/// One part of a path under construction, from the leaf outwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part<'j> {
    /// A documented member.
    Name(&'static str),
    /// A member that is not documented, by the name as sent.
    Foreign(Cow<'j, str>),
    Index(u32),
}

impl<'j> Part<'j> {
    /// The name of a member, documented or not.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Foreign(name) => Some(name),
            Self::Index(_) => None,
        }
    }

    /// The name of an undocumented member, truncated if it is long: every fault below repeats it.
    pub(crate) fn foreign(name: Cow<'j, str>) -> Self {
        match name.char_indices().nth(MAX_NAME) {
            Some((end, _)) => Part::Foreign(Cow::Owned(format!("{}…", &name[..end]))),
            None => Part::Foreign(name),
        }
    }

    /// The name of a member, or the index.
    fn key(&self) -> Result<&str, u32> {
        match self {
            Part::Name(name) => Ok(name),
            Part::Foreign(name) => Ok(name),
            Part::Index(index) => Err(*index),
        }
    }

    pub(super) fn into_segment(self) -> Segment {
        match self {
            Part::Name(name) => Segment::Name(Cow::Borrowed(name)),
            Part::Foreign(name) => Segment::Name(Cow::Owned(name.into_owned())),
            Part::Index(index) => Segment::Index(index),
        }
    }
}

impl PartialOrd for Part<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.key(), other.key()) {
            (Ok(a), Ok(b)) => a.cmp(b),
            (Err(a), Err(b)) => a.cmp(&b),
            (Err(_), Ok(_)) => Ordering::Less,
            (Ok(_), Err(_)) => Ordering::Greater,
        }
    }
}
