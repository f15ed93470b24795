//! The operator's commands (contract D11), a file per group.

mod account;
mod api_key;
mod audit;
mod backup;
mod context;
mod doctor;
mod encryption_key;
mod migrate;
mod organisation;
mod owned_file;
mod process;
mod signing_key;
mod supplier;
mod vendor;

pub(crate) use context::Context;

use crate::demo::{self, DemoArgs};
use crate::error::Error;
use crate::output::Output;
use crate::serve;
use crate::settings::{CommonFlags, Environment, ServeFlags, Settings, SettingsError, is_ours};
use clap::{ArgAction, Parser, Subcommand};
use std::ffi::OsString;
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  cutover demo                                          see it work, nothing to install
  cutover organisation add 'Acme Energy'                who owns suppliers and keys
  cutover api-key issue --organisation 'Acme Energy'    what a supplier signs in with
  cutover supplier add ACME --organisation 'Acme Energy' --time-zone Australia/Melbourne
  cutover serve                                         the API and the import workers
  cutover migrate                                       on PostgreSQL, before anything else

Every setting is a variable too, such as CUTOVER_DATA_DIR, and a key of the --config file.
Commands work beside a running server. They exit with 0 when they did what they were asked,
with 1 when they could not, and with 2 when they were not understood.";

/// Cutover: customer accounts from one supplier's system to another's.
#[derive(Debug, Parser)]
#[command(name = "cutover", version, after_help = EXAMPLES, max_term_width = 110)]
#[command(disable_help_flag = true, disable_help_subcommand = true)]
struct Cli {
    /// Print help
    #[arg(short, long, global = true, action = ArgAction::HelpShort)]
    help: Option<bool>,
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    settings: CommonFlags,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run the API and the import workers until they are told to stop
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeFlags),
    /// See the whole story on a database of its own: from nothing to a served, filled service
    #[command(after_help = demo::EXAMPLES)]
    Demo(DemoArgs),
    /// Organisations, which own suppliers and keys
    #[command(subcommand, after_help = organisation::EXAMPLES)]
    Organisation(organisation::Command),
    /// API keys, which tokens are obtained with
    #[command(subcommand, after_help = api_key::EXAMPLES)]
    ApiKey(api_key::Command),
    /// Import suppliers and their settings
    #[command(subcommand, after_help = supplier::EXAMPLES)]
    Supplier(supplier::Command),
    /// Payment vendors, which are asked for payment instructions
    #[command(subcommand, after_help = vendor::EXAMPLES)]
    Vendor(vendor::Command),
    /// Import processes: one account each
    #[command(subcommand, after_help = process::EXAMPLES)]
    Process(process::Command),
    /// What operators did: commands and the console
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::AuditArgs),
    /// The data of one account: handed out, or removed
    #[command(subcommand, after_help = account::EXAMPLES)]
    Account(account::Command),
    /// The keys that sign access tokens
    #[command(subcommand, after_help = signing_key::EXAMPLES)]
    SigningKey(signing_key::Command),
    /// The keys that payloads and bank details are encrypted with in the database
    #[command(subcommand, after_help = encryption_key::EXAMPLES)]
    EncryptionKey(encryption_key::Command),
    /// Apply the migrations of the database, or show them
    #[command(after_help = migrate::EXAMPLES)]
    Migrate(migrate::Args),
    /// Copy a SQLite database to a file, beside a running server
    #[command(after_help = backup::EXAMPLES)]
    Backup(backup::BackupArgs),
    /// Look at everything a server needs and say what to mend
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(ServeFlags),
}

/// Whether the demo does not take a setting as a flag: it keeps to its own folder, and a SQLite file there.
fn is_own_to_demo(setting: &str) -> bool {
    setting.starts_with("database-") || setting == "documents-url"
}

