//! The Cutover service and its operator's commands, in one binary (contract D11).
//!
//! Only this crate sees the adapters; it holds settings, wiring, threads and the demo, and no
//! business logic.

mod cli;
mod demo;
mod error;
mod open;
mod output;
mod serve;
mod settings;
mod system;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let _points = cutover_app::fault::set_up();
    // Not the message: it may hold what was being worked on. `serve` puts it into its log instead.
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("error: the program panicked at {at}");
    }));
    match cli::run() {
        Ok(code) => code,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", output::plain(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}
