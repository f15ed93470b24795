//! Businesses and their contracts (contract D9).

mod record;
mod rows;

use super::dialect::{Db, Dialect};
use super::schema::{
    accounts, business_contract_versions, business_contracts, business_details,
    business_instruction_accounts, business_instructions, business_terms, businesses, process_contracts,
    processes,
};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::Bits;
use super::{Conn, SqlTx, terms};
use crate::error::Result;
use cutover_app::port::{
    BusinessRecord, Businesses, ErasedRows, NewBusiness, StepWrite, StoreError, StoredBusiness,
};
use cutover_process::State;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use rows::{BusinessRow, ChangedBusiness, Children};
use std::collections::BTreeSet;

fn business(conn: &mut Conn, organisation_id: i64, identifier: &str) -> Result<Option<StoredBusiness>> {
    let row: Option<(i64, i64, Bits)> = businesses::table
        .filter(businesses::organisation_id.eq(organisation_id))
        .filter(businesses::external_identifier.eq(identifier))
        .select((businesses::id, businesses::number, businesses::fingerprint))
        .get_result(conn)
        .optional()?;
    Ok(row.map(|(id, number, Bits(fingerprint))| StoredBusiness { id, number, fingerprint }))
}

statement! {
    /// Contracts that are gone, of accounts that wait.
    Absent { organisation_id: i64, supplier_id: i64, limit: i64 } -> diesel::sql_types::Text
        = "SELECT a.identifier FROM absent_contracts a WHERE a.organisation_id = " organisation_id
            " AND EXISTS (SELECT 1 FROM process_contracts c JOIN processes p ON p.id = c.process_id \
            WHERE c.organisation_id = a.organisation_id AND c.identifier = a.identifier AND p.supplier_id = " supplier_id
            " AND p.state IN ('PENDING', 'IN_PROGRESS')) ORDER BY a.identifier LIMIT " limit
}

statement! {
    /// Draws the next number of an organisation. Its row is locked, so that no two transactions draw the same.
    NextNumber { organisation_id: i64 } -> BigInt
        = "INSERT INTO business_numbers (organisation_id, last) VALUES (" organisation_id
            ", 1) ON CONFLICT (organisation_id) DO UPDATE SET last = business_numbers.last + 1 RETURNING last"
}

statement! {
    /// Locks a contract.
    LockContract { organisation_id: i64, identifier: String } -> BigInt
        = "SELECT position FROM business_contracts WHERE organisation_id = " organisation_id
            " AND identifier = " identifier (Dialect::LOCK)
}

statement! {
    /// Locks a business.
    Lock { business_id: i64 } -> BigInt = "SELECT id FROM businesses WHERE id = " business_id (Dialect::LOCK)
}

/// Returns the supplier of an account that is imported, or waits to be, and refers to a contract.
fn supplier_using(conn: &mut Conn, organisation_id: i64, identifier: &str) -> Result<Option<i64>> {
    let uses = process_contracts::table
        .inner_join(processes::table)
        .filter(process_contracts::organisation_id.eq(organisation_id))
        .filter(process_contracts::identifier.eq(identifier))
        .filter(process_contracts::is_in_use.eq(true));
    Ok(uses.select(processes::supplier_id).first(conn).optional()?)
}

