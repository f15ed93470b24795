//! Rules about accounts as a whole.

mod date_in_future;
mod import_supplier;
mod last_billed_to_date;
mod meter_points;
mod number_in_url;
mod on_supply;
mod online_without_email;
mod unknown_occupier;
mod without_customers;

pub(crate) use date_in_future::{ACC_03, ACC_06};
pub(crate) use import_supplier::PST_01;
pub(crate) use last_billed_to_date::ACC_08;
pub(crate) use number_in_url::ACC_09;
pub(crate) use on_supply::ACC_07;
pub(crate) use online_without_email::ACC_05;
pub(crate) use unknown_occupier::{ACC_01, ACC_02};
pub(crate) use without_customers::ACC_04;
