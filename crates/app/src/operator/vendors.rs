use super::{Audited, OperatorError};
use crate::App;
use crate::port::{AuditAction, Detail, StoreError, Vendor, VendorError, VendorKind, read};

/// Maximum length of a vendor's name in payloads (fields 5).
const MAX_NAME: usize = 128;
/// Prefix of settings. A secret must not be mistaken for a setting.
const SETTINGS: &str = "CUTOVER_";

impl App {
    /// Adds a payment vendor.
    ///
    /// # Errors
    /// [`OperatorError`]: the name is taken or illegal, or the address or the variable is refused.
    pub fn add_vendor(
        &self,
        name: &str,
        kind: VendorKind,
        base_url: &str,
        secret_env: Option<&str>,
    ) -> Result<Vendor, OperatorError> {
        let name = legal_name(name)?;
        self.vendors.check_base_url(base_url).map_err(OperatorError::Refused)?;
        let vendor = Vendor {
            name,
            kind: kind.into(),
            base_url: base_url.trim_end_matches('/').to_owned(),
            secret_env: secret_env.map(legal_variable).transpose()?,
            created_at: self.clock.now(),
        };
        self.run_audited(&self.operator, AuditAction::VendorAdded, move |tx, _| {
            match tx.add_vendor(&vendor)? {
                true => {
                    let audited = audited_vendor(&vendor.name);
                    Ok((vendor, audited))
                }
                false => Err(OperatorError::Exists { what: "vendor", name: vendor.name }),
            }
        })
    }

    /// Returns every payment vendor, by name.
    ///
    /// # Errors
    /// [`StoreError`] if they could not be read.
    pub fn vendors(&self) -> Result<Vec<Vendor>, StoreError> {
        read(&*self.store, |tx| tx.vendors())
    }

    /// Removes a payment vendor. Instructions that it has confirmed remain.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is none with this name.
    pub fn remove_vendor(&self, name: &str) -> Result<(), OperatorError> {
        let name = name.to_owned();
        self.run_audited(&self.operator, AuditAction::VendorRemoved, move |tx, _| {
            match tx.remove_vendor(&name)? {
                true => Ok(((), audited_vendor(&name))),
                false => Err(OperatorError::not_found("vendor", name)),
            }
        })
    }

    /// Checks that a payment vendor can be called: its secret is set and its address answers.
    ///
    /// # Errors
    /// [`VendorError`] with the fault, for the operator.
    pub async fn probe_vendor(&self, vendor: &Vendor) -> Result<(), VendorError> {
        self.vendors.probe(vendor).await
    }
}

/// Returns the audit entry for a vendor.
fn audited_vendor(name: &str) -> Audited {
    Audited { detail: Detail::default().word("vendor", name), ..Audited::default() }
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
