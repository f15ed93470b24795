use crate::claim_hints::ClaimHints;
use crate::sealed::Sealer;

/// What the transactions of one store share in memory.
#[derive(Debug, Default)]
pub(crate) struct Context {
    /// Seals and opens what is sealed at rest.
    pub(crate) sealer: Sealer,
    pub(crate) hints: ClaimHints,
}

impl From<Sealer> for Context {
    fn from(sealer: Sealer) -> Self {
        Self { sealer, hints: ClaimHints::default() }
    }
}
