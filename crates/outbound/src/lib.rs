//! Adapters to the outside: documents in object storage.
