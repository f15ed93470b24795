use crate::error::Error;
use crate::open::OpenDatabase;
use cutover_store::{KeyState, Seal};
use std::collections::BTreeSet;

/// Checks that this process has the keys that the database is encrypted with. Without them it could import nothing, and
/// might store unencrypted what other processes encrypt.
///
/// # Errors
/// [`Error`] names the missing keys.
pub(super) fn check(database: &OpenDatabase) -> Result<(), Error> {
    let seals = database.seals()?;
    let missing = seals.iter().flat_map(|seals| seals.found.keys()).filter_map(|seal| match seal {
        Seal::Key(name, KeyState::Missing | KeyState::Wrong) => Some(name.as_str()),
        _ => None,
    });
    let missing: Vec<&str> = missing.collect::<BTreeSet<_>>().into_iter().collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "the database is encrypted with keys that are missing here, or differ from those of the same name: {}. Add them to \
         encryption-key-file or CUTOVER_ENCRYPTION_KEYS; for a key that is lost, add the line NAME:lost",
        missing.join(", ")
    )))
}
