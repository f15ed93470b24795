//! Draws a plan from a seed.

use crate::payloads::{SHAPES, SMALL_SHAPES, VERSIONS, WITH_DOCUMENT};
use crate::plan::{Action, Disturbance, Fault, Op, Part};
use crate::specs::{
    AccountRef, CreateSpec, FOREIGN, InstructionSpec, NoteSpec, Payload, StatementSpec, TransactionSpec,
    TransactionsSpec, VERIFYING, When,
};
use cutover_core::SupplierStatus;
use cutover_process::MAX_ATTEMPTS;
use cutover_testkit::payload::Dice;

/// Number of nodes.
pub(crate) const NODES: usize = 2;
/// Maximum nesting of operations.
const DEPTH: u32 = 2;
/// Maximum number of accounts per supplier.
pub(crate) const NUMBERS: u8 = 3;
/// A business that no other operation names.
const UNUSED_BUSINESS: u8 = 3;

/// Plan of a seed.
pub(crate) fn plan(seed: u64) -> Vec<Op> {
    let mut planner = Planner { dice: Dice::new(seed), focus: None, first: Vec::new() };
    let length = 30 + planner.dice.below(25);
    let begin = planner.begin();
    let middle: Vec<Op> = (0..length).map(|_| planner.op(0)).collect();
    let trouble = planner.trouble();
    begin.into_iter().chain(middle).chain(trouble).chain(planner.equal_writers()).collect()
}

struct Planner {
    dice: Dice,
    /// Account of the disturbed operation; operations during it mostly use the same account.
    focus: Option<AccountRef>,
    /// Accounts that are created at the start.
    first: Vec<AccountRef>,
}

type Draw = fn(&mut Planner) -> Action;

/// Weights of the actions.
const ACTS: &[(u64, Draw)] = &[
    (20, |p| Action::Create(p.create())),
    (2, |p| Action::CreateFaulty(p.account(), p.below(4))),
    (24, |p| Action::Turn(p.below(2))),
    (4, |p| Action::Notes(p.imported(), p.notes())),
    (9, |p| Action::Transactions(p.imported(), p.transactions())),
    (4, |p| Action::Statements(p.imported(), p.statements())),
    (7, |p| Action::Instruct(p.imported(), p.instruction())),
    (3, |p| Action::Business(p.below(3), u8::from(p.dice.one_in(6)))),
    (3, |p| Action::ReplaceBusiness(if p.dice.one_in(2) { 0 } else { p.below(3) }, p.below(3))),
    (3, |p| Action::InstructBusiness(p.below(3), p.instruction(), p.some_account())),
    (8, |p| Action::Again(p.dice.below(4) as usize)),
    (1, |p| Action::Intrude(p.account())),
    (3, |p| Action::Look(p.account())),
    (3, |p| Action::SetStatus(p.supplier(), p.status())),
    (2, |p| Action::SetDryRun(p.supplier(), p.dice.one_in(3))),
    (1, |p| Action::SetLimit(p.supplier(), p.limit())),
    (3, |p| Action::Cancel(p.account())),
    (4, |p| Action::Retry(p.account())),
    (5, |p| Action::Undo(p.imported())),
    (1, |p| Action::Bill(p.imported())),
    (6, |_| Action::Sweep),
    (2, |_| Action::Fold),
    (1, |_| Action::TakeOver),
    (1, |_| Action::Archive),
    (1, |p| Action::Token(p.dice.one_in(2))),
    (7, |p| Action::Pass(p.seconds())),
    (1, |p| Action::Skew(p.dice.below(7_200) as i64 - 3_600)),
    (2, |p| Action::Away(p.part())),
    (6, |_| Action::Back),
    (1, |_| Action::Sever),
    (2, |p| Action::Documents(!p.dice.one_in(3))),
];

impl Planner {
    fn below(&mut self, bound: u8) -> u8 {
        self.dice.below(bound.into()) as u8
    }

