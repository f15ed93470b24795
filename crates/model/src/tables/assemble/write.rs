//! Writes the bodies whose rows have their places.

use super::link::Links;
use super::{Assembler, Body, BodyLimits, Cell, List, Member, Node, Row, RowFault, RowFaultKind};
use crate::Writer;
use crate::json::{Cursor, Next};
use crate::tables::ColumnType;
use cutover_core::{AttrPath, Segment};
use std::borrow::Cow;

/// The rows of an account or a business and their places.
pub(super) struct Writing<'w, 't, 'r> {
    pub(super) assembler: &'w Assembler<'t>,
    pub(super) rows: &'w [Row<'r>],
    pub(super) links: &'w Links,
}

/// What is noted while a body is written.
#[derive(Default)]
struct Notes {
    path: Vec<Segment>,
    rows: Vec<(usize, AttrPath)>,
    faults: Vec<RowFault>,
}

impl Notes {
    /// Notes the row of the object at the current path.
    fn row(&mut self, row: usize) {
        self.rows.push((row, AttrPath::from(self.path.clone())));
    }

    fn of(self, out: Writer) -> (Body, Vec<RowFault>) {
        (Body { json: out.into_bytes(), rows: self.rows }, self.faults)
    }
}

impl<'t> Writing<'_, 't, '_> {
    /// Writes the body whose own row is `root`.
    pub(super) fn body(&self, root: usize) -> (Body, Vec<RowFault>) {
        let (mut out, mut notes) = (Writer::new(), Notes::default());
        self.object(&self.assembler.tables.root, root, &mut out, &mut notes);
        notes.of(out)
    }

