//! Removes leaves of certificates: those that later certificates replace, and those that an operator names.

use crate::App;
use crate::operator::{Audited, Operations, OperatorError, Scoped, record_action};
use crate::port::{
    AuditAction, Detail, StoreError, StoredCertificate, Subject, Supplier, Tx, read_committed, write,
};
use chrono::{DateTime, TimeDelta, Utc};
use cutover_core::Zone;

/// Number of replaceable certificates of a supplier whose leaves are kept: the latest ones.
const LATEST: usize = 10;
/// Number of certificates that are looked at for leaves to remove.
const LOOKED_AT: u32 = 100;
/// Number of subtrees that one transaction removes: others wait for it.
const REMOVED: u32 = 16;
/// Time after which a certificate without a document counts as interrupted.
const ABANDONED: TimeDelta = TimeDelta::hours(6);

/// Certificates whose leaves are to be removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeavesOf {
    /// The one with this id.
    One(String),
    /// All that were issued before a time.
    Before(DateTime<Utc>),
}

impl LeavesOf {
    fn has(&self, certificate: &StoredCertificate) -> bool {
        certificate.document.is_some()
            && match self {
                Self::One(name) => certificate.name == *name,
                Self::Before(time) => certificate.begun_at < *time,
            }
    }

    fn detail(&self, certificates: usize) -> Detail {
        let detail = match self {
            Self::One(name) => Detail::default().word("certificate", name),
            Self::Before(time) => Detail::default().word("before", time.to_rfc3339()),
        };
        detail.count("certificates", certificates as u64)
    }
}

/// Returns those of a supplier's issued certificates that later ones replace. They are replaceable, have leaves and are sorted,
/// the latest first. The latest ones stay, and the last one of each day.
fn replaced(issued: &[StoredCertificate], zone: Zone) -> impl Iterator<Item = &StoredCertificate> {
    let day = move |certificate: &StoredCertificate| zone.local(certificate.begun_at).date_naive();
    let pairs = issued.iter().zip(issued.iter().skip(1)).skip(LATEST - 1);
    pairs.filter(move |(later, earlier)| day(later) == day(earlier)).map(|(_, earlier)| earlier)
}

/// Returns a job that locks the certificates of a supplier and returns the keys of those whose leaves are to be removed.
fn chosen(
    supplier: &str,
    of: &LeavesOf,
) -> impl FnOnce(&mut Scoped<'_>) -> Result<(Supplier, Vec<i64>), OperatorError> + Send + 'static {
    let (code, of) = (supplier.to_owned(), of.clone());
    move |tx| {
        let supplier = tx.supplier(&code)?;
        if let LeavesOf::One(name) = &of {
            let found = tx.certificate(supplier.id, Some(name))?;
            found.ok_or_else(|| OperatorError::not_found("certificate", name))?;
        }
        let all = tx.lock_certificates(supplier.id)?;
        let ids = all.iter().filter(|certificate| of.has(certificate)).map(|certificate| certificate.id);
        Ok((supplier, ids.collect()))
    }
}

impl Operations<'_> {
    /// Counts the certificates of a supplier whose leaves [`remove_leaves`](Self::remove_leaves) would remove.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or certificate.
    pub fn removable_leaves(&self, supplier: &str, of: &LeavesOf) -> Result<usize, OperatorError> {
        Ok(self.write(chosen(supplier, of))?.1.len())
    }

    /// Removes leaves of certificates of a supplier, whoever asked for them; the certificates stay. Returns the number of
    /// certificates that had leaves.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or certificate.
    pub fn remove_leaves(&self, supplier: &str, of: &LeavesOf) -> Result<usize, OperatorError> {
        let (choose, of) = (chosen(supplier, of), of.clone());
        let (by, at) = (self.operator.clone(), self.app.clock.now());
        let (supplier_id, ids) = self.write(move |tx| {
            let (supplier, ids) = choose(tx)?;
            if !ids.is_empty() {
                let subject = Subject::supplier(&supplier);
                let audited = Audited { subject, detail: of.detail(ids.len()) };
                record_action(tx.rows(), at, by, AuditAction::CertificateLeavesRemoved, audited)?;
            }
            Ok((supplier.id, ids))
        })?;
        ids.iter().try_for_each(|id| self.app.remove_leaves_of(supplier_id, *id))?;
        Ok(ids.len())
    }
}

impl App {
    /// Removes the leaves of replaced certificates, and certificates whose issue was interrupted.
    pub(super) fn remove_replaced_leaves(&self, supplier: &Supplier) {
        let listed = read_committed(&*self.store, |tx| tx.replaceable_certificates(supplier.id, LOOKED_AT));
        let removed = listed.and_then(|all| {
            let now = self.clock.now();
            let (issued, begun): (Vec<_>, Vec<_>) = all.into_iter().partition(|c| c.document.is_some());
            let mut old = replaced(&issued, supplier.settings.time_zone);
            old.try_for_each(|certificate| self.remove_leaves_of(supplier.id, certificate.id))?;
            let is_abandoned = |begun: &&StoredCertificate| now - begun.begun_at > ABANDONED;
            let mut abandoned = begun.iter().filter(is_abandoned);
            abandoned.try_for_each(|begun| self.remove_certificate(supplier.id, begun.id))
        });
        if let Err(error) = removed {
            tracing::warn!(%error, "leaves of old certificates are removed with the next certificate");
        }
    }

    fn remove_leaves_of(&self, supplier_id: i64, id: i64) -> Result<(), StoreError> {
        let some = move |tx: &mut dyn Tx| {
            // Erasures lock them before they change leaves.
            tx.lock_certificates(supplier_id)?;
            tx.remove_certificate_leaves(id, REMOVED)
        };
        while write(&*self.store, some)? {}
        Ok(())
    }

    pub(super) fn remove_certificate(&self, supplier_id: i64, id: i64) -> Result<(), StoreError> {
        self.remove_leaves_of(supplier_id, id)?;
        write(&*self.store, move |tx| tx.remove_certificate(id))
    }
}
