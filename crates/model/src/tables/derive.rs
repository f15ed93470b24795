//! Derives the tables from the declarations.

use super::column::add;
use super::{Column, ColumnRole, ColumnType, LIST, POSITION, Table, Tables};
use crate::choices::SupplyType;
use crate::decode::{FieldSpec, Kind, ObjectSpec};
use crate::{Account, AccountAdditions, MeterPointCommon, Variant};

/// The bodies that the tables are for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope {
    Payload,
    Imported,
    Request(&'static ObjectSpec),
}

/// What the rows of the first table make.
#[derive(Debug)]
pub(super) enum Shape {
    /// Rows with another key make another body; there is one row for each key.
    ByKey,
    /// Every row makes a body.
    ByRow,
    /// Rows with the same members of the request are the items of its list. These are its members in their order, each
    /// with its column; the list has none.
    Batches(Vec<(&'static str, Option<usize>)>),
}

/// Members that tell what a body is about. All rows have one of them.
const SUBJECTS: [&str; 2] = ["external_account_number", "external_business_identifier"];

/// The members of the objects of a table, or of an object inside of them.
#[derive(Debug, Default)]
pub(super) struct Node {
    members: Vec<(&'static str, Member)>,
}

impl Node {
    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.members.iter().find(|(known, _)| *known == name).map(|(_, member)| member)
    }

    /// The members in the order of the declarations.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'static str, &Member)> {
        self.members.iter().map(|(name, member)| (*name, member))
    }
}

#[derive(Debug)]
pub(super) enum Member {
    /// A value, by the index of its column.
    Value(usize),
    /// An object inside, and the column that is set if it is empty.
    Object(Node, Option<usize>),
    /// A list of objects, and the column that is set if it is empty.
    List(List, Option<usize>),
}

/// A list of objects with rows of their own.
#[derive(Debug)]
pub(super) struct List {
    /// Index of the table.
    pub(super) table: usize,
    /// Names the list among those that share the table.
    pub(super) path: String,
    pub(super) items: Node,
    /// Columns of the parent's row, each with the column of the items that has the same value.
    pub(super) inherited: Vec<(usize, usize)>,
    /// The column with the name of the list.
    pub(super) list: Option<usize>,
    /// The column with the place in the list.
    pub(super) position: Option<usize>,
    /// The column with the natural key of the items.
    pub(super) key: Option<usize>,
    /// Every parent has the list, though it may be empty.
    pub(super) is_always: bool,
}

pub(super) fn derive(scope: Scope) -> Tables {
    let spec = match scope {
        Scope::Payload | Scope::Imported => &Account::SPEC,
        Scope::Request(spec) => spec,
    };
    let mut found = Declared::default();
    let body = Holder { object: spec.name, supply_type: None };
    found.objects(spec, None, &Around::of(body));
    if matches!(scope, Scope::Imported) {
        found.fields(0, AccountAdditions::SPEC.fields, "", &Around::of(body));
    }
    let names = spec.fields.iter().map(|field| field.name);
    let subject = names.clone().find(|name| SUBJECTS.contains(name)).unwrap_or_default();
    let has_batch = spec.fields.iter().any(|field| matches!(field.kind, Kind::List { batch: true, .. }));
    if has_batch {
        found.lift();
    }
    found.tables[0].subject = Some(subject);
    found.tables[0].is_ordered = has_batch || spec.key.is_none();
    let mut tables: Vec<Table> = Vec::new();
    for declared in &found.tables {
        let parent = declared.parent.map(|parent| (&tables[parent], &found.tables[parent]));
        let table = declared.finish(parent, scope);
        tables.push(table);
    }
    for declared in &found.tables {
        for member in &declared.members {
            if let MemberKind::List { table, is_always, .. } = member.kind {
                tables[table].is_required = is_always;
            }
        }
    }
    let root = found.node(0, "", &tables);
    let shape = match spec.key {
        _ if has_batch => {
            Shape::Batches(names.map(|name| (name, found.head_column(name, &tables))).collect())
        }
        Some(_) => Shape::ByKey,
        None => Shape::ByRow,
    };
    Tables { tables, root, subject, key: found.tables[0].key, shape }
}

/// An object that has rows in a table, and the kind of meter point that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Holder {
    object: &'static str,
    supply_type: Option<SupplyType>,
}

