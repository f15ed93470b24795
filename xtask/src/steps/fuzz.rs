//! Fuzz targets, for less than a minute in all: the same inputs each time, so that what fails is a fault of what has
//! changed and not of chance. New inputs are for `cargo xtask fuzz`.

use super::Outcome;
use crate::error::Error;
use crate::{cargo, fuzz};

const SEED_VARIABLE: &str = "CUTOVER_FUZZ_SEED";

/// What inputs come of, unless the environment says another; the tests have run those of 0.
const SEED: &str = "1";

/// In seconds, for each target: twice what it takes. How many inputs there are is the target's to say.
const AT_MOST: &str = "20";

pub(super) fn run() -> Result<Outcome, Error> {
    let seed = std::env::var(SEED_VARIABLE).unwrap_or_else(|_| SEED.to_owned());
    let mut command = fuzz::tests();
    command.env("CUTOVER_FUZZ_SECONDS", AT_MOST).env(SEED_VARIABLE, &seed);
    command.args(["--", "--nocapture"]);
    Ok(match cargo::succeeds(command)? {
        true => Outcome::Ok(format!("seed {seed}; new ones with: cargo xtask fuzz")),
        false => Outcome::Failed(format!("see above; seed {seed}")),
    })
}
