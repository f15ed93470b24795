//! The account of its rows, the inverse of [`Tables::rows`], and other requests of theirs.
//!
//! A row finds its parent by the key columns that it has: natural keys, positions, or both. Items of a list are in the
//! order of their positions, those without a position after them in the order of the rows. Texts, days and decimals are
//! JSON strings with the digits of the cell, so that no number changes.
//!
//! Nothing is repaired: a cell without the form of its column becomes a JSON string, which the field checks then name,
//! and a row without a place is a [`RowFault`].

mod link;
mod write;

use super::derive::{List, Member, Node, Shape};
use super::{Cell, Tables};
use cutover_core::AttrPath;

/// A row of an account or of another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'r> {
    /// The index of its table.
    pub table: usize,
    /// A cell for each column of the table.
    pub cells: Vec<Cell<'r>>,
}

/// An account made of rows, and what could not be part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assembled {
    /// The account as JSON; `None` if no row of `accounts` is there.
    pub account: Option<Vec<u8>>,
    /// For each row the path of its object in the account; `None` if it is not in there.
    pub paths: Vec<Option<AttrPath>>,
    /// The rows that are not in the account, and cells that contradict others.
    pub faults: Vec<RowFault>,
}

/// The bodies that rows make, and what could not be part of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bodies {
    /// The bodies in the order of their rows.
    pub bodies: Vec<Body>,
    /// The rows that are in no body, and cells that contradict others.
    pub faults: Vec<RowFault>,
}

/// A body made of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The body as JSON.
    pub json: Vec<u8>,
    /// The rows that it is made of by their index, each with the path of its object. Where the body has no row of its own,
    /// the first row is that of the body as well.
    pub rows: Vec<(usize, AttrPath)>,
}

/// Limits of a body that is made of a row for each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyLimits {
    /// Maximum number of items.
    pub items: usize,
    /// Maximum number of bytes; an item that takes more has a body of its own.
    pub bytes: usize,
}

/// A fault of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowFault {
    /// The index of the row.
    pub row: usize,
    /// The index of the column, if it is about one.
    pub column: Option<usize>,
    /// What is wrong.
    pub kind: RowFaultKind,
}

/// What is wrong with a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RowFaultKind {
    /// No row of the parent table has its keys.
    #[error("no row of the table above has its keys")]
    Orphan,
    /// Several rows of the parent table have its keys.
    #[error("several rows of the table above have its keys")]
    AmbiguousParent,
    /// A row before it has the same place.
    #[error("an earlier row has the same key")]
    DuplicateKey {
        /// The index of the earlier row.
        first: usize,
    },
    /// The column `list` names none of the lists that share the table.
    #[error("it names no list of the table above")]
    UnknownList,
    /// A position that is no whole number from 1 on.
    #[error("a position is a whole number from 1 on")]
    InvalidPosition,
    /// A column says that a list or object is empty, and it is not.
    #[error("it says empty, but there are members or rows")]
    NotEmpty,
}

/// Makes accounts and other requests of their rows.
#[derive(Debug)]
pub struct Assembler<'t> {
    tables: &'t Tables,
    /// For each table how its rows lead to their parents.
    links: Vec<Link<'t>>,
}

/// How the rows of a table lead to their parents.
#[derive(Debug, Default)]
struct Link<'t> {
    /// The index of the parent's table.
    parent: usize,
    /// Columns of the parent's row, each with the column of this table that has the same value.
    inherited: &'t [(usize, usize)],
    list: Option<usize>,
    position: Option<usize>,
    /// The column with the natural key of the rows.
    key: Option<usize>,
}

impl<'t> Assembler<'t> {
    /// An assembler of the bodies of these tables.
    pub fn new(tables: &'t Tables) -> Self {
        let links = tables.iter().map(|_| Link::default()).collect();
        let mut new = Self { tables, links };
        new.find_links(0, &tables.root);
        if !matches!(tables.shape, Shape::ByKey) {
            let [first, ..] = &*tables.tables else { return new };
            let key = tables.key.and_then(|key| first.column(key));
            new.links[0] = Link { position: first.column(super::POSITION), key, ..Link::default() };
        }
        new
    }

    fn find_links(&mut self, parent: usize, node: &'t Node) {
        for (_, member) in node.members() {
            match member {
                Member::Value(_) => {}
                Member::Object(inside, _) => self.find_links(parent, inside),
                Member::List(list, _) => {
                    let List { table, ref items, ref inherited, list, position, key, .. } = *list;
                    self.links[table] = Link { parent, inherited, list, position, key };
                    self.find_links(table, items);
                }
            }
        }
    }

    /// Makes an account of its rows, in any order. The rows are those of one account: their values of
    /// `external_account_number` are not compared with that of its row in `accounts`.
    pub fn assemble(&self, rows: &[Row<'_>]) -> Assembled {
        let Bodies { bodies, faults } =
            self.bodies(rows, BodyLimits { items: usize::MAX, bytes: usize::MAX });
        let mut paths = vec![None; rows.len()];
        let account = bodies.into_iter().next().map(|body| {
            body.rows.into_iter().for_each(|(row, path)| paths[row] = Some(path));
            body.json
        });
        Assembled { account, paths, faults }
    }

    /// Makes the bodies of the rows of one account or business, in any order: rows with the same value of
    /// [`Tables::subject`], which are not compared.
    pub fn bodies(&self, rows: &[Row<'_>], limits: BodyLimits) -> Bodies {
        let links = link::link(self, rows);
        let writing = write::Writing { assembler: self, rows, links: &links };
        let (mut bodies, mut faults) = (Vec::new(), links.faults.clone());
        let tops = links.tops.iter();
        let made = tops.flat_map(|rows| match &self.tables.shape {
            Shape::Batches(head) => writing.batches(head, rows, limits),
            Shape::ByKey | Shape::ByRow => rows.iter().map(|row| writing.body(*row)).collect(),
        });
        for (body, of_body) in made {
            bodies.push(body);
            faults.extend(of_body);
        }
        faults.sort_by_key(|fault| (fault.row, fault.column));
        Bodies { bodies, faults }
    }
}
