//! Reads a business with everything that is kept of it.

use super::super::Conn;
use super::super::schema::{
    business_contract_versions, business_contracts, business_details, businesses, suppliers,
};
use super::super::types::Day;
use crate::error::{Error, Result};
use cutover_app::port::BusinessRecord;
use cutover_model::{Business, BusinessDetail, BusinessRequest, Contract, ContractVersion, Free, Text};
use diesel::prelude::*;

#[derive(Queryable)]
struct HeadRow {
    id: i64,
    number: i64,
    supplier: String,
    external_identifier: String,
    business_type: Option<String>,
    company_number: Option<String>,
    company_name: Option<String>,
}

pub(super) fn load(
    conn: &mut Conn,
    organisation_id: i64,
    identifier: &str,
) -> Result<Option<BusinessRecord>> {
    let head: Option<HeadRow> = businesses::table
        .inner_join(suppliers::table)
        .filter(businesses::organisation_id.eq(organisation_id))
        .filter(businesses::external_identifier.eq(identifier))
        .select((
            businesses::id,
            businesses::number,
            suppliers::code,
            businesses::external_identifier,
            businesses::business_type,
            businesses::company_number,
            businesses::company_name,
        ))
        .get_result(conn)
        .optional()?;
    let Some(head) = head else { return Ok(None) };
    let business_type = head.business_type.as_deref().map(str::parse).transpose();
    let business = Business {
        business_type: business_type.map_err(|_| Error::Unfit("the type of a business is unknown"))?,
        company_number: head.company_number.map(Text::from),
        company_name: head.company_name.map(Text::from),
        details: Some(details(conn, head.id)?),
        business_contracts: Some(contracts(conn, head.id)?),
    };
    let request = BusinessRequest {
        import_supplier_code: head.supplier.into(),
        external_business_identifier: head.external_identifier.into(),
        business,
    };
    Ok(Some(BusinessRecord { number: head.number, request }))
}

fn details(conn: &mut Conn, id: i64) -> Result<Vec<BusinessDetail<'static>>> {
    let rows: Vec<(String, String)> = business_details::table
        .filter(business_details::business_id.eq(id))
        .order(business_details::position)
        .select((business_details::key, business_details::value))
        .load(conn)?;
    Ok(rows.into_iter().map(|(key, value)| BusinessDetail { key: key.into(), value: value.into() }).collect())
}

fn contracts(conn: &mut Conn, id: i64) -> Result<Vec<Contract<'static>>> {
    let mut versions = versions(conn, id)?.into_iter().peekable();
    let rows: Vec<(i64, String, Day, Day)> = business_contracts::table
        .filter(business_contracts::business_id.eq(id))
        .order(business_contracts::position)
        .select((
            business_contracts::position,
            business_contracts::identifier,
            business_contracts::valid_from_date,
            business_contracts::signed_at_date,
        ))
        .load(conn)?;
    let contract =
        |(position, identifier, Day(valid_from_date), Day(signed_at_date)): (i64, String, _, _)| {
            let mut of_this = Vec::new();
            while let Some((_, version)) = versions.next_if(|(contract, _)| *contract == position) {
                of_this.push(version);
            }
            let versions = Some(of_this);
            Contract { valid_from_date, signed_at_date, identifier: identifier.into(), versions }
        };
    Ok(rows.into_iter().map(contract).collect())
}

/// The versions of all contracts, each with the position of its contract.
fn versions(conn: &mut Conn, id: i64) -> Result<Vec<(i64, ContractVersion<'static>)>> {
    let rows: Vec<(i64, Day, String)> = business_contract_versions::table
        .filter(business_contract_versions::business_id.eq(id))
        .order((business_contract_versions::contract, business_contract_versions::position))
        .select((
            business_contract_versions::contract,
            business_contract_versions::applicable_at_date,
            business_contract_versions::terms,
        ))
        .load(conn)?;
    let version = |(contract, Day(applicable_at_date), terms): (i64, Day, String)| {
        let terms = Free::from_json(terms).ok_or(Error::Unfit("the terms of a contract are no JSON"))?;
        Ok((contract, ContractVersion { applicable_at_date, terms }))
    };
    rows.into_iter().map(version).collect()
}
