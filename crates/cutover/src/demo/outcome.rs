use super::bulk::Sent;
use super::installation::ORGANISATION;
use super::story::{Steps, Story};
use crate::context::Context;
use crate::error::Error;
use crate::output::document;
use serde::Serialize;
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of errors that are shown.
const TOP: usize = 6;
/// The account that is shown: the first of the variants.
const EXAMPLE: &str = "V-1";

/// Counts the processes of the demo's supplier by status.
pub(super) fn states(story: &Story<'_>) -> Result<BTreeMap<&'static str, usize>, Error> {
    let mut states = BTreeMap::new();
    let installation = story.installation;
    installation.app.each_process(&installation.supplier, None, |process, _| {
        *states.entry(process.state().as_str()).or_insert(0) += 1;
    })?;
    Ok(states)
}

/// A frequent error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct TopError {
    /// The path, with `#` for every index.
    attr: String,
    code: String,
    count: usize,
    /// The number of an account with the error.
    example: String,
}

/// The refused accounts and their errors.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    pub(super) accounts: usize,
    errors: BTreeMap<(String, String), (usize, String)>,
}

impl Refusals {
    /// Adds an account with its errors.
    pub(super) fn add<'e>(&mut self, number: &str, errors: impl Iterator<Item = (&'e str, &'e str)>) {
        self.accounts += 1;
        for (attr, code) in errors {
            let part = |part| if str::parse::<usize>(part).is_ok() { "#" } else { part };
            let attr = attr.split('.').map(part).collect::<Vec<_>>().join(".");
            self.errors.entry((attr, code.to_owned())).or_insert_with(|| (0, number.to_owned())).0 += 1;
        }
    }

    /// The most frequent errors.
    fn top(&self) -> Vec<TopError> {
        let error = |((attr, code), (count, example)): (&(String, String), &(usize, String))| TopError {
            attr: attr.clone(),
            code: code.clone(),
            count: *count,
            example: example.clone(),
        };
        let mut errors: Vec<TopError> = self.errors.iter().map(error).collect();
        errors.sort_by_key(|error| Reverse(error.count));
        errors.truncate(TOP);
        errors
    }
}

/// Prints the outcome of the demo, and commands to continue with.
pub(super) fn print(context: &Context, story: &Story<'_>, steps: &Steps, sent: &Sent) -> Result<(), Error> {
    let (installation, client, out) = (story.installation, &story.client, story.out);
    let (states, top, refused) = (states(story)?, sent.refusals.top(), sent.refusals.accounts);
    let example = client.get(&story.status_path(EXAMPLE))?.expect(200)?.body;
    let (base, supplier) = (&client.base, &installation.supplier);
    let data_dir = installation.settings.values.data_dir.display();
    if context.output.is_json() {
        let outcome = json!({
            "url": base,
            "console": format!("{base}/console/"),
            "operator_key": installation.operator_key,
            "token": client.token,
            "data_dir": data_dir.to_string(),
            "organisation": ORGANISATION,
            "supplier": supplier,
            "business": steps.business,
            "additions": steps.additions,
            "payments": steps.payments,
            "lists": steps.lists,
            "sent": sent.accounts,
            "refused": refused,
            "states": states,
            "top_errors": top,
            "example": example,
        });
        println!("{}", document(&outcome)?);
        return Ok(());
    }
    out.chapter("What became of it");
    for (state, count) in &states {
        out.row(state, &format!("{count:>6}"));
    }
    out.row("refused, not stored", &format!("{refused:>6}"));
    if refused > 0 {
        out.chapter("What they were refused for");
    }
    for TopError { attr, code, count, example } in top {
        out.line(&format!("  {count:>3}  {code}, for example {example}\n       {attr}"));
    }
    out.chapter(&format!("One account as its supplier sees it: GET …/accounts/{supplier}/{EXAMPLE}/"));
    out.line(&document(&example)?);
    // The path that was called: the program need not be in the search path.
    let cutover = std::env::args().next().unwrap_or_else(|| "cutover".to_owned());
    let (operator_key, token, account) = (&installation.operator_key, &client.token, &steps.account);
    let curl = "curl -H \"Authorization: Token $TOKEN\"";
    let accounts = format!("{base}/v2/data-import/accounts");
    out.chapter("Look at it in a browser");
    out.line(&format!("{base}/console/\n    sign in with {operator_key}"));
    out.chapter("Go on by yourself");
    out.line(&format!(
        "export TOKEN={token}\n
{curl} \\\n  {accounts}/{supplier}/{EXAMPLE}/
{curl} \\\n  -H 'Content-Type: application/json' -d '{{\"import_supplier\": \"{supplier}\"}}' \\\n  {accounts}/validate/
{curl} \\\n  {base}/v1/data-import/pending-account-import-processes/{supplier}/
curl {base}/readyz
{cutover} process list {supplier} --data-dir {data_dir}
{cutover} process show {supplier} {account} --json --data-dir {data_dir}
{cutover} doctor --data-dir {data_dir}"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_by_path_and_code_the_most_frequent_first() {
        let mut refusals = Refusals::default();
        refusals.add("C-1", [("customers.0.email", "invalid_email")].into_iter());
        let errors = [("custmers", "unknown_field"), ("customers.3.email", "invalid_email")];
        refusals.add("C-2", errors.into_iter());
        let top: Vec<String> = refusals
            .top()
            .iter()
            .map(|e| format!("{} {} {} {}", e.count, e.attr, e.code, e.example))
            .collect();
        assert_eq!(top, ["2 customers.#.email invalid_email C-1", "1 custmers unknown_field C-2"]);
        assert_eq!(refusals.accounts, 2);
    }
}
