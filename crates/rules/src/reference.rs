//! The manual, made from the catalogue.
