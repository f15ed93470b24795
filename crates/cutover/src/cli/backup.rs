use super::owned_file;
use crate::context::Context;
use crate::error::Error;
use crate::open::open_error;
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

The copy is a consistent, checked database, even if a server writes meanwhile. It holds personal data and the keys
that sign tokens, and only its owner can read it: encrypt it. It does not hold the documents. PostgreSQL is backed up
with its own tools: see docs/OPERATIONS.md.";

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Path of the new file
    file: PathBuf,
}

#[derive(Serialize)]
struct Done {
    file: String,
    bytes: u64,
}

impl Answer for Done {
    fn text(&self) -> String {
        format!("Copied the database to {}: {} bytes, checked.", plain(&self.file), self.bytes)
    }
}

pub(super) fn run(context: &Context, args: &BackupArgs) -> Result<(), Error> {
    let settings = &context.settings;
    let Database::Sqlite(source) = &settings.database else {
        return Err(Error::refused(format!(
            "{} is backed up with pg_dump or the server's own tools: see docs/OPERATIONS.md",
            settings.database
        )));
    };
    let file = args.file.display().to_string();
    let unwritable =
        |error: std::io::Error| Error::refused(format!("the file {file} cannot be written: {error}"));
    if args.file.symlink_metadata().is_ok() {
        return Err(unwritable(std::io::ErrorKind::AlreadyExists.into()));
    }
    let part = part_path(&args.file);
    let copy = owned_file::create(&part).map_err(unwritable)?;
    context.app()?.begin_backup()?;
    let found = SqliteStore::copy(source, &part).and_then(|()| SqliteStore::full_check(&part));
    let found = found.map_err(|error| open_error(&settings.database, &error))?;
    if let Some(first) = found.first() {
        return Err(Error::refused(format!("the copy is damaged, and so is the database: {first}")));
    }
    let bytes = copy.keep_as(&args.file).map_err(unwritable)?;
    Ok(context.output.answer(&Done { file, bytes })?)
}

/// The path of the unfinished copy: a file under the final name is complete.
fn part_path(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}
