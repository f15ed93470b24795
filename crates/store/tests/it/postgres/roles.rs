//! Two roles: one owns the tables and migrates, the other one runs the service. The contract suite and most other tests
//! run as the second one.

use super::environment::TestEnvironment;
use super::opening::undo_last_migration;
use crate::databases::{migrated, options};
use cutover_app::port::{read, read_committed, write};
use cutover_store::{MigrationState, OpenError, PostgresOptions, PostgresStore};
use cutover_testkit_postgres::{Cluster, ClusterOptions, RUNNING_ROLE, sql};

/// A database whose owner is no superuser, as a provider's is; the owner has not migrated yet.
struct Roles {
    owner: String,
    runner: String,
    other: String,
    _cluster: Cluster,
}

impl Roles {
    fn new() -> Option<Self> {
        let cluster = Cluster::for_test(&ClusterOptions::fast())?;
        let roles = "CREATE ROLE owner LOGIN; CREATE ROLE \"Run \"\"1\" LOGIN; CREATE ROLE other LOGIN";
        for statement in [
            roles,
            "CREATE DATABASE cutover OWNER owner",
            "REVOKE ALL ON DATABASE cutover FROM PUBLIC",
            "GRANT CONNECT ON DATABASE cutover TO \"Run \"\"1\", other",
        ] {
            cluster.sql("postgres", statement).unwrap();
        }
        let url = |user: &str| cluster.url("cutover").replace("://cutover_test@", &format!("://{user}@"));
        Some(Self { owner: url("owner"), runner: url("Run%20%221"), other: url("other"), _cluster: cluster })
    }

    fn migrated() -> Option<Self> {
        let roles = Self::new()?;
        PostgresStore::migrate(&PostgresOptions::new(&roles.owner), Some(RUNNER)).unwrap();
        Some(roles)
    }
}

/// A name that has to be quoted.
const RUNNER: &str = "Run \"1";

/// Statements that would hide what was done, or that need the owner.
const REFUSED: [&str; 22] = [
    "DELETE FROM audit_trail",
    "UPDATE audit_trail SET actor = 'somebody else'",
    "TRUNCATE audit_trail",
    "ALTER TABLE audit_trail DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_trail_is_only_added_to ON audit_trail",
    "CREATE TRIGGER hides BEFORE INSERT ON audit_trail FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE hides AS ON INSERT TO audit_trail DO INSTEAD NOTHING",
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "SET session_replication_role = replica",
    "DROP TABLE audit_trail",
    "ALTER TABLE audit_trail OWNER TO \"Run \"\"1\"",
    "SET ROLE owner",
    "CREATE TABLE notes_of_mine (note TEXT)",
    "CREATE TEMPORARY TABLE audit_trail (note TEXT)",
    "CREATE INDEX ON accounts (id)",
    "ALTER TABLE accounts ADD COLUMN more TEXT",
    "TRUNCATE accounts",
    "TRUNCATE payloads_0",
    "DROP TABLE payloads_0",
    "ALTER TABLE payloads DETACH PARTITION payloads_0",
    "DELETE FROM __diesel_schema_migrations",
    "ALTER FUNCTION add_partitions() RESET search_path",
];

#[test]
fn the_running_role_can_change_neither_the_audit_trail_nor_any_definition() {
    let Some(roles) = Roles::migrated() else { return };
    let add =
        "INSERT INTO audit_trail (occurred_at, actor, action) VALUES (now(), 'command', 'account.erase')";
    sql(&roles.runner, add).unwrap();
    let refusal = |statement: &&str| {
        let refused = sql(&roles.runner, statement).expect_err(statement).to_string();
        let line = refused.lines().find_map(|line| line.split_once("ERROR:")).expect(&refused).1.trim();
        format!("{statement}: {line}")
    };
    insta::assert_snapshot!(REFUSED.iter().map(refusal).collect::<Vec<_>>().join("\n"));
    assert_eq!(sql(&roles.runner, "SELECT count(*), min(actor) FROM audit_trail").unwrap(), "1|command");
    // Nor can roles without any rights call what runs with the owner's.
    for call in ["add_partitions()", "drop_expired_events()", "empty_partition(0, 0)"] {
        let refused = sql(&roles.other, &format!("SELECT {call}")).unwrap_err().to_string();
        assert!(refused.contains("permission denied for function"), "{refused}");
    }
}

