//! A setting as data: how it is named, written and parsed. [`super::table`] lists all of them.

/// The commands that take a setting as a flag. The environment and the file may hold every setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every command.
    All,
    /// `serve`, and `doctor`, which checks what `serve` would do.
    Serve,
    /// None: every user of a machine sees its command lines.
    Secret,
}

/// The number of values that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Once; the last value counts.
    One,
    /// Any number of times; commas separate the values in the environment.
    Many,
    /// As `true` or `false`; the flag alone means `true`.
    Switch,
}

/// One setting (contract D11): `--name`, `CUTOVER_NAME`, or `name = …` in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// The flag without its dashes, and the key in the file.
    pub(crate) name: &'static str,
    /// The placeholder of the value in the manual.
    pub(crate) value: &'static str,
    /// The default as the manual prints it.
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
    pub(crate) scope: Scope,
    pub(crate) form: Form,
}

impl Setting {
    /// The environment variable.
    pub(crate) fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.replace('-', "_").to_ascii_uppercase())
    }

    /// The text of `--help`.
    pub(crate) fn manual(&self) -> String {
        format!("{} [default: {}]", self.help, self.default)
    }
}

/// The prefix of every variable of ours.
pub(crate) const PREFIX: &str = "CUTOVER_";

/// The value of a setting that is not given.
pub(super) enum Fallback<T> {
    /// The value that this text is parsed to.
    Text(&'static str),
    /// A value that no text stands for, and its description in the manual.
    Computed(&'static str, fn() -> T),
}

/// The parser of a setting; problems complete the sentence "the setting NAME …".
pub(super) enum Parser<T> {
    One(fn(&str) -> Result<T, String>),
    Many(fn(&[String]) -> Result<T, String>),
    Switch(fn(&str) -> Result<T, String>),
}

impl<T> Parser<T> {
    pub(super) fn parse(&self, values: &[String]) -> Result<T, String> {
        match self {
            Self::Many(parse) => parse(values),
            Self::One(parse) | Self::Switch(parse) => parse(values.last().map_or("", String::as_str)),
        }
    }
}

/// A setting with the type of its value.
pub(super) struct Row<T: 'static> {
    pub(super) setting: Setting,
    pub(super) parser: Parser<T>,
    pub(super) fallback: Fallback<T>,
}

impl<T> Row<T> {
    const fn new(
        scope: Scope,
        name: &'static str,
        value: &'static str,
        fallback: Fallback<T>,
        parser: Parser<T>,
        help: &'static str,
    ) -> Self {
        let default = match fallback {
            Fallback::Text(text) | Fallback::Computed(text, _) => text,
        };
        let form = match parser {
            Parser::One(_) => Form::One,
            Parser::Many(_) => Form::Many,
            Parser::Switch(_) => Form::Switch,
        };
        Self { setting: Setting { name, value, default, help, scope, form }, parser, fallback }
    }

    /// A flag of every command.
    pub(super) const fn all(
        name: &'static str,
        value: &'static str,
        fallback: Fallback<T>,
        parser: Parser<T>,
        help: &'static str,
    ) -> Self {
        Self::new(Scope::All, name, value, fallback, parser, help)
    }

    /// A flag of `serve` and `doctor`.
    pub(super) const fn serve(
        name: &'static str,
        value: &'static str,
        fallback: Fallback<T>,
        parser: Parser<T>,
        help: &'static str,
    ) -> Self {
        Self::new(Scope::Serve, name, value, fallback, parser, help)
    }

    /// No flag.
    pub(super) const fn secret(
        name: &'static str,
        value: &'static str,
        fallback: Fallback<T>,
        parser: Parser<T>,
        help: &'static str,
    ) -> Self {
        Self::new(Scope::Secret, name, value, fallback, parser, help)
    }
}

/// Defines `Values`, a struct with a field for each setting, and `SETTINGS`, the list of all of them.
macro_rules! settings {
    ($($field:ident: $type:ty = $row:expr;)*) => {
        /// The value of every setting, each parsed on its own.
        #[derive(Debug, Clone)]
        pub(crate) struct Values {
            $(pub(crate) $field: $type,)*
        }

        impl Values {
            pub(super) fn read(given: &Given) -> Result<Self, SettingsError> {
                Ok(Self {
                    $($field: {
                        const ROW: Row<$type> = $row;
                        given.read(&ROW)?
                    },)*
                })
            }
        }

        /// Every setting, in the order of the manual.
        pub(crate) static SETTINGS: &[Setting] = &[
            $({
                const ROW: Row<$type> = $row;
                ROW.setting
            },)*
        ];
    };
}
pub(super) use settings;
