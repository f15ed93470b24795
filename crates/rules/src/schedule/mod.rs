//! Rules about schedules.
