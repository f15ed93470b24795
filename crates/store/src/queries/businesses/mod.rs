//! Businesses and their contracts (contract D9).

mod rows;

use super::dialect::{Db, Dialect};
use super::schema::{business_contracts, businesses};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::Bits;
use super::{Conn, SqlTx};
use crate::error::Result;
use cutover_app::port::{Businesses, NewBusiness, StoreError, StoredBusiness};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use rows::{BusinessRow, Children};

fn business(conn: &mut Conn, organisation_id: i64, identifier: &str) -> Result<Option<StoredBusiness>> {
    let row: Option<(i64, Bits)> = businesses::table
        .filter(businesses::organisation_id.eq(organisation_id))
        .filter(businesses::external_identifier.eq(identifier))
        .select((businesses::id, businesses::fingerprint))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(id, Bits(fingerprint))| StoredBusiness { id, fingerprint }))
}

statement! {
    /// Locks a business.
    Lock { business_id: i64 } -> BigInt = "SELECT id FROM businesses WHERE id = " business_id (Dialect::LOCK)
}

impl Businesses for SqlTx<'_> {
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError> {
        self.run(|conn| business(conn, organisation_id, external_identifier))
    }

    fn insert_business(&mut self, new: &NewBusiness) -> Result<i64, StoreError> {
        self.run(|conn| {
            let row = BusinessRow::new(new);
            diesel::insert_into(businesses::table).values(&row).execute(conn)?;
            let id = businesses::table
                .filter(businesses::organisation_id.eq(new.organisation_id))
                .filter(businesses::external_identifier.eq(row.identifier()))
                .select(businesses::id)
                .get_result(conn)?;
            Children::new(id, new).insert(conn)?;
            Ok(id)
        })
    }

    fn lock_business(&mut self, business_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            Lock { business_id }.get_result::<i64>(conn).optional()?;
            Ok(())
        })
    }

    fn contract_exists(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        self.run(|conn| {
            let contract = business_contracts::table
                .filter(business_contracts::organisation_id.eq(organisation_id))
                .filter(business_contracts::identifier.eq(identifier));
            Ok(diesel::select(exists(contract)).get_result(conn)?)
        })
    }
}
