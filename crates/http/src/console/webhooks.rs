//! Webhooks and their deliveries (contract D19).

use super::links;
use super::page::{Frame, page, see_other};
use super::view::{Moment, ROWS, grouped};
use super::visit::{Stop, done, found, visited};
use super::visitor::Visitor;
use crate::call::{Answer, Call};
use crate::request::query::Query;
use actix_web::HttpResponse;
use askama::Template;
use chrono::{DateTime, TimeDelta, Utc};
use cutover_app::App;
use cutover_app::operator::{AccountDelivery, DeliveryPage, Operations, OperatorError, WebhookReport};
use cutover_app::port::{DeliveryState, WEBHOOK_DEADLINE, Webhook, WebhookAnswer};
use cutover_core::Zone;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Deliveries on a page.
const PAGE: u32 = ROWS as u32;
/// The times from which events can be delivered again: the value in the form, the label, and hours.
const SINCE: [(&str, &str, i64); 4] = [
    ("hour", "of the last hour", 1),
    ("day", "of the last 24 hours", 24),
    ("week", "of the last 7 days", 7 * 24),
    ("all", "that are kept", 24 * 365 * 100),
];

#[derive(Template)]
#[template(path = "console/webhooks.html")]
struct List {
    frame: Frame,
    webhooks: Vec<Row>,
}

#[derive(Template)]
#[template(path = "console/webhook.html")]
struct Page {
    frame: Frame,
    webhook: Row,
    open: String,
    fields: Vec<(&'static str, String)>,
    public_keys: Vec<String>,
    deliveries: Vec<Sent>,
    is_first: bool,
    next: Option<String>,
}

/// The result of a test.
#[derive(Template)]
#[template(path = "console/webhook_test.html")]
struct Tested {
    frame: Frame,
    webhook: String,
    link: String,
    result: String,
    is_delivered: bool,
    answer: String,
}

/// The confirmation of an action.
#[derive(Template)]
#[template(path = "console/webhook_ask.html")]
struct Question {
    frame: Frame,
    webhook: String,
    link: String,
    action: &'static Action,
    /// Choices of a time, of an action that has one.
    since: &'static [(&'static str, &'static str, i64)],
}

/// A webhook in the list.
struct Row {
    name: String,
    link: String,
    url: String,
    types: Vec<String>,
    /// The reason and the time, if it is disabled.
    disabled: Option<(String, Moment)>,
    /// The time at which events expired that were not delivered.
    missed: Option<Moment>,
    is_replaying: bool,
}

impl Row {
    fn new(webhook: Webhook, zone: Zone) -> Self {
        let reason = |reason: &str| match reason {
            "operator" => "by an operator".to_owned(),
            "failing" => "after three days of failures".to_owned(),
            "gone" => "the receiver is gone (410)".to_owned(),
            other => other.to_owned(),
        };
        Self {
            link: links::webhook(&webhook.name),
            name: webhook.name,
            url: webhook.url,
            types: webhook.types.iter().map(ToString::to_string).collect(),
            disabled: webhook.disabled.map(|disabled| {
                let detail = disabled.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
                let at = Moment::new(disabled.at, zone);
                (format!("{}{detail}", reason(disabled.reason.as_str())), at)
            }),
            missed: webhook.missed_at.map(|at| Moment::new(at, zone)),
            is_replaying: webhook.replay.is_some(),
        }
    }
}

/// A delivery in the list.
struct Sent {
    id: String,
    event: String,
    /// The number and the link of the account, if the event is about one and still kept.
    account: Option<(String, String)>,
    occurred: Moment,
    label: &'static str,
    class: &'static str,
    attempts: u32,
    next: Option<Moment>,
    /// The status of the last answer, or the failure.
    result: String,
    answer: String,
}

impl Sent {
    fn new(AccountDelivery { delivery, account }: AccountDelivery, zone: Zone) -> Self {
        let (label, class) = match delivery.state.known() {
            Some(DeliveryState::Delivered) => ("Delivered", "processed"),
            Some(DeliveryState::Sending) => ("Being sent", "in_progress"),
            Some(DeliveryState::Pending) if delivery.attempts > 0 => ("Failed, will be retried", "errored"),
            Some(DeliveryState::Pending) => ("Waiting", "pending"),
            None => ("Unknown", "pending"),
        };
        let is_open = delivery.state != DeliveryState::Delivered;
        let answer = delivery.answer.as_deref().map(String::from_utf8_lossy);
        Self {
            id: delivery.position.encode(),
            event: delivery.event_type.to_string(),
            account: account.map(|(supplier, number)| {
                let link = links::account(&supplier, &number);
                (number, link)
            }),
            occurred: Moment::new(delivery.occurred_at, zone),
            label,
            class,
            attempts: delivery.attempts,
            next: delivery.due_at.filter(|_| is_open).map(|at| Moment::new(at, zone)),
            result: delivery.status.map(|status| status.to_string()).or(delivery.failure).unwrap_or_default(),
            answer: answer.map(|answer| answer.into_owned()).unwrap_or_default(),
        }
    }
}

/// An action on a webhook, confirmed on a page of its own.
struct Action {
    word: &'static str,
    title: &'static str,
    text: &'static str,
    yes: &'static str,
    is_grave: bool,
}

static ENABLE: Action = Action {
    word: "enable",
    title: "Enable",
    text: "What was not delivered is sent at once, then what has happened since.",
    yes: "Enable",
    is_grave: false,
};
static DISABLE: Action = Action {
    word: "disable",
    title: "Disable",
    text: "Nothing more is sent until it is enabled again. Events wait, for as long as they are kept.",
    yes: "Disable",
    is_grave: true,
};
static TEST: Action = Action {
    word: "test",
    title: "Test",
    text: "A signed event of the type webhook.test is sent now, whether or not the webhook is enabled.",
    yes: "Send a test",
    is_grave: false,
};
static REPLAY: Action = Action {
    word: "replay",
    title: "Replay",
    text: "Events are delivered again, with the ids that they had. A receiver recognises them by their ids.",
    yes: "Deliver again",
    is_grave: false,
};

/// `GET /console/webhooks/`: the webhooks of the organisation.
pub(crate) fn list(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let caller = visitor.caller().clone();
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                Ok((by.webhooks(None)?, by.common_zone(None)?))
            };
            let (webhooks, zone) = call.run(job).await?;
            let frame = Frame::of(visitor).in_zone(zone);
            let webhooks = webhooks.into_iter().map(|webhook| Row::new(webhook, zone)).collect();
            Ok(page(&mut HttpResponse::Ok(), &List { frame, webhooks })?)
        })
        .await)
    })
}

