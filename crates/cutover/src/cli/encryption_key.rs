use crate::context::Context;
use crate::error::Error;
use crate::lock::Lock;
use crate::nodes::{describe, running, without_key};
use crate::open::{OpenDatabase, Purpose};
use crate::output::{Answer, Row};
use crate::settings::{Database, Settings};
use crate::system::SystemRandom;
use clap::Subcommand;
use cutover_app::port::Node;
use cutover_store::{
    EncryptionKeys, KeyState, Options, PostgresOptions, PostgresStore, ResealError, Resealed, Seal, Sealer,
    SqliteStore,
};
use serde::Serialize;
use std::path::Path;

pub(super) const EXAMPLES: &str = "\
Examples:
  (umask 077; cutover encryption-key generate >> encryption.keys)
  cutover doctor --encryption-key-file encryption.keys            what is encrypted, and with which key
  cutover encryption-key reseal --encryption-key-file encryption.keys
  cutover encryption-key reseal --vacuum                          SQLite, no server running

`reseal` refuses to run while a running server lacks the first key, unless --force is given.

A file has one NAME:KEY a line. The first key encrypts, all keys decrypt. To rotate: add the new key after the old one
for every process, then move it to the front everywhere, then reseal, then remove the old key. A line NAME:lost declares
a key as lost: values encrypted with it are given up.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Generate a key and print its line; it is not stored
    Generate,
    /// Encrypt every value with the first key, also while servers run
    Reseal {
        /// On SQLite, without a running server: rewrite the file afterwards, so that no unencrypted value is
        /// left in it
        #[arg(long)]
        vacuum: bool,
        /// Run even if a running server lacks the first key, and could not read what is encrypted with it
        #[arg(long)]
        force: bool,
    },
}

#[derive(Serialize)]
struct Generated {
    #[serde(skip)]
    line: String,
    name: String,
    key: String,
}

impl Answer for Generated {
    fn text(&self) -> String {
        self.line.clone()
    }
}

/// The outcome for the values of a table.
#[derive(Debug, Serialize)]
struct Done {
    table: &'static str,
    sealed: u64,
    fresh: u64,
    changed: u64,
    left: u64,
    /// The reasons why some are left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    why: Vec<String>,
}

impl From<&Resealed> for Done {
    fn from(resealed: &Resealed) -> Self {
        Self {
            table: resealed.table.as_str(),
            sealed: resealed.sealed,
            fresh: resealed.fresh,
            changed: resealed.changed,
            left: resealed.left.values().sum(),
            why: resealed.left.keys().map(reason).collect(),
        }
    }
}

fn reason(seal: &Seal) -> String {
    match seal {
        Seal::Key(name, KeyState::Lost) => format!("{name} is lost"),
        Seal::Key(name, KeyState::Missing) => format!("{name} is missing"),
        Seal::Key(name, _) => format!("{name} does not decrypt it"),
        Seal::Open | Seal::Unknown => "of a newer version".to_owned(),
    }
}

impl Row for Done {
    const HEADS: &'static [&'static str] =
        &["TABLE", "SEALED NOW", "BEFORE", "CHANGED MEANWHILE", "LEFT", "WHY"];
    const EMPTY: &'static str = "";

    fn cells(&self) -> Vec<String> {
        let counts = [self.sealed, self.fresh, self.changed, self.left].map(|count| count.to_string());
        let why = self.why.join(", ");
        [vec![self.table.to_owned()], counts.to_vec(), vec![why]].concat()
    }
}

pub(super) fn run(context: &Context, command: &Command) -> Result<(), Error> {
    match command {
        Command::Generate => generate(context),
        Command::Reseal { vacuum, force } => reseal(context, *vacuum, *force),
    }
}

fn generate(context: &Context) -> Result<(), Error> {
    let line = EncryptionKeys::generate(&SystemRandom).to_string();
    let (name, key) = line.split_once(':').unwrap_or_default();
    let (name, key) = (name.to_owned(), key.to_owned());
    Ok(context.output.answer(&Generated { line, name, key })?)
}

fn reseal(context: &Context, vacuum: bool, force: bool) -> Result<(), Error> {
    let settings = &context.settings;
    let sealer = settings.encryption.sealer()?;
    let Some(key) = sealer.keys().map(|keys| keys.first().to_owned()) else {
        return Err(Error::refused("no key is configured: set encryption-key-file"));
    };
    if vacuum && matches!(settings.database, Database::Postgres(_)) {
        return Err(Error::refused("--vacuum is for SQLite: on PostgreSQL see docs/OPERATIONS.md"));
    }
    let app = context.app()?;
    if !force {
        check_servers(&running(&app, settings)?, &key)?;
    }
    app.begin_reseal()?;
    let resealed = match &settings.database {
        Database::Sqlite(file) => in_file(settings, file, sealer, vacuum)?,
        Database::Postgres(options) => {
            OpenDatabase::open(settings, Purpose::Command)?;
            let options = PostgresOptions { sealer, ..(**options).clone() };
            PostgresStore::reseal(&options, &mut print_progress()).map_err(refused)?
        }
    };
    let rows: Vec<Done> = resealed.iter().map(Done::from).collect();
    Ok(context.output.list(&rows)?)
}

/// Refuses if a running server lacks the key: it could not read values encrypted with it.
fn check_servers(nodes: &[Node], key: &str) -> Result<(), Error> {
    let lacking: Vec<String> = without_key(nodes, key).into_iter().map(describe).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "running servers lack the key {key} and could not read what is encrypted with it: {}. Add it there and restart \
         them, or use --force. A killed server counts as running for another 30 s",
        lacking.join("; ")
    )))
}

fn in_file(settings: &Settings, file: &Path, sealer: Sealer, vacuum: bool) -> Result<Vec<Resealed>, Error> {
    let _lock = if vacuum { Some(Lock::take(file)?) } else { None };
    // This creates and migrates the file if necessary.
    OpenDatabase::open(settings, Purpose::Command)?;
    let options = Options::beside_a_server(sealer);
    let resealed = SqliteStore::reseal(file, &options, &mut print_progress()).map_err(refused)?;
    let wiped = if vacuum { SqliteStore::rewrite(file).map(|()| true) } else { SqliteStore::empty_log(file) };
    let is_wiped = wiped.map_err(|e| {
        Error::refused(format!("all values are encrypted, but unencrypted copies remain: {e}"))
    })?;
    if !is_wiped {
        eprintln!(
            "The write-ahead log is in use and may hold unencrypted values until the server is restarted."
        );
    }
    Ok(resealed)
}

/// Number of values between two lines of progress.
const PROGRESS_INTERVAL: u64 = 10_000;

/// Returns a callback that prints progress to standard error.
fn print_progress() -> impl FnMut(&Resealed) {
    let mut last = 0;
    move |resealed| {
        let now = resealed.sealed / PROGRESS_INTERVAL;
        if now > last {
            eprintln!("{}: {} encrypted so far", resealed.table.as_str(), resealed.sealed);
        }
        last = now;
    }
}

fn refused(error: ResealError) -> Error {
    Error::refused(format!("{error}. Run it again: it continues"))
}
