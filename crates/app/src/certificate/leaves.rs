//! The leaves of issued certificates. They are kept in complete subtrees, so that a proof reads one of them and the roots of
//! the others.

use super::CertificateError;
use crate::codec;
use crate::port::{
    CertificateSubtree, CertifiedAccount, Rows, StoreError, StoredCertificate, read, read_committed,
};
use crate::{App, auth::Caller};
use cutover_core::SupplierCode;
use cutover_model::certificate::{
    Hash, InclusionProof, InvalidLeaf, Leaf, SALT_BYTES, erased_line, hash_of_line, inclusion_path,
    leaf_hash, root_of, to_hex,
};

/// Number of leaves in a subtree: a power of two, so that all subtrees but the last are complete.
pub(super) const SUBTREE: u32 = 1_024;

/// Leaves of a certificate, as lines of JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeavesPage {
    /// The lines, each with its line break.
    pub lines: Vec<u8>,
    /// The position of the next page; `None` after the last one.
    pub next: Option<i64>,
}

fn unreadable(error: InvalidLeaf) -> StoreError {
    StoreError::Corrupt(format!("a leaf of a certificate cannot be read: {error}"))
}

/// Makes the leaves of consecutive accounts. Each has a salt of its own out of `salts`.
pub(super) fn subtree(
    position: i64,
    supplier: &SupplierCode,
    accounts: &[CertifiedAccount],
    salts: &[u8],
) -> Result<CertificateSubtree, StoreError> {
    let (mut lines, mut hashes) = (Vec::with_capacity(accounts.len() * 320), Vec::new());
    for (account, salt) in accounts.iter().zip(salts.chunks_exact(SALT_BYTES)) {
        let leaf = Leaf {
            import_supplier: supplier.to_string(),
            external_account_number: account.number.to_string(),
            status: account.state.to_string(),
            totals: account.totals.map(Into::into),
            content: account.content.map(|content| content.to_string()),
            salt: to_hex(salt),
        };
        let line = leaf.to_line().map_err(unreadable)?;
        hashes.push(leaf_hash(&line));
        lines.extend_from_slice(&line);
        lines.push(b'\n');
    }
    Ok(CertificateSubtree {
        position,
        first_number: accounts.first().map(|account| account.number.to_string()),
        root: root_of(&hashes),
        leaves: codec::pack(&lines)?,
    })
}

/// A line with the hash of its leaf, and the leaf unless its account was erased.
type Line = (Vec<u8>, Hash, Option<Leaf>);

fn lines(subtree: &CertificateSubtree) -> Result<Vec<Line>, StoreError> {
    let text = codec::unpack(&subtree.leaves)?;
    let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let (hash, leaf) = hash_of_line(line).map_err(unreadable)?;
            Ok((line.to_vec(), hash, leaf))
        })
        .collect()
}

/// Reduces the leaf of an account in a certificate to its hash.
pub(super) fn forget_leaf(tx: &mut dyn Rows, certificate_id: i64, number: &str) -> Result<(), StoreError> {
    let Some(subtree) = tx.certificate_subtree_of(certificate_id, number)? else { return Ok(()) };
    let mut first_number = None;
    let (mut text, mut is_changed) = (Vec::new(), false);
    for (line, hash, leaf) in lines(&subtree)? {
        match leaf.map(|leaf| leaf.external_account_number) {
            Some(own) if own == number => {
                text.extend(erased_line(&hash));
                is_changed = true;
            }
            own => {
                first_number = first_number.or(own);
                text.extend(line);
            }
        }
        text.push(b'\n');
    }
    if !is_changed {
        return Ok(());
    }
    let leaves = codec::pack(&text)?;
    tx.replace_certificate_subtree(certificate_id, &CertificateSubtree { first_number, leaves, ..subtree })
}

/// Number of certificates from which one transaction removes an account: others wait for it.
const FORGOTTEN: usize = 8;

/// Removes an account that is about to be erased from some of the issued certificates of its supplier, other than those that
/// are `done`. Returns the keys of those; none if all are done.
pub(crate) fn forget_some(
    tx: &mut dyn Rows,
    supplier_id: i64,
    number: &str,
    done: &[i64],
) -> Result<Vec<i64>, StoreError> {
    let mut left = tx.lock_certificates(supplier_id)?;
    left.retain(|certificate| certificate.document.is_some() && !done.contains(&certificate.id));
    let ids: Vec<i64> = left.iter().take(FORGOTTEN).map(|certificate| certificate.id).collect();
    ids.iter().try_for_each(|id| forget_leaf(tx, *id, number))?;
    Ok(ids)
}

