//! Account numbers that look alike (rule PST-20).

use super::Conn;
use super::schema::folded_numbers;
use crate::error::Result;
use cutover_core::{ExternalAccountNumber, folded};
use diesel::prelude::*;
use std::borrow::Cow;

/// Maximum size of a folded number that is stored, in bytes: an entry of an index has room for it. A number of 128 characters is
/// longer only if nearly all of them have a compatibility form of several characters.
const MAX_FOLDED: usize = 1_024;

/// Maximum number of accounts with one folded number of which the first that is not cancelled is named. It is a
/// part of the statements.
pub(crate) const CANDIDATES: &str = "16";

/// Returns the folded number, if it is another than the number.
pub(crate) fn to_store(number: &str) -> Option<Cow<'_, str>> {
    Some(folded(number)).filter(|folded| folded != number && folded.len() <= MAX_FOLDED)
}

/// Stores the folded number of a new account.
pub(super) fn insert(
    conn: &mut Conn,
    process_id: i64,
    supplier_id: i64,
    number: &ExternalAccountNumber,
) -> Result<()> {
    let Some(folded) = to_store(number.as_str()) else { return Ok(()) };
    let row = (
        folded_numbers::process_id.eq(process_id),
        folded_numbers::supplier_id.eq(supplier_id),
        folded_numbers::folded.eq(folded),
    );
    diesel::insert_into(folded_numbers::table).values(row).execute(conn)?;
    Ok(())
}