/// `GET /console/webhooks/<webhook>/`: a webhook and its deliveries.
pub(crate) fn show(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let before = Query::new(call.query()).read("before", |text| Some(text.to_owned()));
            let is_first = before.is_none();
            let job = move |app: &App| {
                let by = app.as_caller(&caller);
                let (report, zone) = (found(by.show_webhook(&name))?, by.common_zone(None)?);
                let deliveries = done(by.delivery_page(&name, before.as_deref(), PAGE))?;
                Ok(deliveries.map(|deliveries| (report, deliveries, zone)))
            };
            let (report, deliveries, zone) = call.run(job).await?.map_err(Stop::NotDone)?;
            let frame = Frame::of(visitor).in_zone(zone);
            Ok(page(&mut HttpResponse::Ok(), &shown(frame, report, deliveries, zone, is_first))?)
        })
        .await)
    })
}

fn shown(frame: Frame, report: WebhookReport, page: DeliveryPage, zone: Zone, is_first: bool) -> Page {
    let WebhookReport { webhook, open, secrets } = report;
    let DeliveryPage { deliveries, has_more } = page;
    let link = links::webhook(&webhook.name);
    let last = deliveries.last().filter(|_| has_more).map(|last| last.delivery.position.encode());
    let expiring = secrets.iter().filter(|secret| secret.expires_at.is_some()).count();
    let signing = if expiring == 0 { "One secret".to_owned() } else { format!("{} secrets", expiring + 1) };
    let types: Vec<_> = webhook.types.iter().map(ToString::to_string).collect();
    Page {
        frame,
        open: grouped(&open.to_string()),
        fields: vec![
            ("URL", webhook.url.clone()),
            ("Events", if types.is_empty() { "All".to_owned() } else { types.join("\n") }),
            ("Added", Moment::new(webhook.created_at, zone).shown),
            ("Signs with", signing),
        ],
        public_keys: secrets.into_iter().filter_map(|secret| secret.public_key).collect(),
        webhook: Row::new(webhook, zone),
        deliveries: deliveries.into_iter().map(|delivery| Sent::new(delivery, zone)).collect(),
        is_first,
        next: last.map(|id| format!("{link}?before={id}#deliveries")),
    }
}

fn ask<'c>(
    call: &'c mut Call,
    action: &'static Action,
    since: &'static [(&'static str, &'static str, i64)],
) -> Answer<'c> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let report = call.run(move |app| found(app.as_caller(&caller).show_webhook(&name))).await?;
            let link = links::webhook(&report.webhook.name);
            let question =
                Question { frame: Frame::of(visitor), webhook: report.webhook.name, link, action, since };
            Ok(page(&mut HttpResponse::Ok(), &question)?)
        })
        .await)
    })
}

