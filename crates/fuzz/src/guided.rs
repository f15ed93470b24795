//! Fuzzing guided by coverage. libFuzzer provides the main function. The variables `CUTOVER_FUZZ_TARGET` and
//! `CUTOVER_FUZZ_CORPUS` name the target and the folder to which its seeds are written.

#![no_main]

use cutover_fuzz::{Target, mutate, seeds, target};
use cutover_testkit::payload::Dice;
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use std::path::Path;
use std::sync::LazyLock;

static TARGET: LazyLock<&'static Target> = LazyLock::new(|| {
    let name = variable("CUTOVER_FUZZ_TARGET");
    target(&name).unwrap_or_else(|| panic!("there is no target {name:?}"))
});

static POOL: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| seeds(&TARGET).unwrap_or_else(|error| panic!("the corpus cannot be read: {error}")));

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

fn write_seeds() {
    let folder = variable("CUTOVER_FUZZ_CORPUS");
    for seed in &*POOL {
        let file = Path::new(&folder).join(&blake3::hash(seed).to_hex()[..16]);
        std::fs::write(&file, seed).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

fuzz_target!(init: write_seeds(), |input: &[u8]| (TARGET.run)(input));

// Every other mutation is ours, which follows the syntax of JSON.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed.is_multiple_of(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    mutate(&mut bytes, &POOL, TARGET.words, max_size.min(TARGET.max), &mut Dice::new(seed.into()));
    data[..bytes.len()].copy_from_slice(&bytes);
    bytes.len()
});
