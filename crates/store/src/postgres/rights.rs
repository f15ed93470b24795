//! Rights of the role that the service runs as, if another one owns the tables (decision 0058).

use super::dialect::{Conn, Db};
use super::queries::statement::Bind;
use crate::migrations::Failed;
use crate::schema;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Text};
use std::fmt;

statement! {
    /// Rights on what this program uses that a role lacks, and those that it has although it does not need them. The
    /// rights on a partition are those on its table; keys that a table draws itself need no right, nor does a table
    /// that an operator made.
    Differences { role: String, tables: String } -> (Text, Text, Text, Bool)
        = "WITH own AS (SELECT " role "::name AS role, relowner AS owner, relnamespace AS schema FROM pg_class \
                WHERE oid = to_regclass('__diesel_schema_migrations')), \
            objects (kind, id, name, possible, needed) AS (\
                SELECT 'TABLE', oid, oid::regclass::text, \
                    '{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[], \
                    CASE relname WHEN '__diesel_schema_migrations' THEN '{SELECT}'::text[] \
                        WHEN 'audit_trail' THEN '{SELECT,INSERT}' ELSE '{SELECT,INSERT,UPDATE,DELETE}' END \
                    FROM pg_class JOIN own ON (relowner, relnamespace) = (owner, schema) \
                    WHERE relkind IN ('r', 'p') AND relname = ANY(string_to_array('__diesel_schema_migrations,' || " tables ", ',')) \
                UNION ALL SELECT 'SEQUENCE', oid, oid::regclass::text, '{SELECT,USAGE,UPDATE}', '{SELECT,USAGE}' \
                    FROM pg_class JOIN own ON (relowner, relnamespace) = (owner, schema) \
                    WHERE relkind = 'S' AND relname IN ('process_ids', 'feed_event_ids', 'process_changes_id_seq', \
                        'cause_changes_id_seq', 'total_changes_id_seq', 'activity_changes_id_seq', 'row_changes_id_seq') \
                UNION ALL SELECT 'FUNCTION', oid, oid::regprocedure::text, '{EXECUTE}', \
                    CASE WHEN prorettype = 'trigger'::regtype THEN '{}'::text[] ELSE '{EXECUTE}' END \
                    FROM pg_proc JOIN own ON (proowner, pronamespace) = (owner, schema) WHERE prosecdef \
                UNION ALL SELECT 'SCHEMA', oid, oid::regnamespace::text, '{USAGE,CREATE}', '{USAGE}' \
                    FROM pg_namespace JOIN own ON oid = schema) \
            SELECT kind, name, privilege, privilege = ANY(needed) \
            FROM own CROSS JOIN objects CROSS JOIN LATERAL unnest(possible) AS p (privilege) \
            WHERE (privilege = ANY(needed)) <> CASE kind \
                WHEN 'TABLE' THEN has_table_privilege(role, id, privilege) \
                WHEN 'SEQUENCE' THEN has_sequence_privilege(role, id, privilege) \
                WHEN 'FUNCTION' THEN has_function_privilege(role, id, privilege) \
                ELSE has_schema_privilege(role, id, privilege) END \
            ORDER BY name, privilege"
}

statement! {
    /// Roles that were given rights for running: those that may add to the audit trail, without the owner.
    Runners {} -> Text
        = "SELECT DISTINCT r.rolname::text FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a \
            JOIN pg_roles r ON r.oid = a.grantee WHERE c.oid = to_regclass('audit_trail') \
            AND a.privilege_type = 'INSERT' AND NOT pg_has_role(r.oid, c.relowner, 'MEMBER')"
}

statement! {
    /// Functions with the owner's rights that every role may call, as PostgreSQL grants by default.
    PublicFunctions {} -> Text
        = "SELECT oid::regprocedure::text FROM pg_proc WHERE prosecdef AND pronamespace = current_schema()::regnamespace \
            AND pg_has_role(proowner, 'USAGE') AND has_function_privilege('public', oid, 'EXECUTE')"
}

statement! {
    /// The owner of the tables, and true if this session may act as it.
    Owner {} -> (Text, Bool)
        = "SELECT pg_get_userbyid(relowner)::text, pg_has_role(relowner, 'USAGE') FROM pg_class \
            WHERE oid = to_regclass('__diesel_schema_migrations')"
}

statement! {
    MayActAsOwner { role: String } -> Bool
        = "SELECT pg_has_role(" role "::name, relowner, 'MEMBER') FROM pg_class \
            WHERE oid = to_regclass('__diesel_schema_migrations')"
}

statement! {
    CurrentRole {} -> Text = "SELECT current_user::text"
}

