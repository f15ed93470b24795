//! `cutover demo`: demonstrates a migration on a server of this process, over HTTP, with a SQLite database in a folder of
//! its own.

mod accounts;
mod bulk;
mod client;
mod installation;
mod night;
mod outcome;
mod printer;
mod story;
mod supplier;
mod vendor;

use crate::context::Context;
use crate::error::Error;
use crate::server::{StopReason, watch};
use crate::system::SystemClock;
use clap::Args;
use client::Client;
use cutover_app::port::Clock;
use installation::Installation;
use printer::Printer;
use std::sync::mpsc;
use supplier::Supplier;

pub(crate) const EXAMPLES: &str = "\
Examples:
  cutover demo              serves until Ctrl-C
  cutover demo --exit       exits after the demonstration
  cutover demo --accounts 5000

The demo keeps its data in a folder of its own, DATA-DIR/demo, and adds two suppliers with each run. Remove
the folder to start from the beginning.";

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Exit after the demonstration instead of serving until Ctrl-C
    #[arg(long)]
    exit: bool,
    /// Number of generated accounts to send
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    accounts: u32,
}

/// Runs the demo.
///
/// # Errors
/// [`Error`] if a step of it fails.
pub(crate) fn run(context: &Context, args: &DemoArgs) -> Result<(), Error> {
    let out = Printer::new(context.output.is_json());
    out.line(&format!("Cutover {}: from nothing to a served, filled service", env!("CARGO_PKG_VERSION")));
    let (sender, stopped) = mpsc::channel();
    let installation = Installation::set_up(&context.settings, out, sender.clone())?;
    demonstrate(context, &installation, args, out)?;
    if !args.exit {
        out.line("\nServing until Ctrl-C.");
        watch(sender)?;
        if let Ok(StopReason::HttpServer(Err(error))) = stopped.recv() {
            return Err(Error::refused(format!("the HTTP server ended by itself: {error}")));
        }
        out.line("\nStopping: accepted requests are finished first.");
    }
    let Installation { service, settings, .. } = installation;
    service.stop(settings.values.shutdown_timeout)
}

fn demonstrate(
    context: &Context,
    installation: &Installation,
    args: &DemoArgs,
    out: Printer,
) -> Result<(), Error> {
    out.chapter("2. The supplier signs in");
    let client = Client::sign_in(&installation.base_url(), &installation.api_key)?;
    let minutes = installation.settings.values.access_token_lifetime.as_secs() / 60;
    out.row("POST /v1/graphql/", &format!("obtainToken: a token for {minutes} minutes"));
    let seed = SystemClock.now().timestamp().unsigned_abs();
    let mut supplier = Supplier::new(installation, client, out, &installation.supplier, seed);
    let (account, mut steps) = supplier.tell()?;
    let refusals = bulk::send(&mut supplier, args.accounts as usize)?;
    steps["night"] = night::tell(&supplier)?;
    outcome::print(context, &supplier, &account, steps, &refusals)
}
