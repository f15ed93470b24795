use super::State;
use cutover_app::port::{StoreError, Vendor, Vendors};

impl Vendors for State {
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError> {
        if self.vendors.contains_key(&vendor.name) {
            return Ok(false);
        }
        self.vendors.insert(vendor.name.clone(), vendor.clone());
        Ok(true)
    }

    fn vendor(&mut self, name: &str) -> Result<Option<Vendor>, StoreError> {
        Ok(self.vendors.get(name).cloned())
    }

    fn vendors(&mut self) -> Result<Vec<Vendor>, StoreError> {
        Ok(self.vendors.values().cloned().collect())
    }

    fn remove_vendor(&mut self, name: &str) -> Result<bool, StoreError> {
        Ok(self.vendors.remove(name).is_some())
    }
}
