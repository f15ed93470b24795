use super::State;
use cutover_app::port::{AnyVendors, StoreError, Vendor, Vendors};

impl Vendors for State {
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError> {
        let key = (vendor.organisation_id, vendor.name.clone());
        if self.vendors.contains_key(&key) {
            return Ok(false);
        }
        self.vendors.insert(key, vendor.clone());
        Ok(true)
    }

    fn vendor(&mut self, organisation_id: i64, name: &str) -> Result<Option<Vendor>, StoreError> {
        Ok(self.vendors.get(&(organisation_id, name.to_owned())).cloned())
    }

    fn vendor_names(&mut self, organisation_id: i64) -> Result<Vec<String>, StoreError> {
        let own = self.vendors.keys().filter(|(of, _)| *of == organisation_id);
        Ok(own.map(|(_, name)| name.clone()).collect())
    }

    fn remove_vendor(&mut self, organisation_id: i64, name: &str) -> Result<bool, StoreError> {
        Ok(self.vendors.remove(&(organisation_id, name.to_owned())).is_some())
    }
}

impl AnyVendors for State {
    fn vendors(&mut self, organisation_id: Option<i64>) -> Result<Vec<Vendor>, StoreError> {
        let all = self.vendors.values();
        let mut found: Vec<Vendor> = all
            .filter(|vendor| organisation_id.is_none_or(|id| id == vendor.organisation_id))
            .cloned()
            .collect();
        found.sort_by(|a, b| (&a.organisation, &a.name).cmp(&(&b.organisation, &b.name)));
        Ok(found)
    }
}
