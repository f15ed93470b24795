//! Rules about statements, of an account payload or of a historical statements request.

mod dates;
mod duplicate_ids;
mod without_document;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] =
    &[dates::STM_01, duplicate_ids::STM_02, dates::STM_03, without_document::STM_04];
