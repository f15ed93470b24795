use super::{State, next_id};
use cutover_app::port::{Audit, AuditEntry, AuditFilter, AuditRecord, StoreError};

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

    fn audit_records(&mut self, filter: AuditFilter, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        let wanted = |entry: &AuditEntry| {
            filter.since.is_none_or(|since| entry.at >= since)
                && filter.supplier_id.is_none_or(|id| entry.subject.supplier_id == Some(id))
                && filter.action.is_none_or(|action| entry.action == action)
        };
        let found = self.audit.iter().enumerate().rev().filter(|(_, entry)| wanted(entry));
        Ok(found.take(limit as usize).map(|found| self.audit_record(found)).collect())
    }
}
