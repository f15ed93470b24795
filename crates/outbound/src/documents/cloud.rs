//! Opens the object storage of clouds.

use crate::location::{BucketPlace, Cloud};
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, RetryConfig};
use std::sync::Arc;
use std::time::Duration;

/// How long one attempt may take, from the connection to the last byte; well below what a call has, so that
/// one that hangs is asked anew.
const ATTEMPT: (ClientConfigKey, &str) = (ClientConfigKey::Timeout, "1500ms");

/// Opens a bucket with what the environment says of its cloud. Nothing is asked over the network yet.
///
/// # Errors
/// What is wrong with the variables of the environment.
pub(super) fn open(place: &BucketPlace) -> Result<Arc<dyn ObjectStore>, String> {
    choose_cryptography();
    match place.cloud {
        #[cfg(feature = "s3")]
        Cloud::S3 => s3(object_store::aws::AmazonS3Builder::from_env(), &place.bucket),
        #[cfg(feature = "gcs")]
        Cloud::Gcs => gcs(object_store::gcp::GoogleCloudStorageBuilder::from_env(), &place.bucket),
        #[cfg(feature = "azure")]
        Cloud::Azure => azure(object_store::azure::MicrosoftAzureBuilder::from_env(), &place.bucket),
        #[cfg(not(all(feature = "s3", feature = "gcs", feature = "azure")))]
        _ => Err("storage that is not in this build".into()),
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

/// The HTTP client takes its cryptography from the process: ring, unless somebody chose before.
pub(super) fn choose_cryptography() {
    drop(rustls::crypto::ring::default_provider().install_default());
}
