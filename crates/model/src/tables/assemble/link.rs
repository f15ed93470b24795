//! Finds the parent and the place of each row.

use super::{Assembler, Cell, Link, Row, RowFault, RowFaultKind};
use crate::tables::derive::Shape;
use std::borrow::Cow;
use std::collections::HashMap;

/// The rows of an account with their places.
#[derive(Debug, Default)]
pub(super) struct Links {
    /// The rows of the first table that make bodies. For [batches](Shape::Batches) each group has the items with the same
    /// members of the request, in their order; otherwise each row makes a body.
    pub(super) tops: Vec<Vec<usize>>,
    /// The items of each list, in their order: by the row of the parent, the table, and the index of the list.
    pub(super) items: HashMap<(usize, usize, usize), Vec<usize>>,
    pub(super) faults: Vec<RowFault>,
}

/// The parents that have the keys of a row.
#[derive(Debug, Clone, Copy)]
enum Found {
    None,
    One(usize),
    Several,
}

/// Keys of a row by which its parent is looked for; `None` where the cell is absent.
type Keys<'k> = Vec<Option<Cow<'k, str>>>;

/// The keys that rows below inherit, by the index of their column. There are few.
#[derive(Debug, Clone, Default)]
struct Handed<'r>(Vec<(usize, Cow<'r, str>)>);

impl<'r> Handed<'r> {
    fn get(&self, column: &usize) -> Option<&Cow<'r, str>> {
        self.0.iter().find(|(known, _)| known == column).map(|(_, key)| key)
    }

    fn insert(&mut self, column: usize, key: Cow<'r, str>) {
        if self.get(&column).is_none() {
            self.0.push((column, key));
        }
    }
}

/// A row of a list with its position, if it has one.
type Unordered = (Option<u64>, usize);

pub(super) fn link<'r>(assembler: &Assembler<'_>, rows: &'r [Row<'r>]) -> Links {
    let mut links = Links::default();
    let mut by_table = vec![Vec::new(); assembler.links.len()];
    for (index, row) in rows.iter().enumerate() {
        by_table[row.table].push(index);
    }
    let mut handed: Vec<Handed<'r>> = vec![Handed::default(); rows.len()];
    let mut placed: Vec<Vec<usize>> = vec![Vec::new(); by_table.len()];
    for (table, of_table) in by_table.iter().enumerate() {
        if table == 0 {
            placed[0] = match &assembler.tables.shape {
                Shape::ByKey => links.only(of_table),
                Shape::ByRow => links.ordered_tops(assembler, rows, (of_table, &[]), &mut handed),
                Shape::Batches(head) => links.ordered_tops(assembler, rows, (of_table, head), &mut handed),
            };
        } else {
            let parents = std::mem::take(&mut placed[assembler.links[table].parent]);
            placed[table] = links.children(assembler, rows, table, (of_table, &parents), &mut handed);
            placed[assembler.links[table].parent] = parents;
        }
        for row in &placed[table] {
            own_keys(assembler, table, &rows[*row], &mut handed[*row]);
        }
    }
    links
}

/// Adds the key columns that a row does not inherit and whose value is in a cell.
fn own_keys<'r>(assembler: &Assembler<'_>, table: usize, row: &'r Row<'r>, handed: &mut Handed<'r>) {
    for link in assembler.links.iter().filter(|link| link.parent == table) {
        for (from, _) in link.inherited {
            if let Cell::Value(value) = &row.cells[*from] {
                handed.insert(*from, Cow::Borrowed(value));
            }
        }
    }
}

impl Links {
    /// Takes the first row as that of the account or the request.
    fn only(&mut self, rows: &[usize]) -> Vec<usize> {
        let [first, others @ ..] = rows else { return Vec::new() };
        others.iter().for_each(|row| self.fault(*row, None, RowFaultKind::DuplicateKey { first: *first }));
        self.tops.push(vec![*first]);
        vec![*first]
    }

