use super::{State, next_id};
use chrono::{DateTime, Utc};
use cutover_app::port::{
    CertificateKey, CertificateSubtree, Certificates, CertifiedAccount, StoreError, StoredCertificate,
};
use cutover_model::certificate::{CertifiedContent, Hash};
use cutover_model::{ContentHash, Totals};
use std::collections::{BTreeMap, BTreeSet};

/// Certificates and what belongs to them.
#[derive(Debug, Clone, Default)]
pub(super) struct CertificateRows {
    keys: Vec<CertificateKey>,
    certificates: Vec<StoredCertificate>,
    /// Number of certificates that were removed: their ids are not used again.
    removed: usize,
    subtrees: BTreeMap<(i64, i64), CertificateSubtree>,
    erasures: BTreeSet<(i64, String)>,
}

impl CertificateRows {
    pub(super) fn of(&self, supplier_id: i64) -> impl Iterator<Item = &StoredCertificate> {
        self.certificates.iter().filter(move |certificate| certificate.supplier_id == supplier_id)
    }

    fn remove(&mut self, id: i64) {
        self.certificates.retain(|certificate| certificate.id != id);
        self.subtrees.retain(|(of, _), _| *of != id);
        self.erasures.retain(|(of, _)| *of != id);
        self.removed += 1;
    }

    pub(super) fn remove_all(&mut self, supplier_id: i64) -> u64 {
        let ids: Vec<i64> = self.of(supplier_id).map(|certificate| certificate.id).collect();
        ids.iter().for_each(|id| self.remove(*id));
        ids.len() as u64
    }

    fn subtrees_of(&self, id: i64) -> impl DoubleEndedIterator<Item = &CertificateSubtree> {
        self.subtrees.range((id, i64::MIN)..=(id, i64::MAX)).map(|(_, subtree)| subtree)
    }

    fn find(&mut self, id: i64) -> Option<&mut StoredCertificate> {
        self.certificates.iter_mut().find(|certificate| certificate.id == id)
    }
}

impl Certificates for State {
    fn add_certificate_key(&mut self, key: &CertificateKey) -> Result<(), StoreError> {
        let keys = &mut self.certificates.keys;
        keys.iter_mut().for_each(|other| {
            other.retired_at.get_or_insert(key.created_at);
        });
        keys.push(key.clone());
        Ok(())
    }

    fn certificate_keys(&mut self) -> Result<Vec<CertificateKey>, StoreError> {
        let mut keys = self.certificates.keys.clone();
        keys.sort_by(|a, b| (b.created_at, &b.key_id).cmp(&(a.created_at, &a.key_id)));
        Ok(keys)
    }

    /// The other totals of an account are counted when they are read.
    fn certify_addition(
        &mut self,
        account_id: i64,
        contents: &[ContentHash],
        added: &Totals,
    ) -> Result<(), StoreError> {
        let account = self.account_mut(account_id)?;
        contents.iter().for_each(|content| *account.additions.entry(*content).or_default() += 1);
        let out_of_range = || StoreError::Failed("a number of rows is out of range".into());
        account.rows = account.rows.checked_add(added.rows).ok_or_else(out_of_range)?;
        Ok(())
    }

    fn accounts_to_certify(
        &mut self,
        supplier_id: i64,
        after: &str,
        limit: u32,
    ) -> Result<Vec<CertifiedAccount>, StoreError> {
        let own = self.rows().filter(|row| row.supplier_id == supplier_id);
        let mut next: Vec<_> = own
            .filter(|row| row.process.snapshot().external_account_number.as_str() > after)
            .map(|row| {
                let account = self.account(row.process.id());
                let content = row.content.map(|payload| {
                    let mut content = CertifiedContent::new(payload);
                    for (addition, copies) in account.iter().flat_map(|account| &account.additions) {
                        (0..*copies).for_each(|_| content.add(*addition));
                    }
                    content.finish()
                });
                CertifiedAccount {
                    id: row.process.id(),
                    number: row.process.snapshot().external_account_number.clone(),
                    state: row.process.state(),
                    totals: account.map(|account| account.totals()),
                    content,
                }
            })
            .collect();
        next.sort_by(|a, b| a.number.as_str().cmp(b.number.as_str()));
        next.truncate(limit as usize);
        Ok(next)
    }

