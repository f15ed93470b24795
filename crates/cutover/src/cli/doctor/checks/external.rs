use crate::cli::doctor::finding::Finding;
use crate::error::Error;
use crate::open::{ExternalServices, OpenDatabase, build_app, open_documents};
use crate::settings::Settings;
use cutover_app::App;
use cutover_app::port::{Vendor, VendorError};
use cutover_outbound::OutboundRuntime;
use std::future::Future;

/// Checks that document storage answers.
pub(super) fn documents(settings: &Settings) -> Finding {
    let location = &settings.documents.location;
    let ready = || {
        let documents = open_documents(settings, &OutboundRuntime::start()?)?;
        Ok::<(), Error>(wait(documents.ready())??)
    };
    match ready() {
        Ok(()) => Finding::ok("documents", format!("{location} answers")),
        Err(error) => {
            let fix = "create the folder or bucket and grant the right to list it, or set documents-url";
            Finding::fail("documents", error, fix)
        }
    }
}

/// Checks that the payment vendors answer, one after another. The server runs without them, so a failure is a warning.
pub(super) fn vendors(settings: &Settings, database: &OpenDatabase) -> Vec<Finding> {
    let app = ExternalServices::with_vendors().map(|services| build_app(database, settings, services));
    let found = app.and_then(|app| Ok((app.as_command().vendors(None)?, app)));
    match found {
        Err(error) => {
            vec![Finding::fail("vendors", error, "check the database, and the certificates of this machine")]
        }
        Ok((vendors, _)) if vendors.is_empty() => vec![Finding::ok("vendors", "none is configured")],
        Ok((vendors, app)) => vendors.iter().map(|vendor| probe(&app, vendor)).collect(),
    }
}

fn probe(app: &App, vendor: &Vendor) -> Finding {
    let Vendor { name, base_url, secret_env, .. } = vendor;
    if let Some(variable) =
        secret_env.as_ref().filter(|variable| cutover_outbound::secret(variable).is_none())
    {
        let detail = format!("{name}: the variable {variable} with its secret is not set here");
        return Finding::warn("vendors", detail, format!("set {variable} where the server runs"));
    }
    match wait(app.probe_vendor(vendor)) {
        Ok(Ok(())) => Finding::ok("vendors", format!("{name} at {base_url} answers")),
        Ok(Err(VendorError::Unavailable(cause) | VendorError::Rejected(cause))) => {
            let fix = "check that it runs there, or remove it with `cutover vendor remove`";
            Finding::warn("vendors", format!("{name} at {base_url}: {cause}"), fix)
        }
        Err(error) => Finding::fail("vendors", error, "check memory and threads of this machine"),
    }
}

/// Waits for the answer of an adapter, which runs on its own threads.
fn wait<T>(answer: impl Future<Output = T>) -> Result<T, Error> {
    Ok(tokio::runtime::Builder::new_current_thread().build()?.block_on(answer))
}
