//! Measures Cutover next to well-known frameworks and to what the machine allows, started by `cargo xtask bench`. Ratios
//! are formed round by round in one run, because rates depend on the machine and on who else uses it.

mod args;
mod client;
mod cpu;
mod create;
mod error;
mod figure;
mod http;
mod import;
mod instructions;
mod list;
mod load;
mod machine;
mod memory;
mod model;
mod offline;
mod part;
mod peers;
mod pgbench;
mod program;
mod report;
mod server;
mod store;

use args::Args;
use clap::{Parser, Subcommand, ValueEnum};
use error::Error;
use figure::Figure;
use part::Part;
use std::path::PathBuf;
use std::process::ExitCode;
use store::Store;

// The allocator of the service, so that code measured in this process behaves as it does there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measure Cutover next to its peers; prints ratios formed in one run
#[derive(Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench", args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(flatten)]
    args: Args,
    #[command(subcommand)]
    child: Option<ChildProcess>,
}

/// Measurements in a process of their own.
#[derive(Subcommand)]
enum ChildProcess {
    /// Decode and check payloads in memory
    #[command(hide = true)]
    Offline {
        /// Payloads, one a line
        file: PathBuf,
    },
    /// Repeat a case of the part micro
    #[command(hide = true)]
    Repeat { case: String, times: u64 },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match &cli.child {
        None => run(&cli.args),
        Some(ChildProcess::Offline { file }) => offline::child(file).map(|()| ExitCode::SUCCESS),
        Some(ChildProcess::Repeat { case, times }) => {
            instructions::child(case, *times).map(|()| ExitCode::SUCCESS)
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

/// Measures the parts and prints their tables at the end. A part that fails does not end the others.
fn run(args: &Args) -> Result<ExitCode, Error> {
    if args.install {
        peers::install()?;
    }
    let parts = if args.only.is_empty() { Part::value_variants() } else { &args.only };
    let (mut tables, mut failed, mut code) = (Vec::new(), Vec::new(), ExitCode::SUCCESS);
    for part in parts {
        let name = part.name();
        println!("{name} …");
        match measure(*part, args).and_then(figure::sound) {
            Ok(figures) => {
                let table = report::table(&figures);
                let how = format!("By `cargo xtask bench --only {name}` on {}.", machine::today());
                if args.write {
                    report::write(&name, &table, &how)?;
                }
                tables.push(format!("{table}\n{how}"));
            }
            Err(error) => {
                if !matches!(error, Error::Missing(_)) {
                    code = ExitCode::FAILURE;
                }
                failed.push(format!("{name}: {error}"));
            }
        }
    }
    println!();
    tables.iter().for_each(|table| println!("{table}\n"));
    failed.iter().for_each(|line| println!("{line}"));
    Ok(code)
}

/// Measures a part.
fn measure(part: Part, args: &Args) -> Result<Vec<Figure>, Error> {
    match part {
        Part::Micro => instructions::measure(args),
        Part::Offline => offline::measure(args),
        Part::Http => http::measure(args),
        Part::Client => client::measure(args),
        Part::Create => create::measure(args, &Store::Sqlite),
        Part::PgCreate => create::measure(args, &Store::postgres()?),
        Part::Import => import::measure(args, &Store::Sqlite),
        Part::PgImport => import::measure(args, &Store::postgres()?),
        Part::Memory => memory::measure(args),
        Part::List => list::measure(args, &Store::Sqlite),
        Part::PgList => list::measure(args, &Store::postgres()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
