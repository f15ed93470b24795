//! Draws a run from a seed.

use crate::payloads::{SHAPES, SMALL_SHAPES, VERSIONS, WITH_DOCUMENT};
use crate::plan::{Act, Disturbance, Op, Part, What};
use crate::specs::{
    AccountRef, CreateSpec, FOREIGN, InstructionSpec, NoteSpec, Payload, StatementSpec, TransactionSpec,
    TransactionsSpec, VERIFYING, When,
};
use cutover_core::SupplierStatus;
use cutover_process::MAX_ATTEMPTS;
use cutover_testkit::payload::Dice;

/// How many nodes there are.
pub(crate) const NODES: usize = 2;
/// How deep things happen meanwhile.
const DEPTH: u32 = 2;
/// How many accounts a supplier has at most.
pub(crate) const NUMBERS: u8 = 3;

/// What happens in the run of a seed.
pub(crate) fn plan(seed: u64) -> Vec<Op> {
    let mut planner = Planner { dice: Dice::new(seed), focus: None, first: Vec::new() };
    let length = 30 + planner.dice.below(25);
    let begin = planner.begin();
    let middle: Vec<Op> = (0..length).map(|_| planner.op(0)).collect();
    begin.into_iter().chain(middle).chain(planner.trouble()).collect()
}

struct Planner {
    dice: Dice,
    /// What happens meanwhile is mostly about the account that the disturbed operation is about.
    focus: Option<AccountRef>,
    /// Those that are there from the start.
    first: Vec<AccountRef>,
}

type Draw = fn(&mut Planner) -> Act;

/// How often each thing is done.
const ACTS: &[(u64, Draw)] = &[
    (20, |p| Act::Create(p.create())),
    (2, |p| Act::CreateFaulty(p.account(), p.below(4))),
    (24, |p| Act::Turn(p.below(2))),
    (4, |p| Act::Notes(p.imported(), p.notes())),
    (9, |p| Act::Transactions(p.imported(), p.transactions())),
    (4, |p| Act::Statements(p.imported(), p.statements())),
    (7, |p| Act::Instruct(p.imported(), p.instruction())),
    (3, |p| Act::Business(p.below(3), u8::from(p.dice.one_in(6)))),
    (3, |p| Act::InstructBusiness(p.below(3), p.instruction(), p.some_account())),
    (8, |p| Act::Again(p.dice.below(4) as usize)),
    (1, |p| Act::Intrude(p.account())),
    (3, |p| Act::Look(p.account())),
    (3, |p| Act::SetStatus(p.supplier(), p.status())),
    (2, |p| Act::SetDryRun(p.supplier(), p.dice.one_in(3))),
    (1, |p| Act::SetLimit(p.supplier(), p.limit())),
    (3, |p| Act::Cancel(p.account())),
    (4, |p| Act::Retry(p.account())),
    (6, |_| Act::Sweep),
    (2, |_| Act::Fold),
    (1, |_| Act::TakeOver),
    (1, |_| Act::Archive),
    (1, |p| Act::Token(p.dice.one_in(2))),
    (7, |p| Act::Pass(p.seconds())),
    (1, |p| Act::Skew(p.dice.below(7_200) as i64 - 3_600)),
    (2, |p| Act::Away(p.part())),
    (6, |_| Act::Back),
    (1, |_| Act::Sever),
    (2, |p| Act::Documents(!p.dice.one_in(3))),
];

impl Planner {
    fn below(&mut self, bound: u8) -> u8 {
        self.dice.below(bound.into()) as u8
    }

    /// Some accounts are there from the start, most of them imported.
    fn begin(&mut self) -> Vec<Op> {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let creates: Vec<_> = (0..3).map(|_| self.create()).collect();
        self.first = creates.iter().map(|spec| spec.account).collect();
        creates.into_iter().map(Act::Create).chain([Act::Turn(0)]).map(calm).collect()
    }

    /// In some runs documents that were there go, storage is away for longer than an import is retried or for a shorter
    /// time, or a payload loses its worker again and again, with or without outages between.
    fn trouble(&mut self) -> Vec<Op> {
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        let account = AccountRef { supplier: VERIFYING, number: self.below(NUMBERS) };
        let payload = Payload { shape: WITH_DOCUMENT, version: self.below(VERSIONS) };
        let create = CreateSpec { account, payload, dry_run: self.dice.one_in(3), when: When::Now };
        let create = [Act::Documents(true), Act::Back, Act::Create(create)];
        let turns = |n: usize| (0..n).flat_map(|_| [Act::Pass(301), Act::Turn(0)]);
        let outage = |n| [Act::Away(Part::Documents)].into_iter().chain(turns(n)).chain([Act::Back]);
        let acts: Vec<Act> = match self.dice.below(24) {
            0 => create.into_iter().chain(outage(9)).collect(),
            1 => create.into_iter().chain(outage(5)).collect(),
            2 => {
                let outages = self.below(2);
                return create.into_iter().map(calm).chain(self.crashes(outages.into())).collect();
            }
            3..=6 => create.into_iter().chain([Act::Documents(false), Act::Turn(0)]).collect(),
            _ => Vec::new(),
        };
        let retry = self.dice.one_in(2).then_some(Act::Retry(account)).filter(|_| !acts.is_empty());
        acts.into_iter().chain(retry).map(calm).collect()
    }

