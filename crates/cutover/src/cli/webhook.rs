use super::organisation::chosen;
use crate::context::Context;
use crate::error::Error;
use crate::output::{Answer, Row, ZonedTime, pairs, plain};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use cutover_app::App;
use cutover_app::operator::{IssuedSecret, WebhookReport};
use cutover_app::port::{Delivery, Webhook, WebhookAnswer};
use cutover_core::{FeedEventType, Zone};
use serde::Serialize;

pub(super) const EXAMPLES: &str = "\
Examples:
  cutover webhook add --organisation 'Acme Energy' --url https://crm.example/hooks/cutover
  cutover webhook add --organisation 'Acme Energy' --url https://crm.example/hooks/cutover \\
      --type account_import_process.processed --type account.erased --ed25519
  cutover webhook test wh_4f2d9c0b7e3a1568       send a signed test event at once
  cutover webhook deliveries wh_4f2d9c0b7e3a1568
  cutover webhook replay wh_4f2d9c0b7e3a1568 --since 2026-11-20T00:00:00Z
  cutover webhook rotate-secret wh_4f2d9c0b7e3a1568

Requests are signed according to Standard Webhooks 1.0. A webhook whose receiver fails for three
days, or answers 410, is disabled; `cutover doctor` names it.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add a webhook: it is sent the events of an organisation from now on
    Add(Add),
    /// List webhooks
    List {
        /// Only those of this organisation
        #[arg(long)]
        organisation: Option<String>,
    },
    /// Show a webhook, its public keys and how many deliveries are open
    Show(Named),
    /// Send a signed event of the type webhook.test and print the status of the answer
    Test(Named),
    /// Deliver kept events again
    Replay {
        #[command(flatten)]
        named: Named,
        /// Events since this day (in UTC) or time, for example 2026-11-21T08:00:00Z
        #[arg(long, value_name = "TIME", value_parser = super::audit::since)]
        since: DateTime<Utc>,
    },
    /// Enable a webhook; the events since it was disabled are sent
    Enable(Named),
    /// Disable a webhook: nothing is sent to it until it is enabled
    Disable(Named),
    /// Replace the secret of a webhook; the old one signs as well for one day
    RotateSecret(Named),
    /// Remove a webhook with its secrets and deliveries
    Remove(Named),
    /// List deliveries of a webhook, the latest event first
    Deliveries(Deliveries),
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// Id of the webhook
    id: String,
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Name of the organisation; may be left out if there is one
    #[arg(long)]
    organisation: Option<String>,
    /// URL of the receiver: https, or http to a loopback or private address
    #[arg(long)]
    url: String,
    /// Type of events that it is sent; may be repeated [default: all]
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<FeedEventType>,
    /// Sign with Ed25519 as well; `show` prints the public key
    #[arg(long)]
    ed25519: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Deliveries {
    #[command(flatten)]
    named: Named,
    /// Maximum number of deliveries, at most 1000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Only deliveries of events before this one, by its id
    #[arg(long, value_name = "EVENT_ID")]
    before: Option<String>,
}

#[derive(Debug, Serialize)]
struct Listed {
    /// The zone of the times in the text.
    #[serde(skip)]
    zone: Zone,
    id: String,
    organisation: String,
    url: String,
    types: Vec<String>,
    state: &'static str,
    disabled_at: Option<ZonedTime>,
    disabled_reason: Option<String>,
    disabled_detail: Option<String>,
    /// True while events are delivered again.
    replaying: bool,
    events_missed_at: Option<ZonedTime>,
    created_at: ZonedTime,
}

