//! Removes leaves of certificates: those that later certificates replace, and those that an operator names.

use crate::App;
use crate::operator::{Audited, OperatorError, record_action};
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

impl App {
    /// Counts the certificates of a supplier whose leaves [`remove_leaves`](Self::remove_leaves) would remove.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or certificate.
    pub fn removable_leaves(&self, supplier: &str, of: &LeavesOf) -> Result<usize, OperatorError> {
        let supplier = self.supplier_with(supplier, of)?;
        let of = of.clone();
        let all = write(&*self.store, move |tx| tx.lock_certificates(supplier.id))?;
        Ok(all.iter().filter(|certificate| of.has(certificate)).count())
    }

    /// Removes leaves of certificates of a supplier, whoever asked for them; the certificates stay. Returns the number of
    /// certificates that had leaves.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or certificate.
    pub fn remove_leaves(&self, supplier: &str, of: &LeavesOf) -> Result<usize, OperatorError> {
        let supplier = self.supplier_with(supplier, of)?;
        let supplier_id = supplier.id;
        let (of, by, at) = (of.clone(), self.operator.clone(), self.clock.now());
        let ids = write(&*self.store, move |tx| {
            let mut chosen = tx.lock_certificates(supplier.id)?;
            chosen.retain(|certificate| of.has(certificate));
            if !chosen.is_empty() {
                let detail = of.detail(chosen.len());
                let audited = Audited { subject: Subject::supplier(&supplier), detail };
                record_action(tx, at, by, AuditAction::CertificateLeavesRemoved, audited)?;
            }
            Ok::<_, StoreError>(chosen.iter().map(|certificate| certificate.id).collect::<Vec<_>>())
        })?;
        ids.iter().try_for_each(|id| self.remove_leaves_of(supplier_id, *id))?;
        Ok(ids.len())
    }

    /// Returns a supplier, if there is the certificate that is named.
    fn supplier_with(&self, supplier: &str, of: &LeavesOf) -> Result<Supplier, OperatorError> {
        let found = read_committed(&*self.store, |tx| crate::operator::find(tx, supplier))?;
        let found = found.ok_or_else(|| OperatorError::not_found("supplier", supplier))?;
        if let LeavesOf::One(name) = of {
            self.certificate_of(&found, name)?;
        }
        Ok(found)
    }

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
