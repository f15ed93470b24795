use cutover_core::Now;

/// What rules know besides the payload. Facts are fetched between decoding and checking, from
/// usable values only.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// The current instant in the zone of the payload's import supplier (rules 1.6).
    pub now: Now,
    /// Whether the payload's import supplier is one of the caller's organisation (rule PST-01).
    /// `None` where no service is asked: offline.
    pub supplier_known: Option<bool>,
}