/// The surroundings of a member.
#[derive(Debug, Clone, Copy)]
struct Around {
    holder: Holder,
    is_optional: bool,
    is_personal: bool,
}

impl Around {
    fn of(holder: Holder) -> Self {
        Self { holder, is_optional: false, is_personal: false }
    }
}

/// The tables as they are found in the declarations, each after its parent.
#[derive(Default)]
struct Declared {
    tables: Vec<DeclaredTable>,
}

#[derive(Default)]
struct DeclaredTable {
    name: &'static str,
    key: Option<&'static str>,
    /// The member that all rows have, if this is the first table.
    subject: Option<&'static str>,
    parent: Option<usize>,
    /// The paths of its lists in the parent.
    lists: Vec<String>,
    /// True if it is the first table and a position orders its rows.
    is_ordered: bool,
    holders: Vec<Holder>,
    /// The members of the request around the rows, without the list of the rows.
    head: Vec<DeclaredMember>,
    members: Vec<DeclaredMember>,
}

struct DeclaredMember {
    name: &'static str,
    path: String,
    kind: MemberKind,
}

enum MemberKind {
    Value {
        column: Column,
        holders: Vec<Holder>,
    },
    Object {
        /// None of its members is required.
        may_be_empty: bool,
        is_personal: bool,
    },
    List {
        table: usize,
        /// Some object that has rows in the table requires it.
        is_required: bool,
        /// Every row has it.
        is_always: bool,
    },
}

impl Declared {
    /// Adds the objects of a list, or the account. Returns the index of their table.
    fn objects(&mut self, spec: &'static ObjectSpec, list: Option<(usize, &str)>, around: &Around) -> usize {
        let name = spec.table.unwrap_or(spec.name);
        let at = self.tables.iter().position(|table| table.name == name).unwrap_or_else(|| {
            let parent = list.map(|(parent, _)| parent);
            self.tables.push(DeclaredTable { name, key: spec.key, parent, ..DeclaredTable::default() });
            self.tables.len() - 1
        });
        if let Some((_, path)) = list {
            add(&mut self.tables[at].lists, path.to_owned());
        }
        self.rows_of(at, spec, around);
        at
    }

    fn rows_of(&mut self, table: usize, spec: &'static ObjectSpec, around: &Around) {
        let holder = Holder { object: spec.name, ..around.holder };
        add(&mut self.tables[table].holders, holder);
        self.fields(table, spec.fields, "", &Around { holder, ..*around });
    }

    fn fields(&mut self, table: usize, fields: &'static [FieldSpec], prefix: &str, around: &Around) {
        fields.iter().for_each(|field| self.field(table, field, format!("{prefix}{}", field.name), around));
    }

    fn field(&mut self, table: usize, field: &'static FieldSpec, path: String, around: &Around) {
        let is_personal = around.is_personal || field.is_personal;
        let is_optional = around.is_optional || !field.required;
        let items = Around { is_personal, is_optional: false, ..*around };
        let kind = match item(field) {
            Some(Kind::Object(spec)) => {
                let of = self.objects(spec(), Some((table, &path)), &items);
                list(of, field, around)
            }
            Some(Kind::MeterPoint) => {
                let of = self.objects(&MeterPointCommon::SPEC, Some((table, &path)), &items);
                for kind in Variant::SUPPLY_TYPES {
                    let holder = Holder { supply_type: Some(*kind), ..around.holder };
                    self.rows_of(of, Variant::spec(*kind), &Around { holder, ..items });
                }
                list(of, field, around)
            }
            _ => match field.kind {
                Kind::Object(spec) => {
                    let spec = spec();
                    let may_be_empty = !spec.fields.iter().any(|field| field.required);
                    let prefix = format!("{path}.");
                    self.put(
                        table,
                        DeclaredMember {
                            name: field.name,
                            path,
                            kind: MemberKind::Object { may_be_empty, is_personal },
                        },
                    );
                    return self.fields(
                        table,
                        spec.fields,
                        &prefix,
                        &Around { is_personal, is_optional, ..*around },
                    );
                }
                _ => {
                    let column = Column::member(path.clone(), field);
                    let column = Column { is_personal, required: !is_optional, ..column };
                    MemberKind::Value { column, holders: vec![around.holder] }
                }
            },
        };
        self.put(table, DeclaredMember { name: field.name, path, kind });
    }

