use crate::levels::Levels;
use crate::{RULES, Rule};
use cutover_core::{Level, RuleId};
use std::collections::BTreeMap;

/// The rule levels that are set for an import supplier (rules 1.5). Other rules have their default level.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Profile(Levels);

/// Reason why a level cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProfile {
    /// No rule has this id.
    #[error("there is no rule {0:?}")]
    Unknown(String),
    /// The level of the rule is fixed.
    #[error("the level of rule {0} is fixed")]
    Fixed(RuleId),
}

impl Profile {
    /// Creates a profile in which the rules with these ids have these levels.
    ///
    /// # Errors
    /// [`InvalidProfile`] for an unknown rule or one whose level is fixed.
    pub fn new<'r>(levels: impl IntoIterator<Item = (&'r str, Level)>) -> Result<Self, InvalidProfile> {
        let mut profile = Self::default();
        for (id, level) in levels {
            let index = position(id).ok_or_else(|| InvalidProfile::Unknown(id.to_owned()))?;
            if RULES[index].fixed {
                return Err(InvalidProfile::Fixed(RULES[index].id));
            }
            profile.0.set(index, level, RULES.len());
        }
        Ok(profile)
    }

    /// Returns the level of a rule in account payloads.
    pub fn level(&self, rule: &Rule) -> Level {
        self.level_of(rule.id).unwrap_or(rule.level)
    }

    /// Returns the rules whose level is not the default, with that level.
    pub fn changes(&self) -> BTreeMap<&'static str, Level> {
        let rules = RULES.iter().enumerate();
        let set = rules.filter_map(|(index, rule)| Some((rule, self.0.at(index)?)));
        let is_change = |rule: &Rule, level| rule.level != level || rule.level_after_import() != level;
        set.filter(|(rule, level)| is_change(rule, *level)).map(|(rule, level)| (rule.id.0, level)).collect()
    }

    /// Returns the level that is set for the rule with this id.
    pub(crate) fn level_of(&self, id: RuleId) -> Option<Level> {
        position(id.0).and_then(|index| self.0.at(index))
    }

    /// The levels that are set.
    pub(crate) fn levels(&self) -> &Levels {
        &self.0
    }
}

fn position(id: &str) -> Option<usize> {
    RULES.iter().position(|rule| rule.id.0 == id)
}