    /// Creates some accounts and imports most of them.
    fn begin(&mut self) -> Vec<Op> {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let creates: Vec<_> = (0..3).map(|_| self.create()).collect();
        self.first = creates.iter().map(|spec| spec.account).collect();
        // Accounts name a contract of this business.
        let business = [Action::Business(0, 0)].into_iter();
        business.chain(creates.into_iter().map(Action::Create)).chain([Action::Turn(0)]).map(calm).collect()
    }

    /// In some runs: documents vanish, storage is away for longer or shorter than imports are retried, or a
    /// payload crashes its worker repeatedly, with or without outages in between.
    fn trouble(&mut self) -> Vec<Op> {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let account = AccountRef { supplier: VERIFYING, number: self.below(NUMBERS) };
        let payload = Payload { shape: WITH_DOCUMENT, version: self.below(VERSIONS) };
        let create = CreateSpec { account, payload, dry_run: self.dice.one_in(3), when: When::Now };
        let create = [Action::Documents(true), Action::Back, Action::Create(create)];
        let turns = |n: usize| (0..n).flat_map(|_| [Action::Pass(301), Action::Turn(0)]);
        let outage = |n| [Action::Away(Part::Documents)].into_iter().chain(turns(n)).chain([Action::Back]);
        let acts: Vec<Action> = match self.dice.below(24) {
            0 => create.into_iter().chain(outage(9)).collect(),
            1 => create.into_iter().chain(outage(5)).collect(),
            2 => {
                let outages = self.below(2);
                return create.into_iter().map(calm).chain(self.crashes(outages.into())).collect();
            }
            3..=6 => create.into_iter().chain([Action::Documents(false), Action::Turn(0)]).collect(),
            _ => Vec::new(),
        };
        let retry = self.dice.one_in(2).then_some(Action::Retry(account)).filter(|_| !acts.is_empty());
        acts.into_iter().chain(retry).map(calm).collect()
    }

    /// In some runs: several requests create a new business, and an account, at once and with equal content.
    fn equal_writers(&mut self) -> Vec<Op> {
        if !self.dice.one_in(3) {
            return Vec::new();
        }
        let create = self.create();
        let acts = [Action::Business(UNUSED_BUSINESS, 0), Action::Create(create)];
        let back = Op { node: 0, act: Action::Back, disturbances: Vec::new() };
        let writers = acts.map(|act| {
            let count = 1 + self.dice.below(3);
            let other = |node| Op { node: node as usize % NODES, act: act.clone(), disturbances: Vec::new() };
            let others: Vec<Op> = (1..=count).map(other).collect();
            let what = if self.dice.one_in(2) { Fault::Within(others) } else { Fault::Meanwhile(others) };
            Op { node: 0, act, disturbances: vec![Disturbance { moment: self.dice.below(4) as u32, what }] }
        });
        [back].into_iter().chain(writers).collect()
    }

    /// A worker claims and dies once more than the maximum number of attempts, with this many outages in
    /// between.
    fn crashes(&self, outages: usize) -> Vec<Op> {
        let op = |act, disturbances| Op { node: 0, act, disturbances };
        let calm = |act| op(act, Vec::new());
        let crash = || {
            let dies = Disturbance { moment: 2, what: Fault::Die };
            [
                calm(Action::Pass(301)),
                op(Action::Turn(0), vec![dies]),
                calm(Action::Pass(36)),
                calm(Action::Sweep),
            ]
        };
        let outage = || {
            let acts = [Action::Pass(301), Action::Away(Part::Documents), Action::Turn(0), Action::Back];
            acts.into_iter().map(calm)
        };
        (0..=MAX_ATTEMPTS)
            .flat_map(|_| crash().into_iter().chain((0..outages).flat_map(|_| outage())))
            .collect()
    }

    fn op(&mut self, depth: u32) -> Op {
        let act = self.act();
        let node = self.dice.below(NODES as u64) as usize;
        let disturbances = self.disturbances(&act, depth);
        Op { node, act, disturbances }
    }

