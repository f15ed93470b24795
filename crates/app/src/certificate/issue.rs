//! Issues a certificate: one snapshot, read account by account, while the leaves are written in transactions of their own.

use super::leaves::{SUBTREE, forget_leaf, subtree};
use super::{CertificateError, IssuedCertificate};
use crate::auth::Caller;
use crate::operator::{Audited, Operations, OperatorError, record_action};
use crate::port::{
    AuditAction, CertifiedAccount, Detail, Operator, StoreError, StoredCertificate, Subject, Supplier, Tx,
    read, read_committed, write,
};
use crate::{App, codec};
use chrono::{DateTime, Utc};
use cutover_core::{Level, SupplierCode};
use cutover_model::certificate::{
    CERTIFICATE_TYPE, Certificate, CertificateCause, CertificateManifest, MerkleRoot, SALT_BYTES,
    account_content, certified_content, to_hex,
};
use cutover_model::{StatusCounts, Totals};
use cutover_process::State;
use std::collections::HashMap;
use std::sync::PoisonError;

/// Number of certificates that are looked at for the one that was issued.
const LOOKED_AT: u32 = 100;
/// Number of payloads that are read at a time.
const PAYLOADS: usize = 64;
/// Maximum number of errors in a certificate.
const CAUSES: u32 = 1_000;

/// The figures of a certificate while its leaves are made.
#[derive(Default)]
struct Figures {
    tree: MerkleRoot,
    accounts: u64,
    counts: HashMap<State, u64>,
    imported: Totals,
}

impl Operations<'_> {
    /// Issues a certificate for an operator, and records that in the audit trail.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier.
    pub fn issue_certificate(&self, supplier: &str) -> Result<IssuedCertificate, OperatorError> {
        let supplier = self.show_supplier(supplier)?;
        Ok(self.app.issue(&supplier, Some(self.operator.clone()))?)
    }
}

impl App {
    /// Returns a supplier of the caller's organisation, for [`issue_certificate`](Self::issue_certificate).
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn supplier_to_certify(&self, caller: &Caller, supplier: &str) -> Result<Supplier, CertificateError> {
        let code = cutover_core::trimmed(supplier).parse::<SupplierCode>();
        let code = code.map_err(|_| CertificateError::NotFound)?;
        let found = read_committed(&*self.store, |tx| tx.supplier_of(caller.organisation_id, &code))?;
        found.ok_or(CertificateError::NotFound)
    }

    /// Issues a certificate for a supplier or a reader (contract D17). Later ones may take the place of its leaves.
    ///
    /// # Errors
    /// [`StoreError`] if it could not be stored.
    pub fn issue_certificate(&self, supplier: &Supplier) -> Result<IssuedCertificate, StoreError> {
        self.issue(supplier, None)
    }

    fn issue(&self, supplier: &Supplier, by: Option<Operator>) -> Result<IssuedCertificate, StoreError> {
        // One at a time: it takes two connections and a processor.
        let _one = self.issuing.lock().unwrap_or_else(PoisonError::into_inner);
        let key = self.signing_certificate_key()?;
        let pair = super::keys::pair(key.secret.as_ref().map_err(Clone::clone)?)?;
        let (id, name) = self.begin(supplier, by.is_none())?;
        let settled = self.settle_refused(supplier.id);
        let snapshot = |tx: &mut dyn Tx| self.snapshot(tx, supplier, id, &name, settled);
        let result = read(&*self.store, snapshot).and_then(|snapshot| {
            let certificate = Certificate { key_id: key.key_id.clone(), ..snapshot };
            let signed = certificate.signed(|bytes| pair.sign(bytes).as_ref().to_vec());
            let signed = signed.map_err(|error| StoreError::Failed(error.to_string()))?;
            let document =
                String::from_utf8(signed).map_err(|error| StoreError::Failed(error.to_string()))?;
            self.complete(supplier, id, document, by)
        });
        if result.is_err() && self.is_unfinished(supplier, &name) {
            // What was begun is removed later if this fails.
            let _ = self.remove_certificate(supplier.id, id);
        }
        self.remove_replaced_leaves(supplier);
        IssuedCertificate::of(result?)
    }

    fn begin(&self, supplier: &Supplier, is_replaceable: bool) -> Result<(i64, String), StoreError> {
        let mut bytes = [0; 16];
        self.random.fill(&mut bytes);
        let (name, at, supplier_id) = (to_hex(&bytes), self.clock.now(), supplier.id);
        let given = name.clone();
        let id = write(&*self.store, move |tx| {
            // Accounts are erased under this lock: an erasure before it is part of the snapshot, a later one finds the
            // certificate.
            tx.lock_suppliers()?;
            tx.begin_certificate(supplier_id, &given, at, is_replaceable)
        })?;
        Ok((id, name))
    }

    /// Returns true if a certificate is known to have no document. The answer to the write of its document may have been lost.
    fn is_unfinished(&self, supplier: &Supplier, name: &str) -> bool {
        let found = read_committed(&*self.store, |tx| tx.certificate(supplier.id, Some(name)));
        matches!(found, Ok(None))
    }

