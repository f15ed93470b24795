use crate::database::Database;
use crate::error::Error;
use crate::figure::Figure;
use crate::{
    Args, additions, client, create, dry_run, flat, http, import, lists, memory, micro, offline, postgres,
    progress, refused, status, stored,
};
use clap::ValueEnum;

/// A part of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// Decoding, rules, encoding and a step of a process alone: times and instructions, without the
    /// yardsticks
    Micro,
    /// Decoding and all rules in memory, next to typed serde and the peers' checks
    Offline,
    /// The client's validation of 100,000 accounts, next to the same in memory
    Client,
    /// The validate endpoint, next to the peers' servers
    Http,
    /// Durable creates over 32 connections on SQLite, next to inserts with 1 and 100 rows per commit
    Create,
    /// The memory of a server, idle and under 32 connections with large accounts
    Memory,
    /// Bytes stored and written for an account on SQLite
    Stored,
    /// Imports on SQLite, and the memory they take
    Import,
    /// Dry runs on SQLite, next to imports of the same accounts
    DryRun,
    /// The list of a supplier with 1,000,000 accounts, next to the export of the sqlite3 shell
    Lists,
    /// Status reads with 1,000 and with 1,000,000 processes
    Status,
    /// Progress, filtered lists and console of a supplier with 1,000 and with 1,000,000 processes
    Progress,
    /// Refused creates, next to validations of the same accounts, and a flood of them
    Refused,
    /// Notes, transactions and statements for accounts that have 10 and 100,000 of them
    Additions,
    /// The server's CPU for requests and imports with few and many processes, suppliers and readings, on
    /// SQLite
    Flat,
    /// Durable creates over 32 connections on PostgreSQL, next to pgbench
    PgCreate,
    /// The CPU of server and database for the same on PostgreSQL
    PgFlat,
    /// Imports on PostgreSQL by one process, next to UNNEST from Python
    PgImport,
    /// Dry runs on PostgreSQL, next to imports of the same accounts
    PgDryRun,
    /// Imports on PostgreSQL by one process and by two, on a fast line and on a slow one
    PgNodes,
    /// Statements that eight idle worker processes send to PostgreSQL
    PgIdle,
    /// Claims on PostgreSQL with 1,000 and with 1,000,000 pending
    PgClaim,
    /// Creates and imports on PostgreSQL next to an open snapshot and to pg_dump, and the same without
    PgSnapshot,
    /// The list of a supplier with 1,000,000 accounts on PostgreSQL, next to COPY
    PgList,
    /// Creates on PostgreSQL while another organisation asks for pages of 2,000,000 processes
    PgReads,
    /// Progress, filtered lists and console of a supplier with 1,000 and 1,000,000 processes on PostgreSQL
    PgProgress,
    /// Refused creates on PostgreSQL
    PgRefused,
    /// Delay of events from four nodes on PostgreSQL whose workers are killed, next to an open transaction
    PgFeed,
}

impl Part {
    /// Name on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Measures the part, and adds what could not be run of it to `not_run`.
    pub(crate) fn measure(self, args: &Args, not_run: &mut Vec<String>) -> Result<Vec<Figure>, Error> {
        match self {
            Self::Micro => micro::measure(args, not_run),
            Self::Offline => offline::compare(&args.kit()?, args.rounds),
            Self::Client => client::compare(args),
            Self::Http => http::compare(args),
            Self::Create => create::on_sqlite(args),
            Self::Memory => memory::measure(args),
            Self::Stored => stored::measure(args),
            Self::Import => import::on_sqlite(args),
            Self::DryRun => dry_run::on_sqlite(args),
            Self::Lists => lists::on_sqlite(args),
            Self::Status => status::compare(args),
            Self::Progress => progress::compare(args, &Database::Sqlite),
            Self::Refused => refused::measure(args, &Database::Sqlite),
            Self::Additions => additions::compare(args),
            Self::Flat => flat::measure(args, &Database::Sqlite),
            Self::PgFlat => flat::measure(args, &Database::postgres()?),
            Self::PgCreate => create::on_postgres(args),
            Self::PgImport => import::on_postgres(args),
            Self::PgDryRun => dry_run::on_postgres(args),
            Self::PgNodes => postgres::nodes(args),
            Self::PgIdle => postgres::idle(args),
            Self::PgClaim => postgres::claim(args),
            Self::PgSnapshot => postgres::snapshot(args),
            Self::PgList => lists::on_postgres(args),
            Self::PgReads => postgres::reads(args),
            Self::PgProgress => progress::compare(args, &Database::postgres()?),
            Self::PgRefused => refused::measure(args, &Database::postgres()?),
            Self::PgFeed => postgres::feed(args),
        }
    }
}
