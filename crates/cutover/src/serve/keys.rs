use crate::error::Error;
use crate::open::OpenDatabase;
use cutover_store::{KeyState, Seal};
use std::collections::BTreeSet;

/// Whether this process has the keys that the database is sealed with. One that has not could import nothing of
/// it, and might store in the open what the others seal.
///
/// # Errors
/// [`Error`] names the keys that are not here.
pub(super) fn check(database: &OpenDatabase) -> Result<(), Error> {
    let seals = database.seals()?;
    let absent = seals.iter().flat_map(|seals| seals.found.keys()).filter_map(|seal| match seal {
        Seal::Key(name, KeyState::Missing | KeyState::Wrong) => Some(name.as_str()),
        _ => None,
    });
    let absent: Vec<&str> = absent.collect::<BTreeSet<_>>().into_iter().collect();
    if absent.is_empty() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "the database is encrypted with keys that are not here, or others of the name: {}. Give them to \
         encryption-key-file or CUTOVER_ENCRYPTION_KEYS; of one that nobody has any more the line NAME:lost",
        absent.join(", ")
    )))
}
