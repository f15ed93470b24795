//! Verified payment instructions of accounts and of businesses (contract D8, D9).

mod accounts;
mod businesses;

use super::SqlTx;
use super::types::{Json, Timestamp};
use crate::error::{Error, Result};
pub(super) use accounts::load;
use cutover_app::port::{InstructionKey, Instructions, StoreError, VerifiedInstruction};

/// The position of an instruction and the columns that both tables have.
type Columns = (i64, String, String, String, Json<'static>, Timestamp);

fn verified(
    columns: Columns,
    open: impl Fn(i64, Json<'_>) -> Result<Json<'static>>,
) -> Result<VerifiedInstruction> {
    let (position, vendor, kind, reference, details, verified_at) = columns;
    let details = open(position, details)?;
    Ok(VerifiedInstruction {
        key: InstructionKey { vendor, kind: kind.parse().map_err(Error::corrupt)?, reference },
        details: details.read("the details of an instruction")?,
        verified_at: verified_at.instant()?,
    })
}

impl Instructions for SqlTx<'_> {
    fn account_has_instruction(&mut self, account_id: i64, key: &InstructionKey) -> Result<bool, StoreError> {
        self.run(|conn| accounts::has(conn, account_id, key))
    }

    fn add_account_instruction(
        &mut self,
        account_id: i64,
        instruction: &VerifiedInstruction,
    ) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| accounts::add(conn, sealer, account_id, instruction))
    }

    fn business_instruction(
        &mut self,
        business_id: i64,
        key: &InstructionKey,
    ) -> Result<Option<Vec<i64>>, StoreError> {
        self.run(|conn| businesses::accounts_of(conn, business_id, key))
    }

    fn add_business_instruction(
        &mut self,
        business_id: i64,
        instruction: &VerifiedInstruction,
        accounts: &[i64],
    ) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| businesses::add(conn, sealer, business_id, instruction, accounts))
    }
}
