use crate::value::Nullable;

/// A member while its payload is being checked (rules 1.2).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// Missing.
    #[default]
    Absent,
    /// `null` where null is allowed.
    Null,
    /// Present but unusable: a fault was reported at it.
    Faulty,
    /// Present, and it passed every check on the value itself. This includes blank texts, which
    /// [`Field::presence`] reports as absent.
    Value(T),
}

/// The condition of a member as rules see it (rules 1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence<T> {
    /// Missing, `null` where allowed, or a text that counts as absent.
    Absent,
    /// Present and usable.
    Usable(T),
    /// Present but unusable: rules that need it report nothing.
    Faulty,
}

/// A value that may count as absent although it was sent: blank texts and empty choices (fields 1.4).
pub trait Blank {
    /// Returns true if it counts as absent.
    fn is_blank(&self) -> bool {
        false
    }
}

impl<T> Field<T> {
    pub(crate) fn into_required(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    #[expect(clippy::option_option, reason = "outer: free of faults; inner: sent or not")]
    pub(crate) fn into_optional(self) -> Option<Option<T>> {
        match self {
            Self::Value(value) => Some(Some(value)),
            Self::Absent => Some(None),
            Self::Null | Self::Faulty => None,
        }
    }

    pub(crate) fn into_nullable(self) -> Option<Nullable<T>> {
        match self {
            Self::Value(value) => Some(Nullable::Value(value)),
            Self::Absent => Some(Nullable::Absent),
            Self::Null => Some(Nullable::Null),
            Self::Faulty => None,
        }
    }

    /// The condition of the member.
    pub fn presence(&self) -> Presence<&T>
    where
        T: Blank,
    {
        match self {
            Self::Value(value) if !value.is_blank() => Presence::Usable(value),
            Self::Faulty => Presence::Faulty,
            Self::Value(_) | Self::Absent | Self::Null => Presence::Absent,
        }
    }

    /// The value if the member is present and usable.
    #[inline]
    pub fn usable(&self) -> Option<&T>
    where
        T: Blank,
    {
        match self {
            Self::Value(value) if !value.is_blank() => Some(value),
            _ => None,
        }
    }

    /// Returns true if the member is absent: missing, `null` where allowed, or blank.
    pub fn is_absent(&self) -> bool
    where
        T: Blank,
    {
        matches!(self.presence(), Presence::Absent)
    }

    /// Returns true if the member is present but faulty.
    pub fn is_faulty(&self) -> bool {
        matches!(self, Self::Faulty)
    }

    /// Returns true if the member was sent, in any condition.
    pub fn is_sent(&self) -> bool {
        !matches!(self, Self::Absent)
    }
}
