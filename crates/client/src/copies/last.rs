use crate::error::Error;
use crate::identity::{Identity, IdentityHash};
use crate::input::{InputEvent, Location, Source};
use crate::interrupt::StopFlag;
use crate::output::grouped;
use crate::pipeline::{Pipeline, Worker};
use crate::progress::Progress;
use std::collections::HashMap;
use std::num::NonZeroUsize;

/// The last location of each account that occurs more than once. While the inputs are read, an account costs 30 to 60
/// bytes.
#[derive(Debug, Default)]
pub(super) struct LastCopies(HashMap<IdentityHash, Location>);

/// Reads what identifies an account or another request.
pub(super) type Identify = fn(&[u8]) -> Option<IdentityHash>;

/// Hash of the supplier and the number of an account.
pub(crate) fn account_hash(account: &[u8]) -> Option<IdentityHash> {
    Identity::read(account)?.hash()
}

struct Names(Identify);

impl Worker for Names {
    type Output = Option<IdentityHash>;

    fn process(&self, _: Location, account: &[u8]) -> Self::Output {
        self.0(account.trim_ascii())
    }
}

impl LastCopies {
    /// Reads the inputs that can be read again.
    pub(super) fn read(
        sources: &[Source],
        identify: Identify,
        workers: NonZeroUsize,
        stop: StopFlag,
        quiet: bool,
    ) -> Result<Self, Error> {
        let numbers: Vec<u32> =
            (0..).zip(sources).filter(|(_, source)| source.is_file()).map(|(n, _)| n).collect();
        let files: Vec<Source> = numbers.iter().map(|n| sources[*n as usize].clone()).collect();
        let pipeline = Pipeline::stopped_by(stop);
        let bytes = files.iter().map(|source| source.bytes).sum();
        let progress = Progress::new(quiet, bytes, pipeline.read());
        let (mut found, mut accounts) = (HashMap::<IdentityHash, (Location, bool)>::new(), 0);
        pipeline.run(files, workers, Names(identify), |at: Location, event| {
            if let InputEvent::Account(Some(account)) = event {
                let location = Location { source: numbers[at.source as usize], ..at };
                let known = found.entry(account).or_insert((location, false));
                if known.0 != location {
                    *known = (location, true);
                }
                accounts += 1;
                progress.checked(accounts, || format!("{} accounts, looking for copies", grouped(accounts)));
            }
            Ok(())
        })?;
        let repeated = found.into_iter().filter(|(_, (_, is_repeated))| *is_repeated);
        Ok(Self(repeated.map(|(account, (location, _))| (account, location)).collect()))
    }

    /// The last location of an account; `None` if it occurs once.
    pub(super) fn get(&self, account: IdentityHash) -> Option<Location> {
        self.0.get(&account).copied()
    }
}
