//! Opens object storage in the cloud.

use crate::location::{BucketLocation, Cloud};
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// Time limit of one attempt, from the connection to the last byte; well below that of a call, so that a
/// hanging attempt is repeated.
const ATTEMPT: (ClientConfigKey, &str) = (ClientConfigKey::Timeout, "1500ms");

/// Opens a bucket with the settings of the environment. Sends no request yet.
///
/// # Errors
/// Fault of the environment's settings.
pub(super) fn open(location: &BucketLocation) -> Result<Arc<dyn ObjectStore>, String> {
    choose_cryptography();
    match location.cloud {
        #[cfg(feature = "s3")]
        Cloud::S3 => s3(object_store::aws::AmazonS3Builder::from_env(), &location.bucket),
        #[cfg(feature = "gcs")]
        Cloud::Gcs => gcs(object_store::gcp::GoogleCloudStorageBuilder::from_env(), &location.bucket),
        #[cfg(feature = "azure")]
        Cloud::Azure => azure(object_store::azure::MicrosoftAzureBuilder::from_env(), &location.bucket),
        #[cfg(not(all(feature = "s3", feature = "gcs", feature = "azure")))]
        _ => Err("this build lacks this storage".into()),
    }
}

#[cfg(feature = "s3")]
pub(super) fn s3(
    builder: object_store::aws::AmazonS3Builder,
    bucket: &str,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = ATTEMPT;
    let builder = builder.with_bucket_name(bucket).with_retry(retries());
    opened(builder.with_config(object_store::aws::AmazonS3ConfigKey::Client(attempt), time).build())
}

#[cfg(feature = "gcs")]
fn gcs(
    builder: object_store::gcp::GoogleCloudStorageBuilder,
    bucket: &str,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = ATTEMPT;
    let builder = builder.with_bucket_name(bucket).with_retry(retries());
    opened(builder.with_config(object_store::gcp::GoogleConfigKey::Client(attempt), time).build())
}

#[cfg(feature = "azure")]
fn azure(
    builder: object_store::azure::MicrosoftAzureBuilder,
    container: &str,
) -> Result<Arc<dyn ObjectStore>, String> {
    let (attempt, time) = ATTEMPT;
    let builder = builder.with_container_name(container).with_retry(retries());
    opened(builder.with_config(object_store::azure::AzureConfigKey::Client(attempt), time).build())
}

fn opened(store: object_store::Result<impl ObjectStore>) -> Result<Arc<dyn ObjectStore>, String> {
    store.map(|store| Arc::new(store) as _).map_err(|error| error.to_string())
}

/// Two more attempts, the second only if there is time for all of it.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_millis(500),
            base: 2.0,
        },
        max_retries: 2,
        retry_timeout: Duration::from_secs(3),
    }
}

/// Installs ring as the process's cryptography provider for the HTTP client, unless one is installed already.
pub(super) fn choose_cryptography() {
    drop(rustls::crypto::ring::default_provider().install_default());
}
