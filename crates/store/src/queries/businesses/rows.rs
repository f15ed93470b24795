use super::super::Conn;
use super::super::schema::{business_contract_versions, business_contracts, business_details, businesses};
use super::super::types::{Bits, Day, Timestamp};
use crate::error::Result;
use cutover_app::port::NewBusiness;
use cutover_model::{Contract, Text};
use diesel::prelude::*;

#[derive(Insertable)]
#[diesel(table_name = businesses, treat_none_as_default_value = false)]
pub(super) struct BusinessRow<'a> {
    organisation_id: i64,
    number: i64,
    supplier_id: i64,
    external_identifier: &'a str,
    business_type: Option<&'a str>,
    company_number: Option<&'a str>,
    company_name: Option<&'a str>,
    fingerprint: Bits,
    created_at: Timestamp,
}

impl<'a> BusinessRow<'a> {
    pub(super) fn new(new: &'a NewBusiness, number: i64) -> Self {
        let business = &new.request.business;
        Self {
            organisation_id: new.organisation_id,
            number,
            supplier_id: new.supplier_id,
            external_identifier: new.request.external_business_identifier.trimmed(),
            business_type: business.business_type.map(|kind| kind.as_str()),
            company_number: business.company_number.as_ref().map(Text::as_sent),
            company_name: business.company_name.as_ref().map(Text::as_sent),
            fingerprint: Bits(new.fingerprint),
            created_at: new.created_at.into(),
        }
    }

    pub(super) fn identifier(&self) -> &'a str {
        self.external_identifier
    }
}

/// The columns of a business that a replacement changes.
#[derive(AsChangeset)]
#[diesel(table_name = businesses, treat_none_as_null = true)]
pub(super) struct ChangedBusiness<'a> {
    supplier_id: i64,
    business_type: Option<&'a str>,
    company_number: Option<&'a str>,
    company_name: Option<&'a str>,
    fingerprint: Bits,
}

impl<'a> ChangedBusiness<'a> {
    pub(super) fn new(new: &'a NewBusiness) -> Self {
        let BusinessRow { supplier_id, business_type, company_number, company_name, fingerprint, .. } =
            BusinessRow::new(new, 0);
        Self { supplier_id, business_type, company_number, company_name, fingerprint }
    }
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = business_details, treat_none_as_default_value = false)]
    struct DetailRow<'a> {
        business_id: i64,
        position: i64,
        key: &'a str,
        value: &'a str,
    }
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = business_contracts, treat_none_as_default_value = false)]
    struct ContractRow<'a> {
        business_id: i64,
        position: i64,
        organisation_id: i64,
        identifier: &'a str,
        valid_from_date: Day,
        signed_at_date: Day,
    }
}

row! {
    #[derive(Insertable)]
    #[diesel(table_name = business_contract_versions, treat_none_as_default_value = false)]
    struct VersionRow<'a> {
        business_id: i64,
        contract: i64,
        position: i64,
        applicable_at_date: Day,
        terms: &'a str,
    }
}

/// The rows of a business in other tables.
pub(super) struct Children<'a> {
    details: Vec<DetailRow<'a>>,
    contracts: Vec<ContractRow<'a>>,
    versions: Vec<VersionRow<'a>>,
}

impl<'a> Children<'a> {
    pub(super) fn new(business_id: i64, new: &'a NewBusiness) -> Self {
        let business = &new.request.business;
        let details = (0..).zip(business.details.as_deref().unwrap_or_default());
        let details = details.map(|(position, detail)| DetailRow {
            business_id,
            position,
            key: detail.key.as_sent(),
            value: detail.value.as_sent(),
        });
        let mut children = Self { details: details.collect(), contracts: Vec::new(), versions: Vec::new() };
        for (position, contract) in (0..).zip(business.business_contracts.as_deref().unwrap_or_default()) {
            children.contract(business_id, position, new.organisation_id, contract);
        }
        children
    }

    fn contract(
        &mut self,
        business_id: i64,
        position: i64,
        organisation_id: i64,
        contract: &'a Contract<'_>,
    ) {
        self.contracts.push(ContractRow {
            business_id,
            position,
            organisation_id,
            identifier: contract.identifier.trimmed(),
            valid_from_date: contract.valid_from_date.into(),
            signed_at_date: contract.signed_at_date.into(),
        });
        let versions = (0..).zip(contract.versions.as_deref().unwrap_or_default());
        self.versions.extend(versions.map(|(place, version)| VersionRow {
            business_id,
            contract: position,
            position: place,
            applicable_at_date: version.applicable_at_date.into(),
            terms: version.terms.json(),
        }));
    }

    pub(super) fn insert(&self, conn: &mut Conn) -> Result<()> {
        DetailRow::insert_all(&self.details, conn)?;
        ContractRow::insert_all(&self.contracts, conn)?;
        VersionRow::insert_all(&self.versions, conn)?;
        Ok(())
    }
}