#[test]
fn only_the_owner_migrates() {
    let Some(roles) = Roles::new() else { return };
    let (owner, runner) = (PostgresOptions::new(&roles.owner), PostgresOptions::new(&roles.runner));
    let refusal = |role: &PostgresOptions, named: Option<&str>| {
        PostgresStore::migrate(role, named).unwrap_err().to_string()
    };
    assert!(
        refusal(&runner, None).contains("permission denied for schema public"),
        "{}",
        refusal(&runner, None)
    );
    assert!(matches!(PostgresStore::open(&runner), Err(OpenError::Pending(_))));
    let states = PostgresStore::migrate(&owner, None).unwrap();
    assert!(states.iter().all(|migration| migration.state == MigrationState::JustApplied));
    let lacking = PostgresStore::open(&runner).map(drop).unwrap_err().to_string();
    assert!(lacking.starts_with("the role Run \"1 lacks rights: "), "{lacking}");
    assert!(lacking.contains("INSERT on audit_trail, SELECT on audit_trail, "), "{lacking}");

    // Rights that an operator gave by hand are completed by the next migration, and limited when the role is named.
    sql(&roles.owner, "GRANT ALL ON ALL TABLES IN SCHEMA public TO \"Run \"\"1\"").unwrap();
    undo_last_migration(&roles.owner);
    PostgresStore::migrate(&owner, None).unwrap();
    PostgresStore::open(&runner).unwrap();
    assert_ne!(sql(&roles.owner, HAS_MORE).unwrap(), "");
    PostgresStore::migrate(&owner, Some(RUNNER)).unwrap();
    assert_eq!(sql(&roles.owner, HAS_MORE).unwrap(), "");
    PostgresStore::open(&runner).unwrap();

    let no_owner =
        "the database could not be migrated: the role Run \"1 does not own the tables; migrate as owner";
    assert_eq!(refusal(&runner, Some(RUNNER)), no_owner);
    undo_last_migration(&roles.owner);
    assert_eq!(refusal(&runner, None), no_owner);
    assert!(matches!(PostgresStore::open(&runner), Err(OpenError::Pending(_))));
    PostgresStore::migrate(&owner, None).unwrap();
    PostgresStore::open(&runner).unwrap();

    assert!(refusal(&owner, Some("owner")).ends_with("so that its rights cannot be limited"));
    assert!(refusal(&owner, Some("cutover_test")).ends_with("so that its rights cannot be limited"));
    assert!(refusal(&owner, Some("nobody")).contains("role \"nobody\" does not exist"));
    // A right that the owner cannot take from the role alone.
    sql(&roles.owner, "GRANT DELETE ON audit_trail TO PUBLIC").unwrap();
    assert!(refusal(&owner, Some(RUNNER)).contains("keeps DELETE on audit_trail"));
}

/// Tables on which roles other than the owner may do more than change rows.
const HAS_MORE: &str = "SELECT c.relname, a.privilege_type FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a \
    WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition AND a.grantee <> c.relowner \
    AND (a.privilege_type NOT IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE', 'USAGE') \
        OR c.relname = 'audit_trail' AND a.privilege_type NOT IN ('SELECT', 'INSERT'))";

/// A new table needs its rights, and what is only added to must be named.
#[test]
fn the_running_role_may_change_the_rows_of_every_other_table() {
    let Some(database) = migrated() else { return };
    let others = |kind: &str, privileges: &str| {
        let rights = format!(
            "SELECT c.relname, array_agg(a.privilege_type ORDER BY a.privilege_type) AS rights FROM pg_class c \
             LEFT JOIN LATERAL (SELECT * FROM aclexplode(c.relacl) WHERE grantee = '{RUNNING_ROLE}'::regrole) a ON true \
             WHERE c.relkind = ANY('{kind}') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace \
             GROUP BY 1 HAVING array_agg(a.privilege_type ORDER BY a.privilege_type) IS DISTINCT FROM '{privileges}' \
             ORDER BY 1"
        );
        database.sql(&rights).unwrap()
    };
    let all = "{DELETE,INSERT,SELECT,UPDATE}";
    assert_eq!(others("{r,p}", all), "__diesel_schema_migrations|{SELECT}\naudit_trail|{INSERT,SELECT}");
    // Sequences that statements name; tables draw the keys of the others themselves.
    assert_eq!(
        others("{S}", "{SELECT,USAGE}").lines().filter(|line| !line.ends_with("_id_seq|{NULL}")).count(),
        0
    );
    // An operator's table needs no rights.
    database.sql("CREATE TABLE copied_accounts AS SELECT * FROM accounts").unwrap();
    PostgresStore::open(&options(&database)).unwrap();
}

