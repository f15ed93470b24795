use super::Service;
use super::token::ApiKey;
use crate::error::Error;
use clap::Args;
use reqwest::Url;

/// Service to use, and the key for it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Target {
    /// Base URL of the service: https://, its name, and the path below which it lies, if any
    #[arg(long, value_name = "URL", env = "CUTOVER_BASE_URL", hide_env_values = true)]
    base_url: String,
    /// The environment variable that holds the API key; NAME_FILE names a file with it instead
    #[arg(long, value_name = "NAME", default_value = "CUTOVER_API_KEY")]
    api_key_env: String,
}

/// Service to use, unless the command is to do without one.
#[derive(Debug, Clone, Args)]
pub(crate) struct OfflineTarget {
    /// Ask no service and send nothing
    #[arg(long)]
    offline: bool,
    /// Base URL of the service: https://, its name, and the path below which it lies, if any
    #[arg(long, value_name = "URL", env = "CUTOVER_BASE_URL", hide_env_values = true)]
    #[arg(required_unless_present = "offline")]
    base_url: Option<String>,
    /// The environment variable that holds the API key; NAME_FILE names a file with it instead
    #[arg(long, value_name = "NAME", default_value = "CUTOVER_API_KEY")]
    api_key_env: String,
}

impl OfflineTarget {
    /// The service; `None` if the command is to do without one.
    pub(crate) fn target(&self) -> Option<Target> {
        let base_url = self.base_url.clone().filter(|_| !self.offline)?;
        Some(Target { base_url, api_key_env: self.api_key_env.clone() })
    }
}

/// Service to ask for the settings of suppliers, if one is named.
#[derive(Debug, Clone, Args)]
pub(crate) struct OptionalTarget {
    /// Ask this service for the time zone and the rules of each supplier; needs an API key. No account is sent
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The environment variable that holds the API key; NAME_FILE names a file with it instead
    #[arg(long, value_name = "NAME", default_value = "CUTOVER_API_KEY")]
    api_key_env: String,
}

impl OptionalTarget {
    /// The service, if one is named.
    pub(crate) fn target(&self) -> Option<Target> {
        let base_url = self.base_url.clone()?;
        Some(Target { base_url, api_key_env: self.api_key_env.clone() })
    }
}

impl Target {
    /// Creates a client for the service. Sends nothing yet.
    ///
    /// # Errors
    /// [`Error`] for another kind of URL, or without a key.
    pub(crate) fn service(&self) -> Result<Service, Error> {
        Service::new(base(&self.base_url)?, self.key()?)
    }

    fn key(&self) -> Result<ApiKey, Error> {
        let name = &self.api_key_env;
        let in_file = || std::fs::read_to_string(std::env::var_os(format!("{name}_FILE"))?).ok();
        let key = std::env::var(name).ok().or_else(in_file).unwrap_or_default();
        let none = || Error::refused(format!("the environment variable {name} holds no API key"));
        ApiKey::new(key.trim()).ok_or_else(none)
    }
}

/// Parses a base URL: `http:` or `https:`, without credentials or a query, because it is shown.
fn base(text: &str) -> Result<Url, Error> {
    let wrong = |why: &str| Error::refused(format!("the base URL {why}"));
    let url = Url::parse(text.trim()).map_err(|error| wrong(&format!("is invalid: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(wrong("does not begin with http:// or https://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("contains a user or a password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("contains a query"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_has_no_credentials_and_no_query() {
        assert_eq!(base(" https://x/y ").unwrap().as_str(), "https://x/y");
        for (text, part) in [
            ("localhost:8080", "does not begin with"),
            ("ftp://x", "does not begin with"),
            ("x", "is invalid"),
            ("http://", "is invalid"),
            ("http://a:secret@x/", "a user or a password"),
            ("http://x/?key=secret", "a query"),
        ] {
            let error = base(text).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("secret"), "{error}");
        }
    }
}
