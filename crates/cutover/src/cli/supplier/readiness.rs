use super::shown::with_command;
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
struct Shown {
    #[serde(flatten)]
    readiness: ReadinessShown,
    /// The hold of before the checks, with the command that ends it.
    #[serde(skip)]
    held: Option<String>,
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        for check in &self.readiness.checks {
            let level = if check.level == "stop" { "STOP" } else { &check.level };
            lines.push(format!("{level:<5} {:<11} {}", check.name, plain(&check.detail)));
            lines.extend(check.action.as_ref().map(|action| format!("{:18}{}", "", plain(action))));
        }
        let verdict =
            if self.readiness.ready { "Ready." } else { "Not ready: a release needs --force and a reason." };
        lines.push(format!("\n{verdict} As of {}.", self.readiness.as_of));
        lines.extend(self.held.as_ref().map(|held| format!("It is held {held}")));
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
    let by = app.as_command();
    let (supplier, hold) = (by.show_supplier(code)?, by.show_hold(code)?);
    let held = hold.map(|hold| with_command(code, &hold, supplier.settings.time_zone));
    let readiness = by.readiness(code, &probe(&app, code)?, Checks::All)?.shown();
    Ok(context.output.answer(&Shown { readiness, held })?)
}