    /// Adds a member, or merges it with that of another object. Members of other kinds do not share a name; a test
    /// compares the tables with all declarations.
    fn put(&mut self, table: usize, member: DeclaredMember) {
        let members = &mut self.tables[table].members;
        let Some(known) = members.iter_mut().find(|known| known.path == member.path) else {
            members.push(member);
            return;
        };
        match (&mut known.kind, member.kind) {
            (MemberKind::Value { column, holders }, MemberKind::Value { column: other, holders: others }) => {
                column.merge(other);
                others.into_iter().for_each(|holder| add(holders, holder));
            }
            (
                MemberKind::List { is_required, is_always, .. },
                MemberKind::List { is_required: required, is_always: always, .. },
            ) => {
                *is_required |= required;
                *is_always &= always;
            }
            _ => {}
        }
    }

    /// Makes the members of a request columns of its items, so that the request itself has no table.
    fn lift(&mut self) {
        let request = self.tables.remove(0);
        for table in &mut self.tables {
            table.parent = table.parent.and_then(|parent| parent.checked_sub(1));
            for member in &mut table.members {
                if let MemberKind::List { table, .. } = &mut member.kind {
                    *table -= 1;
                }
            }
        }
        let is_value = |member: &DeclaredMember| matches!(member.kind, MemberKind::Value { .. });
        let items = &mut self.tables[0];
        items.lists.clear();
        items.head = request.members.into_iter().filter(is_value).collect();
    }

    /// The column of a member of the request around the rows; `None` for the list of the rows.
    fn head_column(&self, name: &str, tables: &[Table]) -> Option<usize> {
        let is_value = self.tables[0].head.iter().any(|member| member.path == name);
        is_value.then(|| tables[0].column(name)).flatten()
    }

    /// The members below a path.
    fn node(&self, at: usize, prefix: &str, tables: &[Table]) -> Node {
        let declared = &self.tables[at];
        let is_here = |member: &&DeclaredMember| member.path.strip_prefix(prefix) == Some(member.name);
        let of = |member: &DeclaredMember| {
            let column = tables[at].column(&member.path);
            let of = match &member.kind {
                MemberKind::Value { .. } => Member::Value(column?),
                MemberKind::Object { .. } => {
                    Member::Object(self.node(at, &format!("{}.", member.path), tables), column)
                }
                MemberKind::List { table, is_always, .. } => {
                    let list = self.items((at, &member.path), *table, tables);
                    Member::List(List { is_always: *is_always, ..list }, column)
                }
            };
            Some((member.name, of))
        };
        Node { members: declared.members.iter().filter(is_here).filter_map(of).collect() }
    }

    fn items(&self, (parent, path): (usize, &str), at: usize, tables: &[Table]) -> List {
        let (from, to) = (&tables[parent], &tables[at]);
        let inherited = from.columns.iter().enumerate().filter_map(|(index, column)| {
            let name = self.tables[parent].name_below(column)?;
            Some((index, to.column(&name)?))
        });
        List {
            table: at,
            path: path.to_owned(),
            items: self.node(at, "", tables),
            inherited: inherited.collect(),
            list: to.column(LIST),
            position: to.column(POSITION),
            key: self.tables[at].key.and_then(|key| to.column(key)),
            is_always: false,
        }
    }
}

