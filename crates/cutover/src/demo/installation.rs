use super::printer::Printer;
use super::vendor::PaymentVendor;
use crate::error::Error;
use crate::lock::Lock;
use crate::open::{ExternalServices, open_app};
use crate::server::{LogTarget, Service, StopReason, start_logs};
use crate::settings::{Database, Documents, Role, Settings, Values};
use cutover_app::App;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::{ApiKeyRole, VendorKind};
use cutover_core::Zone;
use std::fs::{self, OpenOptions};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Sender;

pub(super) const ORGANISATION: &str = "Demo Energy";
/// The name of the demo's payment vendor in payloads.
pub(super) const VENDOR: &str = "DEMO-PAY";
const TIME_ZONE: &str = "Australia/Melbourne";

/// The demo's service with its data folder, supplier, keys and payment vendor.
pub(super) struct Installation {
    pub(super) settings: Settings,
    pub(super) app: Arc<App>,
    pub(super) service: Service,
    /// A new supplier in each run, so that account numbers can be used again.
    pub(super) supplier: String,
    pub(super) zone: Zone,
    pub(super) api_key: String,
    /// The key that signs in to the console.
    pub(super) operator_key: String,
    pub(super) vendor: PaymentVendor,
    _lock: Option<Lock>,
}

impl Installation {
    /// Sets everything up and prints the commands that an operator would type.
    pub(super) fn set_up(
        settings: &Settings,
        out: Printer,
        stopped: Sender<StopReason>,
    ) -> Result<Self, Error> {
        out.chapter("1. The operator sets up");
        let settings = demo_settings(settings);
        let _lock = Lock::of(&settings)?;
        log_to_file(&settings)?;
        let app = Arc::new(open_app(&settings, ExternalServices::open(&settings)?)?);
        app.release_all()?;
        let (api_key, operator_key) = add_organisation(&app, out)?;
        let (supplier, zone) = add_supplier(&app, out)?;
        let vendor = add_vendor(&app, out)?;
        let service = Service::start(app.clone(), &settings, None, stopped)?;
        out.command("serve");
        out.line(&format!("    listening on {}", service.addresses().join(", ")));
        out.line(&format!("    data in {}, logs in server.log there", settings.values.data_dir.display()));
        Ok(Self { settings, app, service, supplier, zone, api_key, operator_key, vendor, _lock })
    }

    /// The base URL of the API.
    pub(super) fn base_url(&self) -> String {
        self.service.addresses().into_iter().next().unwrap_or_default()
    }

    /// The folder of a supplier in document storage.
    pub(super) fn documents_of(&self, supplier: &str) -> PathBuf {
        self.settings.values.data_dir.join("documents").join(supplier)
    }

    /// Writes a document of a supplier.
    pub(super) fn write_document(&self, supplier: &str, path: &str, bytes: &[u8]) -> Result<(), Error> {
        let file = self.documents_of(supplier).join(path.trim_start_matches('/'));
        let written = file.parent().map_or(Ok(()), fs::create_dir_all);
        let written = written.and_then(|()| fs::write(&file, bytes));
        written.map_err(|e| Error::refused(format!("the document {} cannot be written: {e}", file.display())))
    }

    /// Removes a document of a supplier.
    pub(super) fn remove_document(&self, supplier: &str, path: &str) -> Result<(), Error> {
        let file = self.documents_of(supplier).join(path.trim_start_matches('/'));
        fs::remove_file(&file)
            .map_err(|e| Error::refused(format!("the document {} cannot be removed: {e}", file.display())))
    }
}

/// The settings with a database, documents and a server of the demo's own.
fn demo_settings(settings: &Settings) -> Settings {
    let values = &settings.values;
    let data_dir = values.data_dir.join("demo");
    let is_given = settings.given.iter().any(|(name, _)| *name == "listen");
    let is_usable = is_given || TcpListener::bind(values.listen).is_ok();
    let listen = if is_usable { values.listen } else { SocketAddr::new(values.listen.ip(), 0) };
    Settings {
        database: Database::Sqlite(data_dir.join("cutover.db")),
        documents: Documents::default_in(&data_dir),
        tls: None,
        values: Values {
            role: Role::All,
            listen,
            admin_listen: None,
            rate_limit: 0,
            data_dir,
            ..values.clone()
        },
        ..settings.clone()
    }
}

fn log_to_file(settings: &Settings) -> Result<(), Error> {
    let path = settings.values.data_dir.join("server.log");
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path);
    let file =
        file.map_err(|e| Error::refused(format!("the log {} cannot be written: {e}", path.display())))?;
    start_logs(&settings.values, LogTarget::File(file))
}

/// Adds the organisation unless an earlier run has, and issues a supplier key and an operator key.
fn add_organisation(app: &App, out: Printer) -> Result<(String, String), Error> {
    match app.add_organisation(ORGANISATION) {
        Ok(_) => out.command(&format!("organisation add '{ORGANISATION}'")),
        Err(OperatorError::Exists { .. }) => {
            out.line(&format!("  The organisation '{ORGANISATION}' exists from an earlier run."));
        }
        Err(error) => return Err(error.into()),
    }
    let issued = app.as_command().issue_api_key(ORGANISATION, ApiKeyRole::Supplier)?;
    out.command(&format!("api-key issue --organisation '{ORGANISATION}'"));
    out.line(&format!("    {}_…   shown once, kept as a hash", issued.prefix));
    let operator = app.as_command().issue_api_key(ORGANISATION, ApiKeyRole::Operator)?;
    out.command(&format!("api-key issue --organisation '{ORGANISATION}' --role operator"));
    out.line(&format!("    {}_…   signs in to the console", operator.prefix));
    Ok((issued.key, operator.key))
}

/// Adds the supplier with the first code that no earlier run has used.
fn add_supplier(app: &App, out: Printer) -> Result<(String, Zone), Error> {
    let zone = TIME_ZONE.parse().unwrap_or(Zone::UTC);
    let change = || SupplierChange { time_zone: Some(zone), ..SupplierChange::default() };
    let mut n = 1;
    loop {
        let code = format!("DEMO-{n}");
        match app.as_command().add_supplier(&code, ORGANISATION, change()) {
            Ok(_) => {
                out.command(&format!("supplier add {code} --organisation '{ORGANISATION}' \\"));
                out.line(&format!("      --time-zone {zone}"));
                return Ok((code, zone));
            }
            Err(OperatorError::Exists { .. }) => n += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Starts the payment vendor and adds it. It has no secret: a process cannot set variables of its own environment.
fn add_vendor(app: &App, out: Printer) -> Result<PaymentVendor, Error> {
    let vendor = PaymentVendor::start()?;
    // The vendor of an earlier run had another port.
    match app.as_command().remove_vendor(ORGANISATION, VENDOR) {
        Ok(()) => out.command(&format!("vendor remove {VENDOR} --organisation '{ORGANISATION}'")),
        Err(OperatorError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    app.as_command().add_vendor(ORGANISATION, VENDOR, VendorKind::Http, &vendor.base_url(), None)?;
    out.command(&format!(
        "vendor add {VENDOR} --organisation '{ORGANISATION}' --kind http --base-url {}",
        vendor.base_url()
    ));
    Ok(vendor)
}
