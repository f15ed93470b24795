use super::stage::Stage;
use super::vendor::PaymentVendor;
use crate::error::Error;
use crate::open::{Outside, open_app};
use crate::serve::{Ending, Lock, LogTarget, Service, start_logs};
use crate::settings::{Database, Role, ServeSettings, Settings};
use cutover_app::App;
use cutover_app::operator::{OperatorError, SupplierChange};
use cutover_app::port::{ApiKeyRole, VendorKind};
use cutover_core::Zone;
use std::fs::OpenOptions;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::mpsc::Sender;

pub(super) const ORGANISATION: &str = "Demo Energy";
/// What payloads name the demo's own payment vendor by.
pub(super) const VENDOR: &str = "DEMO-PAY";
const TIME_ZONE: &str = "Australia/Melbourne";

/// A service of the demo's own: its data folder, its server, its supplier.
pub(super) struct House {
    pub(super) settings: Settings,
    pub(super) app: Arc<App>,
    pub(super) service: Service,
    /// A new one each run, so that every run has its numbers to itself.
    pub(super) supplier: String,
    pub(super) zone: Zone,
    pub(super) api_key: String,
    /// Signs in to the console.
    pub(super) operator_key: String,
    pub(super) vendor: PaymentVendor,
    _lock: Option<Lock>,
}

impl House {
    /// Builds it, telling what the operator would type.
    pub(super) fn build(settings: &Settings, stage: Stage, ending: Sender<Ending>) -> Result<Self, Error> {
        let settings = own(settings);
        let _lock = Lock::of(&settings)?;
        log_to_file(&settings)?;
        let app = Arc::new(open_app(&settings, Outside::open(&settings)?)?);
        app.release_all()?;
        let (api_key, operator_key) = organisation(&app, stage)?;
        let (supplier, zone) = supplier(&app, stage)?;
        let vendor = vendor(&app, stage)?;
        let service = Service::start(app.clone(), &settings.serve, ending)?;
        stage.command("cutover serve");
        stage.say(&format!("    listening on {}", service.addresses().join(", ")));
        stage.say(&format!("    data in {}, logs in server.log there", settings.data_dir.display()));
        Ok(Self { settings, app, service, supplier, zone, api_key, operator_key, vendor, _lock })
    }

    /// Where the API is.
    pub(super) fn base(&self) -> String {
        self.service.addresses().into_iter().next().unwrap_or_default()
    }
}

/// The settings of the demo: the embedded default in a folder of its own, on an address of this machine.
fn own(settings: &Settings) -> Settings {
    let data_dir = settings.data_dir.join("demo");
    let listen = if settings.serve.listen_given || is_free(settings.serve.listen) {
        settings.serve.listen
    } else {
        SocketAddr::new(settings.serve.listen.ip(), 0)
    };
    Settings {
        database: Database::Sqlite(data_dir.join("cutover.db")),
        documents: crate::settings::Documents::default_in(&data_dir),
        serve: ServeSettings {
            role: Role::All,
            listen,
            admin_listen: None,
            tls: None,
            rate_limit: 0,
            ..settings.serve.clone()
        },
        data_dir,
        ..settings.clone()
    }
}

fn is_free(address: SocketAddr) -> bool {
    TcpListener::bind(address).is_ok()
}

fn log_to_file(settings: &Settings) -> Result<(), Error> {
    let path = settings.data_dir.join("server.log");
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&path);
    let file =
        file.map_err(|e| Error::refused(format!("the log {} cannot be written: {e}", path.display())))?;
    start_logs(settings.log, LogTarget::File(file))
}

/// The organisation, from an earlier run or new, and keys for this run: its supplier's and its operator's.
fn organisation(app: &App, stage: Stage) -> Result<(String, String), Error> {
    match app.add_organisation(ORGANISATION) {
        Ok(_) => stage.command(&format!("cutover organisation add '{ORGANISATION}'")),
        Err(OperatorError::Exists { .. }) => {
            stage.say(&format!("  The organisation '{ORGANISATION}' is there from an earlier run."));
        }
        Err(error) => return Err(error.into()),
    }
    let issued = app.issue_api_key(ORGANISATION, ApiKeyRole::Supplier)?;
    stage.command(&format!("cutover api-key issue --organisation '{ORGANISATION}'"));
    stage.say(&format!("    {}_…   shown once, kept as a hash", issued.prefix));
    let operator = app.issue_api_key(ORGANISATION, ApiKeyRole::Operator)?;
    stage.command(&format!("cutover api-key issue --organisation '{ORGANISATION}' --role operator"));
    stage.say(&format!("    {}_…   signs in to the console", operator.prefix));
    Ok((issued.key, operator.key))
}

fn supplier(app: &App, stage: Stage) -> Result<(String, Zone), Error> {
    let zone = TIME_ZONE.parse().unwrap_or(Zone::UTC);
    let change = || SupplierChange { time_zone: Some(zone), ..SupplierChange::default() };
    let mut n = 1;
    loop {
        let code = format!("DEMO-{n}");
        match app.add_supplier(&code, ORGANISATION, change()) {
            Ok(_) => {
                stage.command(&format!("cutover supplier add {code} --organisation '{ORGANISATION}' \\"));
                stage.say(&format!("      --time-zone {zone}"));
                return Ok((code, zone));
            }
            Err(OperatorError::Exists { .. }) => n += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

/// The demo's own payment vendor. It has no secret: this process cannot set a variable for itself.
fn vendor(app: &App, stage: Stage) -> Result<PaymentVendor, Error> {
    let vendor = PaymentVendor::open()?;
    // That of an earlier run was at another port.
    match app.remove_vendor(VENDOR) {
        Ok(()) => stage.command(&format!("cutover vendor remove {VENDOR}")),
        Err(OperatorError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    app.add_vendor(VENDOR, VendorKind::Http, &vendor.base_url(), None)?;
    stage.command(&format!("cutover vendor add {VENDOR} --kind http --base-url {}", vendor.base_url()));
    Ok(vendor)
}
