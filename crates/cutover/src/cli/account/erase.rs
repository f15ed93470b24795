use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, ZonedTime, plain};
use clap::Args;
use cutover_app::operator::{Erasable, Erased};
use cutover_app::port::Traces;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// Code of the supplier
    supplier: String,
    /// Number of the account at its previous supplier
    number: String,
    /// Forget that it was erased: it can be sent again then
    #[arg(long)]
    forget: bool,
    /// Do it; without this flag the data is only shown. Needs a reason
    #[arg(long, requires = "because")]
    yes: bool,
    /// Reason, for the audit trail, which is never erased: nothing about a customer
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
}

/// An account that was erased.
#[derive(Debug, Serialize)]
struct Forgotten {
    /// The account as the command names it.
    #[serde(skip)]
    account: String,
    /// True if it was erased, and is refused for that.
    erased: bool,
    forgotten: bool,
}

impl Answer for Forgotten {
    fn text(&self) -> String {
        let account = &self.account;
        match (self.forgotten, self.erased) {
            (true, _) => {
                format!("It is forgotten that the account {account} was erased: it can be sent again.")
            }
            (false, true) => format!(
                "The account {account} was erased, and is refused if it is sent again. Nothing was changed: add --yes and \
                 --because to forget that."
            ),
            (false, false) => format!("Nothing is known of an erasure of the account {account}."),
        }
    }
}

/// The removed data, and the remaining tasks of the operator.
#[derive(Debug, Serialize)]
struct Shown {
    /// The account as the command names it.
    #[serde(skip)]
    account: String,
    erased: bool,
    /// The id in `cutover audit`.
    process_id: i64,
    status: &'static str,
    service_account_number: Option<String>,
    archived_at: Option<ZonedTime>,
    documents: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<BTreeMap<&'static str, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<&'static str>,
}

impl Shown {
    fn erasable(account: String, what: Erasable) -> Self {
        Self {
            account,
            erased: false,
            process_id: what.process_id,
            status: what.state.as_str(),
            service_account_number: what.account.map(|number| number.to_string()),
            archived_at: what.archived_at.map(ZonedTime::utc),
            documents: what.documents,
            rows: None,
            traces: None,
        }
    }

    fn erased(account: String, erased: Erased) -> Self {
        Self {
            erased: true,
            rows: Some(erased.rows.into_iter().collect()),
            traces: Some(word(erased.traces)),
            ..Self::erasable(account, erased.what)
        }
    }
}

fn word(traces: Traces) -> &'static str {
    match traces {
        Traces::None => "none",
        Traces::UntilCheckpoint => "until_checkpoint",
        Traces::UntilVacuum => "until_vacuum",
    }
}

impl Shown {
    fn summary(&self) -> String {
        let account = &self.account;
        match &self.rows {
            Some(rows) => {
                let rows: u64 = rows.values().sum();
                format!(
                    "Erased the account {account}: {rows} rows. If it is sent again, it is refused, until --forget allows it."
                )
            }
            None => format!(
                "All data of the account {account}, which is {}, would be erased. Nothing was changed: add \
                 --yes and --because to do it.",
                self.status
            ),
        }
    }

    /// The data that this program cannot remove.
    fn remaining(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(at) = self.archived_at {
            lines.push(format!("Its payload and history were archived at {at}: they are in that file."));
        }
        match self.documents.as_deref() {
            None => lines
                .push("The documents that it names are not known: its payload cannot be read here.".into()),
            Some([]) => lines.push("It names no documents.".into()),
            Some(documents) => {
                lines.push("Its documents are in document storage; delete them yourself:".into());
                lines.extend(documents.iter().map(|path| format!("  {}", plain(path))));
            }
        }
        lines.extend(self.traces.and_then(describe).map(str::to_owned));
        lines
    }
}

/// Describes what is left on the disk.
fn describe(traces: &'static str) -> Option<&'static str> {
    match traces {
        "until_checkpoint" => {
            Some("A long reader is active: the write-ahead log holds the data until it ends.")
        }
        "until_vacuum" => Some("The data is on the database's disk until its tables are vacuumed."),
        _ => None,
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = vec![self.summary()];
        lines.extend(self.remaining());
        lines.join("\n")
    }
}

pub(super) fn run(context: &Context, args: &EraseArgs) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    let EraseArgs { supplier, number, forget, yes, because } = args;
    let account = plain(&format!("{number} of {supplier}")).to_string();
    // There is one with --yes.
    let because = because.as_deref().unwrap_or_default();
    if *forget {
        return self::forget(context, args, account, because);
    }
    let shown = match yes {
        true => Shown::erased(account, app.as_command().erase_account(supplier, number, because)?),
        false => Shown::erasable(account, app.as_command().erasable(supplier, number)?),
    };
    Ok(output.answer(&shown)?)
}

fn forget(context: &Context, args: &EraseArgs, account: String, because: &str) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    let EraseArgs { supplier, number, yes, .. } = args;
    if *yes {
        app.as_command().forget_erasure(supplier, number, because)?;
    }
    let erased = !yes && app.as_command().is_erased(supplier, number)?;
    Ok(output.answer(&Forgotten { account, erased, forgotten: *yes })?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_process::State;

    fn name() -> String {
        "ELEC-1 of ACME".to_owned()
    }

    fn erasable(documents: Option<Vec<String>>) -> Erasable {
        Erasable {
            process_id: 7,
            state: State::Processed,
            account: "A-7K2M9QXD".parse().ok(),
            archived_at: "2026-11-21T00:00:00Z".parse().ok(),
            documents,
        }
    }

    #[test]
    fn the_text_names_the_remaining_tasks() {
        let erased = |traces, documents: &[&str]| {
            let documents = documents.iter().map(|path| (*path).to_owned()).collect();
            let what = Erasable { archived_at: None, ..erasable(Some(documents)) };
            let erased = Erased { what, rows: vec![("customers", 2), ("accounts", 1)], traces };
            Shown::erased(name(), erased).text()
        };
        insta::assert_snapshot!(
            [
                Shown::erasable(name(), erasable(None)).text(),
                erased(Traces::None, &[]),
                erased(Traces::UntilCheckpoint, &["/ACME/a.pdf", "/ACME/b\u{1b}[2J"]),
                erased(Traces::UntilVacuum, &["/ACME/a.pdf"]),
            ]
            .join("\n\n")
        );
    }

    #[test]
    fn forgetting_says_what_it_does() {
        let text = |erased, forgotten| Forgotten { account: name(), erased, forgotten }.text();
        insta::assert_snapshot!([text(true, false), text(false, false), text(false, true)].join("\n"));
    }

    #[test]
    fn the_json_counts_the_removed_rows() {
        let rows = vec![("processes", 1), ("accounts", 1)];
        let erased = Erased { what: erasable(Some(vec!["/ACME/a".into()])), rows, traces: Traces::None };
        insta::assert_json_snapshot!([
            Shown::erasable(name(), erasable(None)),
            Shown::erased(name(), erased)
        ]);
    }
}
