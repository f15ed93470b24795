//! Imported data as fields, tables and groups of them, built from the payload's own members: members added to
//! the model are shown without changes here.

use super::super::view::ROWS;
use super::mask::Mask;
use super::value::Value;
use askama::Template;

/// Items of another list on one page.
const ITEMS: usize = 10;

/// Lists whose items are shown one below the other. All others are tables.
const CARDS: &[&str] = &["customers", "ledgers", "meter_points", "meters", "supply_addresses"];

/// The content of a table cell or field.
#[derive(Template)]
#[template(path = "console/cell.html")]
pub(super) enum Cell {
    /// No value.
    Nothing,
    /// Hidden until it is requested.
    Masked,
    Text(String),
    /// Too large for the cell: a summary, and the content.
    More(String, Blocks),
}

/// Parts of a page, one below the other.
#[derive(Template)]
#[template(path = "console/blocks.html")]
pub(in crate::console) struct Blocks {
    parts: Vec<Part>,
}

pub(super) enum Part {
    Fields(Vec<(String, Cell)>),
    Table(Table),
    Group(String, Blocks),
    PageLinks(PageLinks),
}

/// Links to the other pages of a list that is shown as groups.
pub(super) struct PageLinks {
    /// The id of the list, in queries and in the page.
    id: String,
    caption: String,
    pages: Pages,
}

/// A page of a table.
pub(super) struct Table {
    /// The id of the table, in queries and in the page.
    id: String,
    caption: String,
    /// Set if it needs its own heading.
    has_heading: bool,
    heads: Vec<String>,
    rows: Vec<Vec<Cell>>,
    pages: Pages,
}

/// The page of a list that is shown, with links to the others.
pub(super) struct Pages {
    /// Number of items on the pages before.
    first: usize,
    number: usize,
    last: usize,
    count: usize,
    before: Option<PageLink>,
    after: Option<PageLink>,
}

/// A link to another page.
pub(super) enum PageLink {
    Link(String),
    /// A form: revealed personal data must be requested again.
    Form {
        action: String,
        part: String,
        page: usize,
    },
}

/// A section of an account's page, with its heading.
pub(in crate::console) struct Section {
    pub(in crate::console) id: String,
    pub(in crate::console) title: String,
    pub(in crate::console) blocks: Blocks,
}

/// Settings of an account's layout.
pub(in crate::console) struct Layout<'a> {
    /// The path of the page.
    pub(in crate::console) link: &'a str,
    /// The title of the section with its own fields.
    pub(in crate::console) title: &'a str,
    /// The list that shows another page than its first, and the number of that page.
    pub(in crate::console) selected: Option<(String, usize)>,
    pub(in crate::console) mask: Mask,
}

