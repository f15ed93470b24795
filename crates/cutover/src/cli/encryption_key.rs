use super::Context;
use crate::error::Error;
use crate::open::{OpenDatabase, Purpose};
use crate::output::{Answer, Row};
use crate::serve::{Lock, running, shown, without_key};
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
  cutover doctor --encryption-key-file encryption.keys            what lies open, what is sealed with which key
  cutover encryption-key reseal --encryption-key-file encryption.keys
  cutover encryption-key reseal --vacuum                          SQLite, no server running

It refuses while a running server lacks the first key; --force does it all the same.

A file has one NAME:KEY a line. The first one encrypts, all decrypt: a new key is given to every process behind the
old one, then moved to the front everywhere, then everything is sealed anew with it, and the old one is taken away.
NAME:lost stands for a key that nobody has any more: what is sealed with it is given up.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a key and print its line: this once and never again
    Generate,
    /// Encrypt with the first key what lies open or was encrypted with another; beside running servers
    Reseal {
        /// On SQLite, without a running server: then write the file anew, so that nothing of what lay open is
        /// left in it
        #[arg(long)]
        vacuum: bool,
        /// Even while a running server lacks the first key, and could not read what is encrypted with it
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

/// What became of the values of a table.
#[derive(Debug, Serialize)]
struct Done {
    table: &'static str,
    sealed: u64,
    fresh: u64,
    changed: u64,
    left: u64,
    /// Why some are left.
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
            why: resealed.left.keys().map(why).collect(),
        }
    }
}

fn why(seal: &Seal) -> String {
    match seal {
        Seal::Key(name, KeyState::Lost) => format!("{name} is lost"),
        Seal::Key(name, KeyState::Missing) => format!("{name} is not here"),
        Seal::Key(name, _) => format!("{name} does not open it"),
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
        return Err(Error::refused("there is no key to encrypt with: set encryption-key-file"));
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
            PostgresStore::reseal(&options, &mut teller()).map_err(refused)?
        }
    };
    let rows: Vec<Done> = resealed.iter().map(Done::from).collect();
    Ok(context.output.list(&rows)?)
}

/// Refuses if a running server lacks the key: it could not read what is sealed with it.
fn check_servers(nodes: &[Node], key: &str) -> Result<(), Error> {
    let lacking: Vec<String> = without_key(nodes, key).into_iter().map(shown).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "running servers lack the key {key} and could not read what is encrypted with it: {}. Give it to them and start \
         them again, or use --force. One that was killed counts as running for 30 s",
        lacking.join("; ")
    )))
}

fn in_file(settings: &Settings, file: &Path, sealer: Sealer, vacuum: bool) -> Result<Vec<Resealed>, Error> {
    let _lock = if vacuum { Some(Lock::take(file)?) } else { None };
    // It is migrated then, and made if there is none.
    OpenDatabase::open(settings, Purpose::Command)?;
    let options = Options { sealer, ..Options::default() };
    let resealed = SqliteStore::reseal(file, &options, &mut teller()).map_err(refused)?;
    let wiped = if vacuum { SqliteStore::rewrite(file).map(|()| true) } else { SqliteStore::empty_log(file) };
    let is_wiped = wiped.map_err(|e| Error::refused(format!("everything is sealed, but for copies: {e}")))?;
    if !is_wiped {
        eprintln!(
            "The write-ahead log is in use and may hold what lay open until the server is started again."
        );
    }
    Ok(resealed)
}

/// How often it is told how far it is.
const EVERY: u64 = 10_000;

/// Tells people how far it is.
fn teller() -> impl FnMut(&Resealed) {
    let mut last = 0;
    move |resealed| {
        let now = resealed.sealed / EVERY;
        if now > last {
            eprintln!("{}: {} sealed so far", resealed.table.as_str(), resealed.sealed);
        }
        last = now;
    }
}

fn refused(error: ResealError) -> Error {
    Error::refused(format!("{error}. What was sealed is; run it again"))
}
