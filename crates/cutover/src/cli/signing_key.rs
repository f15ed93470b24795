use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime};
use clap::Subcommand;
use cutover_app::port::SigningKey;
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover signing-key rotate      a new key signs; old keys verify until their last token expires
  cutover signing-key list
  cutover signing-key revoke 5d41402abc4b2a76      for a leaked key: its tokens stop within 5 s";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key, which signs from now on
    Rotate,
    /// List the keys, newest first
    List,
    /// Remove a key and invalidate its tokens and sessions; if it was the newest, a new one is created
    Revoke {
        /// Key ID, as `list` shows it
        kid: String,
    },
}

#[derive(Debug, Serialize)]
struct Revoked {
    kid: String,
    revoked: bool,
    /// The key that signs from now on.
    signs: String,
}

impl Answer for Revoked {
    fn text(&self) -> String {
        format!(
            "Revoked the key {}: its tokens and sessions stop within 5 s. The key {} signs from now on.",
            self.kid, self.signs
        )
    }
}

#[derive(Debug, Serialize)]
struct Listed {
    kid: String,
    created_at: ZonedTime,
    signs: bool,
}

impl Listed {
    fn new(key: SigningKey, signs: bool) -> Self {
        Self { kid: key.kid, created_at: ZonedTime::utc(key.created_at), signs }
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["KID", "MADE", "USE"];
    const EMPTY: &'static str =
        "No keys yet. The first token creates one, and so does `cutover signing-key rotate`.";

    fn cells(&self) -> Vec<String> {
        let usage = if self.signs { "signs and verifies" } else { "verifies" };
        vec![self.kid.clone(), self.created_at.to_string(), usage.to_owned()]
    }
}

impl Answer for Listed {
    fn text(&self) -> String {
        format!("The key {} signs from now on.", self.kid)
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::Rotate => output.answer(&Listed::new(app.rotate_signing_key()?, true))?,
        Command::Revoke { kid } => {
            let signs = app.revoke_signing_key(&kid)?.kid;
            output.answer(&Revoked { kid, revoked: true, signs })?;
        }
        Command::List => {
            // The list is sorted newest first, and the newest key signs.
            let keys = app.list_signing_keys()?.into_iter().enumerate();
            output.list(&keys.map(|(i, key)| Listed::new(key, i == 0)).collect::<Vec<_>>())?;
        }
    }
    Ok(())
}
