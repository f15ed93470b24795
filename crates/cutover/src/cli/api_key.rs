use super::organisation::chosen;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime};
use clap::Subcommand;
use cutover_app::operator::IssuedKey;
use cutover_app::port::{ApiKey, ApiKeyRole};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover api-key issue --organisation 'Acme Energy'
  cutover api-key issue --organisation 'Acme Energy' --role operator
  cutover api-key issue --organisation 'Acme Energy' --role display
  cutover api-key list
  cutover api-key revoke cut_live_4k7m2x9q      its tokens stop within 5 s";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Issue a key and print it; it is not shown again
    Issue {
        /// Organisation that the key belongs to; may be left out if there is one
        #[arg(long, value_name = "NAME")]
        organisation: Option<String>,
        /// Use of the key: supplier (tokens for the data-import routes), reader (tokens that only read, imported accounts
        /// too), operator (the console) or display (the console's page of a migration night, on a screen)
        #[arg(long, default_value = "supplier", value_name = "ROLE")]
        role: ApiKeyRole,
    },
    /// List the keys by their prefixes
    List,
    /// Revoke a key and its tokens
    Revoke {
        /// Prefix of the key, as `list` shows it
        prefix: String,
    },
}

#[derive(Serialize)]
struct Issued {
    api_key: String,
    prefix: String,
    role: &'static str,
}

impl From<IssuedKey> for Issued {
    fn from(issued: IssuedKey) -> Self {
        Self { api_key: issued.key, prefix: issued.prefix, role: issued.role.as_str() }
    }
}

impl Answer for Issued {
    fn text(&self) -> String {
        format!("{}\n\nKeep it: it is not shown again. Lists show {}.", self.api_key, self.prefix)
    }
}

#[derive(Debug, Serialize)]
struct Listed {
    prefix: String,
    organisation: String,
    role: String,
    created_at: ZonedTime,
    revoked_at: Option<ZonedTime>,
}

impl From<ApiKey> for Listed {
    fn from(key: ApiKey) -> Self {
        Self {
            prefix: key.prefix,
            organisation: key.organisation,
            role: key.role.to_string(),
            created_at: ZonedTime::utc(key.created_at),
            revoked_at: key.revoked_at.map(ZonedTime::utc),
        }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["PREFIX", "ORGANISATION", "ROLE", "ISSUED", "REVOKED"];
    const EMPTY: &'static str = "No keys yet. `cutover api-key issue --organisation NAME` issues one.";

    fn cells(&self) -> Vec<String> {
        let Self { prefix, organisation, role, created_at, revoked_at } = self;
        let revoked_at = revoked_at.map_or_else(String::new, |at| at.to_string());
        vec![prefix.clone(), organisation.clone(), role.clone(), created_at.to_string(), revoked_at]
    }
}

#[derive(Debug, Serialize)]
struct Revoked {
    prefix: String,
    revoked: bool,
}

impl Answer for Revoked {
    fn text(&self) -> String {
        format!("Revoked the key {}: its tokens stop within 5 s.", self.prefix)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Issue { organisation, role } => {
            output
                .answer(&Issued::from(app.as_command().issue_api_key(&chosen(&app, organisation)?, role)?))?;
        }
        Command::List => {
            output.list(&app.as_command().api_keys()?.into_iter().map(Listed::from).collect::<Vec<_>>())?
        }
        Command::Revoke { prefix } => {
            app.as_command().revoke_api_key(&prefix)?;
            output.answer(&Revoked { prefix, revoked: true })?;
        }
    }
    Ok(())
}
