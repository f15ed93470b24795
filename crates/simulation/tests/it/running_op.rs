//! The stack of operations in progress: one operation and those performed during it.

use crate::oracle::Submission;
use crate::plan::{Action, Disturbance, Fault, Op};

/// An operation in progress.
#[derive(Debug)]
pub(crate) struct RunningOp {
    pub(crate) node: usize,
    pub(crate) act: Action,
    /// Id of its request.
    pub(crate) request: String,
    moment: u32,
    pending: Vec<Disturbance>,
    /// True if its process has died, so that nothing it still does has an effect.
    pub(crate) is_dead: bool,
    /// True if something went wrong, so that it may fail.
    pub(crate) is_disturbed: bool,
    /// True if other operations ran during it. Equal requests are none: they must not make a difference.
    pub(crate) is_interrupted: bool,
    /// Operations to perform within its next transaction.
    pub(crate) within: Vec<Op>,
    /// Number of commits.
    pub(crate) commits: u32,
    /// Expected answer to its last commit: for each item whether it was added, or why it had to be refused.
    pub(crate) expected: Option<Result<Vec<bool>, &'static str>>,
    /// Submission from which the account is to be imported after its last commit.
    pub(crate) submitted: Option<Submission>,
}

impl RunningOp {
    pub(crate) fn new(node: usize, act: Action, request: String, disturbances: &[Disturbance]) -> Self {
        Self {
            node,
            act,
            request,
            moment: 0,
            pending: disturbances.to_vec(),
            is_dead: false,
            is_disturbed: false,
            is_interrupted: false,
            within: Vec::new(),
            commits: 0,
            expected: None,
            submitted: None,
        }
    }

    /// Advances to the next moment and returns what goes wrong then.
    pub(crate) fn next(&mut self) -> Vec<Fault> {
        let now = self.moment;
        self.moment += 1;
        let (due, later): (Vec<_>, Vec<_>) = self.pending.drain(..).partition(|d| d.moment <= now);
        self.pending = later;
        let due: Vec<Fault> = due.into_iter().map(|disturbance| disturbance.what).collect();
        for what in &due {
            match what {
                Fault::Meanwhile(ops) => self.is_interrupted |= !self.are_equal(ops),
                // They may wait for its locks longer than a transaction may last.
                Fault::Within(ops) => {
                    self.is_disturbed = true;
                    self.is_interrupted |= !self.are_equal(ops);
                }
                Fault::Fail | Fault::Conflict | Fault::Panic => self.is_disturbed = true,
                Fault::Die => (self.is_disturbed, self.is_dead) = (true, true),
            }
        }
        due
    }

    /// True if all of these operations are the same create as this one, whose repetition changes nothing.
    fn are_equal(&self, ops: &[Op]) -> bool {
        matches!(self.act, Action::Create(_) | Action::Business(..))
            && ops.iter().all(|op| op.act == self.act && op.disturbances.is_empty())
    }
}
