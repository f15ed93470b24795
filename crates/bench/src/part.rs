use clap::ValueEnum;

/// A part of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Instructions of decoding, rules, encoding and a step of a process, counted by valgrind
    Micro,
    /// Decoding and all rules in memory, next to typed serde with the peers' checks
    Offline,
    /// The validate endpoint, next to the peers' servers
    Http,
    /// The client's validation of 100,000 accounts, next to the same in memory
    Client,
    /// Durable creates on SQLite, next to inserts with 100 rows a commit
    Create,
    /// Durable creates on PostgreSQL, next to pgbench
    PgCreate,
    /// Imports on SQLite
    Import,
    /// Imports on PostgreSQL, next to rows of one table by pgbench
    PgImport,
    /// The memory of a server, idle and under 32 connections with large accounts
    Memory,
    /// The list of a supplier with 1,000,000 accounts on SQLite, next to the export of the sqlite3 shell
    List,
    /// The same on PostgreSQL, next to COPY
    PgList,
}

impl Part {
    /// Name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}
