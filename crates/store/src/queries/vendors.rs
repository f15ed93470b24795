//! Payment vendors (contract D11).

use super::schema::payment_vendors;
use super::types::Timestamp;
use super::{SqlTx, changed};
use crate::error::{Error, Result};
use cutover_app::port::{StoreError, Vendor, Vendors};
use cutover_core::Word;
use diesel::prelude::*;
use std::borrow::Cow;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = payment_vendors, treat_none_as_default_value = false)]
struct VendorRow<'a> {
    name: Cow<'a, str>,
    kind: Cow<'a, str>,
    base_url: Cow<'a, str>,
    secret_env: Option<Cow<'a, str>>,
    created_at: Timestamp,
}

impl<'a> From<&'a Vendor> for VendorRow<'a> {
    fn from(vendor: &'a Vendor) -> Self {
        Self {
            name: vendor.name.as_str().into(),
            kind: vendor.kind.as_str().into(),
            base_url: vendor.base_url.as_str().into(),
            secret_env: vendor.secret_env.as_deref().map(Cow::from),
            created_at: vendor.created_at.into(),
        }
    }
}

impl TryFrom<VendorRow<'_>> for Vendor {
    type Error = Error;

    fn try_from(row: VendorRow<'_>) -> Result<Self> {
        Ok(Self {
            name: row.name.into_owned(),
            kind: Word::read(&row.kind),
            base_url: row.base_url.into_owned(),
            secret_env: row.secret_env.map(Cow::into_owned),
            created_at: row.created_at.instant()?,
        })
    }
}

impl Vendors for SqlTx<'_> {
    fn add_vendor(&mut self, vendor: &Vendor) -> Result<bool, StoreError> {
        self.run(|conn| {
            let added = diesel::insert_into(payment_vendors::table)
                .values(VendorRow::from(vendor))
                .on_conflict_do_nothing()
                .execute(conn)?;
            Ok(changed(added))
        })
    }

    fn vendor(&mut self, name: &str) -> Result<Option<Vendor>, StoreError> {
        self.run(|conn| {
            let vendor = payment_vendors::table.find(name).select(VendorRow::as_select());
            vendor.get_result(conn).optional()?.map(Vendor::try_from).transpose()
        })
    }

    fn vendors(&mut self) -> Result<Vec<Vendor>, StoreError> {
        self.run(|conn| {
            let vendors = payment_vendors::table.order(payment_vendors::name).select(VendorRow::as_select());
            vendors.load(conn)?.into_iter().map(Vendor::try_from).collect()
        })
    }

    fn remove_vendor(&mut self, name: &str) -> Result<bool, StoreError> {
        self.run(|conn| Ok(changed(diesel::delete(payment_vendors::table.find(name)).execute(conn)?)))
    }
}
