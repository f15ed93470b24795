use super::{State, kept};
use chrono::{NaiveDate, Utc};
use cutover_app::port::{
    Accounts, HeldMeterPoint, ImportedAccount, ImportedPage, MeterPointHolder, MeterPointKey,
    MeterPointQuestion, NewAccount, NewHistoricalStatement, NewNote, NewTransaction, Position, StoreError,
    VerifiedInstruction,
};
use cutover_core::{ExternalAccountNumber, Zone, trimmed};
use cutover_model::{Account, ContentHash, DateTime, Ledger, MeterPoint, Note, RowCounts};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// An account with the additions since its import, in their order.
#[derive(Debug, Clone)]
pub(super) struct Imported {
    pub(super) new: NewAccount,
    pub(super) notes: Vec<NewNote>,
    /// Added transactions by the index of their ledger.
    pub(super) transactions: Vec<(i64, NewTransaction)>,
    pub(super) statements: Vec<NewHistoricalStatement>,
    pub(super) instructions: Vec<VerifiedInstruction>,
    /// Hashes of what was added, and how often.
    pub(super) additions: BTreeMap<ContentHash, u64>,
    /// Its rows as they were sent and added.
    pub(super) rows: RowCounts,
    pub(super) added_at: Option<chrono::DateTime<Utc>>,
    pub(super) billed_at: Option<chrono::DateTime<Utc>>,
}

impl Imported {
    fn new(account: &NewAccount) -> Self {
        Self {
            new: NewAccount { account: kept::account(account), ..account.clone() },
            notes: Vec::new(),
            transactions: Vec::new(),
            statements: Vec::new(),
            instructions: Vec::new(),
            additions: BTreeMap::new(),
            rows: account.totals.rows,
            added_at: None,
            billed_at: None,
        }
    }

    /// The payload's ledgers, by index.
    pub(super) fn ledgers(&self) -> impl Iterator<Item = (i64, &Ledger<'static>)> {
        (0..).zip(self.new.account.ledgers.iter().flatten())
    }

    /// The payload's meter points.
    pub(super) fn meter_points(&self) -> impl Iterator<Item = &MeterPoint<'static>> {
        self.new.account.supply_addresses.iter().flatten().flat_map(|entry| &entry.meter_points)
    }

    /// The payload with the added notes and transactions.
    pub(super) fn grown(&self) -> Account<'static> {
        let mut account = self.new.account.clone();
        let added = |note: &NewNote| Note {
            created_at: Some(DateTime::at(note.created_at, Zone::UTC)),
            unpin_at: note.unpin_at.map(|at| DateTime::at(at, Zone::UTC)),
            ..note.note.clone()
        };
        account.notes.get_or_insert_default().extend(self.notes.iter().map(added));
        for (place, ledger) in (0..).zip(account.ledgers.iter_mut().flatten()) {
            let added = self.transactions.iter().filter(|(of, _)| *of == place);
            let current = ledger.current_statement_transactions.get_or_insert_default();
            current.extend(added.map(|(_, new)| new.transaction.clone()));
        }
        account
    }

    fn shown(&self) -> Result<ImportedAccount, StoreError> {
        Ok(ImportedAccount {
            number: self.new.number.clone(),
            customer_emails: self.new.customer_emails,
            account: kept::in_utc(&self.grown(), self.new.zone)?,
            historical_statements: self.statements.iter().map(|new| new.statement.clone()).collect(),
            verified_instructions: self.instructions.clone(),
        })
    }

    pub(super) fn position(&self) -> Position {
        (self.new.imported_at, self.new.process_id)
    }

    fn is_of(&self, supplier_id: i64, number: &ExternalAccountNumber) -> bool {
        let own = trimmed(self.new.account.external_account_number.as_sent());
        self.new.supplier_id == supplier_id && own == number.as_str()
    }

    /// Returns the last end of the supply of a meter point, if it is after the start in question.
    fn supply_end(&self, sought: &MeterPointKey) -> Option<NaiveDate> {
        let points = self.meter_points().filter(|point| point.common.mpxn.as_sent() == sought.mpxn);
        let ends =
            points.map(|point| point.common.supply_end_date.value().copied().unwrap_or(NaiveDate::MAX));
        ends.max().filter(|end| *end > sought.supply_start_date)
    }
}

