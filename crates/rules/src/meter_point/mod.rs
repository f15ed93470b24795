//! Rules about meter points.

mod another_account;
mod duplicates;
mod hazards;
mod installation_id;
mod periods;
mod supply_dates;
mod supply_point_identifier;

pub(crate) use another_account::PST_12;
pub(crate) use duplicates::{MPT_04, MPT_05};
pub(crate) use hazards::{MPT_06, MPT_07};
pub(crate) use installation_id::MPT_10;
pub(crate) use periods::{MPT_08, MPT_09};
pub(crate) use supply_dates::{MPT_03, MPT_11};
pub(crate) use supply_point_identifier::{MPT_01, MPT_02};