    /// A worker claims what is due and dies, as often as there are attempts and once more, with so many outages between.
    fn crashes(&self, outages: usize) -> Vec<Op> {
        let op = |act, disturbances| Op { node: 0, act, disturbances };
        let calm = |act| op(act, Vec::new());
        let crash = || {
            let dies = Disturbance { moment: 2, what: What::Die };
            [calm(Act::Pass(301)), op(Act::Turn(0), vec![dies]), calm(Act::Pass(36)), calm(Act::Sweep)]
        };
        let outage = || {
            let acts = [Act::Pass(301), Act::Away(Part::Documents), Act::Turn(0), Act::Back];
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

    fn act(&mut self) -> Act {
        let mut at = self.dice.below(ACTS.iter().map(|(weight, _)| weight).sum());
        for (weight, draw) in ACTS {
            if at < *weight {
                return draw(self);
            }
            at -= weight;
        }
        Act::Sweep
    }

    fn disturbances(&mut self, act: &Act, depth: u32) -> Vec<Disturbance> {
        if depth > DEPTH || !self.dice.one_in(if depth == 0 { 2 } else { 5 }) {
            return Vec::new();
        }
        if matches!(act, Act::Create(_)) && self.dice.one_in(6) {
            return self.staged_twice();
        }
        let count = 1 + self.dice.below(2);
        (0..count).map(|_| self.disturbance(act, depth)).collect()
    }

    /// The store loses the answer to its commit, a worker takes the account, and the store stages it once more.
    fn staged_twice(&mut self) -> Vec<Disturbance> {
        let turn = Op { node: 0, act: Act::Turn(0), disturbances: Vec::new() };
        // Of a payload that is checked from memory, and of one that is not.
        let moment = if self.dice.one_in(2) { 1 } else { 3 };
        [What::Conflict, What::Meanwhile(vec![turn])].map(|what| Disturbance { moment, what }).into()
    }

    fn disturbance(&mut self, act: &Act, depth: u32) -> Disturbance {
        let moments =
            if matches!(act, Act::Turn(_) | Act::Instruct(..) | Act::InstructBusiness(..)) { 10 } else { 6 };
        let moment = self.dice.below(moments) as u32;
        let what = match self.dice.below(10) {
            0..=2 => What::Fail,
            3 => What::Conflict,
            4 => What::Panic,
            5 => What::Die,
            6 if depth == 0 && self.dice.one_in(3) => What::Within(self.within(act)),
            _ => What::Meanwhile(self.meanwhile(act, depth)),
        };
        Disturbance { moment, what }
    }

    fn meanwhile(&mut self, act: &Act, depth: u32) -> Vec<Op> {
        if depth >= DEPTH {
            return Vec::new();
        }
        let before = self.focus;
        self.focus = about(act).or(before);
        let calm = |act| Op { node: 0, act, disturbances: Vec::new() };
        // A worker that comes back late finds that others went on.
        let is_late = matches!(act, Act::Turn(_)) && self.dice.one_in(2);
        let mut ops = match is_late {
            true => vec![calm(Act::Pass(31)), calm(Act::Sweep), calm(Act::Pass(2)), calm(Act::Turn(0))],
            false => Vec::new(),
        };
        // Or that nobody did yet.
        if self.dice.one_in(3) {
            ops.truncate(2);
        }
        let count = 1 + self.dice.below(2);
        ops.extend((0..count).map(|_| self.one_meanwhile(act, depth + 1)));
        self.focus = before;
        ops
    }

    /// What nobody can do at the same time without being noticed: settings that change in between are as good as ones
    /// that change after.
    fn within(&mut self, act: &Act) -> Vec<Op> {
        let before = self.focus;
        self.focus = about(act).or(before);
        let op = self.one_meanwhile(act, DEPTH + 1);
        self.focus = before;
        let is_setting = matches!(op.act, Act::SetStatus(..) | Act::SetLimit(..) | Act::SetDryRun(..));
        if is_setting { Vec::new() } else { vec![op] }
    }

    fn one_meanwhile(&mut self, act: &Act, depth: u32) -> Op {
        let mut op = self.op(depth);
        if self.dice.one_in(5) && matches!(act, Act::Turn(_)) {
            op.act = Act::Stop;
        } else if self.dice.one_in(if matches!(act, Act::Turn(_)) { 4 } else { 2 }) {
            // The same at the same time.
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

    /// Of the first supplier: the instructions of businesses name accounts of one.
    fn some_account(&mut self) -> Option<AccountRef> {
        let number = self.below(NUMBERS);
        self.dice.one_in(2).then_some(AccountRef { supplier: 0, number })
    }

    /// One that is likely to be imported.
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

/// The account that an operation is about.
fn about(act: &Act) -> Option<AccountRef> {
    match act {
        Act::Create(spec) => Some(spec.account),
        Act::CreateFaulty(account, _)
        | Act::Notes(account, _)
        | Act::Transactions(account, _)
        | Act::Statements(account, _)
        | Act::Instruct(account, _)
        | Act::Intrude(account)
        | Act::Look(account)
        | Act::Cancel(account)
        | Act::Retry(account) => Some(*account),
        _ => None,
    }
}
