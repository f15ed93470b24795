use crate::cli::Context;
use crate::error::Error;
use crate::output::{Answer, At, plain};
use clap::Args;
use cutover_app::operator::{Erasable, Erased};
use cutover_app::port::Traces;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// The supplier's code
    supplier: String,
    /// The account's number at its previous supplier
    number: String,
    /// Do it; without this nothing is changed, only shown
    #[arg(long)]
    yes: bool,
}

/// What is removed, and what the operator is to look after.
#[derive(Debug, Serialize)]
struct Shown {
    erased: bool,
    /// Our key of it: what `cutover audit` names.
    process_id: i64,
    status: &'static str,
    service_account_number: Option<String>,
    archived_at: Option<At>,
    documents: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<BTreeMap<&'static str, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<&'static str>,
}

impl From<Erasable> for Shown {
    fn from(what: Erasable) -> Self {
        Self {
            erased: false,
            process_id: what.process_id,
            status: what.state.as_str(),
            service_account_number: what.account.map(|number| number.to_string()),
            archived_at: what.archived_at.map(At::utc),
            documents: what.documents,
            rows: None,
            traces: None,
        }
    }
}

impl From<Erased> for Shown {
    fn from(erased: Erased) -> Self {
        Self {
            erased: true,
            rows: Some(erased.rows.into_iter().collect()),
            traces: Some(word(erased.traces)),
            ..erased.what.into()
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

/// What is left where this program cannot reach, a line each.
impl Shown {
    fn beginning(&self) -> String {
        let process = self.process_id;
        match &self.rows {
            Some(rows) => {
                let rows: u64 = rows.values().sum();
                format!("Erased the account of process {process}: {rows} rows. Its number can be sent again.")
            }
            None => format!(
                "All that is kept of the account of process {process}, which is {}, would be removed. Nothing was \
                 changed: --yes does it.",
                self.status
            ),
        }
    }

    fn rest(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(at) = self.archived_at {
            lines.push(format!("Its payload and history were archived at {at}: they are in that file."));
        }
        match self.documents.as_deref() {
            None => lines
                .push("The documents that it names are not known: what was sent is not here to read.".into()),
            Some([]) => lines.push("It names no documents.".into()),
            Some(documents) => {
                lines.push("Its documents lie in the storage, for you to delete:".into());
                lines.extend(documents.iter().map(|path| format!("  {}", plain(path))));
            }
        }
        lines.extend(self.traces.and_then(left).map(str::to_owned));
        lines
    }
}

/// What is left on the disk, in words.
fn left(traces: &'static str) -> Option<&'static str> {
    match traces {
        "until_checkpoint" => {
            Some("Somebody reads for long: the write-ahead log holds it until that is over.")
        }
        "until_vacuum" => Some("What was removed is on the database's disk until its tables are vacuumed."),
        _ => None,
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = vec![self.beginning()];
        lines.extend(self.rest());
        lines.join("\n")
    }
}

pub(super) fn run(context: &Context, args: &EraseArgs) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    let EraseArgs { supplier, number, yes } = args;
    let shown = match yes {
        true => Shown::from(app.erase_account(supplier, number)?),
        false => Shown::from(app.erasable(supplier, number)?),
    };
    Ok(output.answer(&shown)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_process::State;

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
    fn people_are_told_what_is_left_to_do() {
        let erased = |traces, documents: &[&str]| {
            let documents = documents.iter().map(|path| (*path).to_owned()).collect();
            let what = Erasable { archived_at: None, ..erasable(Some(documents)) };
            Shown::from(Erased { what, rows: vec![("customers", 2), ("accounts", 1)], traces }).text()
        };
        insta::assert_snapshot!(
            [
                Shown::from(erasable(None)).text(),
                erased(Traces::None, &[]),
                erased(Traces::UntilCheckpoint, &["/ACME/a.pdf", "/ACME/b\u{1b}[2J"]),
                erased(Traces::UntilVacuum, &["/ACME/a.pdf"]),
            ]
            .join("\n\n")
        );
    }

    #[test]
    fn programs_read_what_was_removed() {
        let rows = vec![("processes", 1), ("accounts", 1)];
        let erased = Erased { what: erasable(Some(vec!["/ACME/a".into()])), rows, traces: Traces::None };
        insta::assert_json_snapshot!([Shown::from(erasable(None)), Shown::from(erased)]);
    }
}