impl Layout<'_> {
    /// Returns the sections of an account: its own fields, then each list and object.
    pub(in crate::console) fn sections(&self, account: Vec<(String, Value)>) -> Vec<Section> {
        let (simple, large): (Vec<_>, Vec<_>) = account.into_iter().partition(|(_, value)| is_simple(value));
        let own = Section {
            id: "part-account".into(),
            title: self.title.to_owned(),
            blocks: self.object(simple, "account", self.mask),
        };
        let section = |(name, value): (String, Value)| {
            let (title, mask) = (label(&name), self.mask.of(&name));
            let title =
                if let Value::List(items) = &value { format!("{title} ({})", items.len()) } else { title };
            let mut parts = Vec::new();
            self.large(&name, value, name.clone(), mask, &mut parts);
            Section { id: format!("part-{name}"), title, blocks: Blocks { parts } }
        };
        std::iter::once(own).chain(large.into_iter().map(section)).collect()
    }

    /// Lays out the members of an object: simple ones as fields, the others below.
    fn object(&self, members: Vec<(String, Value)>, path: &str, mask: Mask) -> Blocks {
        let (mut fields, mut below) = (Vec::new(), Vec::new());
        for (name, value) in members {
            let (mask, path) = (mask.of(&name), format!("{path}-{name}"));
            match value {
                Value::Null => {}
                value if mask.hides() || is_simple(&value) => {
                    fields.push((label(&name), simple(value, &path, mask)))
                }
                value => self.large(&name, value, path, mask, &mut below),
            }
        }
        let fields = (!fields.is_empty()).then_some(Part::Fields(fields));
        Blocks { parts: fields.into_iter().chain(below).collect() }
    }

    fn large(&self, name: &str, value: Value, path: String, mask: Mask, parts: &mut Vec<Part>) {
        match value {
            Value::List(items) if CARDS.contains(&name) => self.cards(name, items, path, mask, parts),
            Value::List(items) => parts.push(Part::Table(self.table(name, items, path, mask))),
            Value::Object(members) => parts.push(Part::Group(label(name), self.object(members, &path, mask))),
            value => parts.push(Part::Fields(vec![(label(name), simple(value, &path, mask))])),
        }
    }

    fn cards(&self, name: &str, items: Vec<Value>, id: String, mask: Mask, parts: &mut Vec<Part>) {
        let pages = self.pages(&id, items.len(), ITEMS);
        let shown: Vec<_> = items.into_iter().enumerate().skip(pages.first).take(ITEMS).collect();
        if pages.last > 1 {
            parts.push(Part::PageLinks(PageLinks { id: id.clone(), caption: label(name), pages }));
        }
        for (i, item) in shown {
            let Value::Object(members) = item else { continue };
            let blocks = self.object(members, &format!("{id}-{i}"), mask);
            parts.push(Part::Group(format!("{} {}", singular(name), i + 1), blocks));
        }
    }

    fn table(&self, name: &str, items: Vec<Value>, id: String, mask: Mask) -> Table {
        let heads = heads(&items);
        let pages = self.pages(&id, items.len(), ROWS);
        // The index counts over all pages, so that parts within a row keep their id on each of them.
        let shown = items.into_iter().enumerate().skip(pages.first).take(ROWS);
        let rows = shown.map(|(i, item)| self.row(&heads, item, &format!("{id}-{i}"), mask)).collect();
        Table {
            caption: label(name),
            has_heading: id.contains('-'),
            heads: heads.iter().map(|head| label(head)).collect(),
            rows,
            pages,
            id,
        }
    }

    fn row(&self, heads: &[String], item: Value, path: &str, mask: Mask) -> Vec<Cell> {
        let mut members = match item {
            Value::Object(members) => members,
            value => vec![(String::new(), value)],
        };
        let cell = |head: &String| {
            let found = members.iter().position(|(name, _)| name == head);
            let Some((name, value)) = found.map(|at| members.swap_remove(at)) else { return Cell::Nothing };
            let (mask, path) = (mask.of(&name), format!("{path}-{name}"));
            if mask.hides() || is_simple(&value) {
                return simple(value, &path, mask);
            }
            let count = match &value {
                Value::List(items) => items.len().to_string(),
                _ => "Details".to_owned(),
            };
            let mut parts = Vec::new();
            self.large(&name, value, path, mask, &mut parts);
            Cell::More(count, Blocks { parts })
        };
        heads.iter().map(cell).collect()
    }

    fn pages(&self, id: &str, count: usize, size: usize) -> Pages {
        let last = count.div_ceil(size).max(1);
        let asked = self.selected.as_ref().and_then(|(part, page)| asked(part, *page, id, size)).unwrap_or(1);
        let number = asked.clamp(1, last);
        let link = |page: usize| match self.mask {
            Mask::Nothing => {
                PageLink::Form { action: format!("{}reveal/#{id}", self.link), part: id.to_owned(), page }
            }
            _ => PageLink::Link(format!("{}?part={id}&page={page}#{id}", self.link)),
        };
        let before = (number > 1).then(|| link(number - 1));
        let after = (number < last).then(|| link(number + 1));
        Pages { first: (number - 1) * size, number, last, count, before, after }
    }
}

