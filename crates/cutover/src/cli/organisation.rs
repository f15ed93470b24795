use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime};
use clap::Subcommand;
use cutover_app::App;
use cutover_app::port::Organisation;
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover organisation add 'Acme Energy'
  cutover organisation list --json
  cutover organisation revoke 'Acme Energy'      its keys and tokens stop within 5 s";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add an organisation
    Add {
        /// Name, unique in the installation
        name: String,
    },
    /// List the organisations
    List,
    /// Revoke all keys and tokens of an organisation
    Revoke {
        /// Name of the organisation
        name: String,
    },
}

/// Returns the organisation that a command names, or the only one that is not revoked.
///
/// # Errors
/// [`Error::Usage`] if none is named and there is not one.
pub(super) fn chosen(app: &App, named: Option<String>) -> Result<String, Error> {
    if let Some(name) = named {
        return Ok(name);
    }
    let all = app
        .as_command()
        .organisations()?
        .into_iter()
        .filter(|organisation| organisation.revoked_at.is_none());
    let mut names: Vec<String> = all.map(|organisation| organisation.name).collect();
    match names.len() {
        1 => Ok(names.remove(0)),
        0 => Err(Error::Usage("there is no organisation: `cutover organisation add NAME` adds one".into())),
        _ => Err(Error::Usage(format!(
            "--organisation is needed, as there are several: {}",
            names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
        ))),
    }
}

#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    created_at: ZonedTime,
    revoked_at: Option<ZonedTime>,
}

impl From<Organisation> for Listed {
    fn from(organisation: Organisation) -> Self {
        Self {
            name: organisation.name,
            created_at: ZonedTime::utc(organisation.created_at),
            revoked_at: organisation.revoked_at.map(ZonedTime::utc),
        }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["NAME", "ADDED", "REVOKED"];
    const EMPTY: &'static str = "No organisations yet. `cutover organisation add NAME` adds one.";

    fn cells(&self) -> Vec<String> {
        vec![
            self.name.clone(),
            self.created_at.to_string(),
            self.revoked_at.map_or_else(String::new, |at| at.to_string()),
        ]
    }
}

impl Answer for Listed {
    fn text(&self) -> String {
        format!("Added the organisation {:?}.", self.name)
    }
}

#[derive(Debug, Serialize)]
struct Revoked {
    name: String,
    revoked: bool,
}

impl Answer for Revoked {
    fn text(&self) -> String {
        format!("Revoked the organisation {:?}: its keys and tokens stop within 5 s.", self.name)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Add { name } => output.answer(&Listed::from(app.add_organisation(&name)?))?,
        Command::List => {
            output
                .list(&app.as_command().organisations()?.into_iter().map(Listed::from).collect::<Vec<_>>())?;
        }
        Command::Revoke { name } => {
            app.as_command().revoke_organisation(&name)?;
            output.answer(&Revoked { name, revoked: true })?;
        }
    }
    Ok(())
}
