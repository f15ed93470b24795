//! The operator's console: server-rendered pages for the people of one organisation (decision 0016). All data
//! and actions go through the use cases of `cutover-app`.
//!
//! Every page works without scripts. The script keeps a page up to date and draws charts; nothing is asked of
//! another host.

mod account;
mod actions;
mod assets;
mod audit;
mod businesses;
mod certificates;
mod erase;
mod escape;
mod failed;
mod holds;
mod jobs;
mod links;
mod migration;
mod night;
mod page;
mod readiness;
mod refused;
mod runs;
mod search;
mod settings;
mod sign_in;
mod summary;
mod supplier;
mod suppliers;
mod tables;
#[cfg(test)]
mod tests;
mod timeline;
mod undo;
mod view;
mod visit;
mod visitor;
mod webhooks;

pub use certificates::certificate_html;
pub(crate) use escape::{Escaped, whole};
pub(crate) use links::has;
pub(crate) use page::not_served;
pub use summary::summary_html;

use crate::call::Handler;
use crate::endpoint::{Endpoint, Kind};
use actix_web::http::Method;

/// Every page of the console.
pub(crate) static ENDPOINTS: &[Endpoint] = &[
    get("/console/", suppliers::show),
    get("/console/assets/<file>/", assets::handle),
    get("/console/sign-in/", sign_in::show),
    post("/console/sign-in/", sign_in::begin),
    post("/console/sign-out/", sign_in::end),
    get("/console/search/", search::show),
    post("/console/search/", search::find),
    get("/console/suppliers/<supplier>/", supplier::show),
    get("/console/suppliers/<supplier>/pause/", actions::ask_pause),
    post("/console/suppliers/<supplier>/pause/", actions::pause),
    get("/console/suppliers/<supplier>/resume/", actions::ask_resume),
    post("/console/suppliers/<supplier>/resume/", actions::resume),
    get("/console/suppliers/<supplier>/complete/", actions::ask_complete),
    post("/console/suppliers/<supplier>/complete/", actions::complete),
    get("/console/suppliers/<supplier>/settings/", settings::ask),
    post("/console/suppliers/<supplier>/settings/", settings::set),
    get("/console/suppliers/<supplier>/hold/", holds::ask_hold),
    post("/console/suppliers/<supplier>/hold/", holds::hold),
    get("/console/suppliers/<supplier>/release/", holds::ask_release),
    post("/console/suppliers/<supplier>/release/", holds::release),
    get("/console/suppliers/<supplier>/night/", night::show),
    get("/console/suppliers/<supplier>/timeline/", timeline::show),
    post("/console/suppliers/<supplier>/timeline/", timeline::note),
    get("/console/suppliers/<supplier>/summary/", summary::show),
    post("/console/suppliers/<supplier>/failed/", failed::export),
    get("/console/suppliers/<supplier>/retry/", jobs::ask_retry),
    post("/console/suppliers/<supplier>/retry/", jobs::retry),
    get("/console/suppliers/<supplier>/cancel/", jobs::ask_cancel),
    post("/console/suppliers/<supplier>/cancel/", jobs::cancel),
    get("/console/suppliers/<supplier>/erase-rehearsed/", jobs::ask_erase),
    post("/console/suppliers/<supplier>/erase-rehearsed/", jobs::erase),
    get("/console/suppliers/<supplier>/undo/", undo::ask),
    post("/console/suppliers/<supplier>/undo/", undo::begin),
    get("/console/suppliers/<supplier>/accounts/<number>/", account::show),
    get("/console/suppliers/<supplier>/accounts/<number>/reveal/", account::back),
    post("/console/suppliers/<supplier>/accounts/<number>/reveal/", account::reveal),
    get("/console/suppliers/<supplier>/accounts/<number>/difference/", account::compare),
    get("/console/suppliers/<supplier>/accounts/<number>/cancel/", actions::ask_cancel),
    post("/console/suppliers/<supplier>/accounts/<number>/cancel/", actions::cancel),
    get("/console/suppliers/<supplier>/accounts/<number>/retry/", actions::ask_retry),
    post("/console/suppliers/<supplier>/accounts/<number>/retry/", actions::retry),
    get("/console/suppliers/<supplier>/accounts/<number>/erase/", erase::ask),
    post("/console/suppliers/<supplier>/accounts/<number>/erase/", erase::erase),
    get("/console/suppliers/<supplier>/refused/", refused::list),
    get("/console/suppliers/<supplier>/certificates/", certificates::list),
    post("/console/suppliers/<supplier>/certificates/", certificates::issue),
    get("/console/suppliers/<supplier>/certificates/<certificate>/<form>/", certificates::download),
    get("/console/suppliers/<supplier>/runs/", runs::list),
    get("/console/suppliers/<supplier>/runs/one/", runs::show),
    get("/console/suppliers/<supplier>/runs/diff/", runs::compare),
    post("/console/suppliers/<supplier>/runs/start/", runs::start),
    post("/console/suppliers/<supplier>/runs/end/", runs::end),
    get("/console/businesses/", businesses::list),
    get("/console/businesses/<business>/", businesses::show),
    get("/console/audit/", audit::list),
    get("/console/jobs/", jobs::list),
    get("/console/jobs/<job>/", jobs::show),
    post("/console/jobs/<job>/stop/", jobs::stop),
    post("/console/jobs/<job>/resume/", jobs::resume),
    get("/console/webhooks/", webhooks::list),
    get("/console/webhooks/<webhook>/", webhooks::show),
    get("/console/webhooks/<webhook>/enable/", webhooks::ask_enable),
    post("/console/webhooks/<webhook>/enable/", webhooks::enable),
    get("/console/webhooks/<webhook>/disable/", webhooks::ask_disable),
    post("/console/webhooks/<webhook>/disable/", webhooks::disable),
    get("/console/webhooks/<webhook>/replay/", webhooks::ask_replay),
    post("/console/webhooks/<webhook>/replay/", webhooks::replay),
    get("/console/webhooks/<webhook>/test/", webhooks::ask_test),
    post("/console/webhooks/<webhook>/test/", webhooks::test),
];

const fn get(template: &'static str, handler: Handler) -> Endpoint {
    page_endpoint(Method::GET, template, handler)
}

const fn post(template: &'static str, handler: Handler) -> Endpoint {
    page_endpoint(Method::POST, template, handler)
}

const fn page_endpoint(method: Method, template: &'static str, handler: Handler) -> Endpoint {
    Endpoint { method, template, kind: Kind::Console, handler, operation: None }
}
