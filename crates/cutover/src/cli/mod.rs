//! The command line (contract D11): parses it and runs the command. Each group of operator commands has a file.

mod account;
mod api_key;
mod audit;
mod backup;
mod business;
mod certificate;
mod certificate_key;
mod doctor;
mod encryption_key;
mod export;
mod job;
mod migrate;
mod organisation;
mod owned_file;
mod process;
mod run;
mod signing_key;
mod supplier;
mod vendor;
mod webhook;

use crate::context::Context;
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
  cutover organisation add 'Acme Energy'                the owner of suppliers and keys
  cutover api-key issue --organisation 'Acme Energy'    the credential of a supplier
  cutover supplier add ACME --organisation 'Acme Energy' --time-zone Australia/Melbourne
  cutover serve                                         the API and the import workers
  cutover migrate                                       on PostgreSQL, before anything else

Every setting is also a variable, for example CUTOVER_DATA_DIR, and a key of the --config file.
Commands can run while a server is running. The exit code is 0 after success, 1 after a failure,
and 2 if the command line is invalid.";

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
    /// Run the API and the import workers
    #[command(after_help = serve::EXAMPLES)]
    Serve(ServeFlags),
    /// Demonstrate a whole migration on a separate database
    #[command(after_help = demo::EXAMPLES)]
    Demo(DemoArgs),
    /// Manage organisations, which own suppliers and keys
    #[command(subcommand, after_help = organisation::EXAMPLES)]
    Organisation(organisation::Command),
    /// Manage API keys
    #[command(subcommand, after_help = api_key::EXAMPLES)]
    ApiKey(api_key::Command),
    /// Manage import suppliers and their settings
    #[command(subcommand, after_help = supplier::EXAMPLES)]
    Supplier(supplier::Command),
    /// List, show and erase businesses
    #[command(subcommand, after_help = business::EXAMPLES)]
    Business(business::Command),
    /// Manage payment vendors, which confirm payment instructions
    #[command(subcommand, after_help = vendor::EXAMPLES)]
    Vendor(vendor::Command),
    /// Manage webhooks, which send events to other systems
    #[command(subcommand, after_help = webhook::EXAMPLES)]
    Webhook(webhook::Command),
    /// Show and change import processes, one per account
    #[command(subcommand, after_help = process::EXAMPLES)]
    Process(process::Command),
    /// Start, end, show and compare runs, such as rehearsals
    #[command(subcommand, after_help = run::EXAMPLES)]
    Run(run::Command),
    /// Watch, stop and resume bulk operations
    #[command(subcommand, after_help = job::EXAMPLES)]
    Job(job::Command),
    /// List the actions of operators
    #[command(after_help = audit::EXAMPLES)]
    Audit(audit::AuditArgs),
    /// Export or erase the data of one account
    #[command(subcommand, after_help = account::EXAMPLES)]
    Account(account::Command),
    /// Export all imported accounts of a supplier as tables
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArgs),
    /// Manage the keys that sign access tokens
    #[command(subcommand, after_help = signing_key::EXAMPLES)]
    SigningKey(signing_key::Command),
    /// List certificates of a supplier, and remove their leaves
    #[command(subcommand, after_help = certificate::EXAMPLES)]
    Certificate(certificate::Command),
    /// Manage the keys that sign certificates
    #[command(subcommand, after_help = certificate_key::EXAMPLES)]
    CertificateKey(certificate_key::Command),
    /// Manage the keys that encrypt payloads and bank details in the database
    #[command(subcommand, after_help = encryption_key::EXAMPLES)]
    EncryptionKey(encryption_key::Command),
    /// Apply or list the migrations of the database
    #[command(after_help = migrate::EXAMPLES)]
    Migrate(migrate::Args),
    /// Copy a SQLite database to a file, also while a server is running
    #[command(after_help = backup::EXAMPLES)]
    Backup(backup::BackupArgs),
    /// Check everything that a server needs
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(ServeFlags),
}

/// Returns true for flags that the demo refuses: it has a SQLite file and documents in its own folder.
fn is_fixed_in_demo(setting: &str) -> bool {
    setting.starts_with("database-") || setting == "documents-url"
}

/// Parses the command line and runs the command.
///
/// # Errors
/// [`Error`] if the command fails.
pub(crate) fn run() -> Result<ExitCode, Error> {
    let Cli { json, settings, command, .. } = Cli::parse();
    let output = Output::new(json);
    let mut flags = settings.0;
    if let Command::Serve(serve) | Command::Doctor(serve) = &command {
        flags.extend(serve.0.clone());
    }
    let settings = Settings::load(&flags, &environment()?);
    if let (Command::Demo(_), Some(name)) = (&command, flags.keys().find(|name| is_fixed_in_demo(name))) {
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
        Command::Business(command) => business::run(&in_context(settings)?, command),
        Command::Vendor(command) => vendor::run(&in_context(settings)?, command),
        Command::Webhook(command) => webhook::run(&in_context(settings)?, command),
        Command::Process(command) => process::run(&in_context(settings)?, command),
        Command::Run(command) => run::run(&in_context(settings)?, command),
        Command::Job(command) => job::run(&in_context(settings)?, command),
        Command::Account(command) => account::run(&in_context(settings)?, command),
        Command::Export(args) => export::run(&in_context(settings)?, &args),
        Command::Audit(args) => audit::run(&in_context(settings)?, args),
        Command::SigningKey(command) => signing_key::run(&in_context(settings)?, command),
        Command::Certificate(command) => certificate::run(&in_context(settings)?, command),
        Command::CertificateKey(command) => certificate_key::run(&in_context(settings)?, command),
        Command::EncryptionKey(command) => encryption_key::run(&in_context(settings)?, &command),
        Command::Migrate(args) => migrate::run(&in_context(settings)?, &args),
        Command::Backup(args) => backup::run(&in_context(settings)?, &args),
        Command::Doctor(_) => return doctor::run(settings, output),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The command line, as clap describes it.
#[cfg(test)]
pub(crate) fn command() -> clap::Command {
    let mut command = <Cli as clap::CommandFactory>::command();
    command.build();
    command
}

/// Returns the variables of the environment.
///
/// # Errors
/// [`Error`] if one of our variables is not UTF-8.
fn environment() -> Result<Environment, Error> {
    let variables = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
    let text = |(name, value): (String, OsString)| match value.into_string() {
        Ok(value) => Some(Ok((name, value))),
        Err(_) if is_ours(&name) => Some(Err(Error::refused(format!("the variable {name} is not UTF-8")))),
        Err(_) => None,
    };
    variables.filter_map(text).collect()
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
    fn settings_are_accepted_before_and_after_the_command() {
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
    fn a_switch_may_be_given_without_a_value() {
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
        insta::assert_snapshot!("help_of_webhook", help(&["webhook"]));
        for command in ["add", "test", "replay", "deliveries"] {
            insta::assert_snapshot!(format!("help_of_webhook_{command}"), help(&["webhook", command]));
        }
    }

    #[test]
    fn the_help_of_keys_names_every_role() {
        let help = help(&["api-key", "issue"]);
        for role in cutover_app::port::ApiKeyRole::WORDS {
            assert!(help.contains(role), "{role}");
        }
    }

    #[test]
    fn every_command_has_examples() {
        for command in Cli::command().get_subcommands() {
            assert!(help(&[command.get_name()]).contains("Examples:\n  "), "{}", command.get_name());
        }
    }
}
