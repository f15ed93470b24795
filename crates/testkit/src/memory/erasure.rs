use super::State;
use super::accounts::Imported;
use cutover_app::port::{ErasedRows, Erasure, StoreError};
use cutover_model::rust_decimal::Decimal;
use cutover_model::service::names_document;
use cutover_model::{Text, Totals};

impl Imported {
    /// Paths of its documents, including added ones.
    fn paths(&self) -> Vec<String> {
        let account = self.grown();
        let of_notes = account.notes.iter().flatten().flat_map(|note| note.document_paths.iter().flatten());
        let of_notes = of_notes.map(|document| document.document_path.as_sent().to_owned());
        let sent = account.statements.iter().flatten().map(|statement| statement.statement_path.as_ref());
        let added = self.statements.iter().map(|new| new.statement.statement_path.as_ref());
        let named = sent.chain(added).filter(|path| names_document(*path)).flatten();
        of_notes.chain(named.map(|path: &Text<'_>| path.as_sent().to_owned())).collect()
    }

    fn totals(&self) -> Totals {
        let of_account = Totals::of(&self.grown(), self.new.zone);
        Totals { documents: self.paths().len() as u64, ..of_account }
    }
}

impl Erasure for State {
    fn account_totals(&mut self, account_id: i64) -> Result<Option<Totals>, StoreError> {
        Ok(self.account(account_id).map(Imported::totals))
    }

    fn account_documents(&mut self, account_id: i64) -> Result<Vec<String>, StoreError> {
        Ok(self.account(account_id).map(Imported::paths).unwrap_or_default())
    }

    fn erase(&mut self, process_id: i64) -> Result<Vec<ErasedRows>, StoreError> {
        let processes = self.processes.len();
        self.processes.retain(|row| row.process.id() != process_id);
        self.contracts_named.remove(&process_id);
        self.business_instructions.iter_mut().for_each(|known| known.forget(process_id));
        let accounts = u64::from(self.accounts.remove(&process_id).is_some());
        let rows = [("accounts", accounts), ("processes", (processes - self.processes.len()) as u64)];
        Ok(rows.into_iter().filter(|(_, rows)| *rows > 0).collect())
    }
}

/// Subtracts totals; `None` if a number would fall below 0.
pub(super) fn less(all: Totals, removed: &Totals) -> Option<Totals> {
    let ledger_balance: Decimal = all.ledger_balance.checked_sub(removed.ledger_balance)?;
    Some(Totals {
        accounts: all.accounts.checked_sub(removed.accounts)?,
        ledger_balance: ledger_balance.normalize(),
        readings: all.readings.checked_sub(removed.readings)?,
        transactions: all.transactions.checked_sub(removed.transactions)?,
        documents: all.documents.checked_sub(removed.documents)?,
    })
}
