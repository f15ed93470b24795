use std::fmt;

/// A text that is none of the words of an enum declared with [`string_enum!`](crate::string_enum!).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownWord {
    what: &'static str,
    known: &'static [&'static str],
    word: Box<str>,
}

impl UnknownWord {
    /// Lists longer than this are left out of the message.
    const MAX_LISTED: usize = 50;

    /// The error for `word`, read as `what` (with its article), where `known` are the words that exist.
    pub fn new(what: &'static str, known: &'static [&'static str], word: &str) -> Self {
        Self { what, known, word: word.into() }
    }
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, known, word } = self;
        write!(f, "{word:?} is not {what}")?;
        if known.len() <= Self::MAX_LISTED {
            write!(f, ": expected one of {}", known.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownWord {}

/// Declares an enum whose variants are written as fixed words.
///
/// The enum is `Copy` and gets `ALL`, `WORDS`, `as_str`, `from_word`, `Display`, `AsRef<str>`,
/// [`serde::Serialize`] and a `FromStr` that fails with [`UnknownWord`]. With `in any case`, reading ignores
/// the case of ASCII letters.
///
/// ```
/// cutover_core::string_enum! {
///     "a colour";
///     /// The colour of a signal.
///     pub enum Colour {
///         /// Stop.
///         Red = "RED",
///         /// Go.
///         Green = "GREEN",
///     }
/// }
///
/// assert_eq!(Colour::WORDS, ["RED", "GREEN"]);
/// assert_eq!("GREEN".parse(), Ok(Colour::Green));
/// let error = "green".parse::<Colour>().unwrap_err();
/// assert_eq!(error.to_string(), "\"green\" is not a colour: expected one of RED, GREEN");
/// ```
#[macro_export]
macro_rules! string_enum {
    (@other $word:ident) => { ::std::option::Option::None };
    (@other $word:ident any) => {
        Self::ALL.into_iter().find(|known| known.as_str().eq_ignore_ascii_case($word))
    };
    (
        $what:expr $(, in $any:ident case)?;
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$variant,)*];

            /// The word of every variant, in the same order.
            pub const WORDS: &'static [&'static str] = &[$($word,)*];

            /// The word that it is written as.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The variant that is written as this word.
            pub fn from_word(word: &str) -> ::std::option::Option<Self> {
                match word {
                    $($word => ::std::option::Option::Some(Self::$variant),)*
                    _ => $crate::string_enum!(@other word $($any)?),
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::std::convert::AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                Self::from_word(word).ok_or_else(|| $crate::UnknownWord::new($what, Self::WORDS, word))
            }
        }

        impl $crate::__serde::Serialize for $name {
            fn serialize<S: $crate::__serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::{Code, Level, ShownEvent, State, StateV1, SupplierStatus};

    #[test]
    fn every_word_is_distinct_and_reads_back() {
        macro_rules! check {
            ($($name:ident)*) => {
                $(for (i, value) in $name::ALL.into_iter().enumerate() {
                    assert_eq!(value.as_str().parse(), Ok(value));
                    assert_eq!($name::WORDS[i], value.as_str());
                    assert!(!$name::WORDS[..i].contains(&value.as_str()), "{value} is declared twice");
                })*
            };
        }
        check!(Code Level ShownEvent State StateV1 SupplierStatus);
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "DONE\u{1b}".parse::<State>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "\"DONE\\u{1b}\" is not a status: expected one of PENDING, IN_PROGRESS, CANCELLED, PROCESSED, \
             DRY_RUN_SUCCEEDED, ERRORED, DRY_RUN_ERRORED",
        );
        assert!("pending".parse::<State>().is_err());
        let error = "no_such_code".parse::<Code>().unwrap_err();
        assert_eq!(error.to_string(), "\"no_such_code\" is not an error code");
    }

    #[test]
    fn case_is_ignored_only_where_declared() {
        assert_eq!("ONGOING".parse(), Ok(SupplierStatus::Ongoing));
        assert!("Error".parse::<Level>().is_err());
    }
}
