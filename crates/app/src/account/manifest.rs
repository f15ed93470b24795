use super::profile;
use crate::App;
use crate::auth::Caller;
use crate::port::{Manifest, MayConflict, Reconciliation, StoreError, read, write_with_retry};
use cutover_core::{Issue, Now, SupplierCode, Zone};
use cutover_model::{ManifestDeclared, ManifestShown, SyntaxError, decode_manifest};
use cutover_rules::{Facts, UndocumentedMembers, check_manifest};

/// Reason why no manifest was declared or returned (contract D17).
#[derive(Debug, thiserror::Error)]
pub enum ManifestRefused {
    /// The organisation has no such supplier.
    #[error("there is no such supplier")]
    NotFound,
    /// The supplier has declared none.
    #[error("no manifest was declared")]
    NotDeclared,
    /// The body is not JSON (rule STR-18).
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The errors of the request, in the order of the answer.
    #[error("the manifest failed validation")]
    Faults(Vec<Issue>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MayConflict for ManifestRefused {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Store(error) if error.is_conflict())
    }
}

impl App {
    /// Declares what the files of a supplier come to (contract D17), in place of what was declared before.
    ///
    /// # Errors
    /// [`ManifestRefused`]; nothing is changed then.
    pub fn declare_manifest(
        &self,
        caller: &Caller,
        supplier: &str,
        body: &[u8],
    ) -> Result<ManifestDeclared, ManifestRefused> {
        let code = code_of(supplier)?;
        let organisation = caller.organisation_id;
        let found = read(&*self.store, |tx| tx.supplier_of(organisation, &code))?;
        let supplier = found.ok_or(ManifestRefused::NotFound)?;
        let zone = supplier.settings.time_zone;
        let decoded = decode_manifest(body, zone, self.settings.limits)?;
        let facts = Facts::at(Now::new(self.clock.now(), zone));
        // A table that nobody knows would be compared with nothing.
        let profile = profile(Some(&supplier)).with_undocumented(UndocumentedMembers::Error);
        let report = check_manifest(&decoded, facts, &profile);
        let request = decoded.draft.filter(|_| report.errors.is_empty());
        let request = request.and_then(cutover_model::draft::ManifestRequest::into_valid);
        let declared = request.ok_or(ManifestRefused::Faults(report.errors))?.totals();
        let clock = self.clock.clone();
        let manifest = write_with_retry(&*self.store, move |tx| {
            let supplier = tx.supplier_of(organisation, &code)?.ok_or(ManifestRefused::NotFound)?;
            let manifest = Manifest { declared, declared_at: clock.now() };
            tx.set_manifest(supplier.id, Some(&manifest))?;
            // Account numbers belong to the manifest that they were declared with.
            tx.drop_numbers(supplier.id)?;
            Ok::<_, ManifestRefused>(manifest)
        })?;
        Ok(shown(&manifest, zone))
    }

    /// Returns the manifest of a supplier of the caller's organisation.
    ///
    /// # Errors
    /// [`ManifestRefused`].
    pub fn manifest(&self, caller: &Caller, supplier: &str) -> Result<ManifestDeclared, ManifestRefused> {
        let code = code_of(supplier)?;
        let found = read(&*self.store, |tx| {
            let Some(supplier) = tx.supplier_of(caller.organisation_id, &code)? else { return Ok(None) };
            Ok(Some((tx.manifest(supplier.id)?, supplier.settings.time_zone)))
        })?;
        let (manifest, zone) = found.ok_or(ManifestRefused::NotFound)?;
        Ok(shown(&manifest.ok_or(ManifestRefused::NotDeclared)?, zone))
    }
}

pub(super) fn code_of(supplier: &str) -> Result<SupplierCode, ManifestRefused> {
    cutover_core::trimmed(supplier).parse().map_err(|_| ManifestRefused::NotFound)
}

/// Returns a manifest as it is shown.
pub fn shown(manifest: &Manifest, zone: Zone) -> ManifestDeclared {
    ManifestDeclared::new(manifest.declared, zone.local(manifest.declared_at).into())
}

/// Returns the declared figures beside those that were sent and imported; `None` if none are declared.
pub fn shown_reconciliation(figures: &Reconciliation) -> Option<ManifestShown> {
    let declared = figures.manifest?.declared;
    Some(ManifestShown::new(declared, figures.sent, figures.imported))
}
