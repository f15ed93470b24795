use crate::App;
use crate::account::AccountStatus;
use crate::auth::Caller;
use crate::port::{StoreError, StoredProcess, Supplier, Tx, glance};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber};

/// An account that was searched for.
#[derive(Debug, Clone)]
pub struct FoundAccount {
    /// The code of its supplier.
    pub supplier: String,
    /// The account and its status.
    pub account: AccountStatus,
}

impl App {
    /// Accounts of an organisation, of one of its suppliers if a code is given: the one of this number at this
    /// service, and those whose number at their previous supplier begins so; at most `limit` of a supplier. What
    /// no number can begin with finds nothing. What it costs does not depend on how many accounts there are.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn search_accounts(
        &self,
        caller: &Caller,
        supplier: Option<&str>,
        text: &str,
        limit: u32,
    ) -> Result<Vec<FoundAccount>, StoreError> {
        // Blank, too long, or with a NUL, which not every database takes: no number begins so.
        let Ok(sought) = text.parse::<ExternalAccountNumber>() else { return Ok(Vec::new()) };
        glance(&*self.store, |tx| {
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

/// The account of a number at this service, in whatever case it is written.
fn by_account(
    tx: &mut dyn Tx,
    suppliers: &[Supplier],
    text: &str,
) -> Result<Option<FoundAccount>, StoreError> {
    let Ok(number) = text.to_ascii_uppercase().parse::<ServiceAccountNumber>() else { return Ok(None) };
    let Some(stored) = tx.process_of_account(&number)? else { return Ok(None) };
    let supplier = suppliers.iter().find(|supplier| supplier.id == stored.supplier_id);
    Ok(supplier.map(|supplier| shown(supplier, &stored)))
}

fn shown(supplier: &Supplier, stored: &StoredProcess) -> FoundAccount {
    FoundAccount {
        supplier: supplier.code.to_string(),
        account: AccountStatus::new(&stored.process, supplier.settings.time_zone),
    }
}
