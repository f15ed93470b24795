//! The Cutover service and its operator's commands, in one binary (contract D11).
//!
//! Only this crate sees the adapters. It holds settings, wiring, threads and the demo, and no business logic. Modules
//! depend on each other in one direction: `cli` on `demo` and `serve`, these on `server`, all on the modules below.

mod cli;
mod context;
mod demo;
#[cfg(test)]
mod deploy;
mod error;
mod lock;
mod nodes;
mod open;
mod output;
mod serve;
mod server;
mod settings;
mod system;
mod tls;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let _points = cutover_app::fault::set_up();
    // The message is left out: it may hold personal data. `serve` replaces this hook by one that logs.
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("error: the program panicked at {at}");
    }));
    match cli::run() {
        Ok(code) => code,
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", output::plain(&error.to_string()));
            // As the parser of the command line ends.
            if matches!(error, error::Error::Usage(_)) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}
