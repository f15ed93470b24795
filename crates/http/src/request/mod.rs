//! Parsers for the parts of a request, independent of endpoints.

pub(crate) mod authorization;
pub(crate) mod body;
pub(crate) mod client;
pub(crate) mod digest;
pub(crate) mod id;
pub(crate) mod path;
pub(crate) mod query;
