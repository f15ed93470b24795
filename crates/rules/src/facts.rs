use chrono::NaiveDate;
use cutover_core::Now;
use cutover_model::draft::{self, Variant};
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// The inputs of rules other than the payload. They are fetched between decoding and checking, for usable
/// values only. A fact that was not fetched is `None`, and the rules about it are silent.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The current instant in the zone of the payload's import supplier (rules 1.6).
    pub now: Now,
    /// If set, whether the payload's import supplier belongs to the caller's organisation (rule PST-01). Not
    /// set offline.
    pub supplier_known: Option<bool>,
    /// If set, whether the organisation has the contract that the account names (rule PST-10).
    pub contract_known: Option<bool>,
    /// The meter points of the payload that another imported account has, and that account (rule PST-12).
    pub taken_meter_points: Option<&'f HashMap<MeterPointKey, MeterPointHolder>>,
    /// If set, the vendors of the payload's instructions that the organisation has not configured (rule PST-18).
    pub unknown_vendors: Option<&'f BTreeSet<String>>,
    /// If set, whether the account was erased (rule PST-17).
    pub erased: Option<bool>,
    /// The states of the payload's documents (rules DOC-02, DOC-03), by trimmed path without the leading `/`.
    pub documents: Option<&'f HashMap<String, DocumentState>>,
}

impl Facts<'_> {
    /// Creates facts that know the time only, as is the case offline.
    pub fn at(now: Now) -> Self {
        Self {
            now,
            supplier_known: None,
            contract_known: None,
            taken_meter_points: None,
            unknown_vendors: None,
            erased: None,
            documents: None,
        }
    }
}

/// The state of a path in a supplier's part of the document storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentState {
    /// There is no document.
    Missing,
    /// There is a document. It is not a PDF, or that was not checked.
    Present,
    /// There is a document that begins as a PDF does.
    Pdf,
}

/// A document that a payload names. `Debug` masks its path, which may contain personal data.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WantedDocument {
    /// Its path under the supplier's root, safe by rules 10.5, trimmed, without the leading `/`.
    pub path: String,
    /// True for statements, which must be PDFs.
    pub must_be_pdf: bool,
}

impl fmt::Debug for WantedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WantedDocument").field("must_be_pdf", &self.must_be_pdf).finish_non_exhaustive()
    }
}

/// An imported account of the organisation that has a meter point.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MeterPointHolder {
    /// The code of its import supplier.
    pub supplier: String,
    /// Its number in the supplier's system.
    pub number: String,
}

/// A meter point of a payload, to be looked up among imported accounts (rule PST-12).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeterPointKey {
    /// Its identifier, trimmed.
    pub mpxn: String,
    /// Its start of supply.
    pub supply_start_date: NaiveDate,
}

impl MeterPointKey {
    /// Returns the key of a meter point, unless its kind is undecided: its rule does not run then (fields 3.1).
    pub(crate) fn of(point: &draft::MeterPoint<'_>) -> Option<Self> {
        if matches!(point.variant, Variant::Undecided) {
            return None;
        }
        let (mpxn, start) = (point.common.mpxn.usable()?, point.common.supply_start_date.usable()?);
        Some(Self { mpxn: mpxn.trimmed().to_owned(), supply_start_date: *start })
    }
}
