//! Every target on its seeds and on what chance makes of them: a little, the same each time, as a part of all tests;
//! as much as is a good check with `CUTOVER_FUZZ_SECONDS`, so long at most, as the step `fuzz` does; other inputs with
//! `CUTOVER_FUZZ_SEED`; or with `CUTOVER_FUZZ_REPLAY` on one input.
//!
//! It is not called `it`: tests of that name are run once more on another database, of which nothing here knows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use cutover_fuzz::{Budget, TARGETS, drive, folder, target};
use std::path::Path;
use std::time::Duration;

/// In the tests of everybody.
const EXECUTIONS: u64 = 200;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

fn keeps_its_laws(name: &str) {
    let target = target(name).unwrap();
    if let Ok(file) = std::env::var("CUTOVER_FUZZ_REPLAY") {
        return (target.run)(&std::fs::read(file).unwrap());
    }
    let budget = match number("CUTOVER_FUZZ_SECONDS") {
        Some(seconds) => Budget { executions: target.executions, time: Duration::from_secs(seconds) },
        None => Budget { executions: EXECUTIONS, time: Duration::from_secs(60) },
    };
    match drive(target, number("CUTOVER_FUZZ_SEED").unwrap_or_default(), budget).unwrap() {
        Ok(done) => println!("{name}: {} executions in {:.1} s", done.executions, done.took.as_secs_f32()),
        Err(finding) => {
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("finding-{name}"));
            std::fs::write(&file, &finding.input).unwrap();
            panic!(
                "an input breaks a law of {name}, see above. Once more: \
                 cargo xtask fuzz --target {name} --replay {}",
                file.display()
            );
        }
    }
}

macro_rules! targets {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                keeps_its_laws(stringify!($name));
            }
        )*

        #[test]
        fn every_target_has_a_test_and_a_folder() {
            let tests = [$(stringify!($name)),*];
            assert_eq!(TARGETS.iter().map(|target| target.name).collect::<Vec<_>>(), tests);
            let folders = std::fs::read_dir(folder(&TARGETS[0]).parent().unwrap()).unwrap();
            let folders = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let (mut folders, mut tests) = (folders.collect::<Vec<_>>(), tests.to_vec());
            folders.sort();
            tests.sort_unstable();
            assert_eq!(folders, tests);
        }
    };
}

targets! { decode rules agree growth paths tokens queries framing graphql }