    /// Writes the bodies whose list has these items. `head` are the members of the body.
    pub(super) fn batches(
        &self,
        head: &[(&'static str, Option<usize>)],
        items: &[usize],
        limits: BodyLimits,
    ) -> Vec<(Body, Vec<RowFault>)> {
        let mut bodies = Vec::new();
        let (mut begin, mut bytes) = (0, 0);
        for (at, item) in items.iter().enumerate() {
            // A comma or the brackets of the list come before it.
            let size = self.body(*item).0.json.len() + 1;
            if at > begin && (at - begin >= limits.items || bytes + size > limits.bytes) {
                bodies.push(self.batch(head, &items[begin..at]));
                begin = at;
            }
            if at == begin {
                bytes = self.batch(head, &items[at..=at]).0.json.len();
            } else {
                bytes += size;
            }
        }
        if begin < items.len() {
            bodies.push(self.batch(head, &items[begin..]));
        }
        bodies
    }

    /// Writes the body whose list has these items.
    fn batch(&self, head: &[(&'static str, Option<usize>)], items: &[usize]) -> (Body, Vec<RowFault>) {
        let (mut out, mut notes) = (Writer::new(), Notes::default());
        let first = items[0];
        notes.row(first);
        out.object(|out| {
            for (name, column) in head {
                let Some(column) = *column else {
                    out.name(name);
                    notes.path.push(Segment::Name(Cow::Borrowed(name)));
                    self.list(&self.assembler.tables.root, items, out, &mut notes);
                    notes.path.pop();
                    continue;
                };
                let row = &self.rows[first];
                let of = self.assembler.tables.tables[row.table].columns[column].column_type;
                write_cell(out, name, &row.cells[column], of);
            }
        });
        notes.of(out)
    }

    /// Writes the object of a row.
    fn object(&self, node: &'t Node, row: usize, out: &mut Writer, notes: &mut Notes) {
        notes.row(row);
        self.members(node, row, out, notes);
    }

    fn members(&self, node: &'t Node, row: usize, out: &mut Writer, notes: &mut Notes) {
        out.object(|out| {
            for (name, member) in node.members() {
                notes.path.push(Segment::Name(Cow::Borrowed(name)));
                self.member((name, member), row, out, notes);
                notes.path.pop();
            }
        });
    }

    fn member(
        &self,
        (name, member): (&'static str, &'t Member),
        row: usize,
        out: &mut Writer,
        notes: &mut Notes,
    ) {
        match member {
            Member::Value(column) => {
                let of = self.assembler.tables.tables[self.rows[row].table].columns[*column].column_type;
                write_cell(out, name, &self.rows[row].cells[*column], of);
            }
            Member::Object(inside, empty) if self.has_any(inside, row) => {
                notes.faults.extend(self.contradiction(row, *empty));
                out.name(name);
                self.members(inside, row, out, notes);
            }
            Member::Object(_, empty) => self.empty(name, row, *empty, "{}", out),
            Member::List(list, empty) => match self.links.items.get(&self.key(list, row)) {
                Some(items) => {
                    notes.faults.extend(self.contradiction(row, *empty));
                    out.name(name);
                    self.list(&list.items, items, out, notes);
                }
                None if list.is_always => {
                    out.name(name);
                    out.raw("[]");
                }
                None => self.empty(name, row, *empty, "[]", out),
            },
        }
    }

    fn list(&self, node: &'t Node, items: &[usize], out: &mut Writer, notes: &mut Notes) {
        out.array(|out| {
            for (index, item) in (0..).zip(items) {
                notes.path.push(Segment::Index(index));
                self.object(node, *item, out, notes);
                notes.path.pop();
            }
        });
    }

    /// Writes a list or an object without rows and members if its column says that it is there.
    fn empty(&self, name: &'static str, row: usize, column: Option<usize>, value: &str, out: &mut Writer) {
        let Some(column) = column else { return };
        match &self.rows[row].cells[column] {
            Cell::Value(text) if text.trim() == value => {
                out.name(name);
                out.raw(value);
            }
            cell => write_cell(out, name, cell, ColumnType::Text),
        }
    }

    /// The fault of a column that says of a list or an object with content that it is empty.
    fn contradiction(&self, row: usize, column: Option<usize>) -> Option<RowFault> {
        let is_set = self.rows[row].cells[column?] != Cell::Absent;
        is_set.then_some(RowFault { row, column, kind: RowFaultKind::NotEmpty })
    }

    /// True if an object that is part of a row has a member.
    fn has_any(&self, node: &Node, row: usize) -> bool {
        let is_there = |column: &Option<usize>| {
            column.is_some_and(|column| self.rows[row].cells[column] != Cell::Absent)
        };
        node.members().any(|(_, member)| match member {
            Member::Value(column) => is_there(&Some(*column)),
            Member::Object(inside, empty) => is_there(empty) || self.has_any(inside, row),
            Member::List(list, empty) => {
                is_there(empty) || self.links.items.contains_key(&self.key(list, row))
            }
        })
    }

    fn key(&self, list: &List, row: usize) -> (usize, usize, usize) {
        let lists = &self.assembler.tables.tables[list.table].lists;
        let index = lists.iter().position(|path| *path == list.path).unwrap_or_default();
        (row, list.table, index)
    }
}

/// Writes a member of a cell. Text that has not the form of the column is a string, which the field checks name.
fn write_cell(out: &mut Writer, name: &'static str, cell: &Cell<'_>, of: ColumnType) {
    let text = match cell {
        Cell::Absent => return,
        Cell::Null => {
            out.name(name);
            return out.raw("null");
        }
        Cell::Value(text) => text,
    };
    out.name(name);
    match of {
        ColumnType::Boolean if matches!(&**text, "true" | "false") => out.raw(text),
        ColumnType::Integer if is_number(text) => out.raw(text),
        ColumnType::Json if is_json(text, |_| true) => out.raw(&on_one_line(text)),
        _ => out.string(text),
    }
}

/// True if a text is a JSON number and nothing else.
fn is_number(text: &str) -> bool {
    !text.contains(|char: char| char.is_ascii_whitespace()) && is_json(text, |next| next == Next::Number)
}

/// True if a text is one JSON value of a kind.
fn is_json(text: &str, is_kind: impl FnOnce(Next) -> bool) -> bool {
    let Ok(mut cursor) = Cursor::new(text.as_bytes()) else { return false };
    let is_value = cursor.peek().is_ok_and(is_kind) && cursor.skip().is_ok();
    is_value && cursor.finish().is_ok()
}

/// JSON text on one line: line ends occur only between its values, since strings have them escaped.
fn on_one_line(json: &str) -> Cow<'_, str> {
    match json.contains(['\n', '\r']) {
        true => Cow::Owned(json.replace(['\n', '\r'], " ")),
        false => Cow::Borrowed(json),
    }
}
