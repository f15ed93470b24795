use super::scope::Scoped;
use super::suppliers::shared_zone;
use super::{Audited, Operations, OperatorError};
use crate::App;
use crate::account::{AccountStatus, Standing, profile};
use crate::auth::Caller;
use crate::port::{
    AuditAction, Cause, Detail, RefusedCreate, Rows, StoreError, StoredProcess, Subject, Supplier,
};
use crate::search::{Found, FoundBy, is_part};
use chrono::{DateTime, Utc};
use cutover_core::{ExternalAccountNumber, Issue, Now, ServiceAccountNumber, Zone, trimmed};
use cutover_model::{
    AccountFoundShown, AccountsFoundShown, SyntaxError, Timestamp, decode_account_search, draft,
};
use cutover_process::State;
use cutover_rules::{Facts, check_account_search};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a search.
#[derive(Debug, Clone)]
pub struct FoundAccounts {
    /// The accounts.
    pub matches: Vec<AccountMatch>,
    /// The zone of their times: that of the supplier, or the one that all suppliers have in common.
    pub zone: Zone,
    /// A sentence, without a full stop, that says why there may be more; `None` if these are all, up to the limit.
    pub more: Option<&'static str>,
}

/// An account that matches a search.
#[derive(Debug, Clone)]
pub struct AccountMatch {
    /// The code of its supplier.
    pub supplier: String,
    /// The account.
    pub account: FoundAccount,
    /// What it was found by.
    pub found_by: BTreeSet<FoundBy>,
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

/// Maximum number of accepted and of refused accounts of each supplier that [`App::find_for_operator`] returns.
const MOST: u32 = 100;

/// Reason why accounts were not searched.
#[derive(Debug, thiserror::Error)]
pub enum SearchRefused {
    /// The organisation has no such supplier.
    #[error("there is no such supplier")]
    NotFound,
    /// The body is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The errors of the request.
    #[error("the search failed validation")]
    Faults(Vec<Issue>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl App {
    /// Searches the accounts of the caller's organisation, by a JSON body (contract D12).
    ///
    /// # Errors
    /// [`SearchRefused`].
    pub fn find_for_operator(
        &self,
        caller: &Caller,
        body: &[u8],
    ) -> Result<AccountsFoundShown, SearchRefused> {
        let decoded = decode_account_search(body, Zone::UTC, self.settings.limits)?;
        let facts = Facts::at(Now::new(self.clock.now(), Zone::UTC));
        let report = check_account_search(&decoded, facts, &profile(None));
        let request = decoded.draft.filter(|_| report.errors.is_empty());
        let request = request.and_then(draft::AccountSearchRequest::into_valid);
        let request = request.ok_or(SearchRefused::Faults(report.errors))?;
        let supplier = request.supplier.value().map(|code| trimmed(code.as_sent()));
        match self.as_caller(caller).search_accounts(supplier, request.text.as_sent(), MOST) {
            Ok(found) => Ok(found.shown()),
            Err(OperatorError::Store(error)) => Err(error.into()),
            Err(_) => Err(SearchRefused::NotFound),
        }
    }
}

impl FoundAccounts {
    /// Returns it as the API and commands show it.
    pub fn shown(self) -> AccountsFoundShown {
        let accounts = self.matches.into_iter().map(AccountMatch::shown).collect();
        AccountsFoundShown { accounts, more: self.more.map(str::to_owned) }
    }
}

impl AccountMatch {
    fn shown(self) -> AccountFoundShown {
        let Self { supplier, account, found_by } = self;
        let found_by = found_by.into_iter().map(FoundBy::word).collect();
        match account {
            FoundAccount::Accepted(account) => AccountFoundShown {
                supplier,
                external_account_number: account.number,
                status: Some(account.status.status),
                service_identifier: account.status.service_identifier,
                modified_at: account.status.modified_at,
                waits_for: account.waits_for,
                error_codes: account.error_codes,
                sentence: account.sentence,
                found_by,
            },
            FoundAccount::Refused(refused) => AccountFoundShown {
                supplier,
                external_account_number: refused.number,
                status: None,
                service_identifier: None,
                modified_at: Timestamp(refused.zone.local(refused.refused_at)),
                waits_for: None,
                error_codes: refused.error_codes,
                sentence: refused.sentence,
                found_by,
            },
        }
    }
}

impl Operations<'_> {
    /// Searches the accounts of the suppliers, or of one of them, by one text: the account's number at this service, any part of
    /// its number at its previous supplier (from four characters, or the beginning), a name, an e-mail address, a telephone number, a postcode with
    /// words of the street, a meter point, the serial number of a meter, a business or a contract of it. Refused creates are found
    /// by their number. Returns at most `limit` accepted and as many refused accounts of each supplier. The cost does not depend on the
    /// number of accounts. Search and number of results are recorded in the audit trail, the text is not.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if a supplier is named and there is none.
    pub fn search_accounts(
        &self,
        supplier: Option<&str>,
        text: &str,
        limit: u32,
    ) -> Result<FoundAccounts, OperatorError> {
        let none = FoundAccounts { matches: Vec::new(), zone: Zone::UTC, more: None };
        // No number begins with a text that is blank, too long, or contains a NUL, which some databases
        // refuse.
        let Ok(sought) = text.parse::<ExternalAccountNumber>() else { return Ok(none) };
        self.app.try_to_record_refused();
        let now = self.app.clock.now();
        let terms = self.app.search_terms()?;
        let (found, subject) = self.read_committed(|tx| {
            let suppliers = match supplier {
                Some(code) => vec![tx.supplier(code)?],
                None => tx.suppliers()?,
            };
            let subject = supplier.and(suppliers.first()).map(Subject::supplier).unwrap_or_default();
            let as_of = (now, shared_zone(suppliers.iter()));
            let here = by_service_number(tx, &suppliers, sought.as_str())?;
            let mut found =
                FoundAccounts { zone: as_of.1, more: (!terms.has_key()).then_some(KEY_LOST), ..none.clone() };
            for supplier in &suppliers {
                let mut accounts = Found::of(tx.rows(), supplier, &terms.at(supplier.id), &sought, limit)?;
                if let Some(id) = here.filter(|(of, _)| *of == supplier.id).map(|(_, id)| id) {
                    accounts.processes.entry(id).or_default().insert(FoundBy::ServiceNumber);
                }
                if accounts.is_cut {
                    found.more = Some(TOO_MANY);
                }
                found.matches.extend(accepted(tx.rows(), supplier, accounts.processes, limit, as_of)?);
                found.matches.extend(refused(tx.rows(), supplier, sought.as_str(), limit, as_of)?);
            }
            Ok((found, subject))
        })?;
        let detail = Detail::default().count("found", found.matches.len() as u64);
        self.act(AuditAction::AccountsSearched, move |_, _| Ok(((), Audited { subject, detail })))?;
        Ok(found)
    }
}

const KEY_LOST: &str = "Accounts were found by their numbers alone: the key of the other words is lost";
const TOO_MANY: &str = "There may be more: each of these words is that of very many accounts";

/// The time of a search, and the zone of the times in what it finds.
type AsOf = (DateTime<Utc>, Zone);

/// Returns the supplier and the process of the account with this number at this service, ignoring its case.
fn by_service_number(
    tx: &mut Scoped<'_>,
    suppliers: &[Supplier],
    text: &str,
) -> Result<Option<(i64, i64)>, StoreError> {
    let Ok(number) = text.to_ascii_uppercase().parse::<ServiceAccountNumber>() else { return Ok(None) };
    let found = tx.process_of_account(suppliers, &number)?;
    Ok(found.map(|(supplier, stored)| (supplier.id, stored.process.id())))
}

/// Returns accepted accounts by their numbers.
fn accepted(
    tx: &mut dyn Rows,
    supplier: &Supplier,
    found_by: BTreeMap<i64, BTreeSet<FoundBy>>,
    limit: u32,
    (now, zone): AsOf,
) -> Result<Vec<AccountMatch>, StoreError> {
    let ids: Vec<i64> = found_by.keys().copied().collect();
    let mut found: Vec<StoredProcess> = if ids.is_empty() { Vec::new() } else { tx.processes_by_id(&ids)? };
    let number = |stored: &StoredProcess| stored.process.snapshot().external_account_number.clone();
    found.sort_by_cached_key(number);
    found.truncate(limit as usize);
    let standing =
        Standing::read(tx, supplier, found.iter().map(|stored| &stored.process), now)?.in_zone(zone);
    let mut matches = Vec::with_capacity(found.len());
    for StoredProcess { process, error_causes, .. } in &found {
        // Only the history has who cancelled it.
        let last = match process.known_state() {
            Some(State::Cancelled) => tx.history(process.id())?.pop(),
            _ => None,
        };
        let by = last.as_ref().and_then(|last| last.actor.known());
        let account = AccountStatus::new(&standing, process, error_causes, by);
        let account = FoundAccount::Accepted(Box::new(account));
        let found_by = found_by.get(&process.id()).cloned().unwrap_or_default();
        matches.push(AccountMatch { supplier: supplier.code.to_string(), account, found_by });
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
    let found = match is_part(sought) {
        true => tx.refused_with_part(supplier.id, sought, limit)?,
        false => {
            let mut found = tx.refused_among(supplier.id, &[sought.to_owned()])?;
            found.extend(tx.refused_after(supplier.id, sought, limit)?);
            found.retain(|refused| refused.number.starts_with(sought));
            found
        }
    };
    let standing = Standing::read(tx, supplier, std::iter::empty(), now)?.in_zone(zone);
    let account = |RefusedCreate { number, refused_at, causes }: RefusedCreate| {
        let mut causes: Vec<Cause> = causes.iter().map(Cause::from).collect();
        causes.sort_unstable();
        let error_codes = Cause::codes(&causes).map(str::to_owned).collect();
        let sentence = standing.refused_since(refused_at);
        let account = RefusedAccount { number, refused_at, error_codes, sentence, zone };
        let found_by = BTreeSet::from([FoundBy::Number]);
        AccountMatch {
            supplier: supplier.code.to_string(),
            account: FoundAccount::Refused(account),
            found_by,
        }
    };
    Ok(found.into_iter().take(limit as usize).map(account).collect())
}
