//! `cutover-client`: the supplier's command line for a migration.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[expect(clippy::disallowed_methods, reason = "only main reads the clock")]
fn main() -> ExitCode {
    cutover_client::run(std::env::args_os(), chrono::Utc::now()).into()
}
