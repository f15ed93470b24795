use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, pairs, plain};
use clap::Args;
use cutover_app::App;
use cutover_app::account::{NumberDifference, shown_reconciliation};
use cutover_app::operator::DeclaredNumbers;
use cutover_app::port::{Reconciliation, Supplier};
use cutover_model::{ControlTotals, ManifestShown, Timestamp};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    /// Code of the supplier
    code: String,
    /// Remove the manifest, so that nothing is compared with it; the supplier can declare another
    #[arg(long)]
    remove: bool,
    /// List the declared accounts that were not sent
    #[arg(long, conflicts_with_all = ["remove", "unexpected"])]
    missing: bool,
    /// List the accounts that were sent and are not declared
    #[arg(long, conflicts_with = "remove")]
    unexpected: bool,
}

/// Account numbers that are read at once.
const PAGE: u32 = 1_000;

pub(super) fn run(app: &App, context: &Context, args: &ManifestArgs) -> Result<(), Error> {
    if args.missing {
        return list(app, context, &args.code, NumberDifference::Missing);
    }
    if args.unexpected {
        return list(app, context, &args.code, NumberDifference::Unexpected);
    }
    if args.remove {
        app.as_command().remove_manifest(&args.code)?;
    }
    let (supplier, figures) = app.as_command().show_reconciliation(&args.code)?;
    let numbers = app.as_command().show_numbers(&args.code)?;
    context.output.answer(&Compared::of(&supplier, &figures, numbers))?;
    Ok(())
}

/// Prints accounts as they are read, in constant memory.
fn list(app: &App, context: &Context, code: &str, difference: NumberDifference) -> Result<(), Error> {
    let is_json = context.output.is_json();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut after, mut separator) = (String::new(), "[\n");
    loop {
        let page = app.as_command().number_differences(code, difference, &after, PAGE)?;
        for number in &page.numbers {
            if is_json {
                let number = serde_json::to_string(number).map_err(io::Error::other)?;
                write!(out, "{separator}  {number}")?;
                separator = ",\n";
            } else {
                writeln!(out, "{}", plain(number))?;
            }
        }
        match page.next {
            Some(next) => after = next,
            None => break,
        }
    }
    if is_json {
        writeln!(out, "{}", if separator == "[\n" { "[]" } else { "\n]" })?;
    }
    Ok(out.flush()?)
}

/// What a supplier has declared, beside what it has sent and what was imported.
#[derive(Debug, Serialize)]
struct Compared {
    import_supplier: String,
    declared_at: Option<Timestamp>,
    manifest: Option<ManifestShown>,
    sent: ControlTotals,
    imported: ControlTotals,
    account_numbers: Option<Numbers>,
}

/// The declared account numbers, with some accounts that are missing or too many.
#[derive(Debug, Serialize)]
struct Numbers {
    declared: u64,
    missing: Vec<String>,
    unexpected: Vec<String>,
}

impl Numbers {
    fn text(&self) -> String {
        let named = |what: &str, numbers: &[String]| match numbers {
            [] => String::new(),
            some => format!(", {what} for example {}", plain(&some.join(", "))),
        };
        let (missing, unexpected) =
            (named("missing", &self.missing), named("not declared", &self.unexpected));
        format!("{} declared{missing}{unexpected}", self.declared)
    }
}

impl Compared {
    fn of(supplier: &Supplier, figures: &Reconciliation, numbers: Option<DeclaredNumbers>) -> Self {
        let zone = supplier.settings.time_zone;
        Self {
            import_supplier: supplier.code.to_string(),
            declared_at: figures.manifest.map(|manifest| zone.local(manifest.declared_at).into()),
            manifest: shown_reconciliation(figures),
            sent: figures.sent.into(),
            imported: figures.imported.into(),
            account_numbers: numbers.map(|DeclaredNumbers { declared, missing, unexpected }| Numbers {
                declared,
                missing,
                unexpected,
            }),
        }
    }
}

/// What was sent and imported, beside what is declared and how what was sent differs from it.
fn beside(sent: &dyn ToString, imported: &dyn ToString, of: [Option<String>; 2]) -> String {
    let (sent, imported) = (sent.to_string(), imported.to_string());
    match of {
        [Some(declared), Some(difference)] => {
            format!("{declared} declared, {sent} sent ({difference}), {imported} imported")
        }
        _ => format!("{sent} sent, {imported} imported"),
    }
}

impl Compared {
    /// A line for each declared table.
    fn tables(&self) -> Vec<(String, String)> {
        let line = |manifest: &ManifestShown, table: &str, difference: i64| {
            let rows = |of: &ControlTotals| of.counts.get(table).unwrap_or_default();
            let (declared, sent, imported) =
                (rows(&manifest.declared), rows(&manifest.sent), rows(&manifest.imported));
            let of = [Some(declared.to_string()), Some(difference.to_string())];
            (format!("rows of {table}"), beside(&sent, &imported, of))
        };
        let of_manifest = |manifest: &ManifestShown| {
            let differences = manifest.difference.counts.iter();
            differences.map(|(table, difference)| line(manifest, table, difference)).collect()
        };
        self.manifest.as_ref().map(of_manifest).unwrap_or_default()
    }
}

impl Answer for Compared {
    fn text(&self) -> String {
        let manifest = self.manifest.as_ref();
        macro_rules! row {
            ($member:ident) => {
                beside(
                    &self.sent.$member,
                    &self.imported.$member,
                    [
                        manifest.map(|m| m.declared.$member.to_string()),
                        manifest.map(|m| m.difference.$member.to_string()),
                    ],
                )
            };
        }
        let mut lines = vec![
            ("supplier", self.import_supplier.clone()),
            ("declared", self.declared_at.as_ref().map_or("nothing".to_owned(), ToString::to_string)),
            ("accounts", row!(accounts)),
            ("ledger balance", row!(ledger_balance)),
            ("readings", row!(readings)),
            ("transactions", row!(transactions)),
            ("documents", row!(documents)),
            ("account numbers", self.account_numbers.as_ref().map_or("none".to_owned(), Numbers::text)),
        ];
        let tables = self.tables();
        lines.extend(tables.iter().map(|(name, text)| (name.as_str(), text.clone())));
        pairs(&lines)
    }
}