/// Notes which accounts still use the contracts that they name: those whose process ended without an account do not.
pub(super) fn set_in_use(conn: &mut Conn, steps: &[StepWrite<'_>], written: &[bool]) -> Result<()> {
    let uses = |state: State| !state.has_ended() || state.is_final();
    for is_in_use in [false, true] {
        let changed = steps.iter().zip(written).filter(|(step, is_written)| {
            let before = step.entry.from.as_ref().and_then(|from| from.known()).map(|from| uses(*from));
            **is_written && before != Some(is_in_use) && uses(step.process.state()) == is_in_use
        });
        let ids: Vec<i64> = changed.map(|(step, _)| step.process.id()).collect();
        if !ids.is_empty() {
            diesel::update(process_contracts::table.filter(process_contracts::process_id.eq_any(ids)))
                .set(process_contracts::is_in_use.eq(is_in_use))
                .execute(conn)?;
        }
    }
    Ok(())
}

impl Businesses for SqlTx<'_> {
    fn business(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<StoredBusiness>, StoreError> {
        self.run(|conn| business(conn, organisation_id, external_identifier))
    }

    fn business_record(
        &mut self,
        organisation_id: i64,
        external_identifier: &str,
    ) -> Result<Option<BusinessRecord>, StoreError> {
        self.run(|conn| record::load(conn, organisation_id, external_identifier))
    }

    fn businesses_after(
        &mut self,
        organisation_id: i64,
        after: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        self.run(|conn| {
            let rows = businesses::table
                .filter(businesses::organisation_id.eq(organisation_id))
                .filter(businesses::number.gt(after))
                .order(businesses::number)
                .select(businesses::external_identifier);
            Ok(rows.limit(limit.into()).load(conn)?)
        })
    }

    fn insert_business(&mut self, new: &NewBusiness) -> Result<StoredBusiness, StoreError> {
        self.run(|conn| {
            let number = NextNumber { organisation_id: new.organisation_id }.get_result::<i64>(conn)?;
            let row = BusinessRow::new(new, number);
            diesel::insert_into(businesses::table).values(&row).execute(conn)?;
            let id = businesses::table
                .filter(businesses::organisation_id.eq(new.organisation_id))
                .filter(businesses::external_identifier.eq(row.identifier()))
                .select(businesses::id)
                .get_result(conn)?;
            Children::new(id, new).insert(conn)?;
            terms::replace_of_business(conn, id, &new.terms)?;
            Ok(StoredBusiness { id, number, fingerprint: new.fingerprint })
        })
    }

    fn replace_business(&mut self, business_id: i64, new: &NewBusiness) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::update(businesses::table.find(business_id))
                .set(ChangedBusiness::new(new))
                .execute(conn)?;
            let versions = business_contract_versions::table;
            diesel::delete(versions.filter(business_contract_versions::business_id.eq(business_id)))
                .execute(conn)?;
            let contracts = business_contracts::table;
            diesel::delete(contracts.filter(business_contracts::business_id.eq(business_id)))
                .execute(conn)?;
            let details = business_details::table;
            diesel::delete(details.filter(business_details::business_id.eq(business_id))).execute(conn)?;
            Children::new(business_id, new).insert(conn)?;
            terms::replace_of_business(conn, business_id, &new.terms)
        })
    }

    fn businesses_of(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<i64>, StoreError> {
        self.run(|conn| {
            let rows = businesses::table.filter(businesses::supplier_id.eq(supplier_id));
            Ok(rows.order(businesses::id).select(businesses::id).limit(limit.into()).load(conn)?)
        })
    }

    fn pass_business(&mut self, business_id: i64, supplier_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            let change = businesses::supplier_id.eq(supplier_id);
            diesel::update(businesses::table.find(business_id)).set(change).execute(conn)?;
            Ok(())
        })
    }

    fn erase_business(&mut self, business_id: i64) -> Result<Vec<ErasedRows>, StoreError> {
        let ids = &[business_id][..];
        self.run(|conn| {
            Ok(erase!(conn, ids:
                business_instruction_accounts.business_id
                business_instructions.business_id
                business_contract_versions.business_id
                business_contracts.business_id
                business_details.business_id
                business_terms.business_id
                businesses.id
            ))
        })
    }

    fn contracts_of(&mut self, business_id: i64) -> Result<Vec<String>, StoreError> {
        self.run(|conn| {
            let contracts = business_contracts::table.filter(business_contracts::business_id.eq(business_id));
            let ordered = contracts.order(business_contracts::position);
            Ok(ordered.select(business_contracts::identifier).load(conn)?)
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

    fn contracts_among(
        &mut self,
        organisation_id: i64,
        identifiers: &[&str],
    ) -> Result<BTreeSet<String>, StoreError> {
        self.run(|conn| {
            let contracts = business_contracts::table
                .filter(business_contracts::organisation_id.eq(organisation_id))
                .filter(business_contracts::identifier.eq_any(identifiers));
            let found: Vec<String> = contracts.select(business_contracts::identifier).load(conn)?;
            Ok(found.into_iter().collect())
        })
    }

    fn lock_contract(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        let statement = LockContract { organisation_id, identifier: identifier.to_owned() };
        self.run(|conn| Ok(statement.get_result::<i64>(conn).optional()?.is_some()))
    }

    fn is_contract_in_use(&mut self, organisation_id: i64, identifier: &str) -> Result<bool, StoreError> {
        self.run(|conn| Ok(supplier_using(conn, organisation_id, identifier)?.is_some()))
    }

    fn supplier_using(&mut self, organisation_id: i64, identifier: &str) -> Result<Option<i64>, StoreError> {
        self.run(|conn| supplier_using(conn, organisation_id, identifier))
    }

    fn supplier_paying(&mut self, business_id: i64) -> Result<Option<i64>, StoreError> {
        self.run(|conn| {
            let applies = business_instruction_accounts::table
                .filter(business_instruction_accounts::business_id.eq(business_id))
                .select(business_instruction_accounts::account_id);
            let Some(account) = applies.first::<i64>(conn).optional()? else { return Ok(None) };
            let account = accounts::table.find(account).select(accounts::supplier_id);
            Ok(account.get_result(conn).optional()?)
        })
    }

    fn absent_contracts(
        &mut self,
        organisation_id: i64,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<String>, StoreError> {
        let waiting = Absent { organisation_id, supplier_id, limit: limit.into() };
        self.run(|conn| Ok(waiting.load(conn)?))
    }

    fn set_contract_of(&mut self, process_id: i64, contract: Option<(i64, &str)>) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::delete(process_contracts::table.find(process_id)).execute(conn)?;
            if let Some((organisation_id, identifier)) = contract {
                let row = (
                    process_contracts::process_id.eq(process_id),
                    process_contracts::organisation_id.eq(organisation_id),
                    process_contracts::identifier.eq(identifier),
                    process_contracts::is_in_use.eq(true),
                );
                diesel::insert_into(process_contracts::table).values(row).execute(conn)?;
            }
            Ok(())
        })
    }
}
