use crate::cli::audit::since;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, plain};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use cutover_app::App;
use cutover_app::certificate::{IssuedCertificate, LeavesOf};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover certificate list ACME
  cutover certificate remove-leaves ACME --before 2026-01-31            count them
  cutover certificate remove-leaves ACME --before 2026-01-31 --yes
  cutover certificate remove-leaves ACME 5f1c0a9b7e3a15684f2d9c0b7e3a1568 --yes

`cutover supplier certificate ACME` issues one. Without its leaves a certificate stays valid, but the service cannot prove
any more which accounts it covers: somebody else should have a copy of the leaves.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the latest certificates of a supplier
    List {
        /// Code of the supplier
        code: String,
    },
    /// Remove leaves of certificates, which are kept until then
    RemoveLeaves(RemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// Code of the supplier
    code: String,
    #[command(flatten)]
    which: Which,
    /// Remove them; without this flag the certificates are only counted
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// Id of the certificate
    id: Option<String>,
    /// All certificates that were issued before this day (in UTC) or this time
    #[arg(long, value_name = "TIME", value_parser = since)]
    before: Option<DateTime<Utc>>,
}

#[derive(Serialize)]
struct Listed {
    id: String,
    issued_at: String,
    accounts: u64,
    /// False if a supplier or a reader asked for it.
    by_operator: bool,
    has_leaves: bool,
}

impl From<IssuedCertificate> for Listed {
    fn from(issued: IssuedCertificate) -> Self {
        let IssuedCertificate { certificate, has_leaves, is_replaceable, .. } = issued;
        let (id, issued_at, accounts) = (certificate.id, certificate.issued_at, certificate.accounts);
        Self { id, issued_at, accounts, by_operator: !is_replaceable, has_leaves }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["ID", "ISSUED", "ACCOUNTS", "ASKED FOR BY", "LEAVES"];
    const EMPTY: &'static str = "No certificates.";

    fn cells(&self) -> Vec<String> {
        let by = if self.by_operator { "an operator" } else { "the API" };
        let leaves = if self.has_leaves { "kept" } else { "removed" };
        let issued_at = self.issued_at.clone();
        vec![self.id.clone(), issued_at, self.accounts.to_string(), by.into(), leaves.into()]
    }
}

/// The result, with `--yes` or without.
#[derive(Serialize)]
struct Removed {
    certificates: usize,
    removed: bool,
    #[serde(skip)]
    supplier: String,
}

impl Answer for Removed {
    fn text(&self) -> String {
        let noun = if self.certificates == 1 { "certificate" } else { "certificates" };
        let what = format!("the leaves of {} {noun} of {}", self.certificates, plain(&self.supplier));
        if self.removed {
            format!("Removed {what}.")
        } else {
            format!("This would remove {what}. Nothing was changed: add --yes to do it.")
        }
    }
}

fn remove(app: &App, context: &Context, args: RemoveArgs) -> Result<(), Error> {
    let RemoveArgs { code, which, yes: removed } = args;
    let of = match which {
        Which { id: Some(id), .. } => LeavesOf::One(id),
        Which { before: Some(time), .. } => LeavesOf::Before(time),
        Which { id: None, before: None } => return Err(Error::refused("name a certificate, or --before")),
    };
    let certificates = if removed {
        app.as_command().remove_leaves(&code, &of)
    } else {
        app.as_command().removable_leaves(&code, &of)
    }?;
    Ok(context.output.answer(&Removed { certificates, removed, supplier: code })?)
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let app = context.app()?;
    match command {
        Command::List { code } => {
            let issued =
                app.certificates(&app.as_command().show_supplier(&code)?)?.into_iter().map(Listed::from);
            Ok(context.output.list(&issued.collect::<Vec<_>>())?)
        }
        Command::RemoveLeaves(args) => remove(&app, context, args),
    }
}
