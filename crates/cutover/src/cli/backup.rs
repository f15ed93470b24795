use super::{Context, owned_file};
use crate::error::Error;
use crate::open::refused;
use crate::output::{Answer, plain};
use crate::settings::Database;
use clap::Args;
use cutover_store::SqliteStore;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover backup /backup/cutover-2026-11-21.db
  cutover doctor --database-url sqlite:/backup/cutover-2026-11-21.db

The copy is of one moment, though a server writes meanwhile; it is checked whole, and a database itself. It holds
personal data and the keys that sign tokens, and is for its owner alone: encrypt it. What lies in the storage of
documents is not in it. PostgreSQL is backed up by its own means: see docs/OPERATIONS.md.";

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The new file
    file: PathBuf,
}

#[derive(Serialize)]
struct Done {
    file: String,
    bytes: u64,
}

impl Answer for Done {
    fn text(&self) -> String {
        format!("Copied the database to {}, {} bytes, and found it whole.", plain(&self.file), self.bytes)
    }
}

pub(super) fn run(context: &Context, args: &BackupArgs) -> Result<(), Error> {
    let settings = &context.settings;
    let Database::Sqlite(source) = &settings.database else {
        return Err(Error::refused(format!(
            "{} is backed up by pg_dump or the server's own means: see docs/OPERATIONS.md",
            settings.database
        )));
    };
    let file = args.file.display().to_string();
    let unwritable =
        |error: std::io::Error| Error::refused(format!("the file {file} cannot be written: {error}"));
    if args.file.symlink_metadata().is_ok() {
        return Err(unwritable(std::io::ErrorKind::AlreadyExists.into()));
    }
    let part = beside(&args.file);
    let copy = owned_file::create(&part).map_err(unwritable)?;
    context.app()?.begin_backup()?;
    let found = SqliteStore::copy(source, &part).and_then(|()| SqliteStore::full_check(&part));
    let found = found.map_err(|error| refused(&settings.database, &error))?;
    if let Some(first) = found.first() {
        return Err(Error::refused(format!("the copy is not whole, nor then is the database: {first}")));
    }
    let bytes = copy.keep_as(&args.file).map_err(unwritable)?;
    Ok(context.output.answer(&Done { file, bytes })?)
}

/// Where it is made: under its own name it is whole, or not there.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}
