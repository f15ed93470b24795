//! Rules about accounts as a whole.

mod billing_address;
mod date_in_future;
mod last_billed_to_date;
mod number_in_url;
mod on_supply;
mod online_without_email;
mod unknown_occupier;
mod without_customers;

use crate::prelude::*;
use cutover_model::draft::MeterPoint;

/// In the order of the catalogue.
pub(crate) const RULES: &[Rule] = &[
    unknown_occupier::ACC_01,
    unknown_occupier::ACC_02,
    date_in_future::ACC_03,
    without_customers::ACC_04,
    online_without_email::ACC_05,
    date_in_future::ACC_06,
    on_supply::ACC_07,
    last_billed_to_date::ACC_08,
    number_in_url::ACC_09,
    last_billed_to_date::ACC_10,
    billing_address::ACC_11,
];

/// Returns every meter point of an account, or `None` if a list is absent or faulty or has a faulty item:
/// rules about all of them are silent then (rules 1.3).
fn all_meter_points<'a, 'j>(account: &'a Account<'j>) -> Option<impl Iterator<Item = &'a MeterPoint<'j>>> {
    let entries = account.supply_addresses.usable().filter(|entries| entries.is_whole())?;
    let lists = || entries.usable().map(|(_, entry)| entry.meter_points.usable());
    let are_whole = lists().all(|points| points.is_some_and(List::is_whole));
    are_whole.then(|| lists().flatten().flat_map(List::usable).map(|(_, point)| point))
}