impl Listed {
    /// Shows a webhook, with its times in a zone.
    fn new(webhook: Webhook, zone: Zone) -> Self {
        let time = |at| ZonedTime::common(at, zone);
        let disabled = webhook.disabled.as_ref();
        Self {
            state: if disabled.is_some() { "disabled" } else { "enabled" },
            disabled_at: disabled.map(|disabled| time(disabled.at)),
            disabled_reason: disabled.map(|disabled| disabled.reason.to_string()),
            disabled_detail: disabled.and_then(|disabled| disabled.detail.clone()),
            id: webhook.name,
            organisation: webhook.organisation,
            url: webhook.url,
            types: webhook.types.iter().map(ToString::to_string).collect(),
            replaying: webhook.replay.is_some(),
            events_missed_at: webhook.missed_at.map(time),
            created_at: time(webhook.created_at),
            zone,
        }
    }

    fn types(&self) -> String {
        if self.types.is_empty() { "all".to_owned() } else { self.types.join(" ") }
    }

    /// The state, with its reason.
    fn state(&self) -> String {
        let reason = self.disabled_reason.iter().chain(&self.disabled_detail).cloned().collect::<Vec<_>>();
        if reason.is_empty() {
            self.state.to_owned()
        } else {
            format!("{}: {}", self.state, reason.join(", "))
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![
            ("id", self.id.clone()),
            ("organisation", self.organisation.clone()),
            ("URL", self.url.clone()),
            ("types", self.types()),
            ("state", self.state()),
            ("added", self.created_at.to_string()),
        ];
        rows.extend(self.disabled_at.map(|at| ("disabled", at.to_string())));
        rows.extend(self.replaying.then(|| ("replay", "events are delivered again".to_owned())));
        let missed = |at| ("events missed", format!("{at}: events expired that were not delivered"));
        rows.extend(self.events_missed_at.map(missed));
        rows.push(("time zone", self.zone.name().to_owned()));
        rows
    }
}

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["ID", "ORGANISATION", "URL", "TYPES", "STATE"];
    const EMPTY: &'static str =
        "No webhooks yet. `cutover webhook add --organisation ORG --url URL` adds one.";

    fn cells(&self) -> Vec<String> {
        vec![self.id.clone(), self.organisation.clone(), self.url.clone(), self.types(), self.state()]
    }
}

impl Answer for Listed {
    fn text(&self) -> String {
        pairs(&self.rows())
    }
}

#[derive(Debug, Serialize)]
struct Key {
    public_key: Option<String>,
    created_at: ZonedTime,
    expires_at: Option<ZonedTime>,
}

#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    webhook: Listed,
    open_deliveries: u32,
    /// The public key of the current secret.
    public_key: Option<String>,
    secrets: Vec<Key>,
}

impl Shown {
    fn new(report: WebhookReport, zone: Zone) -> Self {
        let time = |at| ZonedTime::common(at, zone);
        Self {
            webhook: Listed::new(report.webhook, zone),
            open_deliveries: report.open,
            public_key: report.secrets.first().and_then(|secret| secret.public_key.clone()),
            secrets: report
                .secrets
                .into_iter()
                .map(|secret| Key {
                    public_key: secret.public_key,
                    created_at: time(secret.created_at),
                    expires_at: secret.expires_at.map(time),
                })
                .collect(),
        }
    }
}

impl Answer for Shown {
    fn text(&self) -> String {
        let mut rows = self.webhook.rows();
        rows.push(("open", format!("{} deliveries", self.open_deliveries)));
        for key in &self.secrets {
            let signs = match key.expires_at {
                None => format!("signs since {}", key.created_at),
                Some(end) => format!("signs until {end}"),
            };
            let public = key.public_key.as_ref().map(|public| format!(", {public}"));
            rows.push(("secret", format!("{signs}{}", public.unwrap_or_default())));
        }
        pairs(&rows)
    }
}

#[derive(Serialize)]
struct Issued {
    id: String,
    secret: String,
    public_key: Option<String>,
    /// True if the secret replaces another one.
    rotated: bool,
}

impl Issued {
    fn of(issued: IssuedSecret, rotated: bool) -> Self {
        let IssuedSecret { webhook, secret, public_key } = issued;
        Self { id: webhook.name, secret, public_key, rotated }
    }
}

