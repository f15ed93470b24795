//! `cutover demo`: the whole story on the embedded default, over HTTP against a real server of this
//! process.

mod bulk;
mod client;
mod ending;
mod fixtures;
mod generate;
mod house;
mod pdf;
mod stage;
mod story;
mod summary;
mod vendor;

use crate::cli::Context;
use crate::error::Error;
use crate::serve::{Ending, watch};
use crate::system::SystemClock;
use clap::Args;
use client::Client;
use cutover_app::port::Clock;
use ending::Told;
use generate::Generator;
use house::House;
use stage::Stage;
use std::sync::mpsc;
use story::Story;

pub(crate) const EXAMPLES: &str = "\
Examples:
  cutover demo              serves until Ctrl-C
  cutover demo --exit       ends with the story
  cutover demo --accounts 5000

It keeps to a folder of its own, DATA-DIR/demo; every run adds a supplier. Remove the folder to begin anew.";

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// End with the story instead of serving on until Ctrl-C
    #[arg(long)]
    exit: bool,
    /// How many generated accounts are sent
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    accounts: u32,
}

/// Tells the story.
///
/// # Errors
/// [`Error`] if any of it fails.
pub(crate) fn run(context: &Context, args: &DemoArgs) -> Result<(), Error> {
    let stage = Stage::new(context.output.is_json());
    stage.say(&format!("Cutover {}: from nothing to a served, filled service", env!("CARGO_PKG_VERSION")));
    stage.chapter("1. The operator sets up");
    let (sender, ending) = mpsc::channel();
    let house = House::build(&context.settings, stage, sender.clone())?;
    let told = tell(&house, args, stage)?;
    ending::tell(context, &house, told, stage)?;
    if !args.exit {
        stage.say("\nServing until Ctrl-C.");
        watch(sender)?;
        if let Ok(Ending::Server(Err(error))) = ending.recv() {
            return Err(Error::refused(format!("the HTTP server ended by itself: {error}")));
        }
        stage.say("\nStopping: what was accepted is finished first.");
    }
    let House { service, settings, .. } = house;
    service.stop(settings.serve.shutdown_timeout)
}

fn tell(house: &House, args: &DemoArgs, stage: Stage) -> Result<Told, Error> {
    stage.chapter("2. The supplier signs in");
    let client = Client::sign_in(&house.base(), &house.api_key)?;
    let minutes = house.settings.serve.access_token_lifetime.as_secs() / 60;
    stage.row("POST /v1/graphql/", &format!("obtainToken: a token for {minutes} minutes"));
    let now = SystemClock.now();
    let today = house.zone.local(now).date_naive();
    let accounts = Generator::new(now.timestamp().unsigned_abs(), &house.supplier, today);
    let mut story = Story { house, client, stage, accounts };
    story.variants()?;
    story.refusal()?;
    story.rehearsal()?;
    let failed = story.pause()?;
    let business = story.business()?;
    let account = story.documents()?;
    let additions = story.additions(&account)?;
    let payments = story.payments(&account, &business)?;
    let lists = story.progress(&account, &failed)?;
    let sent = bulk::send(&mut story, args.accounts as usize)?;
    Ok(Told { client: story.client, account, business, additions, payments, lists, sent })
}
