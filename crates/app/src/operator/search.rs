use super::scope::Scoped;
use super::suppliers::shared_zone;
use super::{Operations, OperatorError};
use crate::account::{AccountStatus, Standing};
use crate::port::{Cause, RefusedCreate, Rows, StoreError, StoredProcess, Supplier};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, ServiceAccountNumber, Zone};
use cutover_process::State;

/// An account that matches a search.
#[derive(Debug, Clone)]
pub struct AccountMatch {
    /// The code of its supplier.
    pub supplier: String,
    /// The account.
    pub account: FoundAccount,
}

/// An account that was found, by what the service knows of it.
#[derive(Debug, Clone)]
pub enum FoundAccount {
    /// It was accepted: its status.
    Accepted(Box<AccountStatus>),
    /// Its last create was refused, and it was not accepted since. It may have been accepted before: that is another match.
    Refused(RefusedAccount),
}

/// An account whose last create was refused.
#[derive(Debug, Clone)]
pub struct RefusedAccount {
    /// The account's number at its previous supplier.
    pub number: String,
    /// Time of the refusal.
    pub refused_at: DateTime<Utc>,
    /// The codes of its faults, sorted, each once.
    pub error_codes: Vec<String>,
    /// A sentence that says where it stands, without a full stop. It does not repeat the codes.
    pub sentence: String,
    /// The zone of its times.
    pub zone: Zone,
}

impl Operations<'_> {
    /// Searches the accounts of the suppliers, or of one of them: finds the account with this
    /// number at this service, and accounts whose number at their previous supplier begins with it, accepted or refused,
    /// at most `limit` of each per supplier. The cost does not depend on the number of accounts. Returns them with the zone
    /// of their times: that of the supplier, or the one that all suppliers have in common.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if a supplier is named and there is none.
    pub fn search_accounts(
        &self,
        supplier: Option<&str>,
        text: &str,
        limit: u32,
    ) -> Result<(Vec<AccountMatch>, Zone), OperatorError> {
        // No number begins with a text that is blank, too long, or contains a NUL, which some databases
        // refuse.
        let Ok(sought) = text.parse::<ExternalAccountNumber>() else { return Ok((Vec::new(), Zone::UTC)) };
        self.app.try_to_record_refused();
        let now = self.app.clock.now();
        self.read_committed(|tx| {
            let suppliers = match supplier {
                Some(code) => vec![tx.supplier(code)?],
                None => tx.suppliers()?,
            };
            let zone = shared_zone(suppliers.iter());
            let as_of = (now, zone);
            let mut found = Vec::from_iter(by_account(tx, &suppliers, sought.as_str(), as_of)?);
            for supplier in &suppliers {
                let like = tx.processes_like(supplier.id, &sought, limit)?;
                found.extend(accepted(tx.rows(), supplier, &like, as_of)?);
                found.extend(refused(tx.rows(), supplier, sought.as_str(), limit, as_of)?);
            }
            Ok((found, zone))
        })
    }
}

/// The time of a search, and the zone of the times in what it finds.
type AsOf = (DateTime<Utc>, Zone);

/// Returns the account with this number at this service, ignoring its case.
fn by_account(
    tx: &mut Scoped<'_>,
    suppliers: &[Supplier],
    text: &str,
    (now, zone): AsOf,
) -> Result<Vec<AccountMatch>, StoreError> {
    let Ok(number) = text.to_ascii_uppercase().parse::<ServiceAccountNumber>() else { return Ok(Vec::new()) };
    match tx.process_of_account(suppliers, &number)? {
        Some((supplier, stored)) => accepted(tx.rows(), supplier, &[stored], (now, zone)),
        None => Ok(Vec::new()),
    }
}

fn accepted(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    found: &[StoredProcess],
    (now, zone): AsOf,
) -> Result<Vec<AccountMatch>, StoreError> {
    let standing =
        Standing::read(tx, supplier, found.iter().map(|stored| &stored.process), now)?.in_zone(zone);
    let mut matches = Vec::with_capacity(found.len());
    for StoredProcess { process, error_causes, .. } in found {
        // Only the history has who cancelled it.
        let last = match process.known_state() {
            Some(State::Cancelled) => tx.history(process.id())?.pop(),
            _ => None,
        };
        let by = last.as_ref().and_then(|last| last.actor.known());
        let account = AccountStatus::new(&standing, process, error_causes, by);
        let account = FoundAccount::Accepted(Box::new(account));
        matches.push(AccountMatch { supplier: supplier.code.to_string(), account });
    }
    Ok(matches)
}

fn refused(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    sought: &str,
    limit: u32,
    (now, zone): AsOf,
) -> Result<Vec<AccountMatch>, StoreError> {
    let mut found = tx.refused_among(supplier.id, &[sought.to_owned()])?;
    found.extend(tx.refused_after(supplier.id, sought, limit)?);
    let standing = Standing::read(tx, supplier, std::iter::empty(), now)?.in_zone(zone);
    let like = found.into_iter().take(limit as usize).filter(|refused| refused.number.starts_with(sought));
    let account = |RefusedCreate { number, refused_at, causes }: RefusedCreate| {
        let mut causes: Vec<Cause> = causes.iter().map(Cause::from).collect();
        causes.sort_unstable();
        let error_codes = Cause::codes(&causes).map(str::to_owned).collect();
        let sentence = standing.refused_since(refused_at);
        let account = RefusedAccount { number, refused_at, error_codes, sentence, zone };
        AccountMatch { supplier: supplier.code.to_string(), account: FoundAccount::Refused(account) }
    };
    Ok(like.map(account).collect())
}
