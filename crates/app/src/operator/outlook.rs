//! The errors that another attempt would find: an account that fails again need not be retried.

use super::jobs::BulkRequest;
use super::scope::Scoped;
use super::{Operations, OperatorError};
use crate::account::{FactsToRead, profile, stored};
use crate::codec::unpack;
use crate::documents::{FoundDocuments, Step, missing as missing_documents};
use crate::port::{JobKind, PayloadById, StoredIssue, Supplier};
use crate::worker::{decode_again, report_again};
use cutover_core::Now;
use cutover_rules::documents_of_account;
use std::collections::BTreeMap;

/// Maximum number of accounts of a bulk operation that are checked.
const SAMPLE: usize = 100;

/// The accounts of a bulk operation that would fail again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkOutlook {
    /// Number of accounts that were checked: the first ones.
    pub checked: u64,
    /// Number of these that would fail again.
    pub failing: u64,
    /// Their errors by code, with the number of accounts that have them, the most frequent first.
    pub codes: Vec<(String, u64)>,
}

impl Operations<'_> {
    /// Returns the errors that an attempt at an account would find now, with the rules, the settings and the stored data as
    /// they are. None if the process cannot be retried.
    ///
    /// # Errors
    /// [`OperatorError::NotFound`] if there is no such supplier or process.
    pub fn retry_outlook(
        &self,
        supplier: &str,
        number: &str,
        found: Option<&FoundDocuments>,
    ) -> Result<Step<Vec<StoredIssue>>, OperatorError> {
        let (supplier, payload) = self.payload_to_retry(supplier, number)?;
        match payload {
            Some(packed) => self.outlook(&supplier, &packed, Documents::Asked(found)),
            None => Ok(Step::Done(Vec::new())),
        }
    }

    /// Like [`retry_outlook`](Self::retry_outlook), without looking documents up.
    ///
    /// # Errors
    /// As `retry_outlook`.
    pub fn retry_errors(&self, supplier: &str, number: &str) -> Result<Vec<StoredIssue>, OperatorError> {
        let (supplier, payload) = self.payload_to_retry(supplier, number)?;
        let Some(packed) = payload else { return Ok(Vec::new()) };
        match self.outlook(&supplier, &packed, Documents::Ignored)? {
            Step::Done(errors) => Ok(errors),
            Step::Documents(_) => Ok(Vec::new()),
        }
    }

    /// Returns the packed payload of a process; `None` if the process cannot be retried, or the payload not be read.
    fn payload_to_retry(
        &self,
        supplier: &str,
        number: &str,
    ) -> Result<(Supplier, Option<Vec<u8>>), OperatorError> {
        self.read(|tx| {
            let (supplier, stored) = tx.find_process(supplier, number)?;
            let state = stored.process.known_state();
            let begins = state.is_some_and(|state| JobKind::Retry.begins_from(state));
            let payload = if begins { tx.payloads(&[stored.process.id()])?.pop() } else { None };
            Ok((supplier, payload.and_then(|(_, packed)| packed.ok())))
        })
    }

    /// Checks the first accounts of a bulk operation as an attempt would now, without looking documents up. Nothing is
    /// checked for an operation other than a retry.
    ///
    /// # Errors
    /// As [`count_bulk`](Self::count_bulk).
    pub fn bulk_outlook(&self, request: &BulkRequest) -> Result<BulkOutlook, OperatorError> {
        let mut outlook = BulkOutlook::default();
        if request.kind != JobKind::Retry {
            return Ok(outlook);
        }
        let supplier = self.show_supplier(&request.supplier)?;
        let ids = self.first_of_bulk(&supplier, request, SAMPLE)?;
        let mut codes: BTreeMap<String, u64> = BTreeMap::new();
        for (_, packed) in self.read(|tx| payloads_of(tx, &supplier, &ids))? {
            let Ok(packed) = packed else { continue };
            let Step::Done(errors) = self.outlook(&supplier, &packed, Documents::Ignored)? else { continue };
            outlook.checked += 1;
            outlook.failing += u64::from(!errors.is_empty());
            let mut of_account: Vec<String> = errors.into_iter().map(|error| error.code).collect();
            of_account.sort_unstable();
            of_account.dedup();
            for code in of_account {
                *codes.entry(code).or_default() += 1;
            }
        }
        outlook.codes = codes.into_iter().collect();
        outlook.codes.sort_by_key(|(_, accounts)| std::cmp::Reverse(*accounts));
        Ok(outlook)
    }

    /// Returns the errors of a stored payload. One that cannot be decoded has none: its attempt fails in another way.
    fn outlook(
        &self,
        supplier: &Supplier,
        packed: &[u8],
        documents: Documents<'_>,
    ) -> Result<Step<Vec<StoredIssue>>, OperatorError> {
        let none = Ok(Step::Done(Vec::new()));
        let zone = supplier.settings.time_zone;
        let Ok(payload) = unpack(packed) else { return none };
        let Ok(decoded) = decode_again(&payload, zone) else { return none };
        let Some(request) = &decoded.draft else { return none };
        let found = match documents {
            Documents::Ignored => None,
            Documents::Asked(found) => {
                if let Some(wanted) =
                    missing_documents(Some(supplier), found, || documents_of_account(request))
                {
                    return Ok(Step::Documents(wanted));
                }
                found
            }
        };
        let sought = FactsToRead::for_all(request, supplier, &profile(Some(supplier)));
        let known = self.app.known_together(supplier, &[Some(sought)])?.pop().unwrap_or_default();
        let now = Now::new(self.app.clock.now(), zone);
        Ok(Step::Done(stored(&report_again(supplier, &decoded, &known, found, now).errors)))
    }
}

/// Returns the packed payloads of processes that were found before, of those that are still the supplier's.
pub(super) fn payloads_of(
    tx: &mut Scoped<'_>,
    supplier: &Supplier,
    ids: &[i64],
) -> Result<Vec<PayloadById>, OperatorError> {
    let ids = tx.still_of(supplier, ids)?;
    Ok(tx.payloads(&ids)?)
}

/// The use of documents in a check.
#[derive(Clone, Copy)]
enum Documents<'f> {
    /// They are not looked up, and the rules about them are silent.
    Ignored,
    /// They are looked up if the supplier verifies documents; their state, once it is known.
    Asked(Option<&'f FoundDocuments>),
}