impl State {
    pub(super) fn account(&self, id: i64) -> Option<&Imported> {
        self.accounts.get(&id).map(|account| &**account)
    }

    pub(super) fn account_mut(&mut self, id: i64) -> Result<&mut Imported, StoreError> {
        let account = self.accounts.get_mut(&id).map(Arc::make_mut);
        account.ok_or_else(|| StoreError::Failed(format!("there is no account {id}")))
    }

    fn meter_point_holder(&self, question: &MeterPointQuestion<'_>) -> Option<HeldMeterPoint> {
        let own = |supplier_id| {
            let mut own = self.suppliers.iter().filter(|s| s.organisation_id == question.organisation_id);
            own.find(|supplier| supplier.id == supplier_id)
        };
        let others = self.accounts.values();
        let others = others.filter(|account| !account.is_of(question.supplier_id, question.number));
        let holders = others.filter_map(|account| {
            let supplier = own(account.new.supplier_id)?.code.to_string();
            let number = trimmed(account.new.account.external_account_number.as_sent()).to_owned();
            let (end, account_id) = (account.supply_end(question.sought)?, account.new.process_id);
            let supply_end = Some(end).filter(|end| *end != NaiveDate::MAX);
            let holder = MeterPointHolder { supplier, number };
            Some(((end, account_id), HeldMeterPoint { account_id, supply_end, holder }))
        });
        holders.max_by_key(|(order, _)| *order).map(|(_, held)| held)
    }
}

impl Accounts for State {
    fn insert_accounts(&mut self, accounts: &[&NewAccount]) -> Result<(), StoreError> {
        let mut numbers: HashSet<_> = self.accounts.values().map(|other| &other.new.number).collect();
        let mut processes: HashSet<_> = self.accounts.keys().copied().collect();
        for new in accounts {
            let is_retired = self.retired_numbers.contains(new.number.as_str());
            if is_retired || !numbers.insert(&new.number) || !processes.insert(new.process_id) {
                return Err(StoreError::Conflict("the account exists".into()));
            }
        }
        let imported = accounts.iter().map(|new| (new.process_id, Arc::new(Imported::new(new))));
        self.accounts.extend(imported);
        Ok(())
    }

    /// No lock needed: transactions run one after another.
    fn lock_account(&mut self, account_id: i64) -> Result<bool, StoreError> {
        Ok(self.accounts.contains_key(&account_id))
    }

    fn imported_accounts(
        &mut self,
        process_ids: &[i64],
    ) -> Result<(Vec<(Position, ImportedAccount)>, usize), StoreError> {
        let found = process_ids.iter().filter_map(|id| self.account(*id));
        let found =
            found.map(|account| Ok((account.position(), account.shown()?))).collect::<Result<_, _>>()?;
        Ok((found, process_ids.len()))
    }

    fn imported_page(
        &mut self,
        supplier_id: i64,
        after: Option<Position>,
        limit: u32,
    ) -> Result<ImportedPage, StoreError> {
        let own = self.accounts.values().filter(|account| account.new.supplier_id == supplier_id);
        let mut rest: Vec<Position> = own.map(|account| account.position()).collect();
        rest.retain(|position| after.is_none_or(|after| *position > after));
        rest.sort_unstable();
        let ids: Vec<i64> = rest.iter().take(limit.max(1) as usize).map(|(_, id)| *id).collect();
        let (accounts, _) = self.imported_accounts(&ids)?;
        Ok(ImportedPage { accounts, has_more: rest.len() > ids.len() })
    }

    fn imported_ids(
        &mut self,
        supplier_id: i64,
        numbers: &[ExternalAccountNumber],
    ) -> Result<Vec<Option<i64>>, StoreError> {
        let find = |number| self.accounts.iter().find(|(_, account)| account.is_of(supplier_id, number));
        Ok(numbers.iter().map(|number| find(number).map(|(id, _)| *id)).collect())
    }

    fn meter_point_holders(
        &mut self,
        questions: &[MeterPointQuestion<'_>],
    ) -> Result<Vec<Option<HeldMeterPoint>>, StoreError> {
        Ok(questions.iter().map(|question| self.meter_point_holder(question)).collect())
    }

    /// Like [`lock_account`](Self::lock_account).
    fn lock_meter_points(&mut self, _: &[MeterPointQuestion<'_>]) -> Result<(), StoreError> {
        Ok(())
    }
}
