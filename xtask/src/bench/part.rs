use super::figure::Figure;
use super::{
    Args, additions, client, create, dry_run, flat, http, import, lists, memory, micro, offline, postgres,
    progress, status, stored,
};
use crate::error::Error;
use clap::ValueEnum;

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Part {
    /// Decoding, rules, encoding and a step of a process by themselves: times and instructions, without the yardsticks
    Micro,
    /// Decoding and all rules in memory, beside typed serde and the peers' checks
    Offline,
    /// The client's validation of 100,000 accounts, beside the same in memory
    Client,
    /// The validate endpoint, beside the peers' servers
    Http,
    /// Durable creates over 32 connections on SQLite, beside 1 and 100 a commit
    Create,
    /// The memory of a server, idle and under 32 connections with large accounts
    Memory,
    /// Bytes that are kept and written for an account on SQLite
    Stored,
    /// Imports, and the memory they take
    Import,
    /// Dry runs on SQLite, beside imports of the same accounts
    DryRun,
    /// The list of a supplier with 1,000,000 accounts, beside the export of the sqlite3 shell
    Lists,
    /// Status reads with 1,000 and with 1,000,000 processes
    Status,
    /// The progress of a supplier with 1,000 and with 1,000,000 processes
    Progress,
    /// Notes, transactions and statements for accounts that have 10 and 100,000 of them
    Additions,
    /// The server's CPU for requests and imports with few and many processes, suppliers and readings, on SQLite
    Flat,
    /// Durable creates over 32 connections on PostgreSQL, beside pgbench
    PgCreate,
    /// The CPU of server and database likewise, on PostgreSQL
    PgFlat,
    /// Imports on PostgreSQL by one process, beside UNNEST from Python
    PgImport,
    /// Dry runs on PostgreSQL, beside imports of the same accounts
    PgDryRun,
    /// Imports on PostgreSQL by one process and by two, on a short line and on a long one
    PgNodes,
    /// What eight idle worker processes ask of PostgreSQL
    PgIdle,
    /// Claims on PostgreSQL with 1,000 and with 1,000,000 pending
    PgClaim,
    /// Creates and imports on PostgreSQL next to an open snapshot and to pg_dump, beside the same without
    PgSnapshot,
    /// The list of a supplier with 1,000,000 accounts on PostgreSQL, beside COPY
    PgList,
    /// Creates on PostgreSQL while another organisation asks for pages of 2,000,000 processes
    PgReads,
    /// The progress of a supplier with 1,000 and with 1,000,000 processes on PostgreSQL
    PgProgress,
}

impl Part {
    /// Its word on the command line.
    pub(super) fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Measures it. What of it could not be run, though the rest was, is added to a list.
    pub(super) fn measure(self, args: &Args, not_run: &mut Vec<String>) -> Result<Vec<Figure>, Error> {
        match self {
            Self::Micro => micro::measure(args, not_run),
            Self::Offline => offline::compare(&args.kit()?, args.rounds),
            Self::Client => client::compare(args),
            Self::Http => http::compare(args),
            Self::Create => create::compare(args),
            Self::Memory => memory::measure(args),
            Self::Stored => stored::measure(args),
            Self::Import => import::measure(args),
            Self::DryRun => dry_run::compare(args),
            Self::Lists => lists::compare(args),
            Self::Status => status::compare(args),
            Self::Progress => progress::compare(args),
            Self::Additions => additions::compare(args),
            Self::Flat => flat::on_sqlite(args),
            Self::PgFlat => flat::on_postgres(args),
            Self::PgCreate => postgres::create(args),
            Self::PgImport => postgres::import(args),
            Self::PgDryRun => postgres::dry_run(args),
            Self::PgNodes => postgres::nodes(args),
            Self::PgIdle => postgres::idle(args),
            Self::PgClaim => postgres::claim(args),
            Self::PgSnapshot => postgres::snapshot(args),
            Self::PgList => postgres::list(args),
            Self::PgReads => postgres::reads(args),
            Self::PgProgress => postgres::progress(args),
        }
    }
}
