use crate::Facts;
use crate::at::At;
use crate::levels::Levels;
use crate::report::Collector;
use chrono::NaiveDate;
use cutover_core::{AttrPath, Code, Issue, Level, RuleId};
use cutover_model::RuleValues;
use std::fmt;

/// The context of a rule: the facts, and a function to report issues.
pub(crate) struct Checker<'c> {
    /// The inputs other than the payload.
    pub(crate) facts: Facts<'c>,
    /// The current day in the zone of the supplier.
    pub(crate) today: NaiveDate,
    /// What rules compare payloads with, for the supplier.
    pub(crate) values: &'c RuleValues,
    levels: &'c Levels,
    collector: &'c mut Collector,
    running: Option<(&'static Running, Level)>,
}

/// The id, the codes and the default level of a rule, which its issues carry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Running {
    pub(crate) id: RuleId,
    /// The codes that it declares.
    pub(crate) codes: &'static [Code],
    pub(crate) level: Level,
}

impl Running {
    /// Creates an issue of the rule at a level. The rule must declare the code.
    pub(crate) fn issue(&self, level: Level, attr: AttrPath, code: Code) -> Issue {
        debug_assert!(self.codes.contains(&code), "{} gives {code}, which it does not declare", self.id);
        Issue { attr, code, rule: self.id, level, detail: code.message().into() }
    }
}

impl<'c> Checker<'c> {
    /// `levels` are those that the supplier's profile sets.
    pub(crate) fn new(
        facts: Facts<'c>,
        values: &'c RuleValues,
        levels: &'c Levels,
        collector: &'c mut Collector,
    ) -> Self {
        Self { facts, today: facts.now.today(), values, levels, collector, running: None }
    }

    /// Runs the rule at this index of the catalogue if issues of its level are collected.
    #[inline]
    pub(crate) fn run(&mut self, index: usize, rule: &'static Running, f: impl FnOnce(&mut Self)) {
        let level = self.levels.at(index).unwrap_or(rule.level);
        if self.collector.takes(level) {
            self.running = Some((rule, level));
            f(self);
        }
    }

    /// Reports an issue of the running rule.
    #[cold]
    #[inline(never)]
    pub(crate) fn report(&mut self, at: At<'_>, code: Code) {
        let Some((rule, level)) = self.running else { return };
        self.collector.add(rule.issue(level, at.to_path(), code));
    }

    /// Reports an issue of the running rule with a text of its own, followed by the advice of the code. Of the
    /// payload the text may hold lengths and sums only.
    #[cold]
    #[inline(never)]
    pub(crate) fn report_as(&mut self, at: At<'_>, code: Code, text: fmt::Arguments<'_>) {
        let Some((rule, level)) = self.running else { return };
        let detail = format!("{text} {}", code.advice()).into();
        self.collector.add(Issue { detail, ..rule.issue(level, at.to_path(), code) });
    }
}
