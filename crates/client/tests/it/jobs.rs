//! Results do not depend on the number of threads.

use crate::harness::{Sandbox, line, names};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn results_do_not_depend_on_the_number_of_jobs(
        order in proptest::collection::vec(0..200_usize, 50..600),
        jobs in 2..9_u8,
    ) {
        let all: Vec<String> = ["valid", "faulty"]
            .iter()
            .flat_map(|kind| names(kind).into_iter().map(move |name| format!("{kind}/{name}")))
            .collect();
        let lines: Vec<Vec<u8>> = order.iter().map(|i| line(&all[i % all.len()])).collect();
        let sandbox = Sandbox::new();
        let (front, back) = lines.split_at(lines.len() / 3);
        sandbox.write("a.ndjson", front.join(&b'\n'));
        sandbox.write("b.ndjson", back.join(&b'\n'));
        let outcome = |jobs: &str| {
            let ran = sandbox.validate(&["a.ndjson", "b.ndjson", "--jobs", jobs, "--report", "r.json"]);
            (ran.code, ran.text(), sandbox.read("r.json"))
        };
        prop_assert_eq!(outcome("1"), outcome(&jobs.to_string()));
    }
}
