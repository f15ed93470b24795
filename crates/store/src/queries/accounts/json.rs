//! Rows as members of JSON objects.

use super::super::types::{Day, Digits, Json, Timestamp};
use cutover_core::Zone;
use cutover_model::{DateTime, Writer};
use std::borrow::Cow;
use std::collections::HashMap;

/// A value that is a string in a payload.
pub(super) trait Shown {
    fn shown(&self) -> Cow<'_, str>;
}

impl Shown for Cow<'_, str> {
    fn shown(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

impl Shown for Day {
    fn shown(&self) -> Cow<'_, str> {
        self.0.to_string().into()
    }
}

impl Shown for Digits<'_> {
    fn shown(&self) -> Cow<'_, str> {
        self.as_str().into()
    }
}

impl Shown for Timestamp {
    /// The time in UTC. A time that is impossible in a payload is shown as an empty string, which decoding
    /// refuses.
    fn shown(&self) -> Cow<'_, str> {
        let shown = self.instant().map(|instant| DateTime::at(instant, Zone::UTC).as_sent().to_owned());
        shown.unwrap_or_default().into()
    }
}

/// Writes members of the object that a writer is in.
pub(super) trait Members {
    fn set(&mut self, name: &'static str, value: &impl Shown);
    fn set_if(&mut self, name: &'static str, value: &Option<impl Shown>);
    fn flag(&mut self, name: &'static str, value: Option<bool>);
    fn integer(&mut self, name: &'static str, value: Option<i64>);
    /// An array of objects.
    fn list<R>(&mut self, name: &'static str, rows: &[R], write: impl Fn(&R, &mut Writer));
    /// Like `list`, but leaves out an empty array that is not required.
    fn list_if<R>(&mut self, name: &'static str, required: bool, rows: &[R], write: impl Fn(&R, &mut Writer));
    /// Writes the members that have no columns.
    fn details(&mut self, details: &Option<Json<'_>>);
}

impl Members for Writer {
    fn set(&mut self, name: &'static str, value: &impl Shown) {
        self.name(name);
        self.string(&value.shown());
    }

    fn set_if(&mut self, name: &'static str, value: &Option<impl Shown>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    fn flag(&mut self, name: &'static str, value: Option<bool>) {
        if let Some(value) = value {
            self.name(name);
            self.raw(if value { "true" } else { "false" });
        }
    }

    fn integer(&mut self, name: &'static str, value: Option<i64>) {
        if let Some(value) = value {
            self.name(name);
            self.raw(&value.to_string());
        }
    }

    fn list<R>(&mut self, name: &'static str, rows: &[R], write: impl Fn(&R, &mut Writer)) {
        self.name(name);
        self.array(|writer| rows.iter().for_each(|row| writer.object(|writer| write(row, writer))));
    }

    fn list_if<R>(
        &mut self,
        name: &'static str,
        required: bool,
        rows: &[R],
        write: impl Fn(&R, &mut Writer),
    ) {
        if required || !rows.is_empty() {
            self.list(name, rows, write);
        }
    }

    fn details(&mut self, details: &Option<Json<'_>>) {
        let members = details.as_ref().and_then(|json| json.as_str().strip_prefix('{')?.strip_suffix('}'));
        if let Some(members) = members {
            self.raw(members);
        }
    }
}

/// Rows by the position of their parent, in their own order.
pub(super) struct Children<'r, R>(HashMap<i64, Vec<&'r R>>);

impl<'r, R> Children<'r, R> {
    pub(super) fn new(rows: &'r [R], parent: impl Fn(&R) -> i64) -> Self {
        let mut children: HashMap<i64, Vec<&'r R>> = HashMap::new();
        for row in rows {
            children.entry(parent(row)).or_default().push(row);
        }
        Self(children)
    }

    pub(super) fn of(&self, parent: i64) -> &[&'r R] {
        self.0.get(&parent).map(Vec::as_slice).unwrap_or_default()
    }
}