    fn act(&mut self) -> Action {
        let mut at = self.dice.below(ACTS.iter().map(|(weight, _)| weight).sum());
        for (weight, draw) in ACTS {
            if at < *weight {
                return draw(self);
            }
            at -= weight;
        }
        Action::Sweep
    }

    fn disturbances(&mut self, act: &Action, depth: u32) -> Vec<Disturbance> {
        if depth > DEPTH || !self.dice.one_in(if depth == 0 { 2 } else { 5 }) {
            return Vec::new();
        }
        if matches!(act, Action::Create(_)) && self.dice.one_in(6) {
            return self.staged_twice();
        }
        let count = 1 + self.dice.below(2);
        (0..count).map(|_| self.disturbance(act, depth)).collect()
    }

    /// The store loses the answer to its commit, a worker claims the account, and the store stages it again.
    fn staged_twice(&mut self) -> Vec<Disturbance> {
        let turn = Op { node: 0, act: Action::Turn(0), disturbances: Vec::new() };
        // The first moment for a payload that is checked from memory, the second for another.
        let moment = if self.dice.one_in(2) { 1 } else { 3 };
        [Fault::Conflict, Fault::Meanwhile(vec![turn])].map(|what| Disturbance { moment, what }).into()
    }

    fn disturbance(&mut self, act: &Action, depth: u32) -> Disturbance {
        let moments = if matches!(act, Action::Turn(_) | Action::Instruct(..) | Action::InstructBusiness(..))
        {
            10
        } else {
            6
        };
        let moment = self.dice.below(moments) as u32;
        let what = match self.dice.below(10) {
            0..=2 => Fault::Fail,
            3 => Fault::Conflict,
            4 => Fault::Panic,
            5 => Fault::Die,
            6 if depth == 0 && self.dice.one_in(3) => Fault::Within(self.within(act)),
            _ => Fault::Meanwhile(self.meanwhile(act, depth)),
        };
        Disturbance { moment, what }
    }

    fn meanwhile(&mut self, act: &Action, depth: u32) -> Vec<Op> {
        if depth >= DEPTH {
            return Vec::new();
        }
        let before = self.focus;
        self.focus = about(act).or(before);
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        // The worker comes back late, after others have continued.
        let is_late = matches!(act, Action::Turn(_)) && self.dice.one_in(2);
        let mut ops = match is_late {
            true => vec![
                calm(Action::Pass(31)),
                calm(Action::Sweep),
                calm(Action::Pass(2)),
                calm(Action::Turn(0)),
            ],
            false => Vec::new(),
        };
        // Or before anybody has continued.
        if self.dice.one_in(3) {
            ops.truncate(2);
        }
        let count = 1 + self.dice.below(2);
        ops.extend((0..count).map(|_| self.one_meanwhile(act, depth + 1)));
        self.focus = before;
        ops
    }

    /// An operation within a transaction. Changes of settings are left out, because there they cannot be
    /// distinguished from later ones.
    fn within(&mut self, act: &Action) -> Vec<Op> {
        let before = self.focus;
        self.focus = about(act).or(before);
        let op = self.one_meanwhile(act, DEPTH + 1);
        self.focus = before;
        let is_setting =
            matches!(op.act, Action::SetStatus(..) | Action::SetLimit(..) | Action::SetDryRun(..));
        if is_setting { Vec::new() } else { vec![op] }
    }

    fn one_meanwhile(&mut self, act: &Action, depth: u32) -> Op {
        let mut op = self.op(depth);
        if self.dice.one_in(5) && matches!(act, Action::Turn(_)) {
            op.act = Action::Stop;
        } else if self.dice.one_in(if matches!(act, Action::Turn(_)) { 4 } else { 2 }) {
            // The same action concurrently.
            op.act = act.clone();
        }
        op
    }

