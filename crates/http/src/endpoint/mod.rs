//! A file per endpoint: extract, one call, respond.

pub(crate) mod account_status;
pub(crate) mod create_account;
pub(crate) mod graphql;
pub(crate) mod healthz;
pub(crate) mod metrics;
pub(crate) mod readyz;
pub(crate) mod validate_account;
