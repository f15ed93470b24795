/// One of a closed list of values (fields 1.5).
pub(crate) trait Choice: Copy {
    /// The allowed values, in the order of the documentation.
    const VALUES: &'static [&'static str];

    /// The choice that the text names exactly.
    fn of(text: &str) -> Option<Self>;
}

/// The text is none of the values of a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value is not one of the allowed ones")]
pub struct InvalidChoice;

/// Declares closed lists: an enum each, with the words of the contract.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? })*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum $name {
                $(#[doc = concat!("`", $text, "`")] $variant,)*
            }

            impl $name {
                /// The word as it is sent.
                pub fn as_str(self) -> &'static str {
                    match self { $(Self::$variant => $text,)* }
                }
            }

            impl $crate::value::Choice for $name {
                const VALUES: &'static [&'static str] = &[$($text),*];

                fn of(text: &str) -> Option<Self> {
                    match text { $($text => Some(Self::$variant),)* _ => None }
                }
            }

            choice_leaf!($name);

            impl std::str::FromStr for $name {
                type Err = $crate::InvalidChoice;

                fn from_str(text: &str) -> Result<Self, Self::Err> {
                    <Self as $crate::value::Choice>::of(text).ok_or($crate::InvalidChoice)
                }
            }
        )*
    };
}