/// Removes an account that is being erased from the certificates of its supplier, other than those from which
/// [`forget_some`] has removed it. The suppliers are locked, so that no certificate is begun meanwhile. One that is being
/// issued may contain the account: it is removed from it at the end.
pub(crate) fn forget_account(
    tx: &mut dyn Rows,
    supplier_id: i64,
    number: &str,
    done: &[i64],
) -> Result<(), StoreError> {
    for certificate in tx.lock_certificates(supplier_id)? {
        match certificate.document {
            Some(_) if done.contains(&certificate.id) => {}
            Some(_) => forget_leaf(tx, certificate.id, number)?,
            None => tx.add_certificate_erasure(certificate.id, number)?,
        }
    }
    Ok(())
}

impl App {
    /// Returns a certificate whose leaves can be read.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn certificate_with_leaves(
        &self,
        caller: &Caller,
        supplier: &str,
        name: &str,
    ) -> Result<StoredCertificate, CertificateError> {
        let found = read(&*self.store, |tx| super::read::find(tx, caller, supplier, Some(name)))?;
        let certificate = found.flatten().ok_or(CertificateError::NotFound)?;
        if certificate.has_leaves { Ok(certificate) } else { Err(CertificateError::LeavesRemoved) }
    }

    /// Returns some leaves of a certificate, from a position on; 0 is the first.
    ///
    /// # Errors
    /// [`CertificateError::LeavesRemoved`] if they were removed meanwhile.
    pub fn certificate_leaves(
        &self,
        certificate: &StoredCertificate,
        position: i64,
    ) -> Result<LeavesPage, CertificateError> {
        let accounts = accounts(certificate)?;
        if accounts == 0 {
            return Ok(LeavesPage { lines: Vec::new(), next: None });
        }
        let found = read_committed(&*self.store, |tx| tx.certificate_subtree(certificate.id, position))?;
        let subtree = found.ok_or(CertificateError::LeavesRemoved)?;
        let subtrees = accounts.div_ceil(SUBTREE.into());
        let next = (position + 1).cast_unsigned() < subtrees;
        Ok(LeavesPage { lines: codec::unpack(&subtree.leaves)?, next: next.then_some(position + 1) })
    }

    /// Returns the proof that a certificate covers an account.
    ///
    /// # Errors
    /// [`CertificateError`].
    pub fn certificate_proof(
        &self,
        caller: &Caller,
        supplier: &str,
        name: &str,
        number: &str,
    ) -> Result<InclusionProof, CertificateError> {
        let certificate = self.certificate_with_leaves(caller, supplier, name)?;
        let number = cutover_core::trimmed(number);
        let (subtree, roots) = read(&*self.store, |tx| {
            Ok((tx.certificate_subtree_of(certificate.id, number)?, tx.certificate_roots(certificate.id)?))
        })?;
        let subtree = subtree.ok_or(CertificateError::NotFound)?;
        let lines = lines(&subtree)?;
        let is_sought = |leaf: &Leaf| leaf.external_account_number == number;
        let index = lines.iter().position(|(_, _, leaf)| leaf.as_ref().is_some_and(is_sought));
        let index = index.ok_or(CertificateError::NotFound)?;
        let hashes: Vec<Hash> = lines.iter().map(|(_, hash, _)| *hash).collect();
        let place = usize::try_from(subtree.position).unwrap_or(usize::MAX);
        let path = inclusion_path(&hashes, index).zip(inclusion_path(&roots, place));
        // The leaves were removed between the reads.
        let (below, above) = path.ok_or(CertificateError::LeavesRemoved)?;
        let leaf = lines.into_iter().nth(index).and_then(|(_, _, leaf)| leaf);
        Ok(InclusionProof {
            certificate: certificate.name.clone(),
            leaf_index: subtree.position.cast_unsigned() * u64::from(SUBTREE) + index as u64,
            tree_size: accounts(&certificate)?,
            leaf: leaf.ok_or(CertificateError::NotFound)?,
            path: below.iter().chain(&above).map(|hash| to_hex(hash)).collect(),
            merkle_root: to_hex(&root_of(&roots)),
        })
    }
}

fn accounts(certificate: &StoredCertificate) -> Result<u64, StoreError> {
    Ok(super::read::document(certificate)?.accounts)
}
