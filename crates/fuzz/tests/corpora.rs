//! Runs every target on its seeds and on mutations: a few by default, the same each time; as many as check a
//! change well with `CUTOVER_FUZZ_SECONDS`, which bounds the time, as the step `fuzz` does; other inputs with
//! `CUTOVER_FUZZ_SEED`; a single input with `CUTOVER_FUZZ_REPLAY`. It is not called `it`: tests of that name
//! are run once more on another database, of which nothing here knows.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use cutover_fuzz::{Budget, TARGETS, drive, folder, target};
use std::path::Path;
use std::time::Duration;

/// Number of mutated inputs by default.
const EXECUTIONS: u64 = 200;

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

fn holds(name: &str) {
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
                "an input violates an invariant of {name}, see above. Run it again with: \
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
                holds(stringify!($name));
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

targets! { decode rules agree growth paths tokens queries framing graphql postgres urls csv assemble lineage mapping }
