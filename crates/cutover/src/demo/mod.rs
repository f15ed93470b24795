//! `cutover demo`: the whole story on the embedded default, over HTTP against a real server of this
//! process.

mod bulk;
mod client;
mod fixtures;
mod generate;
mod house;
mod stage;
mod story;
mod summary;

use crate::cli::Context;
use crate::error::Error;
use crate::output::document;
use crate::serve::{Ending, watch};
use crate::system::SystemClock;
use bulk::Sent;
use clap::Args;
use client::Client;
use cutover_app::port::Clock;
use generate::Generator;
use house::House;
use serde::Serialize;
use stage::Stage;
use std::collections::BTreeMap;
use std::sync::mpsc;
use story::Story;
use summary::{States, TopError};

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

/// What the demo came to, for programs.
#[derive(Serialize)]
struct Outcome {
    url: String,
    token: String,
    data_dir: String,
    organisation: &'static str,
    supplier: String,
    sent: usize,
    refused: usize,
    states: BTreeMap<&'static str, usize>,
    top_errors: Vec<TopError>,
    example: client::Status,
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
    let (client, sent) = tell(&house, args, stage)?;
    finish(context, &house, &client, &sent, stage)?;
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

fn tell(house: &House, args: &DemoArgs, stage: Stage) -> Result<(Client, Sent), Error> {
    stage.chapter("2. The supplier signs in");
    let client = Client::sign_in(&house.base(), &house.api_key)?;
    let minutes = house.settings.serve.access_token_lifetime.as_secs() / 60;
    stage.row("POST /v1/graphql/", &format!("obtainToken: a token for {minutes} minutes"));
    let now = SystemClock.now();
    let today = house.zone.local(now).date_naive();
    let accounts = Generator::new(now.timestamp().unsigned_abs(), &house.supplier, today);
    let mut story = Story { house, client: client.clone(), stage, accounts };
    story.variants()?;
    story.refusal()?;
    story.rehearsal()?;
    story.pause()?;
    let sent = bulk::send(house, &client, &mut story.accounts, args.accounts as usize, stage)?;
    Ok((client, sent))
}

/// What became of it, and how to go on.
fn finish(context: &Context, house: &House, client: &Client, sent: &Sent, stage: Stage) -> Result<(), Error> {
    let states = States::read(&house.app, &house.supplier)?;
    let example = client.status(&house.supplier, EXAMPLE)?;
    if context.output.is_json() {
        let outcome = Outcome {
            url: client.base().to_owned(),
            token: client.token().to_owned(),
            data_dir: house.settings.data_dir.display().to_string(),
            organisation: house::ORGANISATION,
            supplier: house.supplier.clone(),
            sent: sent.accounts,
            refused: sent.refusals.accounts(),
            states: states.into_map(),
            top_errors: sent.refusals.top(),
            example,
        };
        println!("{}", document(&outcome)?);
        return Ok(());
    }
    stage.chapter("What became of it");
    states.tell(sent.refusals.accounts(), stage);
    if sent.refusals.accounts() > 0 {
        stage.chapter("What they were refused for");
        sent.refusals.tell(stage);
    }
    stage.chapter(&format!(
        "One account as its supplier sees it: GET …/accounts/{}/{EXAMPLE}/",
        house.supplier
    ));
    stage.say(&document(&example)?);
    go_on(house, client, stage);
    Ok(())
}

/// The account that is shown: the first of the variants.
const EXAMPLE: &str = "V-1";

fn go_on(house: &House, client: &Client, stage: Stage) {
    let (base, supplier, token) = (client.base(), &house.supplier, client.token());
    let data = house.settings.data_dir.display();
    // As it was called: it need not be in the search path.
    let cutover = std::env::args().next().unwrap_or_else(|| "cutover".to_owned());
    stage.chapter("Go on by yourself");
    stage.say(&format!("export TOKEN={token}\n"));
    let with_token = "curl -H \"Authorization: Token $TOKEN\"";
    let accounts = format!("{base}/v2/data-import/accounts");
    stage.say(&format!("{with_token} \\\n  {accounts}/{supplier}/{EXAMPLE}/"));
    stage.say(&format!(
        "{with_token} \\\n  -H 'Content-Type: application/json' -d '{{\"import_supplier\": \"{supplier}\"}}' \\\n  {accounts}/validate/"
    ));
    stage.say(&format!("curl {base}/readyz"));
    stage.say(&format!("{cutover} process list {supplier} --data-dir {data}"));
    stage.say(&format!("{cutover} process show {supplier} {EXAMPLE} --data-dir {data}"));
    stage.say(&format!("{cutover} doctor --data-dir {data}"));
}
