//! What happens in a run, as values: so that a run can be repeated, cut short and printed.

use crate::specs::{AccountRef, CreateSpec, InstructionSpec, NoteSpec, StatementSpec, TransactionsSpec};
use cutover_core::SupplierStatus;
use std::fmt;

/// One operation, and what disturbs it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Op {
    /// Which node does it.
    pub(crate) node: usize,
    pub(crate) act: Act,
    pub(crate) disturbances: Vec<Disturbance>,
}

/// What somebody does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Act {
    Create(CreateSpec),
    /// A payload that is never accepted.
    CreateFaulty(AccountRef, u8),
    Notes(AccountRef, Vec<NoteSpec>),
    Transactions(AccountRef, TransactionsSpec),
    Statements(AccountRef, Vec<StatementSpec>),
    Instruct(AccountRef, InstructionSpec),
    /// A business: its identifier, and one of two contents.
    Business(u8, u8),
    /// An instruction for a business, and some accounts.
    InstructBusiness(u8, InstructionSpec, Option<AccountRef>),
    /// The same request as so many before, unchanged.
    Again(usize),
    /// Another organisation tries.
    Intrude(AccountRef),
    /// Statuses, lists and progress are read.
    Look(AccountRef),
    SetStatus(u8, SupplierStatus),
    SetDryRun(u8, bool),
    SetLimit(u8, Option<u32>),
    Cancel(AccountRef),
    Retry(AccountRef),
    /// A worker of the node claims what is due and imports it.
    Turn(u8),
    /// The workers of the node are to stop: what they have not begun they give back.
    Stop,
    Sweep,
    Fold,
    /// A node takes up every claim, as it does when it starts.
    TakeOver,
    /// Payloads and history of ended processes go to an archive.
    Archive,
    /// A token is obtained and used; the signing key may be rotated before.
    Token(bool),
    /// Seconds pass.
    Pass(i64),
    /// The clock of the node is off by so many seconds from now on.
    Skew(i64),
    /// A part of the world is away from now on.
    Away(Part),
    /// All parts are back.
    Back,
    /// Every connection to a server is broken.
    Sever,
    /// The documents of the verifying supplier are there, or not.
    Documents(bool),
}

/// A part of the world that can be away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Store,
    Documents,
    Vendors,
}

/// Something that goes wrong at a moment of an operation. Each call through a port has two: before it is done and
/// after.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Disturbance {
    pub(crate) moment: u32,
    pub(crate) what: What,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// Before: the call fails, and nothing is done. After: it is done, and its answer is lost.
    Fail,
    /// Two writers met: nothing is done. After a new account was staged: the store stages it once more.
    Conflict,
    /// The code panics here, and its process lives. Before a write: in its transaction, once its job is done.
    Panic,
    /// The process dies here.
    Die,
    /// Other things happen first.
    Meanwhile(Vec<Op>),
    /// In the next write other things happen on another node, while its transaction is open and its job is done. On a
    /// database that one process uses they happen first.
    Within(Vec<Op>),
}

impl Act {
    /// The word for it, for counting.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::CreateFaulty(..) => "create faulty",
            Self::Notes(..) => "notes",
            Self::Transactions(..) => "transactions",
            Self::Statements(..) => "statements",
            Self::Instruct(..) => "instruct",
            Self::Business(..) => "business",
            Self::InstructBusiness(..) => "instruct business",
            Self::Again(_) => "again",
            Self::Intrude(_) => "intrude",
            Self::Look(_) => "look",
            Self::SetStatus(..) => "set status",
            Self::SetDryRun(..) => "set dry run",
            Self::SetLimit(..) => "set limit",
            Self::Cancel(_) => "cancel",
            Self::Retry(_) => "retry",
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

/// Short, for people who read a failing run.
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