impl Answer for Issued {
    fn text(&self) -> String {
        let done = match self.rotated {
            false => format!("Added the webhook {}. It is sent events from now on.", self.id),
            true => {
                format!("The webhook {} has a new secret. The old one signs as well for one day.", self.id)
            }
        };
        let key = self.public_key.as_ref().map(|key| format!("\nIts public key for Ed25519: {key}"));
        format!("{done}\nIts secret, which is shown only now: {}{}", self.secret, key.unwrap_or_default())
    }
}

#[derive(Debug, Serialize)]
struct Tested {
    id: String,
    /// True if the status is 2xx.
    delivered: bool,
    status: Option<u16>,
    failure: Option<String>,
    answer: Option<String>,
}

impl Tested {
    fn of(id: String, answer: WebhookAnswer) -> Self {
        match answer {
            WebhookAnswer::Status { status, beginning, .. } => Self {
                id,
                delivered: (200..300).contains(&status),
                status: Some(status),
                failure: None,
                answer: Some(text(&beginning)),
            },
            WebhookAnswer::Failed(kind) => {
                Self { id, delivered: false, status: None, failure: Some(kind), answer: None }
            }
        }
    }
}

/// The text of an answer, with other bytes and half a character at its end replaced.
fn text(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).into_owned()
}

impl Answer for Tested {
    fn text(&self) -> String {
        match (self.status, &self.failure) {
            (Some(status), _) => {
                let answer = self.answer.as_deref().unwrap_or_default();
                let end = if answer.is_empty() { String::new() } else { format!("\n{}", plain(answer)) };
                format!("The receiver answered {status}.{end}")
            }
            (None, failure) => {
                format!("The receiver did not answer: {}.", failure.as_deref().unwrap_or_default())
            }
        }
    }
}

#[derive(Debug, Serialize)]
struct Removed {
    id: String,
    removed: bool,
}

impl Answer for Removed {
    fn text(&self) -> String {
        format!("Removed the webhook {}.", self.id)
    }
}

#[derive(Debug, Serialize)]
struct ListedDelivery {
    event_id: String,
    r#type: String,
    occurred_at: ZonedTime,
    state: String,
    attempts: u32,
    status: Option<u16>,
    failure: Option<String>,
    answer: Option<String>,
    last_attempt_at: Option<ZonedTime>,
    next_attempt_at: Option<ZonedTime>,
}

impl ListedDelivery {
    /// Shows a delivery, with its times in a zone.
    fn new(delivery: Delivery, zone: Zone) -> Self {
        let time = |at| ZonedTime::common(at, zone);
        let next = delivery.due_at.filter(|_| delivery.state != cutover_app::port::DeliveryState::Sending);
        Self {
            event_id: delivery.position.encode(),
            r#type: delivery.event_type.to_string(),
            occurred_at: time(delivery.occurred_at),
            state: delivery.state.to_string(),
            attempts: delivery.attempts,
            status: delivery.status,
            failure: delivery.failure,
            answer: delivery.answer.as_deref().map(text),
            last_attempt_at: delivery.attempted_at.map(time),
            next_attempt_at: next.map(time),
        }
    }
}

impl Row for ListedDelivery {
    const HEADS: &'static [&'static str] =
        &["EVENT", "TYPE", "OCCURRED", "STATE", "ATTEMPTS", "LAST ANSWER", "NEXT ATTEMPT"];
    const TIMES: &'static [&'static str] = &["OCCURRED", "NEXT ATTEMPT"];
    const EMPTY: &'static str = "No deliveries.";

    fn cells(&self) -> Vec<String> {
        let status = self.status.map(|status| status.to_string());
        vec![
            self.event_id.clone(),
            self.r#type.clone(),
            self.occurred_at.to_string(),
            self.state.clone(),
            self.attempts.to_string(),
            status.or_else(|| self.failure.clone()).unwrap_or_default(),
            self.next_attempt_at.map(|at| at.to_string()).unwrap_or_default(),
        ]
    }
}

