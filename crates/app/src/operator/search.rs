use super::scope::Scoped;
use super::{Operations, OperatorError};
use crate::account::AccountStatus;
use crate::port::{StoreError, StoredProcess, Supplier};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};

/// An account that matches a search.
#[derive(Debug, Clone)]
pub struct AccountMatch {
    /// The code of its supplier.
    pub supplier: String,
    /// The account and its status.
    pub account: AccountStatus,
}

impl Operations<'_> {
    /// Searches the accounts of the suppliers, or of one of them: finds the account with this
    /// number at this service, and accounts whose number at their previous supplier begins with it, at most
    /// `limit` per supplier. The cost does not depend on the number of accounts.
    ///
    /// # Errors
    /// [`OperatorError::Store`] if they could not be read.
    pub fn search_accounts(
        &self,
        supplier: Option<&str>,
        text: &str,
        limit: u32,
    ) -> Result<Vec<AccountMatch>, OperatorError> {
        // No number begins with a text that is blank, too long, or contains a NUL, which some databases
        // refuse.
        let Ok(sought) = text.parse::<ExternalAccountNumber>() else { return Ok(Vec::new()) };
        self.read_committed(|tx| {
            let mut suppliers = tx.suppliers()?;
            suppliers.retain(|one| supplier.is_none_or(|code| one.code.as_str() == code));
            let mut found = Vec::from_iter(by_account(tx, &suppliers, sought.as_str())?);
            for supplier in &suppliers {
                let like = tx.processes_like(supplier.id, &sought, limit)?;
                found.extend(like.iter().map(|stored| shown(supplier, stored)));
            }
            Ok(found)
        })
    }
}

/// Returns the account with this number at this service, ignoring its case.
fn by_account(
    tx: &mut Scoped<'_>,
    suppliers: &[Supplier],
    text: &str,
) -> Result<Option<AccountMatch>, StoreError> {
    let Ok(number) = text.to_ascii_uppercase().parse::<ServiceAccountNumber>() else { return Ok(None) };
    let found = tx.process_of_account(suppliers, &number)?;
    Ok(found.map(|(supplier, stored)| shown(supplier, &stored)))
}

fn shown(supplier: &Supplier, stored: &StoredProcess) -> AccountMatch {
    AccountMatch {
        supplier: supplier.code.to_string(),
        account: AccountStatus::new(&stored.process, &stored.error_causes, supplier.settings.time_zone),
    }
}
