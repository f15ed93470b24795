use crate::App;
use crate::auth::Caller;
use crate::port::{Hold, StoreError, Supplier, read_committed};
use cutover_core::SupplierCode;
use cutover_model::{SupplierShown, Timestamp};

impl App {
    /// Returns the settings of an import supplier, with the ids of the installation and its history (contract D13); `None` if the
    /// organisation has no such supplier.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn supplier_settings(
        &self,
        caller: &Caller,
        supplier: &str,
    ) -> Result<Option<SupplierShown>, StoreError> {
        let Ok(code) = cutover_core::trimmed(supplier).parse::<SupplierCode>() else { return Ok(None) };
        read_committed(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            let hold = tx.hold(supplier.id)?;
            Ok(Some(shown(supplier, hold.as_ref(), tx.installation()?, tx.database_history()?)))
        })
    }
}

fn shown(supplier: Supplier, hold: Option<&Hold>, installation: String, history: String) -> SupplierShown {
    let Supplier { organisation, code, settings, created_at, .. } = supplier;
    SupplierShown {
        code: code.to_string(),
        organisation,
        status: settings.status.to_string(),
        document_root: settings.document_root,
        verify_documents: settings.verify_documents,
        send_customer_emails: settings.send_customer_emails,
        dry_run: settings.dry_run,
        max_concurrent_imports: settings.max_concurrent_imports,
        time_zone: settings.time_zone.name().to_owned(),
        profile: settings.profile.to_string(),
        country: settings.country.to_string(),
        undocumented_members: settings.undocumented_members.to_string(),
        rule_values: (*settings.rule_values).clone(),
        rules: settings.rules.into_iter().map(|(id, level)| (id, level.to_string())).collect(),
        waves: (!settings.waves.is_none()).then(|| settings.waves.to_string()),
        hold_on_errors: settings.hold_on_errors.map(|share| share.to_string()),
        supplier_runs: settings.supplier_runs,
        hold: hold.map(|hold| hold.shown(settings.time_zone)),
        created_at: Timestamp(settings.time_zone.local(created_at)),
        installation,
        history,
    }
}
