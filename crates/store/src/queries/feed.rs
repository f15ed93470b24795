//! The feed of events.

use super::dialect::{Conn, Db, Dialect};
use super::schema::{feed_expiries, organisations};
use super::sql_dialect::SqlDialect;
use super::statement::Bind;
use super::types::{Json, Timestamp};
use super::{SqlTx, number};
use crate::error::Result;
use crate::schema::columns;
use chrono::{DateTime, Utc};
use cutover_app::port::{
    Feed, FeedEvent, FeedFilter, FeedPage, FeedPosition, NewFeedEvent, PageLimit, StoreError,
};
use cutover_core::Word;
use cutover_model::EventData;
use cutover_process::{HistoryEntry, Process};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

statement! {
    /// Adds an event of a supplier.
    Publish {
        kind: &'static str,
        occurred_at: Timestamp,
        external_account_number: Option<String>,
        service_account_number: Option<String>,
        data: Option<Json<'static>>,
        supplier_id: i64,
    } = "INSERT INTO feed_events (organisation_id, written_in, id, kind, occurred_at, supplier, \
            external_account_number, service_account_number, attempt, data) \
            SELECT s.organisation_id, " (Dialect::WRITTEN_IN) ", " (Dialect::EVENT_ID) ", " kind ", " occurred_at
            ", s.code, " external_account_number ", " service_account_number ", NULL, " data
            " FROM suppliers s WHERE s.id = " supplier_id
}

statement! {
    /// Adds the event of the latest step of a process.
    PublishStep {
        kind: &'static str,
        removed_account: Option<String>,
        data: Option<Json<'static>>,
        process_id: i64,
    } = "INSERT INTO feed_events (organisation_id, written_in, id, kind, occurred_at, supplier, \
            external_account_number, service_account_number, attempt, data) \
            SELECT s.organisation_id, " (Dialect::WRITTEN_IN) ", " (Dialect::EVENT_ID) ", " kind
            ", p.modified_at, s.code, p.external_account_number, coalesce(" removed_account
            ", p.service_account_number), p.attempt, " data
            " FROM processes p JOIN suppliers s ON s.id = p.supplier_id WHERE p.id = " process_id
}

statement! {
    /// The events after a position before which no event can appear any more.
    After { organisation_id: i64, written_in: i64, id: i64, limit: i64 }
        -> (BigInt, BigInt, Text, columns::Instant, Text, Nullable<Text>, Nullable<Text>, Nullable<BigInt>,
            Nullable<columns::Json>)
        = "SELECT written_in, id, kind, occurred_at, supplier, external_account_number, service_account_number, \
            attempt, data FROM feed_events WHERE organisation_id = " organisation_id
            " AND (written_in, id) > (" written_in ", " id ")" (Dialect::VISIBLE_EVENTS)
            " ORDER BY written_in, id LIMIT " limit
}

statement! {
    /// The event at a position.
    At { organisation_id: i64, written_in: i64, id: i64 }
        -> (BigInt, BigInt, Text, columns::Instant, Text, Nullable<Text>, Nullable<Text>, Nullable<BigInt>,
            Nullable<columns::Json>)
        = "SELECT written_in, id, kind, occurred_at, supplier, external_account_number, service_account_number, \
            attempt, data FROM feed_events WHERE organisation_id = " organisation_id
            " AND written_in = " written_in " AND id = " id
}

statement! {
    /// The last event before which no event can appear any more.
    Last { organisation_id: i64 } -> (BigInt, BigInt)
        = "SELECT written_in, id FROM feed_events WHERE organisation_id = " organisation_id
            (Dialect::VISIBLE_EVENTS) " ORDER BY written_in DESC, id DESC LIMIT 1"
}

