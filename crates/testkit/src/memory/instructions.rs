use super::State;
use super::accounts::Imported;
use cutover_app::port::{InstructionKey, Instructions, StoreError, VerifiedInstruction};
use std::collections::BTreeSet;

/// An instruction of a business and the accounts that it applies to.
#[derive(Debug, Clone)]
pub(super) struct BusinessInstruction {
    business_id: i64,
    instruction: VerifiedInstruction,
    accounts: BTreeSet<i64>,
}

impl BusinessInstruction {
    fn is(&self, business_id: i64, key: &InstructionKey) -> bool {
        self.business_id == business_id && self.instruction.key == *key
    }
}

impl BusinessInstruction {
    pub(super) fn is_of(&self, business_id: i64) -> bool {
        self.business_id == business_id
    }

    /// Returns an account that it applies to, if it is one of this business.
    pub(super) fn account_of(&self, business_id: i64) -> Option<i64> {
        if self.is_of(business_id) { self.accounts.first().copied() } else { None }
    }

    /// Removes an account from those that it applies to.
    pub(super) fn forget(&mut self, account_id: i64) {
        self.accounts.remove(&account_id);
    }
}

impl Imported {
    fn was_imported_with(&self, key: &InstructionKey) -> bool {
        self.new.account.payment_instructions.iter().flatten().any(|sent| {
            sent.kind == key.kind
                && (sent.vendor.trimmed(), sent.reference.trimmed()) == (&*key.vendor, &*key.reference)
        })
    }

    fn was_given(&self, key: &InstructionKey) -> bool {
        self.instructions.iter().any(|added| added.key == *key)
    }
}

impl Instructions for State {
    fn account_has_instruction(&mut self, account_id: i64, key: &InstructionKey) -> Result<bool, StoreError> {
        let account = self.account(account_id);
        Ok(account.is_some_and(|account| account.was_imported_with(key) || account.was_given(key)))
    }

    fn add_account_instruction(
        &mut self,
        account_id: i64,
        instruction: &VerifiedInstruction,
    ) -> Result<(), StoreError> {
        let account = self.account_mut(account_id)?;
        if account.was_given(&instruction.key) {
            return Err(StoreError::Conflict("the account has the instruction".into()));
        }
        account.instructions.push(instruction.clone());
        Ok(())
    }

    fn business_instruction(
        &mut self,
        business_id: i64,
        key: &InstructionKey,
    ) -> Result<Option<Vec<i64>>, StoreError> {
        let found = self.business_instructions.iter().find(|known| known.is(business_id, key));
        Ok(found.map(|known| known.accounts.iter().copied().collect()))
    }

    fn add_business_instruction(
        &mut self,
        business_id: i64,
        instruction: &VerifiedInstruction,
        accounts: &[i64],
    ) -> Result<(), StoreError> {
        let known = self.business_instructions.iter_mut().find(|k| k.is(business_id, &instruction.key));
        match known {
            Some(known) => known.accounts.extend(accounts),
            None => self.business_instructions.push(BusinessInstruction {
                business_id,
                instruction: instruction.clone(),
                accounts: accounts.iter().copied().collect(),
            }),
        }
        Ok(())
    }
}