    /// Reads everything from one snapshot, and writes the leaves.
    fn snapshot(
        &self,
        tx: &mut dyn Tx,
        supplier: &Supplier,
        id: i64,
        name: &str,
        settled: DateTime<Utc>,
    ) -> Result<Certificate, StoreError> {
        let issued_at = self.clock.now();
        let refused_as_of = self.refused_as_of(tx, settled)?;
        let reconciliation = tx.reconciliation(supplier.id)?;
        let refused = tx.refused_figures(supplier.id, CAUSES)?;
        let failed = tx.top_causes(supplier.id, Level::Error, CAUSES)?;
        let installation = tx.installation()?;
        let figures = self.leaves(tx, supplier, id)?;
        let failed = failed.into_iter().map(|count| CertificateCause {
            code: count.cause.code,
            attr: count.cause.attr,
            count: count.accounts,
        });
        let faults = refused.top.into_iter().map(|(fault, count)| CertificateCause {
            code: fault.code,
            attr: Some(fault.attr).filter(|attr| !attr.is_empty()),
            count,
        });
        Ok(Certificate {
            kind: CERTIFICATE_TYPE.into(),
            id: name.to_owned(),
            installation,
            import_supplier: supplier.code.to_string(),
            issued_at: in_utc(issued_at),
            accounts: figures.accounts,
            counts: StatusCounts::new(|state| figures.counts.get(&state).copied().unwrap_or_default()),
            manifest: CertificateManifest {
                declared: reconciliation.manifest.map(|manifest| manifest.declared.into()),
                sent: Some(reconciliation.sent.into()),
                imported: figures.imported.into(),
            },
            failed: failed.collect(),
            refused_as_of: Some(in_utc(refused_as_of)),
            refused_accounts: refused.accounts,
            refused_without_number: refused.without_number,
            refused: faults.collect(),
            merkle_root: to_hex(&figures.tree.root()),
            key_id: String::new(),
            signature: String::new(),
        })
    }

    fn leaves(&self, tx: &mut dyn Tx, supplier: &Supplier, id: i64) -> Result<Figures, StoreError> {
        let (mut figures, mut after) = (Figures::default(), String::new());
        let mut salts = vec![0; SUBTREE as usize * SALT_BYTES];
        for position in 0.. {
            let accounts = certified_accounts(tx, supplier.id, &after, SUBTREE)?;
            let Some(last) = accounts.last() else { break };
            after = last.number.to_string();
            for account in &accounts {
                *figures.counts.entry(account.state).or_default() += 1;
                let sum = account.totals.map_or(Some(figures.imported), |t| figures.imported.checked_add(t));
                let out_of_range = || StoreError::Failed("a sum of balances is out of range".into());
                figures.imported = sum.ok_or_else(out_of_range)?;
            }
            figures.accounts += accounts.len() as u64;
            self.random.fill(&mut salts);
            let subtree = subtree(position, &supplier.code, &accounts, &salts)?;
            figures.tree.push(subtree.root);
            write(&*self.store, move |tx| tx.add_certificate_subtree(id, &subtree))?;
            if accounts.len() < SUBTREE as usize {
                break;
            }
        }
        Ok(figures)
    }

    fn complete(
        &self,
        supplier: &Supplier,
        id: i64,
        document: String,
        by: Option<Operator>,
    ) -> Result<StoredCertificate, StoreError> {
        let (supplier, at) = (supplier.clone(), self.clock.now());
        write(&*self.store, move |tx| {
            tx.lock_suppliers()?;
            tx.lock_certificates(supplier.id)?;
            for number in tx.take_certificate_erasures(id)? {
                forget_leaf(tx, id, &number)?;
            }
            let gone = || StoreError::Unavailable("the certificate was removed while it was issued".into());
            tx.complete_certificate(id, &document)?.then_some(()).ok_or_else(gone)?;
            let issued = tx.certificate(supplier.id, None)?.filter(|issued| issued.id == id);
            let issued = match issued {
                Some(issued) => issued,
                None => tx
                    .certificates(supplier.id, LOOKED_AT)?
                    .into_iter()
                    .find(|stored| stored.id == id)
                    .ok_or_else(gone)?,
            };
            if let Some(by) = by {
                let detail = Detail::default().word("certificate", &issued.name);
                let audited = Audited { subject: Subject::supplier(&supplier), detail };
                record_action(tx, at, by, AuditAction::CertificateIssued, audited)?;
            }
            Ok(issued)
        })
    }
}

/// Returns the accounts of a supplier as certificates show them, as [`Certificates::accounts_to_certify`](crate::port::Certificates::accounts_to_certify) does. Payloads
/// that no step has hashed yet, such as those of pending accounts, are hashed here.
///
/// # Errors
/// [`StoreError`].
pub fn certified_accounts(
    tx: &mut dyn Tx,
    supplier_id: i64,
    after: &str,
    limit: u32,
) -> Result<Vec<CertifiedAccount>, StoreError> {
    let mut accounts = tx.accounts_to_certify(supplier_id, after, limit)?;
    let is_unhashed = |account: &&mut CertifiedAccount| account.content.is_none() && account.totals.is_none();
    let mut unhashed: HashMap<i64, &mut CertifiedAccount> =
        accounts.iter_mut().filter(is_unhashed).map(|account| (account.id, account)).collect();
    let ids: Vec<i64> = unhashed.keys().copied().collect();
    for ids in ids.chunks(PAYLOADS) {
        for (id, payload) in tx.payloads(ids)? {
            // A payload that cannot be read has no hash.
            let payload = payload.ok().and_then(|stored| codec::unpack(&stored).ok());
            let content = payload.and_then(|payload| account_content(&payload).ok());
            if let Some(account) = unhashed.get_mut(&id) {
                // Accounts that are not imported have no additions.
                account.content = content.map(|hash| certified_content(hash, Vec::new()));
            }
        }
    }
    Ok(accounts)
}

fn in_utc(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}
