use crate::cli::owned_file;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, pairs};
use clap::Args;
use cutover_app::App;
use cutover_app::certificate::IssuedCertificate;
use cutover_http::certificate_html;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct CertificateArgs {
    /// Code of the supplier
    code: String,
    /// New file for the certificate
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// New file for the certificate as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

struct Issued {
    issued: IssuedCertificate,
    files: Vec<String>,
}

/// The document as it was signed.
impl Serialize for Issued {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = RawValue::from_string(self.issued.document.clone());
        document.map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl Answer for Issued {
    fn text(&self) -> String {
        let certificate = &self.issued.certificate;
        let mut lines = vec![
            ("certificate", certificate.id.clone()),
            ("issued", certificate.issued_at.clone()),
            ("accounts", certificate.accounts.to_string()),
            ("imported", certificate.manifest.imported.accounts.to_string()),
            ("root", certificate.merkle_root.clone()),
            ("key", certificate.key_id.clone()),
        ];
        lines.extend(self.files.iter().map(|file| ("written", file.clone())));
        pairs(&lines)
    }
}

/// Writes a new file that only its owner may read. Returns its path as it is shown.
pub(super) fn write(path: &Path, text: &str) -> Result<String, Error> {
    let failed = |error: std::io::Error| Error::refused(format!("{}: {error}", path.display()));
    let mut file = owned_file::create(path).map_err(failed)?;
    file.write(text.as_bytes()).map_err(failed)?;
    file.keep().map_err(failed)?;
    Ok(path.display().to_string())
}

/// Refuses files that exist before anything is issued.
pub(super) fn check(path: Option<&PathBuf>) -> Result<(), Error> {
    match path {
        Some(path) if path.symlink_metadata().is_ok() => {
            Err(Error::refused(format!("{} exists already", path.display())))
        }
        _ => Ok(()),
    }
}

pub(super) fn run(app: &App, context: &Context, args: &CertificateArgs) -> Result<(), Error> {
    check(args.out.as_ref())?;
    check(args.html.as_ref())?;
    let issued = app.as_command().issue_certificate(&args.code)?;
    let mut files = Vec::new();
    if let Some(path) = &args.out {
        files.push(write(path, &issued.document)?);
    }
    if let Some(path) = &args.html {
        let html = certificate_html(&issued.certificate);
        files.push(write(path, &html.map_err(|error| Error::refused(error.to_string()))?)?);
    }
    context.output.answer(&Issued { issued, files })?;
    Ok(())
}
