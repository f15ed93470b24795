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
    /// The number of an earlier account of the supplier, not cancelled, that looks like that of the payload (rule PST-20).
    pub similar_number: Option<&'f str>,
    /// If set, the facts of the payload's business that another business has (rule BUS-10).
    pub taken_details: Option<&'f BTreeSet<UniqueDetail>>,
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
            similar_number: None,
            taken_details: None,
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

/// Keys of facts that a business shares with no other one.
const UNIQUE_KEYS: [&str; 2] = ["abn", "acn"];

/// A fact that a business shares with no other one, to be looked up among businesses (rule BUS-10). `Debug` masks its number,
/// which is personal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UniqueDetail {
    /// `abn` or `acn`.
    pub key: &'static str,
    /// The digits of the number.
    pub digits: String,
}

impl UniqueDetail {
    /// Reads a fact; `None` if it has another key, or no digits.
    pub fn of(key: &str, value: &str) -> Option<Self> {
        let key = UNIQUE_KEYS.into_iter().find(|unique| *unique == cutover_core::trimmed(key))?;
        let digits: String = value.chars().filter(char::is_ascii_digit).collect();
        (!digits.is_empty()).then_some(Self { key, digits })
    }

    pub(crate) fn of_draft(detail: &draft::BusinessDetail<'_>) -> Option<Self> {
        Self::of(detail.key.usable()?.as_sent(), detail.value.usable()?.as_sent())
    }
}

impl fmt::Debug for UniqueDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UniqueDetail").field("key", &self.key).finish_non_exhaustive()
    }
}
