/// The text is none of the words that are known in its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is one of {known}, not {word:?}")]
pub struct UnknownWord {
    what: &'static str,
    known: String,
    word: String,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, known: &[&str], word: &str) -> Self {
        Self { what, known: known.join(", "), word: word.to_owned() }
    }
}

/// An enum whose variants are written as fixed words: `ALL`, `as_str`, `Display`, `FromStr`.
macro_rules! words {
    (
        $what:literal;
        $(#[$meta:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every one of them, in the order of the reference.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable word for it.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            /// Reads the exact word.
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)*
                    _ => Err($crate::UnknownWord::new($what, &[$($word,)*], word)),
                }
            }
        }
    };
}

pub(crate) use words;

#[cfg(test)]
mod tests {
    use crate::{EventKind, ShownEvent, State};

    #[test]
    fn every_word_reads_back() {
        for state in State::ALL {
            assert_eq!(state.as_str().parse(), Ok(*state));
        }
        for kind in EventKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
        for event in ShownEvent::ALL {
            assert_eq!(event.as_str().parse(), Ok(*event));
        }
    }

    #[test]
    fn event_words_are_snake_case_and_distinct() {
        for (i, kind) in EventKind::ALL.iter().enumerate() {
            assert!(kind.as_str().bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{kind}");
            assert!(EventKind::ALL[..i].iter().all(|other| other.as_str() != kind.as_str()), "{kind} twice");
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "DONE\u{1b}".parse::<State>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "a status is one of PENDING, IN_PROGRESS, CANCELLED, PROCESSED, DRY_RUN_SUCCEEDED, ERRORED, \
             DRY_RUN_ERRORED, not \"DONE\\u{1b}\"",
        );
        assert!("pending".parse::<State>().is_err());
    }
}
