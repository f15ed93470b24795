use crate::App;
use crate::account::AccountStatus;
use crate::auth::Caller;
use crate::port::{StoreError, StoredProcess, Supplier, Tx, read_committed};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};

/// An account that matches a search.
#[derive(Debug, Clone)]
pub struct AccountMatch {
    /// The code of its supplier.
    pub supplier: String,
    /// The account and its status.
    pub account: AccountStatus,
}

impl App {
    /// Searches the accounts of an organisation, or of one of its suppliers: finds the account with this
    /// number at this service, and accounts whose number at their previous supplier begins with it, at most
    /// `limit` per supplier. The cost does not depend on the number of accounts.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn search_accounts(
        &self,
        caller: &Caller,
        supplier: Option<&str>,
        text: &str,
        limit: u32,
    ) -> Result<Vec<AccountMatch>, StoreError> {
        // No number begins with a text that is blank, too long, or contains a NUL, which some databases
        // refuse.
        let Ok(sought) = text.parse::<ExternalAccountNumber>() else { return Ok(Vec::new()) };
        read_committed(&*self.store, |tx| {
            let mut suppliers = tx.suppliers()?;
            suppliers.retain(|own| {
                own.organisation_id == caller.organisation_id
                    && supplier.is_none_or(|code| own.code.as_str() == code)
            });
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
    tx: &mut dyn Tx,
    suppliers: &[Supplier],
    text: &str,
) -> Result<Option<AccountMatch>, StoreError> {
    let Ok(number) = text.to_ascii_uppercase().parse::<ServiceAccountNumber>() else { return Ok(None) };
    let Some(stored) = tx.process_of_account(&number)? else { return Ok(None) };
    let supplier = suppliers.iter().find(|supplier| supplier.id == stored.supplier_id);
    Ok(supplier.map(|supplier| shown(supplier, &stored)))
}

fn shown(supplier: &Supplier, stored: &StoredProcess) -> AccountMatch {
    AccountMatch {
        supplier: supplier.code.to_string(),
        account: AccountStatus::new(&stored.process, &stored.error_causes, supplier.settings.time_zone),
    }
}