pub(super) fn run(context: &Context, command: Command) -> Result<(), Error> {
    let output = context.output;
    match command {
        Command::Add(Add { organisation, url, types, ed25519 }) => {
            let app = context.app_with_webhooks()?;
            let issued = app.as_command().add_webhook(&chosen(&app, organisation)?, &url, &types, ed25519)?;
            output.answer(&Issued::of(issued, false))?;
        }
        Command::List { organisation } => {
            let app = context.app()?;
            let found = app.as_command().webhooks(organisation.as_deref())?;
            // The list has times in JSON only, which has UTC.
            let listed = |webhook| Listed::new(webhook, Zone::UTC);
            output.list(&found.into_iter().map(listed).collect::<Vec<_>>())?;
        }
        Command::Show(Named { id }) => {
            let app = context.app()?;
            let report = app.as_command().show_webhook(&id)?;
            let zone = zone_of(&app, &report.webhook)?;
            output.answer(&Shown::new(report, zone))?;
        }
        Command::Test(Named { id }) => {
            let answer = context.app_with_webhooks()?.as_command().test_webhook(&id)?;
            let tested = Tested::of(id, answer);
            output.answer(&tested)?;
            if !tested.delivered {
                return Err(Error::refused("the receiver did not accept the test event"));
            }
        }
        Command::Replay { named, since } => {
            let app = context.app()?;
            output.answer(&changed(&app, app.as_command().replay_webhook(&named.id, since)?)?)?;
        }
        Command::Enable(Named { id }) => {
            let app = context.app()?;
            output.answer(&changed(&app, app.as_command().enable_webhook(&id)?)?)?;
        }
        Command::Disable(Named { id }) => {
            let app = context.app()?;
            output.answer(&changed(&app, app.as_command().disable_webhook(&id)?)?)?;
        }
        Command::RotateSecret(Named { id }) => {
            output.answer(&Issued::of(context.app()?.as_command().rotate_webhook_secret(&id)?, true))?;
        }
        Command::Remove(Named { id }) => {
            context.app()?.as_command().remove_webhook(&id)?;
            output.answer(&Removed { id, removed: true })?;
        }
        Command::Deliveries(Deliveries { named, limit, before }) => {
            let app = context.app()?;
            let zone = zone_of(&app, &app.as_command().show_webhook(&named.id)?.webhook)?;
            let found = app.as_command().webhook_deliveries(&named.id, before.as_deref(), limit)?;
            let rows: Vec<_> = found.into_iter().map(|of| ListedDelivery::new(of, zone)).collect();
            output.list_in(&rows, zone)?;
        }
    }
    Ok(())
}

/// Returns the zone of the times of a webhook: the one that the suppliers of its organisation have in common.
fn zone_of(app: &App, webhook: &Webhook) -> Result<Zone, Error> {
    Ok(app.as_command().common_zone(Some(&webhook.organisation))?)
}