/// The kind of the items of a list.
fn item(field: &FieldSpec) -> Option<Kind> {
    match field.kind {
        Kind::List { item, .. } => Some(item.kind),
        _ => None,
    }
}

fn list(table: usize, field: &FieldSpec, around: &Around) -> MemberKind {
    let is_always = field.required && !around.is_optional && around.holder.supply_type.is_none();
    MemberKind::List { table, is_required: field.required, is_always }
}

impl DeclaredTable {
    /// The name that a key column of this table has in the tables below; `None` for other columns.
    fn name_below(&self, column: &Column) -> Option<String> {
        match (&*column.name, column.role) {
            (name @ (LIST | POSITION), ColumnRole::Key) => Some(format!("{}_{name}", self.name)),
            (name, ColumnRole::Key) => Some(name.to_owned()),
            (name, _) => [self.subject, self.key].contains(&Some(name)).then(|| name.to_owned()),
        }
    }

    /// The table, from the one above it.
    fn finish(&self, parent: Option<(&Table, &Self)>, scope: Scope) -> Table {
        let mut columns = Vec::new();
        if let Some((parent, declared)) = parent {
            let inherited = parent.columns.iter().filter_map(|column| {
                let name = declared.name_below(column)?;
                let doc = format!("Leads to the row in `{}`.", parent.name);
                let values = column.values.clone();
                Some(Column { values, ..Column::key(name, column.column_type, doc) })
            });
            columns.extend(inherited);
            if self.lists.len() > 1 {
                columns.push(Column::key(LIST.to_owned(), ColumnType::Text, "The list that has it."));
            }
            columns.push(Column::key(
                POSITION.to_owned(),
                ColumnType::Integer,
                "Its place in the list, from 1 on.",
            ));
        }
        let members = self.head.iter().chain(&self.members);
        columns.extend(members.filter_map(|member| self.column(member, scope)));
        if self.parent.is_none() {
            // The keys come first, as in all other tables.
            columns.sort_by_key(|column| Some(&*column.name) != self.subject);
        }
        if self.is_ordered {
            let doc = "Its place among the rows of the account or business, from 1 on.";
            columns.insert(1, Column::key(POSITION.to_owned(), ColumnType::Integer, doc));
        }
        let mut objects = Vec::new();
        self.holders.iter().for_each(|holder| add(&mut objects, holder.object));
        let parent = parent.map(|(parent, _)| parent.name);
        let is_required = false;
        Table { name: self.name, objects, parent, lists: self.lists.clone(), is_required, columns }
    }

    fn column(&self, member: &DeclaredMember, scope: Scope) -> Option<Column> {
        let path = || member.path.clone();
        match &member.kind {
            MemberKind::Value { column, holders } => Some(self.value(column, holders)),
            MemberKind::Object { may_be_empty, is_personal } => {
                let column = || Column { is_personal: *is_personal, ..Column::empty(path(), "{}") };
                may_be_empty.then(column)
            }
            MemberKind::List { is_required, is_always, .. } => {
                let is_told = !is_always && (*is_required || !matches!(scope, Scope::Imported));
                is_told.then(|| Column::empty(path(), "[]"))
            }
        }
    }

    /// The column of a value that only some of the objects have.
    fn value(&self, column: &Column, holders: &[Holder]) -> Column {
        let mut supply_types = Vec::new();
        holders.iter().filter_map(|holder| holder.supply_type).for_each(|kind| add(&mut supply_types, kind));
        let kinds = self.holders.iter().filter_map(|holder| holder.supply_type);
        let is_common = holders.iter().any(|holder| holder.supply_type.is_none());
        let is_of_every_kind = kinds.clone().all(|kind| supply_types.contains(&kind));
        let has_it = |holder: &Holder| {
            holders.contains(holder) || holder.supply_type.is_none_or(|kind| !supply_types.contains(&kind))
        };
        let required = column.required && (is_common || self.holders.iter().all(has_it));
        if is_common || is_of_every_kind {
            supply_types.clear();
        }
        Column { required, supply_types, ..column.clone() }
    }
}
