//! Runs fuzz targets for less than a minute in total, with the same inputs each time, so that a failure comes
//! from a change and not from chance. `cargo xtask fuzz` makes new inputs.

use super::Outcome;
use crate::error::Error;
use crate::{cargo, fuzz};

const SEED_VARIABLE: &str = "CUTOVER_FUZZ_SEED";

/// Default seed of the inputs; the tests use 0.
const SEED: &str = "1";

/// Time limit of a target in seconds, on a machine that also runs the tests. Each target sets its own number of inputs,
/// which take less than ten seconds.
const AT_MOST: &str = "60";

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
