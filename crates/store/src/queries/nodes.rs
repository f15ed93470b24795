//! The running nodes.

use super::SqlTx;
use super::dialect::Dialect;
use super::schema::{installation, nodes};
use super::sql_dialect::SqlDialect;
use super::types::{Timestamp, instant};
use crate::error::{Error, Result};
use chrono::{DateTime, Utc};
use cutover_app::port::{Node, Nodes, StoreError};
use diesel::prelude::*;

/// Separator of the names of keys, which do not contain it.
const SEPARATOR: char = ',';

#[derive(Insertable, Queryable, Selectable, AsChangeset)]
#[diesel(table_name = nodes, treat_none_as_null = true, treat_none_as_default_value = false)]
struct NodeRow {
    id: String,
    role: String,
    version: String,
    encryption_keys: String,
    started_at: Timestamp,
    seen_at: Timestamp,
    refused_as_of: Option<Timestamp>,
}

impl From<&Node> for NodeRow {
    fn from(node: &Node) -> Self {
        Self {
            id: node.id.clone(),
            role: node.role.clone(),
            version: node.version.clone(),
            encryption_keys: node.encryption_keys.join(&SEPARATOR.to_string()),
            started_at: node.started_at.into(),
            seen_at: node.seen_at.into(),
            refused_as_of: node.refused_as_of.map(Timestamp::from),
        }
    }
}

impl TryFrom<NodeRow> for Node {
    type Error = Error;

    fn try_from(row: NodeRow) -> Result<Self> {
        let keys = row.encryption_keys.split(SEPARATOR).filter(|name| !name.is_empty());
        Ok(Self {
            encryption_keys: keys.map(str::to_owned).collect(),
            id: row.id,
            role: row.role,
            version: row.version,
            started_at: row.started_at.instant()?,
            seen_at: row.seen_at.instant()?,
            refused_as_of: instant(row.refused_as_of)?,
        })
    }
}

impl Nodes for SqlTx<'_> {
    fn installation(&mut self) -> Result<String, StoreError> {
        self.run(|conn| Ok(installation::table.select(installation::id).get_result(conn)?))
    }

    fn database_history(&mut self) -> Result<String, StoreError> {
        let opened = self.opened;
        self.run(|conn| Dialect::history(conn, opened))
    }

    fn put_node(&mut self, node: &Node) -> Result<(), StoreError> {
        self.run(|conn| {
            let row = NodeRow::from(node);
            let put = diesel::insert_into(nodes::table).values(&row).on_conflict(nodes::id).do_update();
            put.set(&row).execute(conn)?;
            Ok(())
        })
    }

    fn nodes_seen_since(&mut self, since: DateTime<Utc>) -> Result<Vec<Node>, StoreError> {
        self.run(|conn| {
            let rows = nodes::table
                .filter(nodes::seen_at.ge(Timestamp::from(since)))
                .order((nodes::started_at, nodes::id))
                .select(NodeRow::as_select())
                .load(conn)?;
            rows.into_iter().map(Node::try_from).collect()
        })
    }

    fn remove_node(&mut self, id: &str) -> Result<(), StoreError> {
        self.run(|conn| {
            diesel::delete(nodes::table.find(id)).execute(conn)?;
            Ok(())
        })
    }

    fn remove_nodes_seen_before(&mut self, before: DateTime<Utc>) -> Result<usize, StoreError> {
        self.run(|conn| {
            let expired = nodes::table.filter(nodes::seen_at.lt(Timestamp::from(before)));
            Ok(diesel::delete(expired).execute(conn)?)
        })
    }
}