    fn begin_certificate(
        &mut self,
        supplier_id: i64,
        name: &str,
        at: DateTime<Utc>,
        is_replaceable: bool,
    ) -> Result<i64, StoreError> {
        let rows = &mut self.certificates;
        let id = next_id(rows.certificates.len() + rows.removed);
        let (name, begun_at) = (name.to_owned(), at);
        rows.certificates.push(StoredCertificate {
            id,
            name,
            supplier_id,
            begun_at,
            document: None,
            has_leaves: true,
            is_replaceable,
        });
        Ok(id)
    }

    fn add_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError> {
        self.certificates.subtrees.insert((certificate_id, subtree.position), subtree.clone());
        Ok(())
    }

    fn complete_certificate(&mut self, certificate_id: i64, document: &str) -> Result<bool, StoreError> {
        let found = self.certificates.find(certificate_id);
        Ok(found.map(|certificate| certificate.document = Some(document.to_owned())).is_some())
    }

    fn certificate(
        &mut self,
        supplier_id: i64,
        name: Option<&str>,
    ) -> Result<Option<StoredCertificate>, StoreError> {
        let issued = self.certificates.of(supplier_id).filter(|certificate| certificate.document.is_some());
        Ok(issued.filter(|issued| name.is_none_or(|name| issued.name == name)).last().cloned())
    }

    fn certificates(&mut self, supplier_id: i64, limit: u32) -> Result<Vec<StoredCertificate>, StoreError> {
        let mut all: Vec<_> = self.certificates.of(supplier_id).cloned().collect();
        all.reverse();
        all.truncate(limit as usize);
        Ok(all)
    }

    fn replaceable_certificates(
        &mut self,
        supplier_id: i64,
        limit: u32,
    ) -> Result<Vec<StoredCertificate>, StoreError> {
        let mut all = self.certificates(supplier_id, u32::MAX)?;
        all.retain(|one| one.has_leaves && (one.is_replaceable || one.document.is_none()));
        all.truncate(limit as usize);
        Ok(all)
    }

    /// No lock needed: transactions run one after another.
    fn lock_certificates(&mut self, supplier_id: i64) -> Result<Vec<StoredCertificate>, StoreError> {
        Ok(self.certificates.of(supplier_id).filter(|certificate| certificate.has_leaves).cloned().collect())
    }

    fn certificate_subtree(
        &mut self,
        certificate_id: i64,
        position: i64,
    ) -> Result<Option<CertificateSubtree>, StoreError> {
        Ok(self.certificates.subtrees.get(&(certificate_id, position)).cloned())
    }

    fn certificate_subtree_of(
        &mut self,
        certificate_id: i64,
        number: &str,
    ) -> Result<Option<CertificateSubtree>, StoreError> {
        let begins_before =
            |subtree: &&CertificateSubtree| subtree.first_number.as_deref().is_some_and(|n| n <= number);
        Ok(self.certificates.subtrees_of(certificate_id).rfind(begins_before).cloned())
    }

    fn certificate_roots(&mut self, certificate_id: i64) -> Result<Vec<Hash>, StoreError> {
        Ok(self.certificates.subtrees_of(certificate_id).map(|subtree| subtree.root).collect())
    }

    fn replace_certificate_subtree(
        &mut self,
        certificate_id: i64,
        subtree: &CertificateSubtree,
    ) -> Result<(), StoreError> {
        self.add_certificate_subtree(certificate_id, subtree)
    }

    fn add_certificate_erasure(&mut self, certificate_id: i64, number: &str) -> Result<(), StoreError> {
        self.certificates.erasures.insert((certificate_id, number.to_owned()));
        Ok(())
    }

    fn take_certificate_erasures(&mut self, certificate_id: i64) -> Result<Vec<String>, StoreError> {
        let own = |(of, _): &(i64, String)| *of == certificate_id;
        let taken = self.certificates.erasures.iter().filter(|row| own(row));
        let taken = taken.map(|(_, number)| number.clone()).collect();
        self.certificates.erasures.retain(|row| !own(row));
        Ok(taken)
    }

    fn remove_certificate_leaves(&mut self, certificate_id: i64, limit: u32) -> Result<bool, StoreError> {
        let rows = &mut self.certificates;
        let first: Vec<i64> =
            rows.subtrees_of(certificate_id).map(|s| s.position).take(limit as usize).collect();
        first.iter().for_each(|position| {
            rows.subtrees.remove(&(certificate_id, *position));
        });
        let has_more = first.len() >= limit as usize;
        if !has_more && let Some(certificate) = rows.find(certificate_id) {
            certificate.has_leaves = certificate.document.is_none();
        }
        Ok(has_more)
    }

    fn remove_certificate(&mut self, certificate_id: i64) -> Result<(), StoreError> {
        self.certificates.remove(certificate_id);
        Ok(())
    }
}
