//! Rules about documents.
