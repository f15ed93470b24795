use super::bulk::Sent;
use super::client::{Client, Status};
use super::house::{House, ORGANISATION};
use super::stage::Stage;
use super::story::{Additions, Business, Lists, Payments};
use super::summary::{States, TopError};
use crate::cli::Context;
use crate::error::Error;
use crate::output::document;
use serde::Serialize;
use std::collections::BTreeMap;

/// What the chapters came to.
pub(super) struct Told {
    pub(super) client: Client,
    /// The number of the account that was added to.
    pub(super) account: String,
    pub(super) business: Business,
    pub(super) additions: Additions,
    pub(super) payments: Payments,
    pub(super) lists: Lists,
    pub(super) sent: Sent,
}

/// What the demo came to, for programs.
#[derive(Serialize)]
struct Outcome {
    url: String,
    console: String,
    operator_key: String,
    token: String,
    data_dir: String,
    organisation: &'static str,
    supplier: String,
    business: Business,
    additions: Additions,
    payments: Payments,
    lists: Lists,
    sent: usize,
    refused: usize,
    states: BTreeMap<&'static str, usize>,
    top_errors: Vec<TopError>,
    example: Status,
}

/// What became of it, and how to go on.
pub(super) fn tell(context: &Context, house: &House, told: Told, stage: Stage) -> Result<(), Error> {
    let states = States::read(&house.app, &house.supplier)?;
    let Told { client, account, business, additions, payments, lists, sent } = told;
    let example = client.status(&house.supplier, EXAMPLE)?;
    if context.output.is_json() {
        let outcome = Outcome {
            url: client.base().to_owned(),
            console: format!("{}/console/", client.base()),
            operator_key: house.operator_key.clone(),
            token: client.token().to_owned(),
            data_dir: house.settings.data_dir.display().to_string(),
            organisation: ORGANISATION,
            supplier: house.supplier.clone(),
            business,
            additions,
            payments,
            lists,
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
    go_on(house, &client, &account, stage);
    Ok(())
}

/// The account that is shown: the first of the variants.
const EXAMPLE: &str = "V-1";

fn go_on(house: &House, client: &Client, account: &str, stage: Stage) {
    let (base, supplier, token) = (client.base(), &house.supplier, client.token());
    let data = house.settings.data_dir.display();
    // As it was called: it need not be in the search path.
    let cutover = std::env::args().next().unwrap_or_else(|| "cutover".to_owned());
    stage.chapter("Look at it in a browser");
    stage.say(&format!("{base}/console/"));
    stage.say(&format!("    sign in with {}", house.operator_key));
    stage.chapter("Go on by yourself");
    stage.say(&format!("export TOKEN={token}\n"));
    let with_token = "curl -H \"Authorization: Token $TOKEN\"";
    let accounts = format!("{base}/v2/data-import/accounts");
    stage.say(&format!("{with_token} \\\n  {accounts}/{supplier}/{EXAMPLE}/"));
    stage.say(&format!(
        "{with_token} \\\n  -H 'Content-Type: application/json' -d '{{\"import_supplier\": \"{supplier}\"}}' \\\n  {accounts}/validate/"
    ));
    stage.say(&format!(
        "{with_token} \\\n  {base}/v1/data-import/pending-account-import-processes/{supplier}/"
    ));
    stage.say(&format!("curl {base}/readyz"));
    stage.say(&format!("{cutover} process list {supplier} --data-dir {data}"));
    stage.say(&format!("{cutover} process show {supplier} {account} --json --data-dir {data}"));
    stage.say(&format!("{cutover} doctor --data-dir {data}"));
}
