use crate::claim_hints::ClaimHints;
use crate::sealed::Sealer;

/// State in memory that the transactions of one store share.
#[derive(Debug, Default)]
pub(crate) struct Context {
    pub(crate) sealer: Sealer,
    pub(crate) hints: ClaimHints,
    /// Id of this opening of the database, where no server tells how long it has run.
    pub(crate) opened: String,
}

impl From<Sealer> for Context {
    fn from(sealer: Sealer) -> Self {
        Self { sealer, ..Self::default() }
    }
}
