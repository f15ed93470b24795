use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{AnyAudit, Audit, AuditAction, AuditEntry, AuditFilter, AuditRecord, StoreError};

impl State {
    fn audit_record(&self, (place, entry): (usize, &AuditEntry)) -> AuditRecord {
        let organisation = self.organisations.iter().find(|o| Some(o.id) == entry.subject.organisation_id);
        let supplier = self.suppliers.iter().find(|s| Some(s.id) == entry.subject.supplier_id);
        AuditRecord {
            id: next_id(place),
            at: entry.at,
            by: entry.by.to_string(),
            action: entry.action.to_string(),
            organisation: organisation.map(|organisation| organisation.name.clone()),
            supplier: supplier.map(|supplier| supplier.code.to_string()),
            process_id: entry.subject.process_id,
            detail: entry.detail.clone(),
        }
    }
}

impl Audit for State {
    fn record(&mut self, entry: &AuditEntry) -> Result<(), StoreError> {
        self.audit.push(entry.clone());
        Ok(())
    }

    fn last_backup_at(&mut self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let backups = self.audit.iter().rev().filter(|entry| entry.action == AuditAction::BackupBegun);
        Ok(backups.map(|entry| entry.at).next())
    }
}

impl AnyAudit for State {
    fn audit_records(&mut self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        let wanted = |place: usize, entry: &AuditEntry| {
            let organisation_id = entry.subject.organisation_id;
            filter.since.is_none_or(|since| entry.at >= since)
                && filter.organisation_id.is_none_or(|id| organisation_id == Some(id))
                && filter.supplier_id.is_none_or(|id| entry.subject.supplier_id == Some(id))
                && filter.by.as_ref().is_none_or(|by| entry.by.to_string() == *by)
                && filter.action.is_none_or(|action| entry.action == action)
                && !(filter.is_without_accounts && entry.subject.process_id.is_some())
                && filter.before.is_none_or(|before| next_id(place) < before)
        };
        let found = self.audit.iter().enumerate().rev().filter(|(place, entry)| wanted(*place, entry));
        Ok(found.take(limit as usize).map(|found| self.audit_record(found)).collect())
    }
}
