//! Certificates, their keys, and what they certify of each account (decision 0050).

use super::dialect::{Db, Dialect};
use super::schema::{
    account_additions, accounts, certificate_erasures, certificate_keys, certificate_subtrees, certificates,
};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Bits, Timestamp, instant};
use super::{Conn, SqlTx, changed, erasure, fit, number, rows, store_error};
use crate::error::{Error, Result};
use crate::schema::columns;
use crate::sealed::{Location, Sealer};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    CertificateKey, CertificateSubtree, Certificates, CertifiedAccount, StoreError, StoredCertificate,
    TimelineRange,
};
use cutover_core::Word;
use cutover_model::certificate::{CertifiedContent, Hash};
use cutover_model::{ContentHash, Decimal, Totals};
use cutover_process::{State, StoredFacts};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use std::collections::HashMap;

/// Number of additions that are read at a time.
const ADDITIONS: i64 = 10_000;

#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = certificate_keys)]
struct KeyRow {
    key_id: String,
    public_key: Bits,
    secret: Vec<u8>,
    created_at: Timestamp,
    retired_at: Option<Timestamp>,
}

impl KeyRow {
    fn sealed(key: &CertificateKey, sealer: &Sealer) -> Result<Self> {
        let secret = key.secret.as_ref().map_err(|_| Error::Unfit("a key without its private part"))?;
        let location = Location::CertificateKey { key_id: &key.key_id };
        Ok(Self {
            key_id: key.key_id.clone(),
            public_key: Bits(key.public_key),
            secret: sealer.seal(location, secret)?.into_owned(),
            created_at: key.created_at.into(),
            retired_at: key.retired_at.map(Timestamp::from),
        })
    }

    fn opened(self, sealer: &Sealer) -> Result<CertificateKey> {
        let unfit = |_| Error::corrupt("a certificate key does not have 256 bits");
        let secret = sealer
            .open(Location::CertificateKey { key_id: &self.key_id }, self.secret)
            .and_then(|secret| <[u8; 32]>::try_from(secret).map_err(unfit))
            .map_err(store_error);
        Ok(CertificateKey {
            key_id: self.key_id,
            public_key: self.public_key.0,
            secret,
            created_at: self.created_at.instant()?,
            retired_at: instant(self.retired_at)?,
        })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = certificates)]
struct CertificateRow {
    id: i64,
    name: String,
    supplier_id: i64,
    begun_at: Timestamp,
    document: Option<String>,
    has_leaves: bool,
    is_replaceable: bool,
}

impl TryFrom<CertificateRow> for StoredCertificate {
    type Error = Error;

    fn try_from(row: CertificateRow) -> Result<Self> {
        let CertificateRow { id, name, supplier_id, begun_at, document, has_leaves, is_replaceable } = row;
        let begun_at = begun_at.instant()?;
        Ok(Self { id, name, supplier_id, begun_at, document, has_leaves, is_replaceable })
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = certificate_subtrees)]
struct SubtreeRow {
    position: i64,
    first_number: Option<String>,
    root: Bits,
    leaves: Vec<u8>,
}

impl From<SubtreeRow> for CertificateSubtree {
    fn from(SubtreeRow { position, first_number, root, leaves }: SubtreeRow) -> Self {
        Self { position, first_number, root: root.0, leaves }
    }
}

statement! {
    /// Returns the next accounts of a supplier by number.
    After { supplier_id: i64, after: String, limit: i64 }
        -> (BigInt, Text, Text, Nullable<Text>, Nullable<Text>, Bool, Nullable<columns::Instant>, Nullable<Binary>)
        = "SELECT id, external_account_number, state, error_code, service_account_number, is_dry_run, \
            lease_until, content FROM processes WHERE supplier_id = " supplier_id
            " AND external_account_number > " after
            " ORDER BY supplier_id, external_account_number LIMIT " limit
}

type AfterRow = (i64, String, String, Option<String>, Option<String>, bool, Option<Timestamp>, Option<Bits>);

