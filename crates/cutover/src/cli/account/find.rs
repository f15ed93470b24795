use crate::cli::process::shown::{newer, with_codes};
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, ZonedTime, listing, plain};
use clap::Args;
use cutover_app::operator::{AccountMatch, FoundAccount};
use cutover_core::Zone;
use cutover_model::{ProcessStatus, WaitsFor};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct FindArgs {
    /// Number of an account here, or the beginning of its number at its previous supplier
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
}

impl From<AccountMatch> for Found {
    fn from(AccountMatch { supplier, account }: AccountMatch) -> Self {
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
    /// The zone of the times.
    #[serde(skip)]
    zone: Zone,
}

impl Answer for Matches {
    fn text(&self) -> String {
        if self.found.is_empty() {
            return format!(
                "No account, accepted or refused, has a number that begins with {}.",
                plain(&self.sought)
            );
        }
        let cells = |found: &Found| {
            let sentence = with_codes(&found.sentence, &found.error_codes);
            vec![found.supplier.clone(), found.external_account_number.clone(), sentence]
        };
        let stands = format!("WHERE IT STANDS ({})", self.zone);
        listing(&["SUPPLIER", "NUMBER", &stands], self.found.iter().map(cells))
    }
}

pub(super) fn run(context: &Context, args: FindArgs) -> Result<(), Error> {
    let FindArgs { text, supplier } = args;
    let (found, zone) = context.app()?.as_command().search_accounts(supplier.as_deref(), &text, LIMIT)?;
    let found = found.into_iter().map(Found::from).collect();
    Ok(context.output.answer(&Matches { found, sought: text, zone })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::document;
    use cutover_app::operator::RefusedAccount;

    fn matches(found: Vec<Found>) -> Matches {
        Matches { found, sought: "A-\u{1b}[2J".to_owned(), zone: Zone::UTC }
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
        let found = AccountMatch { supplier: "ACME".into(), account: FoundAccount::Refused(refused) };
        let matches = matches(vec![found.into()]);
        insta::assert_snapshot!(format!("{}\n{}", matches.text(), document(&matches).unwrap()));
    }

    #[test]
    fn a_search_in_vain_names_what_was_sought() {
        let text = matches(Vec::new()).text();
        assert_eq!(text, "No account, accepted or refused, has a number that begins with A-\\u{1b}[2J.");
    }
}