/// Returns the page of a list to show when a page of a part is requested: that page if the part is the list,
/// the page with the item that contains the part, or none.
fn asked(part: &str, page: usize, id: &str, size: usize) -> Option<usize> {
    let rest = part.strip_prefix(id)?;
    if rest.is_empty() {
        return Some(page);
    }
    let (item, _) = rest.strip_prefix('-')?.split_once('-')?;
    Some(item.parse::<usize>().ok()? / size + 1)
}

/// Returns the names of all members of the items, in order of first appearance; one empty name for items that
/// are not objects.
fn heads(items: &[Value]) -> Vec<String> {
    let mut heads: Vec<String> = Vec::new();
    for item in items {
        let Value::Object(members) = item else { return vec![String::new()] };
        for (name, value) in members {
            if *value != Value::Null && !heads.contains(name) {
                heads.push(name.clone());
            }
        }
    }
    heads
}

/// Returns true for a value that fits into a line: neither an object nor a list that contains one.
fn is_simple(value: &Value) -> bool {
    match value {
        Value::Object(_) => false,
        Value::List(items) => items.iter().all(|item| !matches!(item, Value::Object(_) | Value::List(_))),
        _ => true,
    }
}

/// Returns the cell of a simple value. The path has the names and positions that lead to it, joined by `-`.
fn simple(value: Value, path: &str, mask: Mask) -> Cell {
    match value {
        Value::Null => Cell::Nothing,
        Value::List(items) if items.is_empty() => Cell::Nothing,
        // Blank means absent.
        Value::Text(text) if text.trim().is_empty() => Cell::Nothing,
        _ if mask.hides() => Cell::Masked,
        Value::Text(text) => Cell::Text(with_meaning(text, path)),
        value => Cell::Text(line(value)),
    }
}

/// Returns a text, with its meaning if it is a code.
fn with_meaning(text: String, path: &str) -> String {
    match cutover_model::meaning(&path.replace('-', "."), &text) {
        Some(meaning) => format!("{text} ({meaning})"),
        None => text,
    }
}

fn line(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        Value::Plain(word) if word == "true" => "Yes".to_owned(),
        Value::Plain(word) if word == "false" => "No".to_owned(),
        Value::Plain(written) => written,
        Value::List(items) => items.into_iter().map(line).collect::<Vec<_>>().join(", "),
        Value::Null | Value::Object(_) => String::new(),
    }
}

/// Returns the name of a member as a label.
fn label(name: &str) -> String {
    let word = |word: &str| match word {
        "id" | "bsb" | "mpxn" | "nmi" | "mirn" | "kpa" | "lnsp" | "mdp" => word.to_ascii_uppercase(),
        _ => word.to_owned(),
    };
    let mut label = name.split('_').map(word).collect::<Vec<_>>().join(" ");
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    label
}