type Row =
    (i64, i64, String, Timestamp, String, Option<String>, Option<String>, Option<i64>, Option<Json<'static>>);

fn event(row: Row) -> Result<FeedEvent> {
    let (written_in, id, kind, occurred_at, supplier, external, service, attempt, data) = row;
    Ok(FeedEvent {
        position: FeedPosition { written_in, id },
        event_type: Word::read(&kind),
        occurred_at: occurred_at.instant()?,
        supplier,
        external_account_number: external,
        service_account_number: service,
        attempt: attempt.map(|attempt| number(attempt, "attempt")).transpose()?,
        data: data.map(|data| data.read("the data of an event")).transpose()?,
    })
}

/// Returns the statement that publishes the event of the latest step of a process, if the step has one.
pub(super) fn of_step(process: &Process, entry: &HistoryEntry) -> Result<Option<PublishStep>> {
    let Some(of) = entry.feed_event_type() else { return Ok(None) };
    let data = process.latest_error().map(|error| Json::of(&EventData::error(error))).transpose()?;
    let removed_account = entry.removed_account.as_ref().map(ToString::to_string);
    Ok(Some(PublishStep { kind: of.as_str(), removed_account, data, process_id: process.id() }))
}

/// Returns the position of the last expired event.
pub(super) fn expired(conn: &mut Conn, organisation_id: i64) -> Result<FeedPosition> {
    let expiry = feed_expiries::table.find(organisation_id);
    let last = expiry.select((feed_expiries::written_in, feed_expiries::id)).get_result(conn).optional()?;
    Ok(last.map_or(FeedPosition::default(), |(written_in, id)| FeedPosition { written_in, id }))
}

fn after(
    conn: &mut Conn,
    organisation_id: i64,
    position: FeedPosition,
    limit: u32,
) -> Result<Vec<FeedEvent>> {
    let FeedPosition { written_in, id } = position;
    let rows: Vec<Row> = After { organisation_id, written_in, id, limit: limit.into() }.load(conn)?;
    rows.into_iter().map(event).collect()
}

/// Expires events of an organisation that occurred before a time. Returns the last one, and whether more follow.
fn expire(
    conn: &mut Conn,
    organisation_id: i64,
    before: DateTime<Utc>,
    limit: u32,
) -> Result<Option<(FeedPosition, bool)>> {
    let from = expired(conn, organisation_id)?;
    // Mostly no event is old.
    if after(conn, organisation_id, from, 1)?.first().is_none_or(|oldest| oldest.occurred_at >= before) {
        return Ok(None);
    }
    let oldest = after(conn, organisation_id, from, limit)?;
    let old = oldest.iter().take_while(|event| event.occurred_at < before);
    let Some((count, last)) = old.enumerate().last() else { return Ok(None) };
    let FeedPosition { written_in, id } = last.position;
    let position = (feed_expiries::written_in.eq(written_in), feed_expiries::id.eq(id));
    diesel::insert_into(feed_expiries::table)
        .values((feed_expiries::organisation_id.eq(organisation_id), position))
        .on_conflict(feed_expiries::organisation_id)
        .do_update()
        .set(position)
        .execute(conn)?;
    Ok(Some((last.position, count + 1 == limit as usize)))
}

impl Feed for SqlTx<'_> {
    fn publish(&mut self, event: &NewFeedEvent) -> Result<(), StoreError> {
        self.run(|conn| {
            let publish = Publish {
                kind: event.event_type.as_str(),
                occurred_at: event.occurred_at.into(),
                external_account_number: event.external_account_number.as_ref().map(ToString::to_string),
                service_account_number: event.service_account_number.as_ref().map(ToString::to_string),
                data: event.data.as_ref().map(Json::of).transpose()?,
                supplier_id: event.supplier_id,
            };
            publish.execute(conn)?;
            Ok(())
        })
    }

    fn feed_page(
        &mut self,
        organisation_id: i64,
        filter: &FeedFilter,
        position: Option<FeedPosition>,
        limit: PageLimit,
    ) -> Result<Option<FeedPage>, StoreError> {
        self.run(|conn| {
            let from = match position {
                Some(position) => position,
                None => expired(conn, organisation_id)?,
            };
            let scanned = if *filter == FeedFilter::default() { limit.items } else { limit.scanned };
            let rows = after(conn, organisation_id, from, scanned.saturating_add(1))?;
            // Asked last: events that are missing above expired before.
            if expired(conn, organisation_id)? > from {
                return Ok(None);
            }
            Ok(Some(FeedPage::read(from, rows, filter, PageLimit { scanned, ..limit })))
        })
    }

    fn feed_end(&mut self, organisation_id: i64) -> Result<FeedPosition, StoreError> {
        self.run(|conn| {
            let last = Last { organisation_id }.get_result(conn).optional()?;
            let last = last.map(|(written_in, id)| FeedPosition { written_in, id });
            Ok(last.unwrap_or_default().max(expired(conn, organisation_id)?))
        })
    }

    fn feed_event(
        &mut self,
        organisation_id: i64,
        position: FeedPosition,
    ) -> Result<Option<FeedEvent>, StoreError> {
        self.run(|conn| {
            let FeedPosition { written_in, id } = position;
            let found: Option<Row> = At { organisation_id, written_in, id }.get_result(conn).optional()?;
            if expired(conn, organisation_id)? >= position {
                return Ok(None);
            }
            found.map(event).transpose()
        })
    }

    fn expire_events(&mut self, before: DateTime<Utc>, limit: u32) -> Result<bool, StoreError> {
        self.run(|conn| {
            let organisations: Vec<i64> =
                organisations::table.select(organisations::id).order(organisations::id).load(conn)?;
            let (mut expired, mut has_more) = (Vec::new(), false);
            for id in organisations {
                if let Some((last, is_full)) = expire(conn, id, before, limit)? {
                    expired.push((id, last));
                    has_more |= is_full;
                }
            }
            if !expired.is_empty() {
                Dialect::remove_events(conn, &expired)?;
            }
            Ok(has_more)
        })
    }
}