statement! {
    /// Locks the certificates of a supplier.
    Lock { supplier_id: i64 } -> BigInt
        = "SELECT id FROM certificates WHERE supplier_id = " supplier_id " ORDER BY id" (Dialect::LOCK)
}

statement! {
    Begin { supplier_id: i64, name: String, begun_at: Timestamp, is_replaceable: bool } -> BigInt
        = "INSERT INTO certificates (name, supplier_id, begun_at, has_leaves, is_replaceable) VALUES (" name ", "
            supplier_id ", " begun_at ", TRUE, " is_replaceable ") RETURNING id"
}

/// The totals of an account in its row, whether something was added to it, and its numbers of rows.
type TotalsRow =
    (i64, Option<String>, Option<i64>, Option<i64>, Option<i64>, Option<Timestamp>, Option<String>);

/// Returns the totals of an imported account; `None` if an earlier version imported it.
fn kept_totals(row: &TotalsRow) -> Result<Option<Totals>> {
    let (_, Some(balance), Some(readings), Some(transactions), Some(documents), _, counts) = row else {
        return Ok(None);
    };
    let balance =
        Decimal::from_sent(balance, true).ok_or_else(|| Error::corrupt("a total cannot be read"))?;
    Ok(Some(Totals {
        accounts: 1,
        ledger_balance: balance.value().normalize(),
        readings: number(*readings, "total_readings")?,
        transactions: number(*transactions, "total_transactions")?,
        documents: number(*documents, "total_documents")?,
        rows: rows::read_known(counts.as_deref())?,
    }))
}

fn totals_rows(conn: &mut Conn, ids: &[i64]) -> Result<Vec<TotalsRow>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = accounts::table.filter(accounts::id.eq_any(ids)).select((
        accounts::id,
        accounts::total_balance,
        accounts::total_readings,
        accounts::total_transactions,
        accounts::total_documents,
        accounts::added_at,
        accounts::total_rows,
    ));
    Ok(rows.load(conn)?)
}

/// Adds what was added to accounts, in ascending order, to the content of each.
fn add_additions(
    conn: &mut Conn,
    mut ids: Vec<i64>,
    contents: &mut HashMap<i64, CertifiedContent>,
) -> Result<()> {
    ids.sort_unstable();
    let (mut last_id, mut last) = (i64::MIN, Bits([0; 32]));
    loop {
        // Those of an account may be many, so they are read in parts.
        let in_account = account_additions::account_id.eq(last_id).and(account_additions::content.gt(last));
        let rows: Vec<(i64, Bits, i64)> = account_additions::table
            .filter(account_additions::account_id.eq_any(&ids))
            .filter(account_additions::account_id.gt(last_id).or(in_account))
            .order((account_additions::account_id, account_additions::content))
            .select((account_additions::account_id, account_additions::content, account_additions::copies))
            .limit(ADDITIONS)
            .load(conn)?;
        let Some((id, content, _)) = rows.last() else { return Ok(()) };
        (last_id, last) = (*id, *content);
        for (id, Bits(content), copies) in rows {
            let Some(certified) = contents.get_mut(&id) else { continue };
            (0..copies).for_each(|_| certified.add(ContentHash(content)));
        }
    }
}

fn accounts_to_certify(
    conn: &mut Conn,
    supplier_id: i64,
    after: &str,
    limit: u32,
) -> Result<Vec<CertifiedAccount>> {
    let after = After { supplier_id, after: after.to_owned(), limit: limit.into() };
    let rows: Vec<AfterRow> = after.load(conn)?;
    let imported: Vec<i64> = rows.iter().filter(|row| row.4.is_some()).map(|row| row.0).collect();
    let (mut totals, mut added) = (HashMap::new(), Vec::new());
    for row in totals_rows(conn, &imported)? {
        let kept = match kept_totals(&row)? {
            Some(kept) => kept,
            None => erasure::totals(conn, row.0)?,
        };
        totals.insert(row.0, kept);
        added.extend(row.5.map(|_| row.0));
    }
    let content = |row: &AfterRow| Some((row.0, CertifiedContent::new(ContentHash(row.7?.0))));
    let mut contents: HashMap<i64, CertifiedContent> = rows.iter().filter_map(content).collect();
    if !added.is_empty() {
        add_additions(conn, added, &mut contents)?;
    }
    let account = |row: AfterRow| {
        let (id, number, state, error, account, is_dry_run, lease, _) = row;
        let facts = StoredFacts {
            has_account: account.is_some(),
            has_error: error.is_some(),
            is_dry_run,
            is_leased: lease.is_some(),
        };
        Ok(CertifiedAccount {
            id,
            number: number.parse().map_err(Error::corrupt)?,
            state: Word::<State>::read(&state).known().copied().unwrap_or_else(|| State::nearest(facts)),
            totals: totals.remove(&id),
            content: contents.remove(&id).map(CertifiedContent::finish),
        })
    };
    rows.into_iter().map(account).collect()
}

