//! Rules about the window in which an account is to be imported.

mod schedule_window;

pub(crate) use schedule_window::{WIN_01, WIN_02, WIN_03, WIN_04};
