//! Rules about windows.
