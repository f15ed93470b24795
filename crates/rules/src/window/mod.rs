//! Rules about the window in which an account is to be imported.

mod schedule_window;

use crate::rule::Rule;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] =
    &[schedule_window::WIN_01, schedule_window::WIN_02, schedule_window::WIN_03, schedule_window::WIN_04];
