//! Fuzz targets, for about a minute in all: from seeds of their own, other inputs at every turn.

use std::num::NonZeroUsize;

use super::Outcome;
use crate::error::Error;
use crate::{cargo, fuzz};

/// How long all targets take, on as many threads as there are.
const SECONDS: usize = 60;

pub(super) fn run() -> Result<Outcome, Error> {
    let seed = fuzz::chance();
    let mut command = fuzz::tests();
    command.env("CUTOVER_FUZZ_SECONDS", each().to_string()).env("CUTOVER_FUZZ_SEED", seed.to_string());
    command.args(["--", "--nocapture"]);
    Ok(match cargo::succeeds(command)? {
        true => Outcome::Ok(format!("seed {seed}; longer with: cargo xtask fuzz")),
        false => Outcome::Failed(format!("see above; seed {seed}")),
    })
}

/// So long for each, in seconds.
fn each() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    (SECONDS * threads / fuzz::targets().len().max(1)).clamp(1, SECONDS)
}
