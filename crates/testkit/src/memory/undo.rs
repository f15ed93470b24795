use super::State;
use super::accounts::Imported;
use chrono::{DateTime, Utc};
use cutover_app::port::{ErasedRows, ImportedHead, Position, StoreError, Undo, WaveSpan};
use cutover_core::ServiceAccountNumber;

impl State {
    fn head(&self, imported: &Imported) -> Result<ImportedHead, StoreError> {
        let number = imported.new.account.external_account_number.trimmed();
        let of_process = |row: &&super::processes::Row| row.process.id() == imported.new.process_id;
        Ok(ImportedHead {
            id: imported.new.process_id,
            supplier_id: imported.new.supplier_id,
            external_account_number: number
                .parse()
                .map_err(|_| StoreError::Corrupt("a number is none".into()))?,
            imported_at: imported.new.imported_at,
            added_at: imported.added_at,
            billed_at: imported.billed_at,
            is_archived: self.rows().find(of_process).is_some_and(|row| row.archived_at.is_some()),
        })
    }
}

impl Undo for State {
    fn imported_heads(
        &mut self,
        supplier_id: i64,
        after: Position,
        limit: u32,
    ) -> Result<Vec<ImportedHead>, StoreError> {
        let own = self.accounts.values().filter(|account| account.new.supplier_id == supplier_id);
        let mut rest: Vec<&Imported> =
            own.map(|account| &**account).filter(|account| account.position() > after).collect();
        rest.sort_unstable_by_key(|account| account.position());
        rest.into_iter().take(limit as usize).map(|account| self.head(account)).collect()
    }

    fn heads_of(&mut self, process_ids: &[i64]) -> Result<Vec<ImportedHead>, StoreError> {
        let wanted = self.accounts.iter().filter(|(id, _)| process_ids.contains(id));
        wanted.map(|(_, account)| self.head(account)).collect()
    }

    /// No lock needed: transactions run one after another.
    fn begin_wave(&mut self, supplier_id: i64, wave: u32, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.waves.push((supplier_id, wave, at));
        Ok(())
    }

    fn wave_span(&mut self, supplier_id: i64, wave: u32) -> Result<Option<WaveSpan>, StoreError> {
        let own: Vec<_> = self.waves.iter().filter(|(of, ..)| *of == supplier_id).collect();
        let Some(place) = own.iter().rposition(|(_, number, _)| *number == wave) else { return Ok(None) };
        let until = own.get(place + 1).map(|(.., at)| *at);
        Ok(own.get(place).map(|(.., began_at)| WaveSpan { began_at: *began_at, until }))
    }

    fn lock_numbered(&mut self, account_id: i64, number: &ServiceAccountNumber) -> Result<bool, StoreError> {
        Ok(self.account(account_id).is_some_and(|account| account.new.number == *number))
    }

    fn mark_added(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.account_mut(account_id)?.added_at.get_or_insert(at);
        Ok(())
    }

    fn mark_billed(&mut self, account_id: i64, at: DateTime<Utc>) -> Result<bool, StoreError> {
        let account = self.account_mut(account_id)?;
        let is_first = account.billed_at.is_none();
        account.billed_at.get_or_insert(at);
        Ok(is_first)
    }

    fn remove_accounts(&mut self, account_ids: &[i64]) -> Result<Vec<ErasedRows>, StoreError> {
        let mut removed = 0;
        for id in account_ids {
            self.business_instructions.iter_mut().for_each(|known| known.forget(*id));
            if let Some(account) = self.accounts.remove(id) {
                self.retired_numbers.insert(account.new.number.to_string());
                removed += 1;
            }
        }
        Ok(if removed > 0 { vec![("accounts", removed)] } else { Vec::new() })
    }
}