/// Does what the command line asks.
///
/// # Errors
/// [`Error`] if it could not.
pub(crate) fn run() -> Result<ExitCode, Error> {
    let Cli { json, settings, command, .. } = Cli::parse();
    let output = Output::new(json);
    let mut flags = settings.0;
    if let Command::Serve(serve) | Command::Doctor(serve) = &command {
        flags.extend(serve.0.clone());
    }
    let settings = Settings::load(&flags, &environment()?);
    if let (Command::Demo(_), Some(name)) = (&command, flags.keys().find(|name| is_own_to_demo(name))) {
        return Err(Error::refused(format!(
            "the demo has its own database and documents: leave out --{name}"
        )));
    }
    let in_context =
        |settings: Result<Settings, SettingsError>| Ok::<_, Error>(Context { settings: settings?, output });
    match command {
        Command::Serve(_) => serve::run(&in_context(settings)?),
        Command::Demo(args) => demo::run(&in_context(settings)?, &args),
        Command::Organisation(command) => organisation::run(&in_context(settings)?, command),
        Command::ApiKey(command) => api_key::run(&in_context(settings)?, command),
        Command::Supplier(command) => supplier::run(&in_context(settings)?, command),
        Command::Vendor(command) => vendor::run(&in_context(settings)?, command),
        Command::Process(command) => process::run(&in_context(settings)?, command),
        Command::Account(command) => account::run(&in_context(settings)?, command),
        Command::Audit(args) => audit::run(&in_context(settings)?, args),
        Command::SigningKey(command) => signing_key::run(&in_context(settings)?, command),
        Command::EncryptionKey(command) => encryption_key::run(&in_context(settings)?, &command),
        Command::Migrate(args) => migrate::run(&in_context(settings)?, &args),
        Command::Backup(args) => backup::run(&in_context(settings)?, &args),
        Command::Doctor(_) => return doctor::run(settings, output),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The variables of the environment.
///
/// # Errors
/// [`Error`] if one of ours is no text.
fn environment() -> Result<Environment, Error> {
    let named = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let text = |(name, value): (String, OsString)| match value.into_string() {
        Ok(value) => Some(Ok((name, value))),
        Err(_) if is_ours(&name) => Some(Err(Error::refused(format!("the variable {name} is not UTF-8")))),
        Err(_) => None,
    };
    named.filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::{Cli, Command};
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_commands_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn settings_stand_before_or_after_the_command() {
        for words in [
            ["cutover", "--data-dir", "d", "--json", "organisation", "list"],
            ["cutover", "organisation", "list", "--json", "--data-dir", "d"],
        ] {
            let cli = Cli::try_parse_from(words).unwrap();
            assert_eq!(cli.settings.0["data-dir"], ["d"]);
            assert!(cli.json);
        }
    }

    #[test]
    fn a_switch_stands_alone_or_with_its_value() {
        for (words, value) in [
            (&["cutover", "serve", "--migrate", "--role", "api"][..], "true"),
            (&["cutover", "serve", "--migrate=false"], "false"),
        ] {
            let Command::Serve(flags) = Cli::try_parse_from(words).unwrap().command else { panic!() };
            assert_eq!(flags.0["migrate"], [value]);
        }
    }

    fn help(words: &[&str]) -> String {
        let mut cli = Cli::command().term_width(100);
        cli.build();
        let found = words.iter().fold(&mut cli, |command, word| command.find_subcommand_mut(word).unwrap());
        found.render_help().to_string()
    }

    #[test]
    fn the_help() {
        insta::assert_snapshot!("help", help(&[]));
        insta::assert_snapshot!("help_of_serve", help(&["serve"]));
        insta::assert_snapshot!("help_of_supplier_set", help(&["supplier", "set"]));
        insta::assert_snapshot!("help_of_vendor", help(&["vendor"]));
        insta::assert_snapshot!("help_of_vendor_add", help(&["vendor", "add"]));
    }

    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            assert!(help(&[command.get_name()]).contains("Examples:\n  "), "{}", command.get_name());
        }
    }
}
