use super::organisation::chosen;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Output, plain};
use clap::{Args, Subcommand};
use cutover_app::App;
use cutover_app::operator::{ErasedBusiness, ListedBusiness};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover business list --organisation 'Acme Energy'
  cutover business show B-2001 --json
  cutover business erase B-2001                  if no account refers to its contracts

--organisation may be left out if there is one organisation. A supplier corrects a business by sending it again
(PUT …/businesses/B-2001/). The number of an erased business is not used again.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the businesses of an organisation by their numbers
    List {
        #[command(flatten)]
        owner: Owner,
    },
    /// Show a business as it is stored, with its contracts
    Show(Which),
    /// Erase a business that no imported or waiting account refers to
    Erase(Which),
}

#[derive(Debug, Args)]
pub(crate) struct Owner {
    /// Organisation that owns it; may be left out if there is one
    #[arg(long, value_name = "NAME")]
    organisation: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Which {
    /// External identifier of the business
    identifier: String,
    #[command(flatten)]
    owner: Owner,
}

/// A row of the list.
#[derive(Serialize)]
struct Listed {
    service_business_id: i64,
    external_business_identifier: String,
    import_supplier: String,
    business_contracts: Vec<String>,
}

impl From<ListedBusiness> for Listed {
    fn from(business: ListedBusiness) -> Self {
        Self {
            service_business_id: business.number,
            external_business_identifier: business.identifier,
            import_supplier: business.supplier,
            business_contracts: business.contracts,
        }
    }
}

/// Prints businesses while they are read: there may be many.
struct List<W: Write> {
    out: W,
    json: bool,
    rows: u64,
}

impl<W: Write> List<W> {
    fn row(&mut self, listed: &Listed) -> io::Result<()> {
        self.rows += 1;
        if self.json {
            self.out.write_all(if self.rows == 1 { b"[\n" } else { b",\n" })?;
            return Ok(serde_json::to_writer(&mut self.out, listed)?);
        }
        if self.rows == 1 {
            self.line("NUMBER", "BUSINESS", "SUPPLIER", "CONTRACTS")?;
        }
        let identifier = plain(&listed.external_business_identifier);
        let contracts = plain(&listed.business_contracts.join(", "));
        self.line(&listed.service_business_id.to_string(), &identifier, &listed.import_supplier, &contracts)
    }

    /// Columns have fixed widths: later rows are not known yet.
    fn line(&mut self, number: &str, business: &str, supplier: &str, contracts: &str) -> io::Result<()> {
        writeln!(
            self.out,
            "{}",
            format!("{number:<8}  {business:<18}  {supplier:<16}  {contracts}").trim_end()
        )
    }

    fn end(mut self) -> io::Result<()> {
        match (self.json, self.rows) {
            (true, 0) => writeln!(self.out, "[]")?,
            (true, _) => writeln!(self.out, "\n]")?,
            (false, 0) => writeln!(self.out, "No businesses.")?,
            (false, _) => {}
        }
        self.out.flush()
    }
}

/// An erased business.
#[derive(Serialize)]
struct Erased {
    service_business_id: i64,
    erased: bool,
    rows: BTreeMap<&'static str, u64>,
}

impl From<ErasedBusiness> for Erased {
    fn from(erased: ErasedBusiness) -> Self {
        Self { service_business_id: erased.number, erased: true, rows: erased.rows.into_iter().collect() }
    }
}

impl Answer for Erased {
    fn text(&self) -> String {
        let rows: u64 = self.rows.values().sum();
        format!("Erased the business with the number {}: {rows} rows.", self.service_business_id)
    }
}

fn list(app: &App, output: Output, organisation: &str) -> Result<(), Error> {
    let mut list = List { out: BufWriter::new(io::stdout().lock()), json: output.is_json(), rows: 0 };
    let mut written = Ok(());
    app.as_command().each_business(organisation, |business| {
        if written.is_ok() {
            written = list.row(&business.into());
        }
    })?;
    written?;
    Ok(list.end()?)
}

/// Prints a business as the API shows it, which is JSON in both forms.
fn show(app: &App, organisation: &str, identifier: &str) -> Result<(), Error> {
    let json = app.as_command().show_business(organisation, identifier)?;
    let unreadable = || Error::refused("the stored business is not JSON");
    let text = String::from_utf8(json).map_err(|_| unreadable())?;
    let raw = serde_json::value::RawValue::from_string(text).map_err(|_| unreadable())?;
    Ok(writeln!(io::stdout().lock(), "{raw}")?)
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::List { owner } => list(&app, output, &chosen(&app, owner.organisation)?),
        Command::Show(Which { identifier, owner }) => {
            show(&app, &chosen(&app, owner.organisation)?, &identifier)
        }
        Command::Erase(Which { identifier, owner }) => {
            let erased = app.as_command().erase_business(&chosen(&app, owner.organisation)?, &identifier)?;
            Ok(output.answer(&Erased::from(erased))?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(json: bool, identifiers: &[&str]) -> String {
        let mut out = Vec::new();
        let mut list = List { out: &mut out, json, rows: 0 };
        for (number, identifier) in (1..).zip(identifiers) {
            let listed = Listed {
                service_business_id: number,
                external_business_identifier: (*identifier).to_owned(),
                import_supplier: "ACME".into(),
                business_contracts: vec!["C-1".into(), "C-2".into()],
            };
            list.row(&listed).unwrap();
        }
        list.end().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn lists_of_any_length_are_documents() {
        for identifiers in [&[][..], &["B-1"], &["B-1", "B-2"]] {
            let list: Vec<serde_json::Value> = serde_json::from_str(&print(true, identifiers)).unwrap();
            assert_eq!(list.len(), identifiers.len());
        }
        insta::assert_snapshot!([print(true, &["B-1"]), print(false, &["B-1", "B\u{1b}[2J"])].join("\n"));
        assert_eq!(print(false, &[]), "No businesses.\n");
    }
}
