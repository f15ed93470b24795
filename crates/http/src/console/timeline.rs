//! The timeline of a supplier, to which people add notes.

use super::actions::log;
use super::links;
use super::page::{Frame, page, see_other};
use super::view::{Moment, ROWS, field_of_time, time};
use super::visit::{Stop, done, found, visited};
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use chrono::{DateTime, Utc};
use cutover_app::App;
use cutover_app::operator::{TimelineCursor, TimelineEvent, TimelineKind, TimelinePage};
use cutover_core::Zone;

/// Events on a page.
const PAGE: u32 = ROWS as u32;

#[derive(Template)]
#[template(path = "console/timeline.html")]
struct Page {
    frame: Frame,
    code: String,
    link: String,
    zone: &'static str,
    /// The time of the filter, as a field for times shows it.
    since: String,
    events: Vec<Row>,
    is_first: bool,
    /// The query of the filter, for links.
    query: String,
    /// The link to the next page.
    next: Option<String>,
}

/// An event.
struct Row {
    at: Moment,
    kind: &'static str,
    /// The name of a style.
    class: &'static str,
    text: String,
    by: Option<String>,
    because: Option<String>,
    is_forced: bool,
}

impl Row {
    fn new(event: TimelineEvent, zone: Zone) -> Self {
        let TimelineEvent { at, kind, text, by, because, is_forced } = event;
        let (kind, class) = match kind {
            TimelineKind::Wave => ("Wave", "ongoing"),
            TimelineKind::Hold => ("Hold", "paused"),
            TimelineKind::Release => ("Release", "ongoing"),
            TimelineKind::Failures => ("Failures", "errored"),
            TimelineKind::Job => ("Job", ""),
            TimelineKind::Settings => ("Settings", ""),
            TimelineKind::Run => ("Run", ""),
            TimelineKind::Certificate => ("Certificate", ""),
            TimelineKind::Note => ("Note", "in_progress"),
            TimelineKind::Action => ("Action", ""),
        };
        Self { at: Moment::new(at.to_utc(), zone), kind, class, text, by, because, is_forced }
    }
}

/// The filter of a query: since a time, in the zone of the supplier. Other text is left out.
fn since(query: &str, zone: Zone) -> Option<DateTime<Utc>> {
    Query::new(query).read("since", |text| time(text, zone))
}

impl Page {
    fn new(frame: Frame, found: TimelinePage, since: Option<DateTime<Utc>>, is_first: bool) -> Self {
        let zone = found.supplier.settings.time_zone;
        let code = found.supplier.code.to_string();
        let link = links::supplier(&code);
        let since = since.map(|since| field_of_time(since, zone)).unwrap_or_default();
        let query = links::since(&since);
        let next = found.next.map(|place| format!("{link}timeline/?{query}after={}", place.encode()));
        Self {
            frame: frame.in_zone(zone),
            zone: zone.name(),
            events: found.events.into_iter().map(|event| Row::new(event, zone)).collect(),
            code,
            link,
            since,
            is_first,
            query,
            next,
        }
    }
}

/// `GET /console/suppliers/<supplier>/timeline/`: the events, the last first, in pages.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, code, query) =
                (visitor.caller().clone(), call.parameter(0), call.query().to_owned());
            let after = Query::new(&query).read("after", TimelineCursor::decode);
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                let since = since(&query, found(by.show_supplier(&code))?.settings.time_zone);
                Ok((found(by.timeline(&code, since, after, PAGE))?, since))
            };
            let (timeline, since) = call.run_page(job).await?;
            let shown = Page::new(Frame::of(visitor), timeline, since, after.is_none());
            Ok(page(&mut HttpResponse::Ok(), &shown)?)
        })
        .await)
    })
}

/// `POST /console/suppliers/<supplier>/timeline/`: adds a note.
pub(crate) fn note(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let code = super::holds::own(call, visitor).await?;
            let form = call.form().await?;
            let field = |name| Query::new(&form).read(name, |text| Some(text.to_owned())).unwrap_or_default();
            let (text, since) = (field("note"), field("since"));
            let (caller, name) = (visitor.caller().clone(), code.clone());
            let job = move |app: &App| done(app.as_caller(&caller).note_supplier(&name, &text));
            call.run(job).await?.map_err(Stop::NotDone)?;
            log(call, visitor, "note", &code, None);
            Ok(see_other(&format!("{}timeline/?{}", links::supplier(&code), links::since(&since))))
        })
        .await)
    })
}
