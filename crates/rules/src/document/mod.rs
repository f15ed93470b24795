//! Rules about paths of documents.

mod path;
mod stored;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[path::DOC_01, stored::DOC_02, stored::DOC_03];
