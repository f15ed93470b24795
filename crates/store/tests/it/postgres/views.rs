//! The operators' script that makes views for analysts.

use super::environment::TestEnvironment;
use cutover_app::worker::{Worked, Worker};
use cutover_model::tables::Tables;
use cutover_testkit::create_account;
use cutover_testkit_postgres::psql;
use std::collections::BTreeSet;
use std::sync::Arc;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/views.sql");

/// An account of each of these kinds is imported.
const ACCOUNTS: [&str; 3] = [
    include_str!("../../../../../fixtures/accounts/valid/electricity.json"),
    include_str!("../../../../../fixtures/accounts/valid/dual_fuel.json"),
    include_str!("../../../../../fixtures/accounts/valid/embedded_water.json"),
];

/// Members that the dictionary calls personal since they are part of a personal object, and that say nothing of a person
/// without the others.
const COARSE: [&str; 2] = ["administrative_area", "country"];

#[test]
fn analysts_read_views_without_personal_data_and_nothing_else() {
    let Some(env) = TestEnvironment::new() else { return };
    for account in ACCOUNTS {
        create_account(&env.app, &env.caller, None, account.replace("ACME_ENERGY", "ACME").as_bytes())
            .unwrap();
    }
    let worker = Worker::new(env.app.clone(), "views".into(), Arc::default(), Arc::default());
    while worker.run_once().unwrap() != Worked::Nothing {}
    let name = env.database.sql("SELECT current_database()").unwrap().trim().to_owned();
    let (reader, personal) = (format!("{name}_reader"), format!("{name}_personal"));
    env.database.sql(&format!("CREATE ROLE {reader}; CREATE ROLE {personal}")).unwrap();
    // A second run replaces the views of the first.
    for _ in 0..2 {
        let mut command = psql(env.database.url()).unwrap();
        command.args(["-1", "-v", &format!("reader={reader}"), "-v", &format!("personal_reader={personal}")]);
        let output = command.args(["-f", SCRIPT]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let lines =
        |sql: &str| -> Vec<String> { env.database.sql(sql).unwrap().lines().map(str::to_owned).collect() };
    let uncommented = "SELECT c.oid::regclass || '.' || coalesce(a.attname, '') FROM pg_class c \
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
        WHERE c.relnamespace IN ('analysis'::regnamespace, 'analysis_personal'::regnamespace) \
        AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)";
    assert_eq!(lines(uncommented), [""; 0]);
    let as_role = |role: &str, view: &str| {
        env.database.sql(&format!("SET ROLE {role}; SELECT count(*) FROM (SELECT * FROM {view}) v"))
    };
    let views = |schema: &str| {
        lines(&format!("SELECT viewname FROM pg_views WHERE schemaname = '{schema}' ORDER BY 1"))
            .into_iter()
            .map(|view| format!("{schema}.{view}"))
            .collect::<Vec<_>>()
    };
    let (open, closed) = (views("analysis"), views("analysis_personal"));
    assert!(open.len() > 10 && closed.len() > 4, "{open:?} {closed:?}");
    for view in &open {
        for role in [&reader, &personal] {
            let rows = as_role(role, view).unwrap();
            assert_ne!(rows.trim(), "0", "{view} is empty");
        }
    }
    for view in &closed {
        assert_ne!(as_role(&personal, view).unwrap().trim(), "0", "{view} is empty");
        let refused = as_role(&reader, view).unwrap_err().to_string();
        assert!(refused.contains("permission denied"), "{view}: {refused}");
    }
    for table in ["accounts", "customers", "payloads", "audit_trail"] {
        assert!(as_role(&personal, &format!("public.{table}")).is_err(), "{table}");
    }
    let tables = Tables::imported();
    let is_personal = tables.iter().flat_map(|table| &table.columns).filter(|column| column.is_personal);
    let personal_columns: BTreeSet<&str> =
        is_personal.map(|column| column.name.rsplit('.').next().unwrap_or_default()).collect();
    let shown = lines(
        "SELECT attname FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid AND attnum > 0 \
        WHERE relnamespace = 'analysis'::regnamespace",
    );
    let exposed: Vec<_> = shown
        .iter()
        .filter(|column| personal_columns.contains(column.as_str()) && !COARSE.contains(&column.as_str()))
        .collect();
    assert_eq!(exposed, [""; 0]);
    env.database.sql(&format!("DROP OWNED BY {reader}, {personal}; DROP ROLE {reader}, {personal}")).unwrap();
}
