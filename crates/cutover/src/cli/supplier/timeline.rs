use crate::cli::audit::since;
use crate::context::Context;
use crate::error::Error;
use crate::output::Row;
use chrono::{DateTime, Utc};
use clap::Args;
use cutover_app::App;
use cutover_app::operator::TimelineEvent;
use serde::Serialize;

/// Events that are read at once.
const PAGE: u32 = 200;

#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// Code of the supplier
    code: String,
    /// Only events since this day (in UTC) or time, for example 2026-11-21T22:00:00+11:00
    #[arg(long, value_name = "TIME", value_parser = since)]
    since: Option<DateTime<Utc>>,
    /// Maximum number of events to print
    #[arg(long, value_name = "N", default_value_t = 200)]
    limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct NoteArgs {
    /// Code of the supplier
    code: String,
    /// The note, without anything about customers
    text: String,
}

/// An event in a list.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct Listed(TimelineEvent);

impl Row for Listed {
    const HEADS: &'static [&'static str] = &["WHEN", "KIND", "WHAT", "BY"];
    const TIMES: &'static [&'static str] = &["WHEN"];
    const EMPTY: &'static str = "Nothing happened.";

    fn cells(&self) -> Vec<String> {
        let TimelineEvent { at, kind, text, by, because, .. } = &self.0;
        let because = because.as_ref().map(|because| format!(", because: {because}")).unwrap_or_default();
        let at = at.format("%Y-%m-%d %H:%M:%S").to_string();
        vec![at, kind.to_string(), format!("{text}{because}"), by.clone().unwrap_or_default()]
    }
}

/// Prints the last events, the last first.
pub(super) fn run(app: &App, context: &Context, args: &TimelineArgs) -> Result<(), Error> {
    let (mut events, mut after) = (Vec::new(), None);
    let zone = loop {
        let page = app.as_command().timeline(&args.code, args.since, after, PAGE)?;
        events.extend(page.events.into_iter().map(Listed));
        after = page.next;
        if after.is_none() || events.len() >= args.limit {
            break page.supplier.settings.time_zone;
        }
    };
    events.truncate(args.limit);
    Ok(context.output.list_in(&events, zone)?)
}

/// Adds a note, and prints it.
pub(super) fn note(app: &App, context: &Context, args: &NoteArgs) -> Result<(), Error> {
    let event = app.as_command().note_supplier(&args.code, &args.text)?;
    let zone = app.as_command().zone_of(&args.code)?;
    Ok(context.output.list_in(&[Listed(event)], zone)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::listing_in;
    use cutover_app::operator::TimelineKind;
    use cutover_core::Zone;
    use cutover_model::Timestamp;

    #[test]
    fn a_line_has_the_reason() {
        let zone: Zone = "Australia/Melbourne".parse().unwrap();
        let at: DateTime<Utc> = "2026-11-21T11:31:00Z".parse().unwrap();
        let event = TimelineEvent {
            at: Timestamp(zone.local(at)),
            kind: TimelineKind::Release,
            text: "Released".into(),
            by: Some("command:ana".into()),
            because: Some("agreed\u{1b}[2J".into()),
            is_forced: true,
        };
        let listed = listing_in(&[Listed(event)], zone);
        assert!(listed.contains("2026-11-21 22:31:00"), "{listed}");
        assert!(listed.contains("Released, because: agreed\\u{1b}[2J"), "{listed}");
    }
}
