//! Payment vendors (contract D11, D14).

use super::schema::{organisations, payment_vendors};
use super::types::Timestamp;
use super::{SqlTx, changed};
use crate::error::Result;
use cutover_app::port::{AnyVendors, StoreError, Vendor, Vendors};
use cutover_core::Word;
use diesel::prelude::*;
use std::borrow::Cow;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = payment_vendors, treat_none_as_default_value = false)]
struct VendorRow<'a> {
    organisation_id: i64,
    name: Cow<'a, str>,
    kind: Cow<'a, str>,
    base_url: Cow<'a, str>,
    secret_env: Option<Cow<'a, str>>,
    created_at: Timestamp,
}

impl<'a> From<&'a Vendor> for VendorRow<'a> {
    fn from(vendor: &'a Vendor) -> Self {
        Self {
            organisation_id: vendor.organisation_id,
            name: vendor.name.as_str().into(),
            kind: vendor.kind.as_str().into(),
            base_url: vendor.base_url.as_str().into(),
            secret_env: vendor.secret_env.as_deref().map(Cow::from),
            created_at: vendor.created_at.into(),
        }
    }
}

/// Returns a vendor from its row and the name of its organisation.
fn read((row, organisation): (VendorRow<'_>, String)) -> Result<Vendor> {
    Ok(Vendor {
        organisation_id: row.organisation_id,
        organisation,
        name: row.name.into_owned(),
        kind: Word::read(&row.kind),
        base_url: row.base_url.into_owned(),
        secret_env: row.secret_env.map(Cow::into_owned),
        created_at: row.created_at.instant()?,
    })
}

/// Selects vendors with the names of their organisations.
macro_rules! vendors {
    () => {
        payment_vendors::table
            .inner_join(organisations::table)
            .select((VendorRow::as_select(), organisations::name))
    };
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

    fn vendor(&mut self, organisation_id: i64, name: &str) -> Result<Option<Vendor>, StoreError> {
        self.run(|conn| {
            let vendor = vendors!()
                .filter(payment_vendors::organisation_id.eq(organisation_id))
                .filter(payment_vendors::name.eq(name));
            vendor.get_result(conn).optional()?.map(read).transpose()
        })
    }

    fn vendor_names(&mut self, organisation_id: i64) -> Result<Vec<String>, StoreError> {
        self.run(|conn| {
            let names = payment_vendors::table.filter(payment_vendors::organisation_id.eq(organisation_id));
            Ok(names.order(payment_vendors::name).select(payment_vendors::name).load(conn)?)
        })
    }

    fn remove_vendor(&mut self, organisation_id: i64, name: &str) -> Result<bool, StoreError> {
        self.run(|conn| {
            let vendor = payment_vendors::table.find((organisation_id, name));
            Ok(changed(diesel::delete(vendor).execute(conn)?))
        })
    }
}

impl AnyVendors for SqlTx<'_> {
    fn vendors(&mut self, organisation_id: Option<i64>) -> Result<Vec<Vendor>, StoreError> {
        self.run(|conn| {
            let all = vendors!().order((organisations::name, payment_vendors::name));
            let rows: Vec<(VendorRow<'static>, String)> = match organisation_id {
                Some(of) => all.filter(payment_vendors::organisation_id.eq(of)).load(conn)?,
                None => all.load(conn)?,
            };
            rows.into_iter().map(read).collect()
        })
    }
}
