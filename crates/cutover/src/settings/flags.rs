use super::row::{Form, Scope, Setting};
use super::table::{CONFIG, SETTINGS};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use std::collections::BTreeMap;
use std::fmt;

/// Settings given on the command line, as text.
pub(crate) type Flags = BTreeMap<&'static str, Vec<String>>;

/// The flags that every command takes, before or after its name.
#[derive(Clone, Default)]
pub(crate) struct CommonFlags(pub(crate) Flags);

/// The flags that only `serve` and `doctor` take.
#[derive(Clone, Default)]
pub(crate) struct ServeFlags(pub(crate) Flags);

/// Shows names only: values may hold passwords.
macro_rules! debug_names {
    ($($flags:ident)*) => {
        $(
            impl fmt::Debug for $flags {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.debug_set().entries(self.0.keys()).finish()
                }
            }
        )*
    };
}

debug_names! { CommonFlags ServeFlags }

fn common() -> impl Iterator<Item = &'static Setting> {
    std::iter::once(&CONFIG).chain(of(Scope::All))
}

fn of(scope: Scope) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(move |setting| setting.scope == scope)
}

fn arg((order, setting): (usize, &'static Setting)) -> Arg {
    let is_common = setting.scope == Scope::All;
    let arg = Arg::new(setting.name)
        .long(setting.name)
        .value_name(setting.value)
        .help(setting.manual())
        .help_heading(if is_common { "Settings of every command" } else { "Settings of the server" })
        .display_order(order)
        .action(if setting.form == Form::Many { ArgAction::Append } else { ArgAction::Set })
        // Otherwise clap would refuse them without naming the setting.
        .allow_negative_numbers(true)
        .global(is_common);
    if setting.form == Form::Switch {
        return arg.num_args(0..=1).require_equals(true).default_missing_value("true");
    }
    arg
}

fn given(settings: impl Iterator<Item = &'static Setting>, matches: &ArgMatches) -> Flags {
    let values = |s: &Setting| matches.get_many::<String>(s.name).map(|v| v.cloned().collect::<Vec<_>>());
    settings.filter_map(|s| values(s).map(|values| (s.name, values))).collect()
}

macro_rules! settings_as_flags {
    ($type:ident: $settings:expr) => {
        impl Args for $type {
            fn augment_args(command: Command) -> Command {
                command.args($settings.enumerate().map(arg))
            }

            fn augment_args_for_update(command: Command) -> Command {
                Self::augment_args(command)
            }
        }

        impl FromArgMatches for $type {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                Ok(Self(given($settings, matches)))
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                self.0.extend(given($settings, matches));
                Ok(())
            }
        }
    };
}

settings_as_flags!(CommonFlags: common());
settings_as_flags!(ServeFlags: of(Scope::Serve));