/// A function with the owner's rights must not resolve names in schemas of its caller.
#[test]
fn functions_with_the_rights_of_the_owner_have_a_fixed_search_path() {
    let Some(database) = migrated() else { return };
    let functions = "SELECT oid::regprocedure, proconfig, has_function_privilege('public', oid, 'EXECUTE'), \
            has_function_privilege('cutover_run', oid, 'EXECUTE') \
        FROM pg_proc WHERE prosecdef AND pronamespace = 'public'::regnamespace ORDER BY proname";
    insta::assert_snapshot!(database.sql(functions).unwrap());
}

/// Whatever its arguments are, the function that rewrites partitions as their owner keeps all processes but archived
/// ones.
#[test]
fn partitions_keep_their_rows_whatever_is_asked() {
    let Some(env) = TestEnvironment::new() else { return };
    ["A-1", "A-2", "A-3"].into_iter().for_each(|number| env.create(number));
    let url = env.database.running_url().unwrap();
    for arguments in
        ["NULL, NULL", "0, NULL", "NULL, 0", "0, -2", "-1, 0", "9223372036854775807, 5", "0, 1000000"]
    {
        // Refused or not.
        drop(sql(&url, &format!("SELECT empty_partition({arguments})")));
    }
    assert_eq!(
        sql(&url, "SELECT (SELECT count(*) FROM payloads), count(*) FROM process_history").unwrap(),
        "3|3"
    );
}

#[test]
fn the_running_role_adds_and_empties_partitions() {
    let Some(roles) = Roles::migrated() else { return };
    let store = PostgresStore::open(&PostgresOptions::new(&roles.runner)).unwrap();
    sql(&roles.owner, "SELECT setval('process_ids', 4194304)").unwrap();
    assert_eq!(read_committed(&store, |tx| tx.has_partitions()), Ok(false));
    write(&store, |tx| tx.add_partitions()).unwrap();
    assert_eq!(read_committed(&store, |tx| tx.has_partitions()), Ok(true));
    let owners = "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relname LIKE 'payloads%'";
    assert_eq!(sql(&roles.owner, owners).unwrap(), "owner");
    assert_eq!(write(&store, |tx| tx.remove_archived(0)), Ok(None));
    sql(&roles.runner, "SELECT empty_partition(0, 1000), drop_expired_events()").unwrap();
}

/// The doctor's view of each role.
#[test]
fn the_state_of_a_role_names_its_powers() {
    let Some(database) = migrated() else { return };
    let health = |url: &str| {
        let now = || chrono::DateTime::UNIX_EPOCH;
        PostgresStore::health(&PostgresOptions::new(url), &now).unwrap().role.unwrap()
    };
    // It signed in as a superuser, and can become it again.
    let runner = health(&database.running_url().unwrap());
    assert_eq!((runner.name.as_str(), runner.is_superuser), (RUNNING_ROLE, true));
    assert_eq!((runner.missing.len(), runner.needless.len()), (0, 0));
    database
        .sql("REVOKE SELECT ON accounts FROM cutover_run; GRANT TRUNCATE ON accounts TO cutover_run")
        .unwrap();
    let runner = health(&database.running_url().unwrap());
    assert_eq!(runner.missing, ["SELECT on accounts"]);
    assert_eq!(runner.needless, ["TRUNCATE on accounts"]);
    let refused = PostgresStore::open(&options(&database)).map(drop).unwrap_err().to_string();
    assert_eq!(refused, "the role cutover_run lacks rights: SELECT on accounts");

    let Some(roles) = Roles::migrated() else { return };
    let (owner, runner) = (health(&roles.owner), health(&roles.runner));
    assert_eq!((owner.is_superuser, owner.is_owner), (false, true));
    assert_eq!((runner.is_superuser, runner.is_owner), (false, false));
    let store = PostgresStore::open(&PostgresOptions::new(&roles.runner)).unwrap();
    assert_eq!(read(&store, |tx| tx.organisations()), Ok(vec![]));
}
