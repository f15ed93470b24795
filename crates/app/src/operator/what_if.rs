//! What stored payloads of a supplier would come to under other settings (contract D15).

use super::stored_check::WhatIf;
use super::{Operations, OperatorError, SupplierChange};
use crate::port::SupplierSettings;
use chrono::{DateTime, Utc};

/// The settings to check stored payloads with.
#[derive(Debug, Clone, Default)]
pub struct WhatIfRequest {
    /// Code of the supplier.
    pub supplier: String,
    /// If set, rules have their default levels, not those of the supplier's profile, country and rules, before the change.
    pub resets_rules: bool,
    /// The change of its settings.
    pub change: SupplierChange,
    /// The time of the checks; `None` for now.
    pub now: Option<DateTime<Utc>>,
}

impl Operations<'_> {
    /// Checks every stored payload of a supplier under other settings, on all cores, and changes nothing. Calls `progress`
    /// with the number of accounts so far.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such supplier, the settings are refused, a payload cannot be read, or the document
    /// storage does not answer.
    pub fn what_if(
        &self,
        request: &WhatIfRequest,
        progress: &mut dyn FnMut(u64),
    ) -> Result<WhatIf, OperatorError> {
        let mut supplier = self.show_supplier(&request.supplier)?;
        if request.resets_rules {
            let SupplierSettings { profile, country, undocumented_members, rule_values, rules, .. } =
                SupplierSettings::new(supplier.code.as_str());
            let settings = supplier.settings;
            supplier.settings =
                SupplierSettings { profile, country, undocumented_members, rule_values, rules, ..settings };
        }
        request.change.clone().apply(&mut supplier.settings)?;
        let now = request.now.unwrap_or_else(|| self.app.clock.now());
        self.check_stored(&supplier, now, None, u64::MAX, progress)
    }
}
