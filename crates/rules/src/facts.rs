use chrono::NaiveDate;
use cutover_core::Now;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// What rules know besides the payload. Facts are fetched between decoding and checking, from
/// usable values only. A fact that is `None` was not asked for: the rules about it are silent.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'f> {
    /// The current instant in the zone of the payload's import supplier (rules 1.6).
    pub now: Now,
    /// Whether the payload's import supplier is one of the caller's organisation (rule PST-01).
    /// `None` where no service is asked: offline.
    pub supplier_known: Option<bool>,
    /// Whether the organisation has the contract that the account names (rule PST-10).
    pub contract_known: Option<bool>,
    /// The meter points of the payload that another imported account has (rule PST-12), by their
    /// identifier and start of supply.
    pub taken_meter_points: Option<&'f HashSet<SoughtMeterPoint>>,
    /// What the documents are that the payload names (rules DOC-02, DOC-03), by path: trimmed, without
    /// the leading `/`.
    pub documents: Option<&'f HashMap<String, DocumentState>>,
}

impl Facts<'_> {
    /// The time alone: what is known without a service.
    pub fn at(now: Now) -> Self {
        Self { now, supplier_known: None, contract_known: None, taken_meter_points: None, documents: None }
    }
}

/// What a path names in a supplier's part of the document storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentState {
    /// Nothing.
    Missing,
    /// A document; whether it is a PDF was not asked, or it is none.
    Present,
    /// A document that begins as a PDF does.
    Pdf,
}

/// A document that a payload names. `Debug` masks its path, which may tell whose it is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WantedDocument {
    /// Its path under the supplier's root, safe by rules 10.5, trimmed, without the leading `/`.
    pub path: String,
    /// Whether it is to be a PDF: a statement.
    pub must_be_pdf: bool,
}

impl fmt::Debug for WantedDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WantedDocument").field("must_be_pdf", &self.must_be_pdf).finish_non_exhaustive()
    }
}

/// A meter point of a payload, to be looked for among imported accounts (rule PST-12).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SoughtMeterPoint {
    /// Its identifier, trimmed.
    pub mpxn: String,
    /// Its start of supply.
    pub supply_start_date: NaiveDate,
}