/// Adds to the totals in the row of an account, if they are kept, and to its numbers of rows, which are kept in any case: an
/// erasure subtracts them.
fn add_totals(conn: &mut Conn, account_id: i64, added: &Totals) -> Result<()> {
    let found = totals_rows(conn, &[account_id])?;
    let Some(row) = found.first() else { return Ok(()) };
    let counts = rows::read_known(row.6.as_deref())?.checked_add(added.rows);
    let counts = counts.ok_or(Error::Unfit("a number of rows is out of range"))?;
    diesel::update(accounts::table.find(account_id))
        .set(accounts::total_rows.eq(rows::write(&counts)))
        .execute(conn)?;
    let Some(kept) = kept_totals(row)? else { return Ok(()) };
    let sum = kept.checked_add(Totals { accounts: 0, ..*added });
    let sum = sum.ok_or(Error::Unfit("a sum of balances is out of range"))?;
    diesel::update(accounts::table.find(account_id))
        .set((
            accounts::total_balance.eq(sum.ledger_balance.to_string()),
            accounts::total_readings.eq(fit::<_, i64>(sum.readings)?),
            accounts::total_transactions.eq(fit::<_, i64>(sum.transactions)?),
            accounts::total_documents.eq(fit::<_, i64>(sum.documents)?),
        ))
        .execute(conn)?;
    Ok(())
}

fn subtree(conn: &mut Conn, certificate_id: i64, position: i64) -> Result<Option<CertificateSubtree>> {
    let row = certificate_subtrees::table.find((certificate_id, position)).select(SubtreeRow::as_select());
    Ok(row.get_result(conn).optional()?.map(CertificateSubtree::from))
}

/// Returns issued certificates of a supplier, the last first.
pub(super) fn issued(conn: &mut Conn, range: TimelineRange) -> Result<Vec<StoredCertificate>> {
    let rows: Vec<CertificateRow> = certificates::table
        .filter(certificates::supplier_id.eq(range.supplier_id))
        .filter(certificates::begun_at.lt(Timestamp::from(range.before)))
        .filter(certificates::document.is_not_null())
        .order((certificates::begun_at.desc(), certificates::id.desc()))
        .limit(range.limit.into())
        .select(CertificateRow::as_select())
        .load(conn)?;
    rows.into_iter().map(StoredCertificate::try_from).collect()
}