statement! {
    /// The role of this session, and if it can act as a superuser and as the owner of the tables: null without tables.
    /// The role that signed in can go back from the current one to itself.
    Role {} -> (Text, Bool, Nullable<Bool>)
        = "SELECT current_user::text, (SELECT rolsuper FROM pg_roles WHERE rolname = session_user), \
            (SELECT pg_has_role(session_user, relowner, 'MEMBER') FROM pg_class \
                WHERE oid = to_regclass('__diesel_schema_migrations'))"
}

/// The role of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleHealth {
    /// Its name.
    pub name: String,
    /// True if it can act as a superuser.
    pub is_superuser: bool,
    /// True if it can act as the owner of the tables.
    pub is_owner: bool,
    /// Rights that it needs and lacks, such as `SELECT on manifests`.
    pub missing: Vec<String>,
    /// Rights that it has and does not need.
    pub needless: Vec<String>,
}

/// A right that a role lacks, or has although it does not need it.
struct Difference {
    kind: String,
    name: String,
    privilege: String,
    is_needed: bool,
}

impl Difference {
    /// Returns the statement that removes the difference.
    fn remedy(&self, role: &str) -> String {
        let Self { kind, name, privilege, is_needed } = self;
        let (verb, direction) = if *is_needed { ("GRANT", "TO") } else { ("REVOKE", "FROM") };
        format!("{verb} {privilege} ON {kind} {name} {direction} {};", quoted(role))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.privilege, self.name)
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn differences(conn: &mut Conn, role: &str) -> QueryResult<Vec<Difference>> {
    let query = Differences { role: role.to_owned(), tables: schema::NAMES.join(",") };
    let rows: Vec<(String, String, String, bool)> = query.load(conn)?;
    let difference = |(kind, name, privilege, is_needed)| Difference { kind, name, privilege, is_needed };
    Ok(rows.into_iter().map(difference).collect())
}

fn list(differences: &[Difference], is_needed: bool) -> Vec<String> {
    differences.iter().filter(|it| it.is_needed == is_needed).map(ToString::to_string).collect()
}

/// Returns the state of the role of a connection; `None` if there are no tables.
pub(super) fn health(conn: &mut Conn) -> QueryResult<Option<RoleHealth>> {
    let (name, is_superuser, is_owner): (String, bool, Option<bool>) = Role {}.get_result(conn)?;
    let Some(is_owner) = is_owner else { return Ok(None) };
    let found = differences(conn, &name)?;
    let (missing, needless) = (list(&found, true), list(&found, false));
    Ok(Some(RoleHealth { name, is_superuser, is_owner, missing, needless }))
}

/// Returns the role of a connection and the rights that it lacks.
pub(super) fn missing(conn: &mut Conn) -> QueryResult<(String, Vec<String>)> {
    let role: String = CurrentRole {}.get_result(conn)?;
    let missing = list(&differences(conn, &role)?, true);
    Ok((role, missing))
}

/// Refuses to migrate as a role that does not own the tables, which would fail somewhere on the way.
pub(super) fn check_owner(conn: &mut Conn) -> Result<(), Failed> {
    let owner: Option<(String, bool)> = Owner {}.get_result(conn).optional()?;
    let Some((owner, false)) = owner else { return Ok(()) };
    let role: String = CurrentRole {}.get_result(conn)?;
    Err(Failed(format!("the role {role} does not own the tables; migrate as {owner}")))
}

/// Grants what they lack to the roles that had rights before, and to another one. It belongs into the transaction of
/// a migration: its triggers may write to new tables while programs run.
pub(super) fn extend(conn: &mut Conn, role: Option<&str>) -> QueryResult<()> {
    let functions: Vec<String> = PublicFunctions {}.load(conn)?;
    for function in functions {
        conn.batch_execute(&format!("REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC"))?;
    }
    let mut runners: Vec<String> = Runners {}.load(conn)?;
    runners.extend(role.map(str::to_owned));
    for runner in &runners {
        let missing = differences(conn, runner)?;
        let grants: String = missing.iter().filter(|it| it.is_needed).map(|it| it.remedy(runner)).collect();
        conn.batch_execute(&grants)?;
    }
    Ok(())
}

/// Gives a role the rights that running needs and no others.
pub(super) fn settle(conn: &mut Conn, role: &str) -> Result<(), Failed> {
    if (MayActAsOwner { role: role.to_owned() }).get_result(conn)? {
        return Err(Failed(format!(
            "the role {role} can act as the owner of the tables, so that its rights cannot be limited"
        )));
    }
    extend(conn, Some(role))?;
    let needless: String = differences(conn, role)?.iter().map(|it| it.remedy(role)).collect();
    conn.batch_execute(&needless)?;
    match differences(conn, role)?.first() {
        None => Ok(()),
        Some(kept) => Err(Failed(format!(
            "the role {role} keeps {kept}: by a grant to PUBLIC, to a role that it is a member of, or of another role"
        ))),
    }
}
