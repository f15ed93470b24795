//! The payload of an attempt as lines of JSON, with the members that have faults marked.

use super::mask::{Mask, is_envelope, mask_of_root};
use super::value::Value;
use cutover_app::port::StoredIssue;
use cutover_core::IssueSource;
use std::collections::BTreeMap;

/// Maximum number of lines shown.
pub(super) const MAX_LINES: usize = 2_000;
/// Maximum size in bytes of the names and the values shown.
const MAX_BYTES: usize = 256 << 10;
/// Lists with more items show only those with faults.
const FEW_ITEMS: usize = 3;
/// Maximum number of characters shown of a value.
const MAX_TEXT: usize = 200;

/// A payload as lines.
pub(super) struct Payload {
    pub(super) lines: Vec<Line>,
    /// Set if further lines are not shown.
    pub(super) is_cut: bool,
}

/// A line of a payload.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Line {
    /// Its number, from 1.
    pub(super) number: usize,
    /// The blanks before it.
    pub(super) indent: String,
    /// The name of the member and a colon.
    pub(super) name: Option<String>,
    /// Brackets, a value or a remark.
    pub(super) text: String,
    pub(super) kind: Kind,
    /// The comma after it.
    pub(super) end: &'static str,
    /// The faults that are reported here.
    pub(super) marks: Vec<Mark>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Kind {
    #[default]
    Plain,
    /// A hidden value.
    Masked,
    /// About what is not shown.
    Remark,
}

/// A fault at a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mark {
    /// The id of the row that describes it.
    pub(super) id: String,
    pub(super) code: String,
    pub(super) is_error: bool,
}

/// Faults by the place of their members: positions of members and items, from the root.
#[derive(Default)]
struct Marked {
    /// Positions in the list of all faults.
    here: Vec<usize>,
    /// Set if a fault is about this very value, which is a reference.
    is_reference: bool,
    below: BTreeMap<usize, Marked>,
}

impl Marked {
    /// Adds a fault at its member. A member that is missing counts at the object in which it is missing.
    fn add(&mut self, root: &Value, path: &str, fault: usize) {
        let (mut node, mut value) = (self, root);
        // In an envelope, paths begin inside of the account.
        if is_envelope(root) && path != "task_params" && !path.starts_with("task_params.") {
            match child(value, "payload") {
                Some((position, account)) => {
                    (node, value) = (node.below.entry(position).or_default(), account);
                }
                None => return node.here.push(fault),
            }
        }
        for segment in path.split('.') {
            let Some((position, next)) = child(value, segment) else { return node.here.push(fault) };
            (node, value) = (node.below.entry(position).or_default(), next);
        }
        node.here.push(fault);
        node.is_reference |= cutover_model::is_reference(path);
    }
}

/// Returns the member or the item of a segment, with its position.
fn child<'v>(value: &'v Value, segment: &str) -> Option<(usize, &'v Value)> {
    match value {
        Value::Object(members) => {
            let position = members.iter().position(|(name, _)| name == segment)?;
            Some((position, &members[position].1))
        }
        Value::List(items) => {
            let position: usize = segment.parse().ok()?;
            Some((position, items.get(position)?))
        }
        _ => None,
    }
}

/// The faults of a payload with the ids of their rows: errors, then warnings.
pub(super) fn marks<'i>(errors: &'i [StoredIssue], warnings: &'i [StoredIssue]) -> Vec<(&'i str, Mark)> {
    let mark = |id: String, issue: &'i StoredIssue, is_error| {
        (issue.attr.as_str(), Mark { id, code: issue.code.clone(), is_error })
    };
    let errors = errors.iter().enumerate().map(|(n, issue)| mark(format!("error-{n}"), issue, true));
    // Those of later requests are not about this payload.
    let of_payload = |(_, issue): &(usize, &StoredIssue)| issue.source == IssueSource::Account;
    let warnings = warnings.iter().enumerate().filter(of_payload);
    errors.chain(warnings.map(|(n, issue)| mark(format!("warning-{n}"), issue, false))).collect()
}

impl Payload {
    /// Lays a payload out. Lists without faults are summed up, long ones as well as those that are long but for a few
    /// items.
    pub(super) fn new(root: &Value, marks: &[(&str, Mark)], mask: Mask) -> Self {
        let mut marked = Marked::default();
        for (position, (path, _)) in marks.iter().enumerate() {
            marked.add(root, path, position);
        }
        let mut writer = Writer { marks, lines: Vec::new(), bytes: 0, is_cut: false };
        let place = Place { depth: 0, name: None, end: "" };
        writer.value(root, place, mask_of_root(root, mask), Some(&marked));
        Self { lines: writer.lines, is_cut: writer.is_cut }
    }

