/// One of a closed list of values (fields 1.5).
pub(crate) trait Choice: Copy {
    /// The words of the list.
    const KNOWN: &'static [&'static str];

    /// The choice that is written as this text.
    fn of(text: &str) -> Option<Self>;
}

/// Declares closed lists: an enum each, with the words of the contract.
macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? })*) => {
        $(
            cutover_core::string_enum! {
                concat!("a value of ", stringify!($name));
                $(#[$doc])*
                pub enum $name {
                    $(#[doc = concat!("`", $text, "`")] $variant = $text,)*
                }
            }

            impl $crate::value::Choice for $name {
                const KNOWN: &'static [&'static str] = Self::WORDS;

                fn of(text: &str) -> Option<Self> {
                    Self::from_word(text)
                }
            }

            choice_leaf!($name);
        )*
    };
}
