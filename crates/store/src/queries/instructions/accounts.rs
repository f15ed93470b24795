use super::super::schema::{account_instructions, payment_instructions};
use super::super::types::{Json, Timestamp};
use super::super::{Conn, next_position};
use super::{Columns, verified};
use crate::error::Result;
use crate::sealed::{Location, SealedTable, Sealer};
use cutover_app::port::{InstructionKey, VerifiedInstruction};
use cutover_core::trimmed;
use diesel::dsl::exists;
use diesel::prelude::*;
use std::collections::HashMap;

pub(super) fn has(conn: &mut Conn, account_id: i64, key: &InstructionKey) -> Result<bool> {
    Ok(was_added(conn, account_id, key)? || was_imported(conn, account_id, key)?)
}

fn was_added(conn: &mut Conn, account_id: i64, key: &InstructionKey) -> Result<bool> {
    let added = account_instructions::table
        .filter(account_instructions::account_id.eq(account_id))
        .filter(account_instructions::vendor.eq(&key.vendor))
        .filter(account_instructions::kind.eq(key.kind.as_str()))
        .filter(account_instructions::reference.eq(&key.reference));
    Ok(diesel::select(exists(added)).get_result(conn)?)
}

/// Instructions of a payload are stored as sent. A payload has few, at most one of a kind (rule PIN-01).
fn was_imported(conn: &mut Conn, account_id: i64, key: &InstructionKey) -> Result<bool> {
    let imported: Vec<(String, String)> = payment_instructions::table
        .filter(payment_instructions::account_id.eq(account_id))
        .filter(payment_instructions::kind.eq(key.kind.as_str()))
        .select((payment_instructions::vendor, payment_instructions::reference))
        .load(conn)?;
    let mut imported = imported.iter();
    Ok(imported.any(|(vendor, reference)| {
        (trimmed(vendor), trimmed(reference)) == (key.vendor.as_str(), key.reference.as_str())
    }))
}

fn location(account_id: i64, position: i64) -> Location<'static> {
    Location::Row { table: SealedTable::AccountInstructions.as_str(), owner: account_id, position }
}

pub(super) fn add(
    conn: &mut Conn,
    sealer: &Sealer,
    account_id: i64,
    instruction: &VerifiedInstruction,
) -> Result<()> {
    let position = next_position!(conn, account_instructions, account_id);
    let details = Json::of(&instruction.details)?.sealed(sealer, location(account_id, position))?;
    diesel::insert_into(account_instructions::table)
        .values((
            account_instructions::account_id.eq(account_id),
            account_instructions::position.eq(position),
            account_instructions::vendor.eq(&instruction.key.vendor),
            account_instructions::kind.eq(instruction.key.kind.as_str()),
            account_instructions::reference.eq(&instruction.key.reference),
            account_instructions::details.eq(details),
            account_instructions::verified_at.eq(Timestamp::from(instruction.verified_at)),
        ))
        .execute(conn)?;
    Ok(())
}

/// Returns the instructions that were added to accounts, oldest first. An account has few.
pub(in super::super) fn load(
    conn: &mut Conn,
    sealer: &Sealer,
    account_ids: &[i64],
) -> Result<HashMap<i64, Vec<VerifiedInstruction>>> {
    let rows: Vec<(i64, Columns)> = account_instructions::table
        .filter(account_instructions::account_id.eq_any(account_ids))
        .order(account_instructions::table.primary_key())
        .select((
            account_instructions::account_id,
            (
                account_instructions::position,
                account_instructions::vendor,
                account_instructions::kind,
                account_instructions::reference,
                account_instructions::details,
                account_instructions::verified_at,
            ),
        ))
        .load(conn)?;
    let mut added: HashMap<i64, Vec<_>> = HashMap::new();
    for (account_id, columns) in rows {
        let open = |position, details: Json<'_>| details.opened(sealer, location(account_id, position));
        added.entry(account_id).or_default().push(verified(columns, open)?);
    }
    Ok(added)
}
