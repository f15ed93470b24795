//! Plan of a run as values, so that it can be repeated, shortened and printed.

use crate::specs::{AccountRef, CreateSpec, InstructionSpec, NoteSpec, StatementSpec, TransactionsSpec};
use cutover_core::SupplierStatus;
use std::fmt;

/// An operation and its disturbances.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Op {
    /// Node that performs it.
    pub(crate) node: usize,
    pub(crate) act: Action,
    pub(crate) disturbances: Vec<Disturbance>,
}

/// Action of a caller, an operator, a worker or the environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    Create(CreateSpec),
    /// A payload that is never accepted.
    CreateFaulty(AccountRef, u8),
    Notes(AccountRef, Vec<NoteSpec>),
    Transactions(AccountRef, TransactionsSpec),
    Statements(AccountRef, Vec<StatementSpec>),
    Instruct(AccountRef, InstructionSpec),
    /// Create a business: its identifier, and one of two contents.
    Business(u8, u8),
    /// Replace a business: its identifier, and one of three contents.
    ReplaceBusiness(u8, u8),
    /// Add an instruction to a business, for an account if one is given.
    InstructBusiness(u8, InstructionSpec, Option<AccountRef>),
    /// Repeat an earlier request unchanged, counted backwards.
    Again(usize),
    /// Another organisation tries to read and write.
    Intrude(AccountRef),
    /// Read statuses, lists and progress.
    Look(AccountRef),
    SetStatus(u8, SupplierStatus),
    SetDryRun(u8, bool),
    SetLimit(u8, Option<u32>),
    Cancel(AccountRef),
    Retry(AccountRef),
    /// Undo the import of an account, by a job that any node may work on.
    Undo(AccountRef),
    /// Another system reports that it has billed the account.
    Bill(AccountRef),
    /// A worker of the node claims and imports what is due.
    Turn(u8),
    /// Stop the workers of the node; they return what they have not begun.
    Stop,
    Sweep,
    Fold,
    /// A node releases every claim, as at its start.
    TakeOver,
    /// Move payloads and history of ended processes to an archive.
    Archive,
    /// Obtain and use a token; if set, rotate the signing key before.
    Token(bool),
    /// Advance the time by seconds.
    Pass(i64),
    /// Set the clock of the node off by seconds.
    Skew(i64),
    /// Make a part of the environment unavailable.
    Away(Part),
    /// Make all parts available again.
    Back,
    /// Terminate every connection to the database server.
    Sever,
    /// Provide the documents of the verifying supplier, or remove them.
    Documents(bool),
}

/// A part of the environment that can be unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Store,
    Documents,
    Vendors,
}

/// A fault at a moment of an operation. Each call through a port has two moments: before and after it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Disturbance {
    pub(crate) moment: u32,
    pub(crate) what: Fault,
}

/// Kind of a disturbance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Before a call: it fails, and nothing is done. After: it is done, but its answer is lost.
    Fail,
    /// A write conflict: nothing is done. After a new account was staged: the store stages it again.
    Conflict,
    /// The code panics, but its process survives. Before a write: it panics within the transaction, after the
    /// job.
    Panic,
    /// The process dies.
    Die,
    /// Other operations run first.
    Meanwhile(Vec<Op>),
    /// Other operations run on another node within the next write: at a point of its job between two reads, if it has one,
    /// else after its job and before its commit. On a database for one process they run before the write.
    Within(Vec<Op>),
}

impl Action {
    /// Label for counting.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::CreateFaulty(..) => "create faulty",
            Self::Notes(..) => "notes",
            Self::Transactions(..) => "transactions",
            Self::Statements(..) => "statements",
            Self::Instruct(..) => "instruct",
            Self::Business(..) => "business",
            Self::ReplaceBusiness(..) => "replace business",
            Self::InstructBusiness(..) => "instruct business",
            Self::Again(_) => "again",
            Self::Intrude(_) => "intrude",
            Self::Look(_) => "look",
            Self::SetStatus(..) => "set status",
            Self::SetDryRun(..) => "set dry run",
            Self::SetLimit(..) => "set limit",
            Self::Cancel(_) => "cancel",
            Self::Retry(_) => "retry",
            Self::Undo(_) => "undo",
            Self::Bill(_) => "bill",
            Self::Turn(_) => "turn",
            Self::Stop => "stop",
            Self::Sweep => "sweep",
            Self::Fold => "fold",
            Self::TakeOver => "take over",
            Self::Archive => "archive",
            Self::Token(_) => "token",
            Self::Pass(_) => "pass",
            Self::Skew(_) => "skew",
            Self::Away(_) => "away",
            Self::Back => "back",
            Self::Sever => "sever",
            Self::Documents(_) => "documents",
        }
    }
}

/// Short form for printing a failing run.
impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{} {:?}", self.node, self.act)?;
        for Disturbance { moment, what } in &self.disturbances {
            write!(f, " @{moment} {what:?}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Disturbance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{} {:?}", self.moment, self.what)
    }
}
