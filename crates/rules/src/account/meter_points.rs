use cutover_model::List;
use cutover_model::draft::{Account, MeterPoint};

/// Every meter point of an account; `None` if one of the lists is absent or faulty, or has a faulty
/// item: then nothing can be said about all of them (rules 1.3).
pub(super) fn all_meter_points<'a, 'j>(
    account: &'a Account<'j>,
) -> Option<impl Iterator<Item = &'a MeterPoint<'j>>> {
    let entries = account.supply_addresses.usable().filter(|entries| entries.is_whole())?;
    let lists = || entries.usable().map(|(_, entry)| entry.meter_points.usable());
    let are_whole = lists().all(|points| points.is_some_and(List::is_whole));
    are_whole.then(|| lists().flatten().flat_map(List::usable).map(|(_, point)| point))
}