/// Returns the singular of a list's name.
fn singular(name: &str) -> String {
    let label = label(name);
    let one = label.strip_suffix("sses").map(|stem| format!("{stem}ss"));
    one.unwrap_or_else(|| label.trim_end_matches('s').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_labels() {
        assert_eq!(label("meter_serial_number"), "Meter serial number");
        assert_eq!(label("parent_nmi"), "Parent NMI");
        assert_eq!(
            ["supply_addresses", "ledgers", "meter_points"].map(singular),
            ["Supply address", "Ledger", "Meter point"]
        );
    }

    #[test]
    fn a_long_table_has_pages() {
        let layout = |page| Layout {
            link: "/a/",
            title: "Account",
            selected: Some(("t".into(), page)),
            mask: Mask::Personal,
        };
        let items =
            || (0..60).map(|n| Value::Object(vec![("amount".into(), Value::Plain(n.to_string()))])).collect();
        for (asked, number, rows) in [(0, 1, 25), (1, 1, 25), (3, 3, 10), (9, 3, 10)] {
            let table = layout(asked).table("ledgers", items(), "t".into(), Mask::Personal);
            assert_eq!((table.pages.number, table.rows.len(), table.pages.last), (number, rows, 3));
            assert_eq!((table.pages.before.is_some(), table.pages.after.is_some()), (number > 1, number < 3));
        }
    }

    /// Returns `count` objects with a member that holds their index, and another.
    fn list(count: usize, other: impl Fn(usize) -> (String, Value)) -> Value {
        let index = |n: usize| ("statement_id".into(), Value::Text(format!("[{n}]")));
        Value::List((0..count).map(|n| Value::Object(vec![index(n), other(n)])).collect())
    }

    fn html(selected: (&str, usize), name: &str, value: Value) -> String {
        let selected = Some((selected.0.to_owned(), selected.1));
        let layout = Layout { link: "/a/", title: "Account", selected, mask: Mask::Personal };
        let sections = layout.sections(vec![(name.to_owned(), value)]);
        sections.iter().map(|section| section.blocks.render().unwrap()).collect()
    }

    /// In a table, in fields and in a table within them: all of them know where they are.
    #[test]
    fn codes_have_their_meaning_beside_them() {
        let addresses = r#"[{"meter_points": [{"supply_type": "EMBEDDED_ELECTRICITY",
            "nmi_status_periods": [{"status": "D"}],
            "meters": [{"status": "C", "read_type_frequency": "2", "registers": [{"status": "R"}]}]}]}]"#;
        let html = html(("", 1), "supply_addresses", Value::read(addresses).unwrap());
        for shown in ["D (de-energised)", "C (current)", "2 (every two months)", "R (removed)"] {
            assert!(html.contains(&format!(">{shown}<")), "{shown}: {html}");
        }
        assert!(html.contains(">EMBEDDED_ELECTRICITY<"), "{html}");
    }

    #[test]
    fn a_list_within_a_row_has_its_own_pages() {
        let outer = || {
            list(30, |row| {
                let amount = |n| ("amount".to_owned(), Value::Plain(format!("{row}.{n:02}")));
                ("events".into(), list(30, amount))
            })
        };
        let second = html(("statements", 2), "statements", outer());
        assert!(second.contains("[25]<") && second.contains(">26.00<") && !second.contains(">1.00<"));
        let link = "/a/?part=statements-26-events&amp;page=2#statements-26-events";
        assert!(second.contains(link), "{second}");
        let selected = html(("statements-26-events", 2), "statements", outer());
        assert!(selected.contains(">26.29<") && !selected.contains(">26.00<"), "the inner one");
        assert!(selected.contains(">27.00<") && !selected.contains(">27.29<"), "the one next to it");
        assert!(!selected.contains(">1.00<"), "the outer one");
    }

    #[test]
    fn a_long_list_has_pages() {
        let ledgers = || {
            list(23, |ledger| {
                let amount = |n| ("amount".to_owned(), Value::Plain(format!("{ledger}.{n:02}")));
                ("statements".into(), list(30, amount))
            })
        };
        let shown = |selected| {
            let html = html(selected, "ledgers", ledgers());
            let titles = html.split("<h4>Ledger ").skip(1);
            let numbers: Vec<u32> =
                titles.map(|rest| rest.split('<').next().unwrap().parse().unwrap()).collect();
            (numbers, html)
        };
        assert_eq!(shown(("", 1)).0, Vec::from_iter(1..=10));
        let (last, html) = shown(("ledgers", 3));
        assert_eq!(last, [21, 22, 23]);
        assert!(html.contains("Page 3 of 3") && html.contains("/a/?part=ledgers&amp;page=2#ledgers"));
        let (around, html) = shown(("ledgers-12-statements", 2));
        assert_eq!(around, Vec::from_iter(11..=20));
        assert!(html.contains(">12.29<") && !html.contains(">12.00<"), "{html}");
    }
}
