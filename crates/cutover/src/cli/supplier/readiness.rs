use crate::context::Context;
use crate::error::Error;
use crate::open::{ExternalServices, open_app};
use crate::output::{Answer, plain};
use cutover_app::App;
use cutover_app::operator::{Checks, Services};
use cutover_model::ReadinessShown;
use serde::Serialize;

/// The readiness of a supplier.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown(ReadinessShown);

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for check in &self.0.checks {
            let level = if check.level == "stop" { "STOP" } else { &check.level };
            lines.push(format!("{level:<5} {:<11} {}", check.name, plain(&check.detail)));
            lines.extend(check.action.as_ref().map(|action| format!("{:18}{}", "", plain(action))));
        }
        let verdict =
            if self.0.ready { "Ready." } else { "Not ready: a release needs --force and a reason." };
        lines.push(format!("\n{verdict} As of {}.", self.0.as_of));
        lines.join("\n")
    }
}

/// Opens the use cases with documents and vendors, which the checks ask.
pub(super) fn open(context: &Context) -> Result<App, Error> {
    open_app(&context.settings, ExternalServices::to_probe(&context.settings)?)
}

/// Asks the services that the checks of a supplier are about.
pub(super) fn probe(app: &App, code: &str) -> Result<Services, Error> {
    let wanted = app.as_command().services_to_probe(code, Checks::All)?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    Ok(runtime.block_on(app.probe_services(&wanted)))
}

pub(super) fn run(context: &Context, code: &str) -> Result<(), Error> {
    let app = open(context)?;
    let readiness = app.as_command().readiness(code, &probe(&app, code)?, Checks::All)?;
    Ok(context.output.answer(&Shown(readiness.shown()))?)
}