    fn supplier(&mut self) -> u8 {
        match self.focus {
            Some(focus) if !self.dice.one_in(4) => focus.supplier,
            _ => self.below(FOREIGN),
        }
    }

    fn account(&mut self) -> AccountRef {
        if let Some(focus) = self.focus.filter(|_| !self.dice.one_in(4)) {
            return focus;
        }
        let supplier = if self.dice.one_in(12) { FOREIGN } else { self.below(FOREIGN) };
        AccountRef { supplier, number: self.below(NUMBERS) }
    }

    /// An account of the first supplier, because instructions of a business name accounts of one supplier.
    fn some_account(&mut self) -> Option<AccountRef> {
        let number = self.below(NUMBERS);
        self.dice.one_in(2).then_some(AccountRef { supplier: 0, number })
    }

    /// An account that is likely to be imported.
    fn imported(&mut self) -> AccountRef {
        if self.focus.is_some() || self.dice.one_in(4) {
            return self.account();
        }
        self.first[self.dice.below(3) as usize]
    }

    fn instruction(&mut self) -> InstructionSpec {
        let is_any = self.dice.one_in(3);
        InstructionSpec(self.below(if is_any { InstructionSpec::ALL } else { InstructionSpec::CONFIRMED }))
    }

    fn create(&mut self) -> CreateSpec {
        let shape = match self.dice.one_in(5) {
            true => SMALL_SHAPES + self.below(SHAPES - SMALL_SHAPES),
            false => self.below(SMALL_SHAPES),
        };
        let when = match self.dice.below(12) {
            0 => When::Later,
            1 => When::Soon,
            _ => When::Now,
        };
        let payload = Payload { shape, version: self.below(VERSIONS) };
        CreateSpec { account: self.account(), payload, dry_run: self.dice.one_in(6), when }
    }

    fn notes(&mut self) -> Vec<NoteSpec> {
        let count = 1 + self.dice.below(3);
        (0..count).map(|_| NoteSpec { body: self.below(4), time: self.below(3) }).collect()
    }

    fn transactions(&mut self) -> TransactionsSpec {
        let first = self.below(6);
        let count = 1 + self.below(3);
        let item = |n: u8| TransactionSpec { id: (first + n) % 6, is_other: false };
        let mut items: Vec<_> = (0..count).map(item).collect();
        items[0].is_other = self.dice.one_in(8);
        TransactionsSpec { items, check: !self.dice.one_in(4), force: !self.dice.one_in(4) }
    }

    fn statements(&mut self) -> Vec<StatementSpec> {
        let first = self.below(4);
        let count = 1 + self.below(2);
        let version = u8::from(self.dice.one_in(4));
        (0..count).map(|n| StatementSpec { id: (first + n) % 4, version }).collect()
    }

    fn status(&mut self) -> SupplierStatus {
        match self.dice.below(4) {
            0 => SupplierStatus::Paused,
            1 => SupplierStatus::Complete,
            _ => SupplierStatus::Ongoing,
        }
    }

    fn limit(&mut self) -> Option<u32> {
        [None, Some(1), Some(2), Some(0)][self.dice.below(4) as usize]
    }

    fn seconds(&mut self) -> i64 {
        [1, 5, 16, 31, 301, 301, 3_700, 90_000][self.dice.below(8) as usize]
    }

    fn part(&mut self) -> Part {
        [Part::Store, Part::Documents, Part::Vendors, Part::Documents][self.dice.below(4) as usize]
    }
}

/// The account of an action.
fn about(act: &Action) -> Option<AccountRef> {
    match act {
        Action::Create(spec) => Some(spec.account),
        Action::CreateFaulty(account, _)
        | Action::Notes(account, _)
        | Action::Transactions(account, _)
        | Action::Statements(account, _)
        | Action::Instruct(account, _)
        | Action::Intrude(account)
        | Action::Look(account)
        | Action::Cancel(account)
        | Action::Retry(account)
        | Action::Undo(account)
        | Action::Bill(account) => Some(*account),
        _ => None,
    }
}
