//! Opens object storage in the cloud.

use crate::location::{BucketLocation, Cloud};
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// Time limits of requests.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Patience {
    /// Small reads that somebody waits for. An attempt has 1.5 s, well below the limit of a call, so that a hanging
    /// attempt is repeated: at most twice, the second time only if there is time for all of it.
    Lookups,
    /// Parts of large files. An attempt has a minute, and is repeated within five minutes.
    Uploads,
}

impl Patience {
    /// Time limit of one attempt, from the connection to the last byte.
    fn attempt(self) -> (ClientConfigKey, &'static str) {
        let limit = match self {
            Self::Lookups => "1500ms",
            Self::Uploads => "60s",
        };
        (ClientConfigKey::Timeout, limit)
    }

    fn retries(self) -> RetryConfig {
        let (max_backoff, max_retries, retry_timeout) = match self {
            Self::Lookups => (Duration::from_millis(500), 2, Duration::from_secs(3)),
            Self::Uploads => (Duration::from_secs(10), 8, Duration::from_secs(300)),
        };
        let backoff = BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff, base: 2.0 };
        RetryConfig { backoff, max_retries, retry_timeout }
    }
}

/// Opens a bucket with the settings of the environment. Sends no request yet.
///
/// # Errors
/// Fault of the environment's settings.
pub(crate) fn open(location: &BucketLocation, patience: Patience) -> Result<Arc<dyn ObjectStore>, String> {
    choose_cryptography();
    match location.cloud {
        #[cfg(feature = "s3")]
        Cloud::S3 => s3(aws_environment(), &location.bucket, patience),
        #[cfg(feature = "gcs")]
        Cloud::Gcs => {
            gcs(object_store::gcp::GoogleCloudStorageBuilder::from_env(), &location.bucket, patience)
        }
        #[cfg(feature = "azure")]
        Cloud::Azure => {
            azure(object_store::azure::MicrosoftAzureBuilder::from_env(), &location.bucket, patience)
        }
        #[cfg(not(all(feature = "s3", feature = "gcs", feature = "azure")))]
        _ => Err("this build lacks this storage".into()),
    }
}

/// The settings of the environment, with credentials that are in [files](crate::secret).
#[cfg(feature = "s3")]
fn aws_environment() -> object_store::aws::AmazonS3Builder {
    use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
    let credentials = [
        ("AWS_ACCESS_KEY_ID", AmazonS3ConfigKey::AccessKeyId),
        ("AWS_SECRET_ACCESS_KEY", AmazonS3ConfigKey::SecretAccessKey),
        ("AWS_SESSION_TOKEN", AmazonS3ConfigKey::Token),
    ];
    let credentials =
        credentials.into_iter().filter_map(|(variable, key)| Some((key, crate::secret(variable)?)));
    credentials
        .fold(AmazonS3Builder::from_env(), |builder, (key, value)| builder.with_config(key, value.trim()))
}

#[cfg(feature = "s3")]
pub(crate) fn s3(
    builder: object_store::aws::AmazonS3Builder,
    bucket: &str,
    patience: Patience,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = patience.attempt();
    let builder = builder.with_bucket_name(bucket).with_retry(patience.retries());
    opened(builder.with_config(object_store::aws::AmazonS3ConfigKey::Client(attempt), time).build())
}

#[cfg(feature = "gcs")]
fn gcs(
    builder: object_store::gcp::GoogleCloudStorageBuilder,
    bucket: &str,
    patience: Patience,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = patience.attempt();
    let builder = builder.with_bucket_name(bucket).with_retry(patience.retries());
    opened(builder.with_config(object_store::gcp::GoogleConfigKey::Client(attempt), time).build())
}

#[cfg(feature = "azure")]
fn azure(
    builder: object_store::azure::MicrosoftAzureBuilder,
    container: &str,
    patience: Patience,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = patience.attempt();
    let builder = builder.with_container_name(container).with_retry(patience.retries());
    opened(builder.with_config(object_store::azure::AzureConfigKey::Client(attempt), time).build())
}

fn opened(store: object_store::Result<impl ObjectStore>) -> Result<Arc<dyn ObjectStore>, String> {
    store.map(|store| Arc::new(store) as _).map_err(|error| error.to_string())
}

/// Installs ring as the process's cryptography provider for the HTTP client, unless one is installed already.
pub(crate) fn choose_cryptography() {
    drop(rustls::crypto::ring::default_provider().install_default());
}
