use super::outcome::unavailable;
use cutover_app::port::{Vendor, VendorError};
use reqwest::header::HeaderValue;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Returns the secret of a [variable](crate::secret), if there is one.
pub(super) type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Reads the secrets of vendors when needed, and stores none.
pub(super) struct Secrets {
    variables: Variables,
    logged: Mutex<HashSet<String>>,
}

impl Secrets {
    pub(super) fn new(variables: Variables) -> Self {
        Self { variables, logged: Mutex::default() }
    }

    /// Returns the `Authorization` header of a vendor; `None` if it needs no secret.
    ///
    /// # Errors
    /// [`VendorError::Unavailable`] if its variable is not set or holds characters that a header cannot hold.
    /// The operator has to fix this, so it is logged once with the name of the variable.
    pub(super) fn authorization(&self, vendor: &Vendor) -> Result<Option<HeaderValue>, VendorError> {
        let Some(variable) = &vendor.secret_env else { return Ok(None) };
        let header = self.bearer(variable);
        if let Err(cause) = &header
            && self.is_first(variable)
        {
            tracing::error!(vendor = vendor.name, "the secret of a payment vendor cannot be read: {cause}");
        }
        header.map(Some).map_err(unavailable)
    }

    fn bearer(&self, variable: &str) -> Result<HeaderValue, String> {
        let secret = (self.variables)(variable).unwrap_or_default();
        if secret.trim().is_empty() {
            return Err(format!(
                "the variable {variable} is not set, and {variable}_FILE names no file with it"
            ));
        }
        let mut header = HeaderValue::try_from(format!("Bearer {}", secret.trim()))
            .map_err(|_| format!("the variable {variable} holds characters that a header cannot hold"))?;
        header.set_sensitive(true);
        Ok(header)
    }

    fn is_first(&self, variable: &str) -> bool {
        self.logged.lock().unwrap_or_else(PoisonError::into_inner).insert(variable.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vendors::tests::vendor;
    use cutover_app::port::VendorKind;

    fn authorization(secret: Option<&'static str>) -> Result<Option<HeaderValue>, VendorError> {
        let secrets =
            Secrets::new(Box::new(move |name| secret.filter(|_| name == "V_SECRET").map(Into::into)));
        let vendor = Vendor { secret_env: Some("V_SECRET".into()), ..vendor(VendorKind::Http, "") };
        secrets.authorization(&vendor)
    }

    #[test]
    fn a_secret_is_a_sensitive_header() {
        let header = authorization(Some("abc\n")).unwrap().unwrap();
        assert_eq!(header, "Bearer abc");
        assert_eq!(format!("{header:?}"), "Sensitive");
    }

    #[test]
    fn a_missing_or_invalid_secret_makes_the_vendor_unavailable() {
        for missing in [None, Some(""), Some(" ")] {
            let expected = "the variable V_SECRET is not set, and V_SECRET_FILE names no file with it";
            assert_eq!(authorization(missing), Err(unavailable(expected)));
        }
        let odd = authorization(Some("xyz\0xyz")).unwrap_err().to_string();
        assert!(odd.contains("V_SECRET") && !odd.contains("xyz"), "{odd}");
    }

    #[test]
    fn a_vendor_without_a_secret_needs_none() {
        let secrets = Secrets::new(Box::new(|_| None));
        let vendor = Vendor { secret_env: None, ..vendor(VendorKind::Http, "") };
        assert_eq!(secrets.authorization(&vendor), Ok(None));
    }

    #[test]
    fn a_missing_secret_is_logged_once() {
        let secrets = Secrets::new(Box::new(|_| None));
        assert!(secrets.is_first("A"));
        assert!(!secrets.is_first("A"));
        assert!(secrets.is_first("B"));
    }
}
