use crate::cli::process::shown::with_codes;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, listing, plain};
use clap::Args;
use cutover_core::Zone;
use cutover_model::{AccountFoundShown, AccountsFoundShown};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// Any part of an account number (from four characters, or its beginning), a name, an e-mail address, a telephone number, a
    /// postcode with the street, a meter point, the serial number of a meter, or a business
    text: String,
    /// Search the accounts of this supplier only
    #[arg(long, value_name = "CODE")]
    supplier: Option<String>,
}

/// Number of accounts shown of a supplier.
const LIMIT: u32 = 100;

/// The accounts that were found, and what was sought.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Matches {
    found: AccountsFoundShown,
    #[serde(skip)]
    sought: String,
    /// The zone of the times in sentences.
    #[serde(skip)]
    zone: Zone,
}

impl Answer for Matches {
    fn text(&self) -> String {
        if self.found.accounts.is_empty() {
            return self.with_more(format!("Nothing found by {}.", plain(&self.sought)));
        }
        let by = |found: &AccountFoundShown| found.found_by.join(", ").replace('_', " ");
        let cells = |found: &AccountFoundShown| {
            let sentence = with_codes(&found.sentence, &found.error_codes);
            vec![found.supplier.clone(), found.external_account_number.clone(), by(found), sentence]
        };
        let stands = format!("WHERE IT STANDS ({})", self.zone);
        self.with_more(listing(
            &["SUPPLIER", "NUMBER", "FOUND BY", &stands],
            self.found.accounts.iter().map(cells),
        ))
    }
}

impl Matches {
    fn with_more(&self, text: String) -> String {
        match &self.found.more {
            Some(more) => format!("{text}\n{more}."),
            None => text,
        }
    }
}

pub(super) fn run(context: &Context, args: FindArgs) -> Result<(), Error> {
    let FindArgs { text, supplier } = args;
    let by = context.app()?;
    let found = by.as_command().search_accounts(supplier.as_deref(), &text, LIMIT)?;
    Ok(context.output.answer(&Matches { zone: found.zone, found: found.shown(), sought: text })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::document;
    use cutover_app::operator::{AccountMatch, FoundAccount, FoundAccounts, FoundBy, RefusedAccount};
    use std::collections::BTreeSet;

    fn matches(matches: Vec<AccountMatch>) -> Matches {
        let found = FoundAccounts { matches, zone: Zone::UTC, more: None };
        Matches { found: found.shown(), sought: "A-\u{1b}[2J".to_owned(), zone: Zone::UTC }
    }

    #[test]
    fn an_account_that_was_refused_is_shown_with_its_codes() {
        let refused = RefusedAccount {
            number: "A-1\u{1b}[2J".into(),
            refused_at: "2026-11-21T00:00:00Z".parse().unwrap(),
            error_codes: vec!["invalid".into(), "required".into()],
            sentence: "Not accepted since 11:00".into(),
            zone: "Australia/Melbourne".parse().unwrap(),
        };
        let found = AccountMatch {
            supplier: "ACME".into(),
            account: FoundAccount::Refused(refused),
            found_by: BTreeSet::from([FoundBy::Number]),
        };
        let matches = matches(vec![found]);
        insta::assert_snapshot!(format!("{}\n{}", matches.text(), document(&matches).unwrap()));
    }

    #[test]
    fn a_search_in_vain_names_what_was_sought() {
        let text = matches(Vec::new()).text();
        assert_eq!(text, "Nothing found by A-\\u{1b}[2J.");
    }
}
