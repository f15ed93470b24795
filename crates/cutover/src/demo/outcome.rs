use super::bulk::Refusals;
use super::client::text;
use super::installation::ORGANISATION;
use super::supplier::{Supplier, counts};
use crate::context::Context;
use crate::error::Error;
use crate::output::document;
use serde_json::{Value, json};

/// The account that is shown: the first of the variants.
const EXAMPLE: &str = "V-1";

/// Prints the outcome of the demo, and commands to continue with.
pub(super) fn print(
    context: &Context,
    story: &Supplier<'_>,
    account: &str,
    mut steps: Value,
    refusals: &Refusals,
) -> Result<(), Error> {
    let (installation, client, out) = (story.installation, &story.client, story.out);
    let (states, top, refused) = (counts(&story.progress()?), refusals.top(), refusals.accounts);
    let example = story.account(EXAMPLE)?;
    let (base, supplier) = (&client.base, &story.code);
    let night = text(&steps["night"], "supplier").to_owned();
    let data_dir = installation.settings.values.data_dir.display();
    if context.output.is_json() {
        for (name, value) in [
            ("url", json!(base)),
            ("console", json!(format!("{base}/console/"))),
            ("operator_key", json!(installation.operator_key)),
            ("token", json!(client.token)),
            ("data_dir", json!(data_dir.to_string())),
            ("organisation", json!(ORGANISATION)),
            ("supplier", json!(supplier)),
            ("refused", json!(refused)),
            ("states", states),
            ("top_errors", json!(top)),
            ("example", example),
        ] {
            steps[name] = value;
        }
        println!("{}", document(&steps)?);
        return Ok(());
    }
    out.chapter(&format!("Result: the accounts of {supplier}"));
    for (state, count) in states.as_object().into_iter().flatten() {
        out.row(state, &format!("{:>6}", count.to_string()));
    }
    out.row("refused, not stored", &format!("{refused:>6}"));
    if refused > 0 {
        out.chapter("Most frequent errors");
    }
    for error in &top {
        let [attr, code, example] = ["attr", "code", "example"].map(|name| text(error, name));
        out.line(&format!(
            "  {:>3}  {code}, for example {example}
       {attr}",
            error["count"].to_string()
        ));
    }
    out.chapter(&format!("One account as its supplier sees it: GET …/accounts/{supplier}/{EXAMPLE}/"));
    out.line(&document(&example)?);
    // The path that was called: the program need not be in the search path.
    let cutover = std::env::args().next().unwrap_or_else(|| "cutover".to_owned());
    let (operator_key, token) = (&installation.operator_key, &client.token);
    let curl = "curl -H \"Authorization: Token $TOKEN\"";
    let accounts = format!("{base}/v2/data-import/accounts");
    out.chapter("Console");
    out.line(&format!("{base}/console/\n    sign in with {operator_key}"));
    out.chapter("Next steps");
    out.line(&format!(
        "export TOKEN={token}\n
{curl} \\\n  {accounts}/{supplier}/{EXAMPLE}/
{curl} \\\n  -H 'Content-Type: application/json' -d '{{\"import_supplier\": \"{supplier}\"}}' \\\n  {accounts}/validate/
{curl} \\\n  {base}/v1/data-import/pending-account-import-processes/{supplier}/
curl {base}/readyz
{cutover} process list {supplier} --data-dir {data_dir}
{cutover} process show {supplier} {account} --json --data-dir {data_dir}
{cutover} run list {night} --data-dir {data_dir}
{cutover} doctor --data-dir {data_dir}"
    ));
    Ok(())
}