    /// Returns the id of the line at which a fault is marked, if it is shown.
    pub(super) fn anchor(&self, id: &str) -> Option<String> {
        let line = self.lines.iter().find(|line| line.marks.iter().any(|mark| mark.id == id))?;
        Some(format!("line-{}", line.number))
    }
}

/// The place of a value within its parent.
struct Place {
    depth: usize,
    name: Option<String>,
    end: &'static str,
}

struct Writer<'m> {
    marks: &'m [(&'m str, Mark)],
    lines: Vec<Line>,
    bytes: usize,
    is_cut: bool,
}

impl Writer<'_> {
    fn line(&mut self, place: Place, text: String, kind: Kind, marked: Option<&Marked>) {
        self.bytes += text.len() + place.name.as_ref().map_or(0, String::len);
        if self.lines.len() >= MAX_LINES || self.bytes > MAX_BYTES {
            self.is_cut = true;
            return;
        }
        let marks = marked.map(|marked| &marked.here[..]).unwrap_or_default();
        self.lines.push(Line {
            number: self.lines.len() + 1,
            indent: "  ".repeat(place.depth),
            name: place.name.map(|name| format!("{name}: ")),
            text,
            kind,
            end: place.end,
            marks: marks.iter().map(|fault| self.marks[*fault].1.clone()).collect(),
        });
    }

    fn value(&mut self, value: &Value, place: Place, mask: Mask, marked: Option<&Marked>) {
        match value {
            Value::Object(members) if members.is_empty() => {
                self.line(place, "{}".into(), Kind::Plain, marked)
            }
            Value::List(items) if items.is_empty() => self.line(place, "[]".into(), Kind::Plain, marked),
            Value::Object(members) => self.object(members, place, mask, marked),
            Value::List(items) => self.list(items, place, mask, marked),
            Value::Null => self.line(place, "null".into(), Kind::Plain, marked),
            Value::Text(text) if text.is_empty() => self.line(place, "\"\"".into(), Kind::Plain, marked),
            _ if mask.hides() && !marked.is_some_and(|marked| marked.is_reference) => {
                self.line(place, String::new(), Kind::Masked, marked);
            }
            Value::Text(text) => {
                self.line(
                    place,
                    shortened(&serde_json::Value::from(text.as_str()).to_string()),
                    Kind::Plain,
                    marked,
                );
            }
            Value::Plain(written) => self.line(place, shortened(written), Kind::Plain, marked),
        }
    }

    fn object(&mut self, members: &[(String, Value)], place: Place, mask: Mask, marked: Option<&Marked>) {
        let Place { depth, name, end } = place;
        self.line(Place { depth, name, end: "" }, "{".into(), Kind::Plain, marked);
        for (n, (name, value)) in members.iter().enumerate() {
            if self.is_cut {
                return;
            }
            let end = if n + 1 < members.len() { "," } else { "" };
            let quoted = serde_json::Value::from(name.as_str()).to_string();
            let place = Place { depth: depth + 1, name: Some(shortened(&quoted)), end };
            let below = marked.and_then(|marked| marked.below.get(&n));
            self.value(value, place, mask.of(name), below);
        }
        self.line(Place { depth, name: None, end }, "}".into(), Kind::Plain, None);
    }

    /// Shows all items of a short list, and of others those with faults.
    fn list(&mut self, items: &[Value], place: Place, mask: Mask, marked: Option<&Marked>) {
        let has_faults = marked.is_some_and(|marked| !marked.below.is_empty());
        let Place { depth, name, end } = place;
        if items.len() > FEW_ITEMS && !has_faults {
            let text = format!("[ {} items ]", items.len());
            return self.line(Place { depth, name, end }, text, Kind::Remark, marked);
        }
        self.line(Place { depth, name, end: "" }, "[".into(), Kind::Plain, marked);
        let mut left_out = 0;
        for (n, item) in items.iter().enumerate() {
            if self.is_cut {
                return;
            }
            let below = marked.and_then(|marked| marked.below.get(&n));
            if items.len() > FEW_ITEMS && below.is_none() {
                left_out += 1;
                continue;
            }
            self.left_out(depth + 1, std::mem::take(&mut left_out));
            let end = if n + 1 < items.len() { "," } else { "" };
            // The position helps to find an item by its path.
            let name = (items.len() > 1).then(|| format!("[{n}]"));
            self.value(item, Place { depth: depth + 1, name, end }, mask, below);
        }
        self.left_out(depth + 1, left_out);
        self.line(Place { depth, name: None, end }, "]".into(), Kind::Plain, None);
    }

    fn left_out(&mut self, depth: usize, count: usize) {
        if count > 0 {
            let items = if count == 1 { "item" } else { "items" };
            let text = format!("… {count} {items} without a fault");
            self.line(Place { depth, name: None, end: "" }, text, Kind::Remark, None);
        }
    }
}

/// Returns the beginning of a long text.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({} characters)", &text[..end], text.chars().count()),
    }
}
