//! Rules about events of the imported history.

mod groups;
mod in_future;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[in_future::EVT_01, groups::EVT_02];
