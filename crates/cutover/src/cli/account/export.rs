use crate::cli::owned_file;
use crate::cli::process::shown::Shown;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, ZonedTime, document, plain};
use clap::Args;
use cutover_app::operator::AccountExport;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Code of the supplier
    supplier: String,
    /// Number of the account at its previous supplier
    number: String,
    /// New file to write to, which only its owner can read [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// All data of an account. `export` is the version of this form, 1; `payload` is the accepted JSON to the byte, absent if
/// it is archived; the rest is as `process show` prints it: `account` is the imported account with later additions, in
/// the shape of the payload.
#[derive(Serialize)]
struct Export {
    export: u8,
    exported_at: ZonedTime,
    supplier: String,
    #[serde(flatten)]
    process: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Box<RawValue>>,
}

impl TryFrom<AccountExport> for Export {
    type Error = Error;

    fn try_from(export: AccountExport) -> Result<Self, Error> {
        let AccountExport { supplier, at, report, payload } = export;
        let exported_at = ZonedTime::local(at, report.zone);
        let process = Shown::from(report);
        let raw =
            |bytes: Vec<u8>| String::from_utf8(bytes).ok().and_then(|text| RawValue::from_string(text).ok());
        let unreadable = || Error::refused("the stored payload is not JSON");
        let payload = payload.map(|bytes| raw(bytes).ok_or_else(unreadable)).transpose()?;
        Ok(Self { export: 1, exported_at, supplier, process, payload })
    }
}

/// The written file.
#[derive(Serialize)]
struct Written {
    file: String,
    bytes: u64,
}

impl Answer for Written {
    fn text(&self) -> String {
        format!("Wrote {} bytes to {}. It holds personal data.", self.bytes, plain(&self.file))
    }
}

pub(super) fn run(context: &Context, args: ExportArgs) -> Result<(), Error> {
    let ExportArgs { supplier, number, out } = args;
    let app = context.app()?;
    // The file is created first: an export that cannot be written must not be recorded in the audit.
    let Some(path) = out else {
        let text = document(&Export::try_from(app.as_command().export_account(&supplier, &number)?)?)?;
        return Ok(writeln!(std::io::stdout().lock(), "{text}")?);
    };
    let shown = path.display().to_string();
    let unwritable =
        |error: std::io::Error| Error::refused(format!("the file {shown} cannot be written: {error}"));
    let mut file = owned_file::create(&path).map_err(unwritable)?;
    let export = app.as_command().export_account(&supplier, &number);
    let text =
        export.map_err(Error::from).and_then(Export::try_from).and_then(|export| Ok(document(&export)?));
    let written = text.and_then(|text| file.write(text.as_bytes()).map_err(unwritable));
    let bytes = written.and_then(|()| file.keep().map_err(unwritable))?;
    Ok(context.output.answer(&Written { file: shown, bytes })?)
}
