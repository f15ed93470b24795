//! Times of the steps of a request in memory: `cargo bench -p cutover-bench -F criterion`. Criterion compares them with its last run.

use criterion::{Criterion, criterion_group, criterion_main};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn steps(criterion: &mut Criterion) {
    for case in cutover_bench::cases::cases().expect("the cases are sound") {
        criterion.bench_function(&case.name, |bencher| bencher.iter(&case.call));
    }
}

criterion_group! {
    name = memory;
    config = Criterion::default().warm_up_time(Duration::from_secs(1)).measurement_time(Duration::from_secs(2));
    targets = steps
}
criterion_main!(memory);
