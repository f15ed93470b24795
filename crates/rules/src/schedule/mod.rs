//! Rules about payment schedules.

mod amount;
mod day_of_month;
mod means;
mod missing;
mod open_ended;

pub(crate) use amount::SCH_01;
pub(crate) use day_of_month::SCH_02;
pub(crate) use means::SCH_05;
pub(crate) use missing::SCH_04;
pub(crate) use open_ended::SCH_03;