impl Certificates for SqlTx<'_> {
    fn add_certificate_key(&mut self, key: &CertificateKey) -> Result<(), StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let others = certificate_keys::table.filter(certificate_keys::retired_at.is_null());
            let at = Timestamp::from(key.created_at);
            diesel::update(others).set(certificate_keys::retired_at.eq(at)).execute(conn)?;
            diesel::insert_into(certificate_keys::table)
                .values(KeyRow::sealed(key, sealer)?)
                .execute(conn)?;
            Ok(())
        })
    }

    fn certificate_keys(&mut self) -> Result<Vec<CertificateKey>, StoreError> {
        let sealer = self.sealer;
        self.run(|conn| {
            let rows = certificate_keys::table
                .order((certificate_keys::created_at.desc(), certificate_keys::key_id.desc()))
                .select(KeyRow::as_select());
            let rows: Vec<KeyRow> = rows.load(conn)?;
            rows.into_iter().map(|row| row.opened(sealer)).collect()
        })
    }

    fn certify_addition(
        &mut self,
        account_id: i64,
        contents: &[ContentHash],
        added: &Totals,
    ) -> Result<(), StoreError> {
        self.run(|conn| {
            for content in contents {
                diesel::insert_into(account_additions::table)
                    .values((
                        account_additions::account_id.eq(account_id),
                        account_additions::content.eq(Bits(content.0)),
                        account_additions::copies.eq(1),
                    ))
                    .on_conflict((account_additions::account_id, account_additions::content))
                    .do_update()
                    .set(account_additions::copies.eq(account_additions::copies + 1))
                    .execute(conn)?;
            }
            if *added == Totals::default() { Ok(()) } else { add_totals(conn, account_id, added) }
        })
    }

    fn accounts_to_certify(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<CertifiedAccount>, StoreError> {
        self.run(|conn| accounts_to_certify(conn, supplier_id, after, limit))
    }

    fn begin_certificate(
        &mut self,
        supplier_id: i64,
        name: &str,
        at: DateTime<Utc>,
        is_replaceable: bool,
    ) -> Result<i64, StoreError> {
        let begin = Begin { supplier_id, name: name.to_owned(), begun_at: at.into(), is_replaceable };
        self.run(|conn| Ok(begin.get_result(conn)?))
    }

    fn add_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::insert_into(certificate_subtrees::table)
                .values((
                    certificate_subtrees::certificate_id.eq(certificate_id),
                    certificate_subtrees::position.eq(subtree.position),
                    certificate_subtrees::first_number.eq(&subtree.first_number),
                    certificate_subtrees::root.eq(Bits(subtree.root)),
                    certificate_subtrees::leaves.eq(&subtree.leaves),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn complete_certificate(&mut self, certificate_id: i64, document: &str) -> Result<bool, StoreError> {
        self.run(|conn| {
            let certificate = diesel::update(certificates::table.find(certificate_id));
            Ok(changed(certificate.set(certificates::document.eq(document)).execute(conn)?))
        })
    }

    fn certificate(
        &mut self,
        supplier_id: i64,
        name: Option<&str>,
    ) -> Result<Option<StoredCertificate>, StoreError> {
        self.run(|conn| {
            let issued = certificates::table
                .filter(certificates::supplier_id.eq(supplier_id))
                .filter(certificates::document.is_not_null())
                .select(CertificateRow::as_select());
            let row: Option<CertificateRow> = match name {
                Some(name) => issued.filter(certificates::name.eq(name)).get_result(conn).optional()?,
                None => issued.order(certificates::id.desc()).first(conn).optional()?,
            };
            row.map(StoredCertificate::try_from).transpose()
        })
    }

    fn certificates(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<StoredCertificate>, StoreError> {
        self.run(|conn| {
            let rows = certificates::table
                .filter(certificates::supplier_id.eq(supplier_id))
                .order(certificates::id.desc())
                .limit(limit.into())
                .select(CertificateRow::as_select());
            let rows: Vec<CertificateRow> = rows.load(conn)?;
            rows.into_iter().map(StoredCertificate::try_from).collect()
        })
    }

    fn replaceable_certificates(
        &mut self,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<StoredCertificate>, StoreError> {
        self.run(|conn| {
            let is_begun = certificates::document.is_null();
            let rows = certificates::table
                .filter(certificates::supplier_id.eq(supplier_id))
                .filter(certificates::has_leaves.eq(true))
                .filter(certificates::is_replaceable.eq(true).or(is_begun))
                .order(certificates::id.desc())
                .limit(limit.into())
                .select(CertificateRow::as_select());
            let rows: Vec<CertificateRow> = rows.load(conn)?;
            rows.into_iter().map(StoredCertificate::try_from).collect()
        })
    }

    fn lock_certificates(&mut self, supplier_id: i64) -> Result<Vec<StoredCertificate>, StoreError> {
        self.run(|conn| {
            Lock { supplier_id }.load::<i64>(conn)?;
            let rows = certificates::table
                .filter(certificates::supplier_id.eq(supplier_id))
                .filter(certificates::has_leaves.eq(true))
                .order(certificates::id)
                .select(CertificateRow::as_select());
            let rows: Vec<CertificateRow> = rows.load(conn)?;
            rows.into_iter().map(StoredCertificate::try_from).collect()
        })
    }

    fn certificate_subtree(
        &mut self,
        certificate_id: i64,
        position: i64,
    ) -> Result<Option<CertificateSubtree>, StoreError> {
        self.run(|conn| subtree(conn, certificate_id, position))
    }

    fn certificate_subtree_of(
        &mut self,
        certificate_id: i64,
        number: &str,
    ) -> Result<Option<CertificateSubtree>, StoreError> {
        self.run(|conn| {
            let position = certificate_subtrees::table
                .filter(certificate_subtrees::certificate_id.eq(certificate_id))
                .filter(certificate_subtrees::first_number.le(number))
                .order(certificate_subtrees::first_number.desc())
                .select(certificate_subtrees::position)
                .first::<i64>(conn)
                .optional()?;
            position.map_or(Ok(None), |position| subtree(conn, certificate_id, position))
        })
    }

    fn certificate_roots(&mut self, certificate_id: i64) -> Result<Vec<Hash>, StoreError> {
        self.run(|conn| {
            let roots = certificate_subtrees::table
                .filter(certificate_subtrees::certificate_id.eq(certificate_id))
                .order(certificate_subtrees::position)
                .select(certificate_subtrees::root);
            let roots: Vec<Bits> = roots.load(conn)?;
            Ok(roots.into_iter().map(|Bits(root)| root).collect())
        })
    }

    fn replace_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::update(certificate_subtrees::table.find((certificate_id, subtree.position)))
                .set((
                    certificate_subtrees::first_number.eq(&subtree.first_number),
                    certificate_subtrees::leaves.eq(&subtree.leaves),
                ))
                .execute(conn)?;
            Ok(())
        })
    }

    fn add_certificate_erasure(&mut self, certificate_id: i64, number: &str) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::insert_into(certificate_erasures::table)
                .values((
                    certificate_erasures::certificate_id.eq(certificate_id),
                    certificate_erasures::external_account_number.eq(number),
                ))
                .on_conflict_do_nothing()
                .execute(conn)?;
            Ok(())
        })
    }

    fn take_certificate_erasures(&mut self, certificate_id: i64) -> Result<Vec<String>, StoreError> {
        self.run(|conn| {
            let of =
                certificate_erasures::table.filter(certificate_erasures::certificate_id.eq(certificate_id));
            let numbers = of.select(certificate_erasures::external_account_number).load(conn)?;
            diesel::delete(of).execute(conn)?;
            Ok(numbers)
        })
    }

    fn remove_certificate_leaves(&mut self, certificate_id: i64, limit: u32) -> Result<bool, StoreError> {
        self.run(|conn| {
            let of =
                certificate_subtrees::table.filter(certificate_subtrees::certificate_id.eq(certificate_id));
            let first = of.order(certificate_subtrees::position).limit(limit.into());
            let first: Vec<i64> = first.select(certificate_subtrees::position).load(conn)?;
            if let Some(last) = first.last() {
                diesel::delete(of.filter(certificate_subtrees::position.le(*last))).execute(conn)?;
            }
            let has_more = first.len() >= limit as usize;
            if !has_more {
                let issued =
                    certificates::table.find(certificate_id).filter(certificates::document.is_not_null());
                diesel::update(issued).set(certificates::has_leaves.eq(false)).execute(conn)?;
            }
            Ok(has_more)
        })
    }

    fn remove_certificate(&mut self, certificate_id: i64) -> Result<(), StoreError> {
        self.run(|conn| {
            let of =
                certificate_erasures::table.filter(certificate_erasures::certificate_id.eq(certificate_id));
            diesel::delete(of).execute(conn)?;
            diesel::delete(certificates::table.find(certificate_id)).execute(conn)?;
            Ok(())
        })
    }
}
