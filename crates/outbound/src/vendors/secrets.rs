use super::outcome::unavailable;
use cutover_app::port::{Vendor, VendorError};
use reqwest::header::HeaderValue;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Where secrets are read: the value of a variable, if it is set.
pub(super) type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Reads the secrets of vendors when they are needed, and keeps none.
pub(super) struct Secrets {
    variables: Variables,
    told: Mutex<HashSet<String>>,
}

impl Secrets {
    pub(super) fn new(variables: Variables) -> Self {
        Self { variables, told: Mutex::default() }
    }

    /// `Authorization` for a vendor; `None` if it needs no secret.
    ///
    /// # Errors
    /// [`VendorError::Unavailable`] if its variable is not set or holds what no header can hold. It is the
    /// operator's to mend, so the log says it once, by the variable's name.
    pub(super) fn authorization(&self, vendor: &Vendor) -> Result<Option<HeaderValue>, VendorError> {
        let Some(variable) = &vendor.secret_env else { return Ok(None) };
        let header = self.bearer(variable);
        if let Err(cause) = &header
            && self.first_of(variable)
        {
            tracing::error!(vendor = vendor.name, "the secret of a payment vendor cannot be read: {cause}");
        }
        header.map(Some).map_err(unavailable)
    }

    fn bearer(&self, variable: &str) -> Result<HeaderValue, String> {
        let secret = (self.variables)(variable).unwrap_or_default();
        if secret.trim().is_empty() {
            return Err(format!("the variable {variable} is not set"));
        }
        let mut header = HeaderValue::try_from(format!("Bearer {}", secret.trim()))
            .map_err(|_| format!("the variable {variable} holds characters that no secret has"))?;
        header.set_sensitive(true);
        Ok(header)
    }

    fn first_of(&self, variable: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(variable.to_owned())
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
    fn a_secret_is_a_header_that_shows_nothing() {
        let header = authorization(Some("abc\n")).unwrap().unwrap();
        assert_eq!(header, "Bearer abc");
        assert_eq!(format!("{header:?}"), "Sensitive");
    }

    #[test]
    fn a_secret_that_is_not_there_is_the_operators_to_mend() {
        for missing in [None, Some(""), Some(" ")] {
            assert_eq!(authorization(missing), Err(unavailable("the variable V_SECRET is not set")));
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
    fn the_log_says_it_once() {
        let secrets = Secrets::new(Box::new(|_| None));
        assert!(secrets.first_of("A"));
        assert!(!secrets.first_of("A"));
        assert!(secrets.first_of("B"));
    }
}