type Act = fn(&Operations<'_>, &str) -> Result<Webhook, OperatorError>;

fn act<'c>(call: &'c mut Call, action: &'static Action, act: Act) -> Answer<'c> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let changed = call.run(move |app| done(act(&app.as_caller(&caller), &name))).await?;
            Ok(acted(call, visitor, action, &changed.map_err(Stop::NotDone)?))
        })
        .await)
    })
}

/// Logs an action and redirects to the page of the webhook.
fn acted(call: &Call, visitor: &Visitor, action: &Action, webhook: &Webhook) -> HttpResponse {
    log(call, visitor, action, &webhook.name);
    see_other(&links::webhook(&webhook.name))
}

fn log(call: &Call, visitor: &Visitor, action: &Action, webhook: &str) {
    let (request_id, key) = (call.request_id().unwrap_or_default(), &visitor.caller().key_prefix);
    let action = action.word;
    tracing::info!(target: "cutover::audit", request_id, key, action, webhook, "done in the console");
}

/// `GET /console/webhooks/<webhook>/enable/`: asks for confirmation.
pub(crate) fn ask_enable(call: &mut Call) -> Answer<'_> {
    ask(call, &ENABLE, &[])
}

/// `POST /console/webhooks/<webhook>/enable/`: delivers again.
pub(crate) fn enable(call: &mut Call) -> Answer<'_> {
    act(call, &ENABLE, |by, webhook| by.enable_webhook(webhook))
}

/// `GET /console/webhooks/<webhook>/disable/`: asks for confirmation.
pub(crate) fn ask_disable(call: &mut Call) -> Answer<'_> {
    ask(call, &DISABLE, &[])
}

/// `POST /console/webhooks/<webhook>/disable/`: stops delivering.
pub(crate) fn disable(call: &mut Call) -> Answer<'_> {
    act(call, &DISABLE, |by, webhook| by.disable_webhook(webhook))
}

/// `GET /console/webhooks/<webhook>/replay/`: asks from when on.
pub(crate) fn ask_replay(call: &mut Call) -> Answer<'_> {
    ask(call, &REPLAY, &SINCE)
}

/// `POST /console/webhooks/<webhook>/replay/`: delivers events again.
pub(crate) fn replay(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let form = call.form().await?;
            let now = call.service().app.now();
            let since = Query::new(&form).read("since", |word| since(word, now));
            let since = since.ok_or_else(|| Stop::NotDone("Choose which events to deliver again.".into()))?;
            let changed =
                call.run(move |app| done(app.as_caller(&caller).replay_webhook(&name, since))).await?;
            Ok(acted(call, visitor, &REPLAY, &changed.map_err(Stop::NotDone)?))
        })
        .await)
    })
}

fn since(word: &str, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let (_, _, hours) = SINCE.iter().find(|(value, _, _)| *value == word)?;
    now.checked_sub_signed(TimeDelta::hours(*hours))
}

/// `GET /console/webhooks/<webhook>/test/`: asks for confirmation.
pub(crate) fn ask_test(call: &mut Call) -> Answer<'_> {
    ask(call, &TEST, &[])
}

/// `POST /console/webhooks/<webhook>/test/`: sends a test and shows the answer. No thread waits for it.
pub(crate) fn test(call: &mut Call) -> Answer<'_> {
    Box::pin(async move {
        Ok(visited(call, async |call, visitor| {
            let (caller, name) = (visitor.caller().clone(), call.parameter(0));
            let (sender, answer) = oneshot::channel();
            let reply = Box::new(move |answer| drop(sender.send(answer)));
            let tested = name.clone();
            call.run(move |app| done(app.as_caller(&caller).begin_webhook_test(&tested, reply)))
                .await?
                .map_err(Stop::NotDone)?;
            log(call, visitor, &TEST, &name);
            let answer = timeout(WEBHOOK_DEADLINE, answer).await.ok().and_then(Result::ok);
            Ok(page(&mut HttpResponse::Ok(), &tested_page(visitor, name, answer))?)
        })
        .await)
    })
}

fn tested_page(visitor: &Visitor, webhook: String, answer: Option<WebhookAnswer>) -> Tested {
    let (result, is_delivered, answer) = match answer {
        Some(WebhookAnswer::Status { status, beginning, .. }) => {
            let text = String::from_utf8_lossy(&beginning).into_owned();
            (format!("It answered {status}."), (200..300).contains(&status), text)
        }
        Some(WebhookAnswer::Failed(failure)) => {
            (format!("It did not answer: {failure}."), false, String::new())
        }
        None => ("It did not answer in time.".to_owned(), false, String::new()),
    };
    Tested {
        frame: Frame::of(visitor),
        link: links::webhook(&webhook),
        webhook,
        result,
        is_delivered,
        answer,
    }
}