fn changed(app: &App, webhook: Webhook) -> Result<Listed, Error> {
    let zone = zone_of(app, &webhook)?;
    Ok(Listed::new(webhook, zone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cutover_app::operator::SecretReport;
    use cutover_app::port::{DeliveryState, Disabled, DisabledReason, FeedPosition};

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn zone() -> Zone {
        "Australia/Melbourne".parse().unwrap()
    }

    fn listed(webhook: Webhook) -> Listed {
        Listed::new(webhook, zone())
    }

    fn webhook(disabled: bool) -> Webhook {
        Webhook {
            id: 1,
            name: "wh_4f2d9c0b7e3a1568".into(),
            organisation_id: 1,
            organisation: "Acme Energy".into(),
            url: "https://crm.example/hooks".into(),
            types: if disabled { vec![FeedEventType::AccountErased.into()] } else { Vec::new() },
            created_at: time("2026-11-20T00:00:00Z"),
            disabled: disabled.then(|| Disabled {
                at: time("2026-11-23T04:05:06Z"),
                reason: DisabledReason::Failing.into(),
                detail: Some("it answered 500".into()),
            }),
            position: FeedPosition { written_in: 0, id: 7 },
            replay: None,
            missed_at: disabled.then(|| time("2026-11-24T00:00:00Z")),
            version: 3,
        }
    }

    fn report() -> Shown {
        let secret = |created: &str, expires: Option<&str>| SecretReport {
            created_at: time(created),
            expires_at: expires.map(time),
            public_key: Some(format!("whpk_{}", &created[8..10])),
        };
        let secrets = vec![
            secret("2026-11-22T00:00:00Z", None),
            secret("2026-11-20T00:00:00Z", Some("2026-11-23T00:00:00Z")),
        ];
        Shown::new(WebhookReport { webhook: webhook(true), open: 12, secrets }, zone())
    }

    fn deliveries() -> Vec<ListedDelivery> {
        let delivery = |state: DeliveryState, status, failure: Option<&str>, due: Option<&str>| Delivery {
            webhook_id: 1,
            position: FeedPosition { written_in: 0, id: 9 },
            event_type: FeedEventType::ProcessProcessed.into(),
            occurred_at: time("2026-11-20T00:00:00Z"),
            state: state.into(),
            attempts: 2,
            first_attempt_at: Some(time("2026-11-20T00:00:01Z")),
            due_at: due.map(time),
            claim: 5,
            status,
            failure: failure.map(str::to_owned),
            answer: status.map(|_| b"no\xff".to_vec()),
            attempted_at: Some(time("2026-11-20T00:00:02Z")),
        };
        let all = [
            delivery(DeliveryState::Pending, Some(500), None, Some("2026-11-20T00:00:09Z")),
            delivery(
                DeliveryState::Sending,
                None,
                Some("it did not answer in time"),
                Some("2026-11-20T01:00:00Z"),
            ),
            delivery(DeliveryState::Delivered, Some(204), None, None),
        ];
        all.into_iter().map(|delivery| ListedDelivery::new(delivery, zone())).collect()
    }

    fn issued(rotated: bool) -> Issued {
        let (id, secret) = ("wh_4f2d9c0b7e3a1568".to_owned(), "whsec_c2VjcmV0".to_owned());
        Issued { id, secret, public_key: rotated.then(|| "whpk_cHVibGlj".to_owned()), rotated }
    }

    fn tested() -> [Tested; 2] {
        let answer =
            WebhookAnswer::Status { status: 404, beginning: b"no such\npage".to_vec(), retry_after: None };
        let failed = WebhookAnswer::Failed("no connection could be made".into());
        [answer, failed].map(|answer| Tested::of("wh_4f2d9c0b7e3a1568".into(), answer))
    }

    #[test]
    fn the_json_of_webhooks() {
        insta::assert_json_snapshot!("json_of_the_list", [webhook(false), webhook(true)].map(listed));
        insta::assert_json_snapshot!("json_of_a_webhook", report());
        insta::assert_json_snapshot!("json_of_deliveries", deliveries());
        insta::assert_json_snapshot!("json_of_a_secret", [issued(false), issued(true)]);
        insta::assert_json_snapshot!("json_of_a_test", tested());
    }

    #[test]
    fn the_text_of_webhooks() {
        let list = [webhook(false), webhook(true)].map(|of| listed(of).cells());
        let texts = [
            crate::output::listing(Listed::HEADS, list),
            report().text(),
            crate::output::listing_in(&deliveries(), zone()),
            issued(false).text(),
            issued(true).text(),
            tested().map(|tested| tested.text()).join("\n"),
        ];
        insta::assert_snapshot!(texts.join("\n\n"));
    }
}
