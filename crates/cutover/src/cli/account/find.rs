use crate::cli::process::shown::{newer, with_codes};
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, ZonedTime, listing, plain};
use clap::Args;
use cutover_app::operator::{AccountMatch, FoundAccount, FoundAccounts, FoundBy};
use cutover_core::Zone;
use cutover_model::{ProcessStatus, WaitsFor};
use serde::Serialize;
use std::collections::BTreeSet;

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

/// An account that was found. One that was refused has no status.
#[derive(Debug, Serialize)]
struct Found {
    supplier: String,
    external_account_number: String,
    #[serde(flatten)]
    status: Option<ProcessStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stored_status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused_at: Option<ZonedTime>,
    waits_for: Option<WaitsFor>,
    error_codes: Vec<String>,
    sentence: String,
    found_by: BTreeSet<FoundBy>,
}

impl From<AccountMatch> for Found {
    fn from(AccountMatch { supplier, account, found_by }: AccountMatch) -> Self {
        match account {
            FoundAccount::Accepted(account) => Self {
                supplier,
                external_account_number: account.number,
                stored_status: newer(&account.stored_status),
                status: Some(account.status),
                refused_at: None,
                waits_for: account.waits_for,
                error_codes: account.error_codes,
                sentence: account.sentence,
                found_by,
            },
            FoundAccount::Refused(refused) => Self {
                supplier,
                external_account_number: refused.number,
                stored_status: None,
                status: None,
                refused_at: Some(ZonedTime::local(refused.refused_at, refused.zone)),
                waits_for: None,
                error_codes: refused.error_codes,
                sentence: refused.sentence,
                found_by,
            },
        }
    }
}

/// The accounts that were found, and what was sought.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Matches {
    found: Vec<Found>,
    #[serde(skip)]
    sought: String,
    /// Why there may be more.
    #[serde(skip)]
    more: Option<&'static str>,
    /// The zone of the times.
    #[serde(skip)]
    zone: Zone,
}

impl Answer for Matches {
    fn text(&self) -> String {
        if self.found.is_empty() {
            return self.with_more(format!("Nothing found by {}.", plain(&self.sought)));
        }
        let by = |found: &Found| found.found_by.iter().map(|by| by.as_str()).collect::<Vec<_>>().join(", ");
        let cells = |found: &Found| {
            let sentence = with_codes(&found.sentence, &found.error_codes);
            vec![found.supplier.clone(), found.external_account_number.clone(), by(found), sentence]
        };
        let stands = format!("WHERE IT STANDS ({})", self.zone);
        self.with_more(listing(&["SUPPLIER", "NUMBER", "FOUND BY", &stands], self.found.iter().map(cells)))
    }
}

impl Matches {
    fn with_more(&self, text: String) -> String {
        match self.more {
            Some(more) => format!("{text}\n{more}."),
            None => text,
        }
    }
}

pub(super) fn run(context: &Context, args: FindArgs) -> Result<(), Error> {
    let FindArgs { text, supplier } = args;
    let by = context.app()?;
    let FoundAccounts { matches, zone, more } =
        by.as_command().search_accounts(supplier.as_deref(), &text, LIMIT)?;
    let found = matches.into_iter().map(Found::from).collect();
    Ok(context.output.answer(&Matches { found, sought: text, more, zone })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::document;
    use cutover_app::operator::RefusedAccount;

    fn matches(found: Vec<Found>) -> Matches {
        Matches { found, sought: "A-\u{1b}[2J".to_owned(), more: None, zone: Zone::UTC }
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
        let matches = matches(vec![found.into()]);
        insta::assert_snapshot!(format!("{}\n{}", matches.text(), document(&matches).unwrap()));
    }

    #[test]
    fn a_search_in_vain_names_what_was_sought() {
        let text = matches(Vec::new()).text();
        assert_eq!(text, "Nothing found by A-\\u{1b}[2J.");
    }
}
