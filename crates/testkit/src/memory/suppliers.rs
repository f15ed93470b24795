use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{AnySuppliers, StoreError, Supplier, SupplierSettings, Suppliers};
use cutover_core::SupplierCode;

impl Suppliers for State {
    fn add_supplier(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
        settings: &SupplierSettings,
        at: DateTime<Utc>,
    ) -> Result<Option<Supplier>, StoreError> {
        if self.supplier(code)?.is_some() {
            return Ok(None);
        }
        let owner = self.organisations.iter().find(|organisation| organisation.id == organisation_id);
        let owner = owner.ok_or_else(|| StoreError::Conflict("there is no such organisation".into()))?;
        let supplier = Supplier {
            id: next_id(self.suppliers.len() + self.erased_suppliers),
            organisation_id,
            organisation: owner.name.clone(),
            code: code.clone(),
            settings: settings.clone(),
            revision: 0,
            mark_key: None,
            created_at: at,
        };
        self.suppliers.push(supplier.clone());
        Ok(Some(supplier))
    }

    /// No lock needed: transactions run one after another.
    fn lock_suppliers(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn set_supplier(&mut self, id: i64, settings: &SupplierSettings) -> Result<(), StoreError> {
        if let Some(supplier) = self.suppliers.iter_mut().find(|supplier| supplier.id == id) {
            supplier.settings = settings.clone();
            supplier.revision += 1;
        }
        Ok(())
    }

    fn supplier_of(
        &mut self,
        organisation_id: i64,
        code: &SupplierCode,
    ) -> Result<Option<Supplier>, StoreError> {
        Ok(self.supplier(code)?.filter(|supplier| supplier.organisation_id == organisation_id))
    }

    fn is_current(&mut self, supplier: &Supplier) -> Result<bool, StoreError> {
        let found = self.suppliers.iter().find(|found| found.id == supplier.id);
        Ok(found.is_some_and(|found| found.revision == supplier.revision))
    }

    fn supplier_by_id(&mut self, id: i64) -> Result<Option<Supplier>, StoreError> {
        Ok(self.suppliers.iter().find(|supplier| supplier.id == id).cloned())
    }

    fn suppliers_by_ids(&mut self, ids: &[i64]) -> Result<Vec<Supplier>, StoreError> {
        Ok(self.suppliers.iter().filter(|supplier| ids.contains(&supplier.id)).cloned().collect())
    }
}

impl AnySuppliers for State {
    fn supplier(&mut self, code: &SupplierCode) -> Result<Option<Supplier>, StoreError> {
        Ok(self.suppliers.iter().find(|supplier| supplier.code == *code).cloned())
    }

    fn suppliers(&mut self, organisation_id: Option<i64>) -> Result<Vec<Supplier>, StoreError> {
        let is_of = |supplier: &&Supplier| organisation_id.is_none_or(|of| supplier.organisation_id == of);
        let mut all: Vec<Supplier> = self.suppliers.iter().filter(is_of).cloned().collect();
        all.sort_by(|a, b| a.code.cmp(&b.code));
        Ok(all)
    }
}
