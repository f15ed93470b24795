//! `cutover-client certificate`: fetches a certificate, its leaves and the public keys, for `verify` (contract D17).

use crate::error::Error;
use crate::exit::Exit;
use crate::output::{document, print};
use crate::service::{Backoff, Fault, Reply, Service, Target, block_on};
use clap::Args;
use cutover_core::plain;
use cutover_model::certificate::Certificate;
use reqwest::{StatusCode, Url};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// Options of `certificate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// The import supplier's code
    supplier: String,
    /// Folder for certificate.json, leaves.ndjson and certificate-keys.json; created if it does not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Have a new certificate issued, instead of fetching the latest
    #[arg(long)]
    issue: bool,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    target: Target,
}

/// Time to wait for a service that is away.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time that the issue of a certificate over many accounts may take.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(600);

/// Names of the files.
const CERTIFICATE: &str = "certificate.json";
const LEAVES: &str = "leaves.ndjson";
const KEYS: &str = "certificate-keys.json";

/// Fetches a certificate and what is needed to verify it.
///
/// # Errors
/// [`Error`] if the service does not answer or has none, or a file cannot be written.
pub(crate) fn run(options: &Options) -> Result<Exit, Error> {
    let service = options.target.service()?;
    std::fs::create_dir_all(&options.out).map_err(Error::file("created", &options.out))?;
    let certificate = block_on(fetch(options, &service))??;
    let Certificate { id, issued_at, accounts, key_id, .. } = &certificate;
    let shown = json!({"certificate": id, "import_supplier": options.supplier, "issued_at": issued_at,
        "accounts": accounts, "key_id": key_id, "out": options.out.display().to_string()});
    let text = format!(
        "Certificate  {}\nIssued       {}\nAccounts     {accounts}\nKey          {}\n\n{CERTIFICATE}, {LEAVES} and {KEYS} are in {}\n",
        plain(id),
        plain(issued_at),
        plain(key_id),
        plain(&options.out.display().to_string()),
    );
    print(&if options.json { document(&shown) } else { text })?;
    Ok(Exit::Success)
}

async fn fetch(options: &Options, service: &Service) -> Result<Certificate, Error> {
    let path = ["v2", "data-import", "import-suppliers", &options.supplier, "certificate"];
    let url = service.url(&path, "");
    let reply = Backoff::new(PATIENCE).run(async || certificate(service, &url, options.issue).await).await?;
    if reply.status == StatusCode::NOT_FOUND {
        return Err(Error::refused(missing(&reply, &options.supplier)));
    }
    let body = reply.ok()?;
    let foreign = |_| Fault::permanent("the certificate has an unknown format");
    let certificate: Certificate = serde_json::from_value(body.clone()).map_err(foreign)?;
    let leaves = service.url(&[&path[..], &[certificate.id.as_str(), "leaves"]].concat(), "");
    let keys = service.url(&["v2", "data-import", "certificate-keys"], "");
    // The certificate comes last: without it, what is in the folder is incomplete.
    download(service, &keys, &options.out.join(KEYS)).await?;
    download(service, &leaves, &options.out.join(LEAVES)).await?;
    let path = options.out.join(CERTIFICATE);
    // The texts of a certificate differ, its content does not.
    write(&path, |file| file.write_all(body.to_string().as_bytes()))?;
    Ok(certificate)
}

async fn certificate(service: &Service, url: &Url, issue: bool) -> Result<Reply, Fault> {
    let make = |http: &reqwest::Client| match issue {
        true => http.post(url.clone()).timeout(ISSUE_TIMEOUT),
        false => http.get(url.clone()),
    };
    let response = service.send(make).await?;
    let status = response.status();
    if status.is_server_error() {
        return Err(Fault::transient(format!("the service answers {}", status.as_u16())));
    }
    let mut reply = Reply::read(response).await?;
    if reply.status == StatusCode::CREATED {
        reply.status = StatusCode::OK;
    }
    Ok(reply)
}

/// Says why there is no certificate.
fn missing(reply: &Reply, supplier: &str) -> String {
    match reply.body["code"].as_str() {
        Some("certificate_not_issued") => {
            format!("no certificate has been issued for {supplier} yet; --issue has one issued")
        }
        _ => format!("the service knows no import supplier {supplier}, or is of an older version"),
    }
}

/// Writes an answer to a file, as it comes.
async fn download(service: &Service, url: &Url, path: &Path) -> Result<(), Error> {
    let mut backoff = Backoff::new(PATIENCE);
    loop {
        match attempt(service, url, path).await {
            Ok(done) => return done,
            Err(fault) => tokio::time::sleep(backoff.next_wait(fault)?).await,
        }
    }
}

/// Downloads a file once. A fault of the connection may pass, an error of the disk does not.
async fn attempt(service: &Service, url: &Url, path: &Path) -> Result<Result<(), Error>, Fault> {
    let mut response = service.send(|http| http.get(url.clone()).timeout(ISSUE_TIMEOUT)).await?;
    let status = response.status();
    if status != StatusCode::OK {
        let why = format!("the service answers {}", status.as_u16());
        return Err(if status.is_server_error() { Fault::transient(why) } else { Fault::permanent(why) });
    }
    let cannot = |error| Error::file("written", path)(error);
    let mut file = match NamedTempFile::new_in(folder_of(path)) {
        Ok(file) => file,
        Err(error) => return Ok(Err(cannot(error))),
    };
    while let Some(chunk) = response.chunk().await? {
        if let Err(error) = file.write_all(&chunk) {
            return Ok(Err(cannot(error)));
        }
    }
    Ok(file.persist(path).map(drop).map_err(|error| cannot(error.error)))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Writes a file as a whole or not at all.
fn write(path: &Path, content: impl FnOnce(&mut NamedTempFile) -> std::io::Result<()>) -> Result<(), Error> {
    let written = NamedTempFile::new_in(folder_of(path)).and_then(|mut file| {
        content(&mut file)?;
        file.persist(path).map(drop).map_err(|error| error.error)
    });
    written.map_err(Error::file("written", path))
}
