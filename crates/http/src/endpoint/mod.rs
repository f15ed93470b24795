//! A file per endpoint: extract, one call, respond.

pub(crate) mod account_lists;
pub(crate) mod account_status;
pub(crate) mod bulk;
pub(crate) mod create_account;
pub(crate) mod create_business;
pub(crate) mod create_business_payment_instruction;
pub(crate) mod create_historical_statements;
pub(crate) mod create_notes;
pub(crate) mod create_payment_instruction;
pub(crate) mod create_transactions;
pub(crate) mod find_accounts;
pub(crate) mod graphql;
pub(crate) mod healthz;
mod instruction;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod progress;
pub(crate) mod readyz;
pub(crate) mod transfer_status;
pub(crate) mod validate_account;
