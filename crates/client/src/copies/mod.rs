//! Accounts that the inputs contain more than once. Of equal copies one counts; of differing ones the last, and each
//! that differs from the one before is an error.

mod last;
mod seen;

pub(crate) use last::account_hash;
pub(crate) use seen::{Earlier, SeenAccounts};

use crate::error::Error;
use crate::identity::IdentityHash;
use crate::input::{Location, Source};
use crate::interrupt::StopFlag;
use last::{Identify, LastCopies};
use std::num::NonZeroUsize;

/// Finds copies, and which of them counts. The inputs are read for it before, which is not possible with standard input
/// and pipes: of copies in those the first one counts.
#[derive(Debug)]
pub(crate) struct Copies {
    last: LastCopies,
    seen: SeenAccounts,
    /// True if some inputs can be read only once.
    sees_all: bool,
}

/// One occurrence of an account in the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// The copy before.
    pub(crate) earlier: Option<Earlier>,
    /// True if this is the copy that counts.
    pub(crate) counts: bool,
}

impl Copies {
    /// Reads the inputs, as far as they can be read again. Faults of inputs are left for the next time.
    ///
    /// # Errors
    /// [`Error`] if a thread failed.
    pub(crate) fn find(
        sources: &[Source],
        identify: Identify,
        workers: NonZeroUsize,
        stop: StopFlag,
        quiet: bool,
    ) -> Result<Self, Error> {
        let sees_all = sources.iter().any(|source| !source.is_file());
        let last = LastCopies::read(sources, identify, workers, stop, quiet)?;
        Ok(Self { last, seen: SeenAccounts::default(), sees_all })
    }

    /// Compares without reading the inputs before: of copies the first one counts.
    pub(crate) fn as_they_come() -> Self {
        Self { last: LastCopies::default(), seen: SeenAccounts::default(), sees_all: true }
    }

    /// Looks up an account or another request by its identity. Without one it is not compared.
    pub(crate) fn see(
        &mut self,
        identity: Option<IdentityHash>,
        location: Location,
        fingerprint: u64,
    ) -> Occurrence {
        let Some(account) = identity else {
            return Occurrence { earlier: None, counts: true };
        };
        let last = self.last.get(account);
        if last.is_none() && !self.sees_all {
            return Occurrence { earlier: None, counts: true };
        }
        let earlier = self.seen.see(account, location, fingerprint);
        Occurrence { earlier, counts: last.map_or(earlier.is_none(), |last| last == location) }
    }
}
