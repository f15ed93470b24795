use super::{Audited, Operations, OperatorError};
use crate::App;
use crate::port::{AuditAction, Detail, Subject, Vendor, VendorError, VendorKind};

/// Maximum length of a vendor's name in payloads (fields 5).
const MAX_NAME: usize = 128;
/// Prefix of settings. A secret must not be mistaken for a setting.
const SETTINGS: &str = "CUTOVER_";

impl Operations<'_> {
    /// Adds a payment vendor of an organisation.
    ///
    /// # Errors
    /// [`OperatorError`]: there is no such organisation, the name is taken in it or illegal, or the address or the variable is
    /// refused.
    pub fn add_vendor(
        &self,
        organisation: &str,
        name: &str,
        kind: VendorKind,
        base_url: &str,
        secret_env: Option<&str>,
    ) -> Result<Vendor, OperatorError> {
        let name = legal_name(name)?;
        self.app.vendors.check_base_url(base_url).map_err(OperatorError::Refused)?;
        let base_url = base_url.trim_end_matches('/').to_owned();
        let secret_env = secret_env.map(legal_variable).transpose()?;
        let organisation = organisation.to_owned();
        self.act(AuditAction::VendorAdded, move |tx, clock| {
            let owner = tx.organisation(&organisation)?;
            let vendor = Vendor {
                organisation_id: owner.id,
                organisation: owner.name,
                name,
                kind: kind.into(),
                base_url,
                secret_env,
                created_at: clock.now(),
            };
            match tx.add_vendor(&vendor)? {
                true => {
                    let audited = audited_vendor(owner.id, &vendor.name);
                    Ok((vendor, audited))
                }
                false => Err(OperatorError::Exists { what: "vendor", name: vendor.name }),
            }
        })
    }

    /// Returns the payment vendors of an organisation, or of all, by organisation and name.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation.
    pub fn vendors(&self, organisation: Option<&str>) -> Result<Vec<Vendor>, OperatorError> {
        self.read(|tx| tx.vendors(organisation))
    }

    /// Returns a payment vendor of an organisation.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation, or none with this name in it.
    pub fn show_vendor(&self, organisation: &str, name: &str) -> Result<Vendor, OperatorError> {
        let found = self.vendors(Some(organisation))?.into_iter().find(|vendor| vendor.name == name);
        found.ok_or_else(|| OperatorError::not_found("vendor", name))
    }

    /// Removes a payment vendor. Instructions that it has confirmed remain.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such organisation, or none with this name in it.
    pub fn remove_vendor(&self, organisation: &str, name: &str) -> Result<(), OperatorError> {
        let (organisation, name) = (organisation.to_owned(), name.to_owned());
        self.act(AuditAction::VendorRemoved, move |tx, _| {
            let owner = tx.organisation(&organisation)?;
            match tx.remove_vendor(owner.id, &name)? {
                true => Ok(((), audited_vendor(owner.id, &name))),
                false => Err(OperatorError::not_found("vendor", name)),
            }
        })
    }
}

impl App {
    /// Checks that a payment vendor can be called: its secret is set and its address answers.
    ///
    /// # Errors
    /// [`VendorError`] with the fault, for the operator.
    pub async fn probe_vendor(&self, vendor: &Vendor) -> Result<(), VendorError> {
        self.vendors.probe(vendor).await
    }
}

/// Returns the audit entry for a vendor.
fn audited_vendor(organisation_id: i64, name: &str) -> Audited {
    let subject = Subject::organisation(organisation_id);
    Audited { subject, detail: Detail::default().word("vendor", name) }
}

fn legal_name(name: &str) -> Result<String, OperatorError> {
    let name = cutover_core::trimmed(name);
    if name.is_empty() || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(OperatorError::Refused(format!(
            "the vendor's name is blank, longer than {MAX_NAME} characters, or has control characters"
        )));
    }
    Ok(name.to_owned())
}

fn legal_variable(name: &str) -> Result<String, OperatorError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() || !name.chars().all(legal) {
        return Err(OperatorError::Refused(format!("{name:?} is not a valid name of a variable")));
    }
    if name.starts_with(SETTINGS) {
        return Err(OperatorError::Refused(format!(
            "variables {SETTINGS}… are settings; choose another name for the secret"
        )));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text_and_variables_are_words() {
        assert_eq!(legal_name(" Pay & Co ").unwrap(), "Pay & Co");
        for bad in ["", " ", "a\nb", &"x".repeat(129)] {
            assert!(legal_name(bad).is_err(), "{bad}");
        }
        assert_eq!(legal_variable("STRIPE_KEY_2").unwrap(), "STRIPE_KEY_2");
        for bad in ["", "2ND", "A B", "A=B", "CUTOVER_SECRET", "Ä"] {
            assert!(legal_variable(bad).is_err(), "{bad}");
        }
    }
}
