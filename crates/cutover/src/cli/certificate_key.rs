use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime, pairs};
use clap::Subcommand;
use cutover_app::certificate::CertificateKeyReport;
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover certificate-key show        the public key, to be given to suppliers
  cutover certificate-key list
  cutover certificate-key rotate      a new key signs; certificates of the old ones stay valid";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the keys, newest first
    List,
    /// Show a public key
    Show {
        /// Key ID, as `list` shows it; without one, the key that signs
        key_id: Option<String>,
    },
    /// Create a key, which signs from now on
    Rotate,
}

#[derive(Debug, Serialize)]
struct Shown {
    key_id: String,
    algorithm: &'static str,
    public_key: String,
    created_at: ZonedTime,
    retired_at: Option<ZonedTime>,
    signs: bool,
}

impl From<CertificateKeyReport> for Shown {
    fn from(key: CertificateKeyReport) -> Self {
        Self {
            key_id: key.key_id,
            algorithm: "Ed25519",
            public_key: key.public_key,
            created_at: ZonedTime::utc(key.created_at),
            retired_at: key.retired_at.map(ZonedTime::utc),
            signs: key.signs,
        }
    }
}

impl Shown {
    fn usage(&self) -> String {
        match &self.retired_at {
            Some(at) => format!("verifies; retired {at}"),
            None => "signs and verifies".to_owned(),
        }
    }
}

impl Row for Shown {
    const HEADS: &'static [&'static str] = &["KEY", "MADE", "USE", "PUBLIC KEY"];
    const EMPTY: &'static str =
        "No keys yet. The first certificate creates one, and so does `cutover certificate-key rotate`.";

    fn cells(&self) -> Vec<String> {
        vec![self.key_id.clone(), self.created_at.to_string(), self.usage(), self.public_key.clone()]
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        pairs(&[
            ("key", self.key_id.clone()),
            ("public key", self.public_key.clone()),
            ("algorithm", self.algorithm.to_owned()),
            ("made", self.created_at.to_string()),
            ("use", self.usage()),
        ])
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let (app, output) = (context.app()?, context.output);
    match command {
        Command::List => {
            let keys = app.certificate_keys()?.into_iter().map(Shown::from);
            output.list(&keys.collect::<Vec<_>>())?;
        }
        Command::Show { key_id } => {
            output.answer(&Shown::from(app.certificate_key(key_id.as_deref())?))?;
        }
        Command::Rotate => output.answer(&Shown::from(app.rotate_certificate_key()?))?,
    }
    Ok(())
}
