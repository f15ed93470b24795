//! Holds and releases of a supplier's imports (contract D16). Both are confirmed on a page that asks for the reason.

use super::actions::{because, log};
use super::links;
use super::page::{Frame, page, see_other};
use super::readiness::{Checks, probe};
use super::supplier::Held;
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use chrono::SecondsFormat;
use cutover_app::App;
use cutover_app::operator::Release;

/// The question about a hold.
#[derive(Template)]
#[template(path = "console/hold.html")]
struct HoldPage {
    frame: Frame,
    code: String,
    back: String,
}

/// The question about a release, with the checks.
#[derive(Template)]
#[template(path = "console/release.html")]
struct ReleasePage {
    frame: Frame,
    code: String,
    back: String,
    checks: Checks,
    /// The hold, and when its last reason was added.
    held: Option<(Held, String)>,
    /// True if the running wave goes on, or is repeated.
    keeps_wave: bool,
}

/// `GET /console/suppliers/<supplier>/hold/`: asks for the reason.
pub(crate) fn ask_hold(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code) = (visitor.caller().clone(), call.parameter(0));
            let supplier = call.run(move |app| found(app.as_caller(&caller).show_supplier(&code))).await?;
            let code = supplier.code.to_string();
            let question = HoldPage { frame: Frame::of(visitor), back: links::supplier(&code), code };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/hold/`: holds the imports.
pub(crate) fn hold(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let code = own(call, visitor).await?;
            let form = call.form().await?;
            let reason = because(&form).ok_or_else(|| Stop::NotDone("A hold needs a reason.".to_owned()))?;
            let (caller, name) = (visitor.caller().clone(), code.clone());
            let job = move |app: &App| done(app.as_caller(&caller).hold_supplier(&name, Some(reason)));
            call.run(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, "hold", &code, None);
            Ok(see_other(&links::supplier(&code)))
        })
        .await)
    })
}

/// `GET /console/suppliers/<supplier>/release/`: shows the checks, and asks for the reason.
pub(crate) fn ask_release(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let code = own(call, visitor).await?;
            let services = probe(call, visitor, &code).await?;
            let caller = visitor.caller().clone();
            let job = move |app: &App| found(app.as_caller(&caller).night(&code, &services));
            let night = call.run_page(job).await?;
            let code = night.supplier.code.to_string();
            let gate = night.gate.as_ref();
            let hold = gate.and_then(|gate| gate.hold.as_ref());
            let next = night.readiness.forecast.wave.as_ref().map(|(number, _)| *number);
            let question = ReleasePage {
                held: hold.map(|hold| {
                    let latest = hold.latest().since.to_rfc3339_opts(SecondsFormat::AutoSi, true);
                    (Held::new(hold, night.progress.zone), latest)
                }),
                keeps_wave: gate.is_some_and(|gate| Some(gate.wave) == next),
                frame: Frame::of(visitor).in_zone(night.progress.zone),
                back: links::supplier(&code),
                checks: Checks::new(&night.readiness, night.progress.zone),
                code,
            };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/release/`: ends a hold.
pub(crate) fn release(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let code = own(call, visitor).await?;
            let form = call.form().await?;
            let is_set = |name| Query::new(&form).read(name, |text| (text == "yes").then_some(())).is_some();
            let held_since = Query::new(&form).read("held_since", |text| text.parse().ok());
            let release = Release {
                because: because(&form),
                is_forced: is_set("force"),
                is_next_wave: is_set("next_wave"),
                held_since,
            };
            let services = probe(call, visitor, &code).await?;
            let (caller, name) = (visitor.caller().clone(), code.clone());
            let job =
                move |app: &App| done(app.as_caller(&caller).release_supplier(&name, &release, &services));
            call.run_page(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, "release", &code, None);
            Ok(see_other(&links::supplier(&code)))
        })
        .await)
    })
}

/// Returns the code of a supplier in the path, which the organisation has.
pub(super) async fn own(call: &mut Call, visitor: &Visitor) -> Result<String, Stop> {
    let (caller, code) = (visitor.caller().clone(), call.parameter(0));
    Ok(call.run(move |app| found(app.as_caller(&caller).show_supplier(&code))).await?.code.to_string())
}
