use super::super::schema::account_events;
use super::super::types::Timestamp;
use super::builder::{Builder, next, text};
use super::json::Members;
use crate::error::Result;
use cutover_model::{AccountEvent, Writer};
use diesel::prelude::*;
use std::borrow::Cow;

row! {
    #[derive(Insertable, Queryable, Selectable)]
    #[diesel(table_name = account_events, treat_none_as_default_value = false)]
    pub(super) struct EventRow<'a> {
        pub(super) account_id: i64,
        position: i64,
        event_type: Cow<'a, str>,
        category: Cow<'a, str>,
        subcategory: Cow<'a, str>,
        occurred_at: Timestamp,
        description: Cow<'a, str>,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn account_events(&mut self, events: &'a [AccountEvent<'_>]) -> Result<()> {
        for event in events {
            let row = EventRow {
                account_id: self.account_id,
                position: next(&self.rows.account_events),
                event_type: text(&event.event_type),
                category: text(&event.category),
                subcategory: text(&event.subcategory),
                occurred_at: self.instant(&event.occurred_at)?,
                description: text(&event.description),
            };
            self.rows.account_events.push(row);
        }
        Ok(())
    }
}

impl EventRow<'_> {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.set("event_type", &self.event_type);
        writer.set("category", &self.category);
        writer.set("subcategory", &self.subcategory);
        writer.set("occurred_at", &self.occurred_at);
        writer.set("description", &self.description);
    }
}
