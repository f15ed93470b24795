use super::super::schema::{business_instruction_accounts as applies, business_instructions};
use super::super::types::{Json, Timestamp};
use super::super::{Conn, next_position};
use crate::error::Result;
use crate::sealed::{Location, SealedTable, Sealer};
use cutover_app::port::{InstructionKey, VerifiedInstruction};
use diesel::prelude::*;

/// Returns the position of an instruction of a business.
fn position(conn: &mut Conn, business_id: i64, key: &InstructionKey) -> Result<Option<i64>> {
    let position = business_instructions::table
        .filter(business_instructions::business_id.eq(business_id))
        .filter(business_instructions::vendor.eq(&key.vendor))
        .filter(business_instructions::kind.eq(key.kind.as_str()))
        .filter(business_instructions::reference.eq(&key.reference))
        .select(business_instructions::position)
        .get_result(conn)
        .optional()?;
    Ok(position)
}

/// Returns the accounts that an instruction applies to.
pub(super) fn accounts_of(
    conn: &mut Conn,
    business_id: i64,
    key: &InstructionKey,
) -> Result<Option<Vec<i64>>> {
    let Some(position) = position(conn, business_id, key)? else { return Ok(None) };
    let accounts = applies::table
        .filter(applies::business_id.eq(business_id))
        .filter(applies::instruction.eq(position))
        .order(applies::account_id)
        .select(applies::account_id)
        .load(conn)?;
    Ok(Some(accounts))
}

pub(super) fn add(
    conn: &mut Conn,
    sealer: &Sealer,
    business_id: i64,
    instruction: &VerifiedInstruction,
    accounts: &[i64],
) -> Result<()> {
    let known = position(conn, business_id, &instruction.key)?;
    let position = known.map_or_else(|| insert(conn, sealer, business_id, instruction), Ok)?;
    for account in accounts {
        diesel::insert_into(applies::table)
            .values((
                applies::business_id.eq(business_id),
                applies::instruction.eq(position),
                applies::account_id.eq(account),
            ))
            .on_conflict_do_nothing()
            .execute(conn)?;
    }
    Ok(())
}

/// Adds an instruction and returns its position.
fn insert(
    conn: &mut Conn,
    sealer: &Sealer,
    business_id: i64,
    instruction: &VerifiedInstruction,
) -> Result<i64> {
    let position = next_position!(conn, business_instructions, business_id);
    let table = SealedTable::BusinessInstructions.as_str();
    let location = Location::Row { table, owner: business_id, position };
    let details = Json::of(&instruction.details)?.sealed(sealer, location)?;
    diesel::insert_into(business_instructions::table)
        .values((
            business_instructions::business_id.eq(business_id),
            business_instructions::position.eq(position),
            business_instructions::vendor.eq(&instruction.key.vendor),
            business_instructions::kind.eq(instruction.key.kind.as_str()),
            business_instructions::reference.eq(&instruction.key.reference),
            business_instructions::details.eq(details),
            business_instructions::verified_at.eq(Timestamp::from(instruction.verified_at)),
        ))
        .execute(conn)?;
    Ok(position)
}
