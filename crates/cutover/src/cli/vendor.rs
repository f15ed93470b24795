use super::organisation::chosen;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime, pairs, plain};
use clap::{Args, Subcommand};
use cutover_app::port::{Vendor, VendorKind};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover vendor add STRIPE --organisation 'Acme Energy' --kind stripe \\
      --base-url https://api.stripe.com --secret-env STRIPE_KEY
  cutover vendor add GOCARDLESS --kind gocardless --base-url https://api.gocardless.com \\
      --secret-env GOCARDLESS_TOKEN
  cutover vendor add 'House Pay' --kind http --base-url http://10.0.0.7:9000/api
  cutover vendor list --json
  cutover vendor show STRIPE
  cutover vendor remove STRIPE                   confirmed instructions stay

A vendor belongs to an organisation, whose suppliers' payloads name it in `vendor`, case-sensitively.
--organisation may be left out if there is one. Its secret is never stored: the server reads
it from the variable that --secret-env names. `cutover doctor` calls every vendor.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a payment vendor of an organisation
    Add(Add),
    /// List the payment vendors of an organisation
    List {
        #[command(flatten)]
        owner: Owner,
    },
    /// Show a payment vendor
    Show(Named),
    /// Remove a payment vendor: payloads that name it are refused from now on
    Remove(Named),
}

#[derive(Debug, Args)]
pub(crate) struct Owner {
    /// Organisation that the vendor belongs to; may be left out if there is one
    #[arg(long, value_name = "NAME")]
    organisation: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Name of the vendor
    name: String,
    #[command(flatten)]
    owner: Owner,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Name of the vendor in payloads, unique in the organisation
    name: String,
    #[command(flatten)]
    owner: Owner,
    /// Protocol of the vendor: http (see docs/decisions/0011-payment-vendors.md), stripe or gocardless
    #[arg(long)]
    kind: VendorKind,
    /// Base URL: https, or http to a loopback or private address
    #[arg(long, value_name = "URL")]
    base_url: String,
    /// Environment variable of the server that holds the secret [default: none, no secret is sent]
    #[arg(long, value_name = "VAR")]
    secret_env: Option<String>,
}

#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    organisation: String,
    kind: String,
    base_url: String,
    secret_env: Option<String>,
    created_at: ZonedTime,
}

impl From<Vendor> for Listed {
    fn from(vendor: Vendor) -> Self {
        Self {
            name: vendor.name,
            organisation: vendor.organisation,
            kind: vendor.kind.to_string(),
            base_url: vendor.base_url,
            secret_env: vendor.secret_env,
            created_at: ZonedTime::utc(vendor.created_at),
        }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["NAME", "KIND", "BASE URL", "SECRET IN", "ADDED"];
    const EMPTY: &'static str =
        "No vendors yet. `cutover vendor add NAME --kind KIND --base-url URL` adds one.";

    fn cells(&self) -> Vec<String> {
        vec![
            plain(&self.name),
            self.kind.clone(),
            self.base_url.clone(),
            self.secret_env.clone().unwrap_or_default(),
            self.created_at.to_string(),
        ]
    }
}

impl Answer for Listed {
    fn text(&self) -> String {
        let added = format!("Added the vendor {:?} at {}.", self.name, self.base_url);
        match &self.secret_env {
            Some(variable) => format!("{added}\nThe server reads its secret from {variable}."),
            None => added,
        }
    }
}

/// A vendor as `show` prints it.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Shown(Listed);

impl Answer for Shown {
    fn text(&self) -> String {
        let Listed { name, organisation, kind, base_url, secret_env, created_at } = &self.0;
        pairs(&[
            ("name", plain(name)),
            ("organisation", plain(organisation)),
            ("kind", plain(kind)),
            ("base URL", plain(base_url)),
            ("secret in", secret_env.clone().unwrap_or_else(|| "-".to_owned())),
            ("added", created_at.to_string()),
        ])
    }
}

#[derive(Debug, Serialize)]
struct Removed {
    name: String,
    removed: bool,
}

impl Answer for Removed {
    fn text(&self) -> String {
        format!("Removed the vendor {:?}. Confirmed instructions stay.", self.name)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let output = context.output;
    match command {
        Command::Add(Add { name, owner, kind, base_url, secret_env }) => {
            let app = context.app_with_vendors()?;
            let owner = chosen(&app, owner.organisation)?;
            let vendor =
                app.as_command().add_vendor(&owner, &name, kind, &base_url, secret_env.as_deref())?;
            output.answer(&Listed::from(vendor))?;
        }
        Command::List { owner } => {
            let app = context.app()?;
            let vendors = app.as_command().vendors(Some(&chosen(&app, owner.organisation)?))?;
            output.list(&vendors.into_iter().map(Listed::from).collect::<Vec<_>>())?;
        }
        Command::Show(Named { name, owner }) => {
            let app = context.app()?;
            let vendor = app.as_command().show_vendor(&chosen(&app, owner.organisation)?, &name)?;
            output.answer(&Shown(vendor.into()))?;
        }
        Command::Remove(Named { name, owner }) => {
            let app = context.app()?;
            app.as_command().remove_vendor(&chosen(&app, owner.organisation)?, &name)?;
            output.answer(&Removed { name, removed: true })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(secret_env: Option<&str>) -> Listed {
        Listed::from(Vendor {
            organisation_id: 1,
            organisation: "Acme Energy".into(),
            name: "STRIPE".into(),
            kind: VendorKind::Stripe.into(),
            base_url: "https://api.stripe.com".into(),
            secret_env: secret_env.map(str::to_owned),
            created_at: "2026-11-21T00:00:00Z".parse().unwrap(),
        })
    }

    #[test]
    fn the_json_names_the_variable_of_the_secret() {
        insta::assert_json_snapshot!([listed(Some("STRIPE_KEY")), listed(None)]);
    }

    #[test]
    fn the_text_names_the_variable_of_the_secret() {
        insta::assert_snapshot!(format!(
            "{}\n\n{}\n\n{}",
            listed(Some("STRIPE_KEY")).text(),
            listed(None).text(),
            crate::output::listing(
                Listed::HEADS,
                [listed(Some("STRIPE_KEY")), listed(None)].map(|l| l.cells())
            )
        ));
    }
}
