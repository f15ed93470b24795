//! `Debug` of payloads: personal values are masked, others are printed.

use crate::decode::{Field, Item, List};
use crate::value::{DateTime, Decimal, Free, Integer, MASK, Nullable, Text, TextOrInteger};
use chrono::NaiveDate;
use std::fmt::{self, Debug, Formatter};

/// A member for `Debug`: its presence is always printed, its value only if it is not personal.
pub(crate) struct Member<'v, T> {
    pub(crate) value: &'v T,
    pub(crate) is_personal: bool,
}

impl<T: Show> Debug for Member<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.value.show(self.is_personal, f)
    }
}

/// A value of a member, or a container of such values.
pub(crate) trait Show {
    /// Prints the value, or the mask if it is personal.
    fn show(&self, is_personal: bool, f: &mut Formatter<'_>) -> fmt::Result;
}

/// Values that print themselves: objects mask their own personal members.
macro_rules! shown_by_debug {
    ($($type:ty),*) => {
        $(
            impl $crate::shown::Show for $type {
                fn show(&self, is_personal: bool, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    if is_personal {
                        f.write_str($crate::value::MASK)
                    } else {
                        std::fmt::Debug::fmt(self, f)
                    }
                }
            }
        )*
    };
}

shown_by_debug!(bool, NaiveDate, DateTime<'_>, Decimal<'_>, Integer<'_>);

/// Texts, whose own `Debug` masks them: members that are not personal are printed.
macro_rules! shown_as_text {
    ($($type:ty: $text:expr),* $(,)?) => {
        $(
            impl Show for $type {
                fn show(&self, is_personal: bool, f: &mut Formatter<'_>) -> fmt::Result {
                    let text: fn(&Self) -> &str = $text;
                    if is_personal { f.write_str(MASK) } else { Debug::fmt(text(self), f) }
                }
            }
        )*
    };
}

shown_as_text! {
    Text<'_>: |text| text.as_sent(),
    TextOrInteger<'_>: |text| text.text.as_sent(),
    Free<'_>: |free| free.json(),
}

impl<T: Show> Show for Vec<T> {
    fn show(&self, is_personal: bool, f: &mut Formatter<'_>) -> fmt::Result {
        if is_personal {
            return f.write_str(MASK);
        }
        f.debug_list().entries(self.iter().map(|value| Member { value, is_personal })).finish()
    }
}

impl<T: Show> Show for List<T> {
    fn show(&self, is_personal: bool, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.show(is_personal, f)
    }
}

/// Containers that print the name of a variant without a value.
macro_rules! shown_inside {
    ($($type:ident { $($empty:ident),* } $value:ident;)*) => {
        $(
            impl<T: Show> Show for $type<T> {
                fn show(&self, is_personal: bool, f: &mut Formatter<'_>) -> fmt::Result {
                    match self {
                        $(Self::$empty => f.write_str(stringify!($empty)),)*
                        Self::$value(value) => value.show(is_personal, f),
                    }
                }
            }
        )*
    };
}

shown_inside! {
    Option { None } Some;
    Nullable { Absent, Null } Value;
    Field { Absent, Null, Faulty } Value;
    Item { Faulty } Value;
}
