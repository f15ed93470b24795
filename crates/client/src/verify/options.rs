use crate::assemble::TableOptions;
use crate::error::Error;
use clap::Args;
use cutover_core::Zone;
use serde::Deserialize;
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// Options of `verify`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The certificate
    pub(super) certificate: PathBuf,
    /// Files of the accounts that were sent, or of tables, folders of them, or - for NDJSON on standard input, as for upload
    #[arg(value_name = "PATH", required_unless_present = "proof")]
    pub(super) paths: Vec<PathBuf>,
    /// The public key of the service in base64, or a file with it, or with what `cutover certificate-key show` prints;
    /// from another source than the certificate
    #[arg(long, value_name = "KEY")]
    public_key: String,
    /// The leaves of the certificate, as `certificate --out` writes them
    #[arg(long, value_name = "FILE", required_unless_present = "proof")]
    pub(super) leaves: Option<PathBuf>,
    /// Requests that added something after the import, one per line, in the order in which they were sent, or tables of
    /// them, or the journal of send: then what the service has accepted of the files that the journal names, or that are given beside it; may be
    /// repeated
    #[arg(long, value_name = "FILE")]
    pub(super) additions: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) tables: TableOptions,
    /// Verify the proof of one account instead of all leaves
    #[arg(long, value_name = "FILE", conflicts_with = "leaves")]
    pub(super) proof: Option<PathBuf>,
    /// Zone of the supplier's datetimes without offset, such as Australia/Melbourne [default: UTC]
    #[arg(long, value_name = "ZONE")]
    time_zone: Option<Zone>,
    /// Number of accounts to hash at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub(super) json: bool,
}

impl Options {
    /// The public key in base64.
    pub(super) fn public_key(&self) -> Result<String, Error> {
        let path = Path::new(&self.public_key);
        let text = match path.is_file() {
            true => std::fs::read_to_string(path).map_err(Error::file("read", path))?,
            false => self.public_key.clone(),
        };
        Ok(key_in(&text).into_owned())
    }

    /// The zone of datetimes without offset.
    pub(super) fn zone(&self) -> Zone {
        self.time_zone.unwrap_or(Zone::UTC)
    }

    pub(super) fn workers(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_else(|| available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

/// The key alone, or in what `cutover certificate-key show` prints, for people or with `--json`.
fn key_in(text: &str) -> Cow<'_, str> {
    #[derive(Deserialize)]
    struct Shown {
        public_key: String,
    }
    if let Ok(Shown { public_key }) = serde_json::from_str(text) {
        return public_key.into();
    }
    let after_name = text.lines().find_map(|line| line.trim().strip_prefix("public key"));
    after_name.unwrap_or(text).trim().into()
}

#[cfg(test)]
mod tests {
    use super::key_in;

    #[test]
    fn a_key_is_found_in_what_the_operator_sends() {
        for text in [
            " a2V5\n",
            "key         k1\npublic key  a2V5\nalgorithm   Ed25519\n",
            r#"{"key_id": "k1", "public_key": "a2V5", "signs": true}"#,
        ] {
            assert_eq!(key_in(text), "a2V5");
        }
    }
}
