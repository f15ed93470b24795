//! The store: SQL, migrations, rows.