    /// Groups the rows of the first table by the members of their request, and orders each group.
    fn ordered_tops<'r>(
        &mut self,
        assembler: &Assembler<'_>,
        rows: &'r [Row<'r>],
        (of_table, head): (&[usize], &[(&'static str, Option<usize>)]),
        handed: &mut [Handed<'r>],
    ) -> Vec<usize> {
        let link = &assembler.links[0];
        let mut groups: Vec<Vec<Unordered>> = Vec::new();
        let mut known: HashMap<Vec<&Cell<'r>>, usize> = HashMap::new();
        for row in of_table.iter().copied() {
            let cells = &rows[row].cells;
            let Ok(position) = position_of(link.position.map(|column| &cells[column])) else {
                self.fault(row, link.position, RowFaultKind::InvalidPosition);
                continue;
            };
            let members = head.iter().filter_map(|(_, column)| Some(&cells[(*column)?])).collect();
            let group = *known.entry(members).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push((position, row));
        }
        for group in groups {
            let items = self.ordered(group, link, rows);
            for (position, item) in &items {
                if let Some(column) = link.position {
                    handed[*item].insert(column, Cow::Owned(position.to_string()));
                }
            }
            self.tops.push(items.into_iter().map(|(_, item)| item).collect());
        }
        self.tops.concat()
    }

    /// Places the rows of a table below their parents. Returns those that have a place.
    fn children<'r>(
        &mut self,
        assembler: &Assembler<'_>,
        rows: &'r [Row<'r>],
        table: usize,
        (of_table, parents): (&[usize], &[usize]),
        handed: &mut [Handed<'r>],
    ) -> Vec<usize> {
        let link = &assembler.links[table];
        let lists = &assembler.tables.tables[table].lists;
        let mut search = Search::new(link.inherited, parents, handed);
        let mut groups: HashMap<(usize, usize), Vec<Unordered>> = HashMap::new();
        let mut order = Vec::new();
        for row in of_table.iter().copied() {
            let cells = &rows[row].cells;
            let parent = match search.parent(cells, handed) {
                Found::One(parent) => parent,
                Found::None => {
                    self.fault(row, None, RowFaultKind::Orphan);
                    continue;
                }
                Found::Several => {
                    self.fault(row, None, RowFaultKind::AmbiguousParent);
                    continue;
                }
            };
            let Some(list) = list_of(link.list.map(|column| &cells[column]), lists) else {
                self.fault(row, link.list, RowFaultKind::UnknownList);
                continue;
            };
            let Ok(position) = position_of(link.position.map(|column| &cells[column])) else {
                self.fault(row, link.position, RowFaultKind::InvalidPosition);
                continue;
            };
            let group = groups.entry((parent, list)).or_default();
            if group.is_empty() {
                order.push((parent, list));
            }
            group.push((position, row));
        }
        let mut placed = Vec::new();
        for (parent, list) in order {
            let group = groups.remove(&(parent, list)).unwrap_or_default();
            let items = self.ordered(group, link, rows);
            for (position, item) in &items {
                let inherited = link.inherited.iter();
                let inherited =
                    inherited.filter_map(|(from, to)| Some((*to, handed[parent].get(from)?.clone())));
                let mut keys = Handed(inherited.collect());
                if let Some(column) = link.position {
                    keys.insert(column, Cow::Owned(position.to_string()));
                }
                handed[*item] = keys;
            }
            let items: Vec<usize> = items.into_iter().map(|(_, item)| item).collect();
            placed.extend(&items);
            self.items.insert((parent, table, list), items);
        }
        placed
    }

    /// The items of a list in their order, each with its position; those without one follow in the order of the rows. Where no
    /// position tells two items apart, their natural keys must.
    fn ordered(&mut self, mut group: Vec<Unordered>, link: &Link<'_>, rows: &[Row<'_>]) -> Vec<(u64, usize)> {
        let mut keys: HashMap<&str, usize> = HashMap::new();
        group.sort_by_key(|(position, row)| (position.unwrap_or(u64::MAX), *row));
        let mut items: Vec<(u64, usize)> = Vec::with_capacity(group.len());
        for (position, row) in group {
            let last = items.last().copied();
            let key = link.key.and_then(|key| rows[row].cells[key].value());
            let same_key = key.and_then(|key| keys.get(key).copied()).filter(|_| position.is_none());
            match (position, last) {
                (Some(position), Some((taken, first))) if position == taken => {
                    self.fault(row, link.position, RowFaultKind::DuplicateKey { first });
                    continue;
                }
                (Some(position), _) => items.push((position, row)),
                (None, last) => match same_key {
                    Some(first) => {
                        self.fault(row, link.key, RowFaultKind::DuplicateKey { first });
                        continue;
                    }
                    None => items.push((last.map_or(1, |(taken, _)| taken.saturating_add(1)), row)),
                },
            }
            if let Some(key) = key {
                keys.entry(key).or_insert(row);
            }
        }
        items
    }

    fn fault(&mut self, row: usize, column: Option<usize>, kind: RowFaultKind) {
        self.faults.push(RowFault { row, column, kind });
    }
}

/// Looks for parents by the keys of rows.
struct Search<'s, 'r> {
    inherited: &'s [(usize, usize)],
    parents: &'s [usize],
    /// What was found, so that each combination of keys is looked for once.
    found: HashMap<Keys<'r>, Found>,
}

impl<'s, 'r> Search<'s, 'r> {
    fn new(inherited: &'s [(usize, usize)], parents: &'s [usize], handed: &[Handed<'r>]) -> Self {
        // Rows with all keys, as `Tables::rows` gives them, are found without a search.
        let keys = |parent: &usize| -> Keys<'r> {
            inherited.iter().map(|(from, _)| handed[*parent].get(from).cloned()).collect()
        };
        let mut found = HashMap::new();
        for parent in parents {
            found
                .entry(keys(parent))
                .and_modify(|found| *found = Found::Several)
                .or_insert(Found::One(*parent));
        }
        Self { inherited, parents, found }
    }

    fn parent(&mut self, cells: &'r [Cell<'r>], handed: &[Handed<'r>]) -> Found {
        let keys: Keys<'r> =
            self.inherited.iter().map(|(_, to)| cells[*to].value().map(Cow::Borrowed)).collect();
        if let Some(found) = self.found.get(&keys) {
            return *found;
        }
        let has = |parent: &&usize| {
            self.inherited.iter().zip(&keys).all(|((from, _), key)| {
                key.as_ref().is_none_or(|key| handed[**parent].get(from) == Some(key))
            })
        };
        let mut matching = self.parents.iter().filter(has);
        let found = match (matching.next(), matching.next()) {
            (None, _) => Found::None,
            (Some(parent), None) => Found::One(*parent),
            (Some(_), Some(_)) => Found::Several,
        };
        self.found.insert(keys, found);
        found
    }
}

/// The index of the list that a row names; tables of one list have no such column.
fn list_of(cell: Option<&Cell<'_>>, lists: &[String]) -> Option<usize> {
    let Some(cell) = cell else { return Some(0) };
    let name = cell.value()?;
    lists.iter().position(|list| list == name)
}

/// The position of a row; `Ok(None)` if the cell is absent.
fn position_of(cell: Option<&Cell<'_>>) -> Result<Option<u64>, ()> {
    match cell {
        None | Some(Cell::Absent | Cell::Null) => Ok(None),
        Some(Cell::Value(text)) => match text.parse() {
            Ok(position @ 1..) => Ok(Some(position)),
            _ => Err(()),
        },
    }
}
