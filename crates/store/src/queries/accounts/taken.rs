use super::super::Conn;
use super::super::schema::{accounts, meter_points, suppliers};
use super::super::types::Day;
use crate::error::Result;
use cutover_app::port::SoughtMeterPoint;
use cutover_core::ExternalAccountNumber;
use diesel::dsl::exists;
use diesel::prelude::*;

/// Whether another account of the organisation has a meter point. Identifiers are kept trimmed.
pub(super) fn is_taken(
    conn: &mut Conn,
    organisation_id: i64,
    supplier_id: i64,
    number: &ExternalAccountNumber,
    sought: &SoughtMeterPoint,
) -> Result<bool> {
    let is_another =
        accounts::supplier_id.ne(supplier_id).or(accounts::external_account_number.ne(number.as_str()));
    let ends_after = meter_points::supply_end_date.gt(Day::from(sought.supply_start_date));
    let holders = meter_points::table
        .inner_join(accounts::table.inner_join(suppliers::table))
        .filter(meter_points::mpxn.eq(&sought.mpxn))
        .filter(meter_points::supply_end_date.is_null().or(ends_after))
        .filter(suppliers::organisation_id.eq(organisation_id))
        .filter(is_another);
    Ok(diesel::select(exists(holders)).get_result(conn)?)
}
